from string import Template
import re
t = Template("Hello $name, you owe $$${amount}.")
print(t.substitute(name="Ann", amount=5), t.safe_substitute(name="Bob"))
try:
    t.substitute(name="x")
except KeyError as e:
    print("missing", e)
def render(tpl, ctx):
    def sub(m):
        expr, _, filt = m.group(1).strip().partition("|")
        val = ctx
        for part in expr.strip().split("."):
            val = val.get(part, "") if isinstance(val, dict) else getattr(val, part, "")
        return {"upper": str.upper, "len": lambda v: str(len(v)), "": str}[filt.strip()](val)
    return re.sub(r"\{\{(.*?)\}\}", sub, tpl)
print(render("{{ user.name | upper }} has {{ tags|len }} tags{{ nope }}!", {"user": {"name": "zoe"}, "tags": ["a", "b"]}))
print("{a[x]} {b.real} {0!r:>6} {1:{w}}|".format("s", 3, a={"x": 1}, b=7, w=4), "%(k)-5s|%(n)+.1f" % {"k": "v", "n": 2})
rows = [("apple", 1.5, 10), ("fig", 22.25, 3)]
for name, price, n in rows:
    print(f"{name:<10}{price:>8.2f}{n:>5d}{price * n:>10,.2f}")
print("-" * 33, f"{'total':<10}{sum(p * n for _, p, n in rows):>23,.2f}", sep="\n")
