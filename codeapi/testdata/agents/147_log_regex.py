import re
log = """2024-01-15 10:23:45 ERROR [auth] Login failed for user=alice ip=10.0.0.5
2024-01-15 10:24:01 INFO [api] GET /v1/items 200 35ms
2024-01-15 10:24:07 WARN [api] slow query 1200ms
2024-01-15 10:25:33 ERROR [auth] Login failed for user=bob ip=10.0.0.9
"""
pat = re.compile(r"^(?P<date>\d{4}-\d{2}-\d{2}) (?P<time>[\d:]+) (?P<level>\w+) \[(?P<mod>\w+)\] (?P<msg>.*)$", re.MULTILINE)
events = [m.groupdict() for m in pat.finditer(log)]
by_level = {}
for e in events:
    by_level.setdefault(e["level"], []).append(e)
print({k: len(v) for k, v in by_level.items()})
users = re.findall(r"user=(\w+) ip=([\d.]+)", log)
print(users)
masked = re.sub(r"(\d+)\.(\d+)\.(\d+)\.(\d+)", lambda m: f"{m.group(1)}.x.x.{m.group(4)}", log)
print(masked.splitlines()[0])
ms = [int(x) for x in re.findall(r"(\d+)ms", log)]
print(re.split(r"[\s,;]+", "a, b;c  d"), re.fullmatch(r"\d+", "123") is not None, re.match("x", "abc"))
m = re.search(r"(\w+)=(\w+)", log)
print(m.group(), m.group(0, 1), m.groups(), m.start(1), m.span(2))
print(re.sub(r"(?P<k>\w+)=(?P<v>\w+)", r"\g<v>:\1", "a=1 b=2"), re.escape("a.b*c"), re.subn("a", "b", "banana"))
result = {"avg_ms": sum(ms) / len(ms), "events": len(events)}
