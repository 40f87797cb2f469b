from collections import Counter
import re

text = """The quick brown fox jumps over the lazy dog. The dog sleeps;
the fox does not. A fox is quick, and the dog is not."""

words = re.findall(r"[a-z]+", text.lower())
stop = {"the", "a", "is", "and", "does", "not", "over"}
counts = Counter(w for w in words if w not in stop)

for word, n in counts.most_common(3):
    print(f"{word:<8}{n:>3}")

__result__ = dict(counts.most_common(4))
