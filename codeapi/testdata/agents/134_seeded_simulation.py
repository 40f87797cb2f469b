import random
from collections import Counter

rng = random.Random(42)
rolls = [rng.randint(1, 6) for _ in range(200)]
counts = Counter(rolls)

random.seed(7)
deck = list(range(10))
random.shuffle(deck)
winner = random.choice(["ann", "bob", "cyd"])
sample = random.sample(range(100), 3)

print(sorted(counts.items()))
__result__ = {"total": sum(rolls), "deck": deck, "winner": winner, "sample": sample, "uniform": round(rng.uniform(0, 10), 6)}
