import re, json
md = """# Title

Intro with [link](http://a.b/c) and **bold**.

## Setup
- step one
- step two with `code`

```python
print("hi")
```

## Usage
1. run
2. stop
| a | b |
|---|---|
| 1 | 2 |
"""
def parse_markdown(text):
    sections, current = {}, None
    in_code = False
    for i, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
            continue
        if in_code: continue
        if m := re.match(r"^(#+)\s+(.*)$", line):
            current = m.group(2)
            sections[current] = {"level": len(m[1]), "line": i, "items": [], "links": []}
        elif current is not None:
            if m := re.match(r"^\s*(?:[-*]|\d+\.)\s+(.+)", line):
                sections[current]["items"].append(re.sub(r"`([^`]*)`", r"\1", m.group(1)))
            sections[current]["links"] += re.findall(r"\[([^\]]+)\]\(([^)\s]+)\)", line)
    return sections
out = parse_markdown(md)
print(json.dumps(out, indent=1))
rows = [[c.strip() for c in l.strip("|").split("|")] for l in md.splitlines() if l.startswith("|") and not set(l) <= set("|- ")]
print([dict(zip(rows[0], r)) for r in rows[1:]])
print(re.findall(r"```(\w+)\n(.*?)```", md, re.DOTALL), re.findall(r"(?m)^##\s+(\w+)", md), re.findall(r"(?i)STEP", md))
print(re.sub(r"\b(\w)(\w*)", lambda m: m[1].upper() + m[2], "hello big world"), re.sub(r"\s+", " ", " a\n\tb  c ").strip(), bool(re.search(r"\d", "a1")))
it = re.finditer(r"(?P<w>[a-z]+)(?P<n>\d+)?", "ab12 cd")
for m in it: print(m.group("w"), m.group("n"), m.span(), m.lastgroup, m.start("w"), m["w"])
print(re.compile(r"a+", re.I).sub("x", "aAab"), re.split(r"(,)", "a,b,c", maxsplit=1), re.match(r"(a)(b)?", "a").groups("none"))
