def encode(s):
    out, i = [], 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out.append((s[i], j - i))
        i = j
    return out
enc = encode("aaabccd")
print(enc, "".join(c * n for c, n in enc), "".join(f"{n}{c}" for c, n in enc))
