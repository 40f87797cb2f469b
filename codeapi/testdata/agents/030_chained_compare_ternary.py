readings = [-5, 0, 12.5, 19, 24, 31, 40.1]


def label(t):
    return "freezing" if t <= 0 else "cool" if t < 15 else "mild" if 15 <= t < 28 else "hot"


labels = [label(t) for t in readings]
ideal = [t for t in readings if 18 <= t <= 26]
counts = {l: labels.count(l) for l in dict.fromkeys(labels)}

for t, l in zip(readings, labels):
    print(f"{t:>6.1f} {l}")
result = {"ideal": ideal, "counts": counts, "ordered": all(a <= b for a, b in zip(readings, readings[1:]))}
