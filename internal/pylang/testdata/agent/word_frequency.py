text = """The quick brown fox jumps over the lazy dog. The dog sleeps; the fox runs."""
words = [w.strip(".,;").lower() for w in text.split()]
freq = {}
for w in words:
    freq[w] = freq.get(w, 0) + 1
common = sorted(freq.items(), key=lambda x: (-x[1], x[0]))[:4]
print(common)
print(max(freq, key=freq.get), len(freq))
