#!/bin/sh
# Measures BM25 engines in turn on one corpus: ours, Lucene, Tantivy, bm25s, PostgreSQL's
# own text search. See README.md.
#
#   bench/peers/run.sh CORPUS_DIR DSN OUT_DIR
#
# CORPUS_DIR holds corpus.jsonl (or .xz) with {"id", "text"} a line, queries.jsonl and
# queries_long.jsonl with {"query"} a line. DSN is an empty database with pgvector.
set -eu
[ $# = 3 ] || { sed -n '2,9p' "$0"; exit 2; }
corpus=$1 dsn=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
rounds=${ROUNDS:-10}
mkdir -p "$out"
cd "$here"

if [ -f "$corpus/corpus.jsonl" ]; then passages=$corpus/corpus.jsonl; else
    passages=$out/corpus.jsonl
    [ -f "$passages" ] || xz -dc "$corpus/corpus.jsonl.xz" >"$passages"
fi
for p in engine tokens tsvector report; do go build -o "$out/$p" "./$p"; done
"$out/tokens" <"$passages" >"$out/tokens.txt"
for q in queries queries_long; do "$out/tokens" -field query <"$corpus/$q.jsonl" >"$out/$q.txt"; done
sets="$out/queries.txt $out/queries_long.txt"

mvn -q -f lucene/pom.xml -DbuildDirectory="$out/lucene" compile dependency:copy-dependencies
[ -d "$out/venv" ] || python3 -m venv "$out/venv"
"$out/venv/bin/python" -m pip install -q tantivy==0.27.0 bm25s==0.3.16 numba

echo "ours" >&2
"$out/engine" -dsn "$dsn" -corpus "$passages" -tokens "$out/tokens.txt" -rounds "$rounds" -json "$out/ours.jsonl" \
    -queries "$corpus/queries.jsonl" -queries "$corpus/queries_long.jsonl" >&2
echo "Lucene" >&2
java -Xmx2g -cp "$out/lucene/classes:$out/lucene/dependency/*" LuceneBench "$out/tokens.txt" "$out/lucene-index" "$rounds" $sets >"$out/lucene.jsonl"
echo "Tantivy" >&2
"$out/venv/bin/python" tantivy_bench.py "$rounds" "$out/tokens.txt" $sets >"$out/tantivy.jsonl"
echo "bm25s" >&2
"$out/venv/bin/python" bm25s_bench.py "$rounds" "$out/tokens.txt" $sets >"$out/bm25s.jsonl"
echo "tsvector" >&2
"$out/tsvector" -dsn "$dsn" -tokens "$out/tokens.txt" -sample "${SAMPLE:-20}" $sets >"$out/tsvector.jsonl"
"$out/report" -svg "$out/search.svg" "$out"/ours.jsonl "$out"/lucene.jsonl "$out"/tantivy.jsonl "$out"/bm25s.jsonl "$out"/tsvector.jsonl | tee "$out/table.md"
