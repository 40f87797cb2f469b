import random
random.seed(42)
print(random.randint(1, 100), random.random(), random.choice(["a", "b", "c"]), random.sample(range(50), 5), random.uniform(1, 2))
xs = list(range(10)); random.shuffle(xs); print(xs)
rng = random.Random(7)
print([rng.randrange(0, 10, 2) for _ in range(5)], rng.choices("abc", weights=[1, 2, 3], k=4), round(rng.gauss(0, 1), 6))
est = sum(1 for _ in range(2000) if rng.random() ** 2 + rng.random() ** 2 <= 1) * 4 / 2000
result = est
