"""Writes qrels.txt, run.txt and want.json: random judgements and rankings, and what
ir_measures says of them. Run: pip install ir_measures && python generate.py"""
import json, random
import ir_measures
from ir_measures import AP, RR, R, nDCG

random.seed(7)
qrels, run = [], []
for q in range(60):
    docs = [f"d{i}" for i in range(200)]
    judged = random.sample(docs, random.randint(1, 60))
    for d in judged:
        qrels.append((f"q{q}", d, random.choice([0, 0, 1, 1, 2, 3])))
    qrels.append((f"q{q}", docs[q], 1)) if docs[q] not in judged else None
    if q == 5:
        continue  # answered by nothing
    for d in random.sample(docs, random.choice([3, 12, 100, 150])):
        # Many ties, also scores that only differ beyond float32.
        score = random.choice([random.random(), round(random.random(), 1), 0.5, 0.5 + random.choice([0, 1e-12, 1e-9])])
        run.append((f"q{q}", d, score))
with open("qrels.txt", "w") as f:
    for q, d, g in qrels:
        f.write(f"{q} 0 {d} {g}\n")
with open("run.txt", "w") as f:
    for q, d, s in run:
        f.write(f"{q} Q0 {d} 0 {s!r} test\n")
measures = [nDCG @ 10, R @ 100, RR @ 10, AP]
Q = list(ir_measures.read_trec_qrels("qrels.txt"))
X = list(ir_measures.read_trec_run("run.txt"))
want = {"mean": {str(m): v for m, v in ir_measures.calc_aggregate(measures, Q, X).items()}, "queries": {}}
for r in ir_measures.iter_calc(measures, Q, X):
    want["queries"].setdefault(r.query_id, {})[str(r.measure)] = r.value
with open("want.json", "w") as f:
    json.dump(want, f, indent=0, sort_keys=True)
print(want["mean"], ir_measures.__version__ if hasattr(ir_measures, "__version__") else "")
