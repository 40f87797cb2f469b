def chunk(text, size, overlap):
    words, out, i = text.split(), [], 0
    while i < len(words):
        out.append(" ".join(words[i:i + size]))
        if i + size >= len(words):
            break
        i += size - overlap
    return out
for c in chunk("one two three four five six seven eight nine ten", 4, 1):
    print(repr(c))
