scores = {"a": 12.0, "b": 3.5, "c": 7.25}
lo, hi = min(scores.values()), max(scores.values())
norm = {k: round((v - lo) / (hi - lo), 4) if hi > lo else 0.0 for k, v in scores.items()}
print(norm, sorted(norm, key=norm.get))
