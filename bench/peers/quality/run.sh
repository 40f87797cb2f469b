#!/usr/bin/env bash
# Ours beside common Python recipes, on judged collections in BEIR layout.
#
#   bench/peers/quality/run.sh BMCIS CORPORA_DIR OUT_DIR SET...
#
# Runs that are there already are not made again: remove OUT_DIR to begin anew. Without
# RERANK=1 the reranker, which takes longest, is left out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bmcis=$1 corpora=$2 out=$3
shift 3
mkdir -p "$out"
[ -d "$out/venv" ] || { python3 -m venv "$out/venv" && "$out/venv/bin/pip" -q install -r "$here/requirements.txt"; }
model=$("$bmcis" models list --json | "$out/venv/bin/python" -c '
import glob, json, sys
where = [m["where"] for m in json.load(sys.stdin) if m["name"] == "bge-small-en-v1.5"][0]
print(glob.glob(where + "/*.onnx")[0], glob.glob(where + "/*tokenizer.json")[0])')
ours() { # name, then the flags
  local name=$1; shift
  [ -s "$dir/$name.run" ] || "$bmcis" --quiet eval --beir "$corpora/$set" "$@" --run "$dir/$name.part" && { [ ! -e "$dir/$name.part" ] || mv "$dir/$name.part" "$dir/$name.run"; }
}
for set in "$@"; do
  dir=$out/$set
  mkdir -p "$dir"
  ours lexical --mode lexical
  ours vector --mode vector
  ours hybrid --mode hybrid
  if [ -n "${RERANK:-}" ]; then
    ours auto --mode auto
    ours rerank --mode hybrid --rerank
  fi
  # shellcheck disable=SC2086
  [ -s "$dir/rrf.run" ] || "$out/venv/bin/python" "$here/peers.py" "$corpora/$set" "$dir" $model
done
"$out/venv/bin/python" "$here/table.py" "$corpora" "$out" "$@" --plot "$out/quality.svg" | tee "$out/quality.md"
