from collections import deque, Counter
from itertools import islice, pairwise

def windows(seq, n):
    it = iter(seq)
    win = deque(islice(it, n), maxlen=n)
    if len(win) == n:
        yield tuple(win)
    for x in it:
        win.append(x)
        yield tuple(win)

data = [5, 3, 8, 1, 9, 2, 7]
print(list(windows(data, 3)), [b - a for a, b in pairwise(data)])
print([round(sum(w) / 3, 2) for w in windows(data, 3)], max(windows(data, 2), key=sum))

def longest_unique(s):
    last, start, best = {}, 0, ""
    for i, c in enumerate(s):
        if c in last and last[c] >= start:
            start = last[c] + 1
        last[c] = i
        if i - start + 1 > len(best):
            best = s[start:i + 1]
    return best

for s in ("abcabcbb", "bbbb", "", "pwwkew"):
    print(repr(s), repr(longest_unique(s)))
text = "the cat sat on the mat the cat ran".split()
bigrams = Counter(zip(text, text[1:]))
print(bigrams.most_common(2), bigrams[("zzz", "y")], sum(bigrams.values()))
c = Counter("abracadabra")
c.subtract("aab")
print(c["a"], +c == c, (c & Counter("ab")), sorted(c.elements())[:3], Counter(a=1) + Counter(a=2, b=1), c.total())
d = deque(range(5), maxlen=3)
d.appendleft(9)
d.rotate(1)
print(d, d[-1], list(reversed(d)), d.index(9))
