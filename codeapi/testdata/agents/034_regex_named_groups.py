import re

LINE = re.compile(r"(?P<ip>\d+\.\d+\.\d+\.\d+) - \[(?P<time>[^\]]+)\] \"(?P<method>[A-Z]+) (?P<path>\S+)\" (?P<status>\d{3}) (?P<size>\d+)")

lines = [
    '10.0.0.1 - [01/Oct/2024:10:00:00] "GET /index.html" 200 5120',
    '10.0.0.2 - [01/Oct/2024:10:00:02] "POST /api/login" 401 87',
    'garbage line',
    '10.0.0.1 - [01/Oct/2024:10:00:03] "GET /missing" 404 12',
]
parsed, skipped = [], 0
for line in lines:
    if (m := LINE.match(line)) is None:
        skipped += 1
        continue
    d = m.groupdict()
    d["status"] = int(d["status"])
    d["size"] = int(d["size"])
    parsed.append(d)

by_ip = {}
for p in parsed:
    by_ip[p["ip"]] = by_ip.get(p["ip"], 0) + p["size"]

print(re.split(r"\s*[,;]\s*", "a, b;c ;d"))
result = {"skipped": skipped, "failed": [p["path"] for p in parsed if p["status"] >= 400], "bytes_by_ip": by_ip}
