limit = 60
sieve = [True] * (limit + 1)
sieve[0:2] = [False, False]
for p in range(2, int(limit ** 0.5) + 1):
    if sieve[p]:
        sieve[p * p::p] = [False] * len(sieve[p * p::p])
primes = [i for i, ok in enumerate(sieve) if ok]
print(primes, sum(sieve))
