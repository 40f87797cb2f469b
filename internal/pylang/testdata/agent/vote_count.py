votes = "A B A C B A D A C B".split()
tally = {v: votes.count(v) for v in sorted(set(votes))}
winner, n = max(tally.items(), key=lambda kv: kv[1])
print(tally, f"{winner} wins with {n}/{len(votes)} ({n / len(votes):.0%})")
