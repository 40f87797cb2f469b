"""Tantivy beside our engine: tokens.txt and files of queries, tokens between spaces. One
thread, one segment, one field with positions, disjunctions of terms, top 10, the best of
several rounds for each query. Prints a JSON object a query set; call_us is the cost of
the Python call, measured with a query of one token that a single passage has.

    python tantivy_bench.py ROUNDS tokens.txt queries.txt queries_long.txt
"""
import importlib.metadata
import json
import os
import sys
import tempfile
import time

import tantivy


def main():
    rounds, tokens, sets = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    corpus = [line.rstrip("\n") for line in open(tokens, encoding="utf-8")]
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", stored=False, tokenizer_name="whitespace", index_option="position")
    schema = builder.build()
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        index = tantivy.Index(schema, path=folder)
        writer = index.writer(heap_size=1_000_000_000, num_threads=1)
        for doc in corpus:
            writer.add_document(tantivy.Document(body=doc))
        writer.commit()
        writer.wait_merging_threads()
        build = time.perf_counter() - begun
        index.reload()
        searcher = index.searcher()
        size = sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))
        seen = {}
        for doc in corpus:
            for t in set(doc.split()):
                seen[t] = seen.get(t, 0) + 1
        rare = next(t for t, n in seen.items() if n == 1)

        def query(words):
            return tantivy.Query.boolean_query(
                [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "body", w)) for w in words])

        def ask(q):
            begun = time.perf_counter_ns()
            searcher.search(q, 10, count=False)
            return time.perf_counter_ns() - begun

        for name in sets:
            queries = [query([t for t in line.split() if t in seen] or [rare]) for line in open(name, encoding="utf-8")]
            best = [1 << 62] * len(queries)
            for r in range(rounds + 2):
                for i, q in enumerate(queries):
                    t = ask(q)
                    if r >= 2:
                        best[i] = min(best[i], t)
            call = min(ask(query([rare])) for _ in range(200))
            print(json.dumps({
                "engine": "Tantivy " + importlib.metadata.version("tantivy") + " (Python)", "set": os.path.basename(name),
                "segments": searcher.num_segments if hasattr(searcher, "num_segments") else None,
                "build_s": round(build, 2), "index_mb": round(size / 1e6, 1), "documents": len(corpus),
                "call_us": round(call / 1e3, 2), "us": [round(x / 1e3, 2) for x in best],
            }), flush=True)


main()
