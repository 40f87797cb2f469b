def primes_up_to(n: int) -> list[int]:
    """Sieve of Eratosthenes."""
    sieve = [True] * (n + 1)
    sieve[0:2] = [False, False]
    i = 2
    while i * i <= n:
        if sieve[i]:
            for j in range(i * i, n + 1, i):
                sieve[j] = False
        i += 1
    return [k for k, is_prime in enumerate(sieve) if is_prime]


primes = primes_up_to(100)
twins = [(p, p + 2) for p in primes if p + 2 in primes]
print(len(primes), "primes, last:", primes[-1])
result = {"count": len(primes), "sum": sum(primes), "twins": twins[:4]}
