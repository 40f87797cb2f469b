def collatz(n):
    steps = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps.append(n)
    return steps
longest = max(range(1, 30), key=lambda n: len(collatz(n)))
print(collatz(6), longest, len(collatz(longest)))
