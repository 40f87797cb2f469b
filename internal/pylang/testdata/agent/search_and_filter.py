docs = [{"id": i, "title": t, "score": s, "meta": {"year": y}} for i, (t, s, y) in enumerate([("Indexes", 0.92, 2021), ("Joins", 0.71, 2019), ("Locks", 0.88, 2023), ("Views", 0.40, 2022)])]
recent = [d for d in docs if d["meta"].get("year", 0) >= 2021 and d["score"] > 0.5]
summary = "\n".join(f"{i}. {d['title']} — {d['score']:.2f}" for i, d in enumerate(recent, 1))
print(summary)
result = {"total": len(docs), "kept": [d["id"] for d in recent]}
print(result)
