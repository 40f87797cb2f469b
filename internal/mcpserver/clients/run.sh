#!/usr/bin/env bash
# Runs real MCP clients against bin/bmcis over both transports: the official Python SDK
# in both generations and the MCP Inspector. Needs the demo's collection (make demo),
# pip, and npm for the Inspector.
#
#   run.sh BMCIS SCRATCH-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bmcis=$(realpath "$1")
scratch=$2
mkdir -p "$scratch"
scratch=$(realpath "$scratch")

for version in 2.3.0 1.30.0; do
  if [ ! -x "$scratch/mcp-$version/bin/python" ] || [ ! -e "$scratch/mcp-$version/ready" ]; then
    python3 -m venv "$scratch/mcp-$version"
    "$scratch/mcp-$version/bin/pip" install -q "mcp==$version"
    touch "$scratch/mcp-$version/ready"
  fi
done
if [ ! -x "$scratch/node_modules/.bin/mcp-inspector" ]; then
  (cd "$scratch" && npm init -y >/dev/null && npm install --no-audit --no-fund -s @modelcontextprotocol/inspector@2.12.0)
fi

"$bmcis" serve --http 127.0.0.1:0 --collection go 2>"$scratch/serve.log" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  address=$(sed -n 's/^listening on \([0-9.:]*\),.*/\1/p' "$scratch/serve.log")
  [ -n "$address" ] && break
  sleep 0.1
done
[ -n "$address" ] || { echo "the server did not start:" >&2; cat "$scratch/serve.log" >&2; exit 1; }
url=http://$address/mcp

for version in 2.3.0 1.30.0; do
  echo "== Python mcp $version, stdio"
  timeout 120 "$scratch/mcp-$version/bin/python" "$here/client.py" stdio "$bmcis" serve --stdio --collection go
  echo "== Python mcp $version, streamable HTTP"
  timeout 120 "$scratch/mcp-$version/bin/python" "$here/client.py" http "$url"
done

inspect() { (cd "$scratch" && npx --no-install mcp-inspector --cli "$@"); }
program='hits = await search.hybrid_search("cancel an operation", top_k=2)
__result__ = f"{len(hits)} hits, best {hits[0].title}"'
arguments=$(python3 -c 'import json,sys; print(json.dumps({"code": sys.argv[1]}))' "$program")
for tools in code direct both; do
  echo "== Inspector, stdio, --tools $tools"
  inspect "$bmcis" serve --stdio --collection go --tools "$tools" --method tools/list --strict --format json -q >"$scratch/tools-$tools.json"
done
for era in modern legacy; do
  echo "== Inspector, streamable HTTP, $era"
  inspect "$url" --transport http --protocol-era "$era" --method tools/list --strict --format json -q >/dev/null
  inspect "$url" --transport http --protocol-era "$era" --method resources/list --format json -q >/dev/null
  inspect "$url" --transport http --protocol-era "$era" --method resources/templates/list --format json -q >/dev/null
  inspect "$url" --transport http --protocol-era "$era" --method prompts/list --format json -q >/dev/null
  inspect "$url" --transport http --protocol-era "$era" --method tools/call --tool-name execute_code --tool-args-json "$arguments" >"$scratch/call.json"
  grep -q '2 hits, best' "$scratch/call.json" || { echo "unexpected answer:" >&2; cat "$scratch/call.json" >&2; exit 1; }
done
echo "all clients passed"
