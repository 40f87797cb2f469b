before = {"a.md": "111", "b.md": "222", "c.md": "333", "old/d.md": "444"}
after = {"a.md": "111", "b.md": "999", "e.md": "333", "new/f.md": "555"}

added = after.keys() - before.keys()
removed = before.keys() - after.keys()
changed = {k for k in before.keys() & after.keys() if before[k] != after[k]}
by_hash = {v: k for k, v in before.items()}
moved = {by_hash[after[k]]: k for k in added if after[k] in by_hash}
print(sorted(added), sorted(removed), sorted(changed), moved)
print(sorted(before.items() ^ after.items())[:3], before.keys().isdisjoint({"zzz"}), {"a.md"} <= after.keys())
tags = {"x": {"py", "db"}, "y": {"db", "go"}, "z": set()}
print(sorted(set.union(*tags.values())), set.intersection(*[t for t in tags.values() if t]), max(tags, key=lambda k: len(tags[k])))
jaccard = lambda a, b: len(a & b) / len(a | b) if a | b else 0.0
pairs = [(p, q, round(jaccard(tags[p], tags[q]), 3)) for p in tags for q in tags if p < q]
print(pairs)
fs = frozenset([1, 2])
groups = {fs: "pair", frozenset(): "none"}
print(groups[frozenset([2, 1])], fs | {3}, {1, 2} == fs, sorted({1, 2, 3} ^ {3, 4}))
s = {3, 1}
s |= {5}
s -= {1}
s.update([7], (8,))
s.discard(99)
print(sorted(s), len(s), 5 in s, s > {3}, s.pop() in {3, 5, 7, 8})
merged = {**before, **after} | {"z.md": "0"}
print(len(merged), list(dict.fromkeys("mississippi")), dict(sorted(merged.items(), key=lambda kv: kv[1], reverse=True)[:2]))
nested = {}
for path in sorted(after):
    node = nested
    *dirs, leaf = path.split("/")
    for d in dirs:
        node = node.setdefault(d, {})
    node[leaf] = after[path]
print(nested)
