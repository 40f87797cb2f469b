"""bm25s with numba beside our engine: tokens.txt and files of queries, tokens between
spaces. One thread, top 10, the best of several rounds for each query. Prints a JSON
object a query set; call_us is the cost of the Python call around the kernel, measured
with a query of one token that a single passage has.

    python bm25s_bench.py ROUNDS tokens.txt queries.txt queries_long.txt
"""
import json
import os
import sys
import tempfile
import time

os.environ.setdefault("NUMBA_NUM_THREADS", "1")
import bm25s  # noqa: E402
import numpy as np  # noqa: E402


def main():
    rounds, tokens, sets = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    corpus = [line.rstrip("\n").split(" ") for line in open(tokens, encoding="utf-8")]
    corpus = [[t for t in doc if t] for doc in corpus]
    begun = time.perf_counter()
    engine = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numba")
    engine.index(corpus, show_progress=False)
    build = time.perf_counter() - begun
    with tempfile.TemporaryDirectory() as folder:
        engine.save(folder)
        size = sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))
    seen = {}
    for doc in corpus:
        for t in set(doc):
            seen[t] = seen.get(t, 0) + 1
    rare = next(t for t, n in seen.items() if n == 1)

    def ask(query):
        begun = time.perf_counter_ns()
        engine.retrieve([query], k=10, show_progress=False, n_threads=0)
        return time.perf_counter_ns() - begun

    for name in sets:
        queries = [[t for t in line.split() if t in seen] or [rare] for line in open(name, encoding="utf-8")]
        best = np.full(len(queries), np.iinfo(np.int64).max)
        for r in range(rounds + 2):
            for i, q in enumerate(queries):
                t = ask(q)
                if r >= 2:
                    best[i] = min(best[i], t)
        call = min(ask([rare]) for _ in range(200))
        ids = [engine.get_tokens_ids(q) for q in queries]
        batch = min(timed(engine, ids) for _ in range(3)) / len(queries)
        print(json.dumps({
            "engine": f"bm25s {bm25s.__version__} numba", "set": os.path.basename(name), "build_s": round(build, 2),
            "index_mb": round(size / 1e6, 1), "documents": len(corpus), "call_us": round(call / 1e3, 2),
            "batch_mean_us": round(batch / 1e3, 2), "us": [round(x / 1e3, 2) for x in best.tolist()],
        }), flush=True)


def timed(engine, ids):
    begun = time.perf_counter_ns()
    engine.retrieve(ids, k=10, show_progress=False, n_threads=0)
    return time.perf_counter_ns() - begun


main()
