# context: {"log": "2024-05-01 10:00:01 INFO start\n2024-05-01 10:00:05 WARN slow query 1200ms\n2024-05-01 10:00:09 ERROR timeout after 3000ms\n2024-05-01 10:01:00 INFO retry\n2024-05-01 10:01:02 ERROR timeout after 3100ms\n2024-05-01 10:02:00 INFO done"}
import re
from collections import defaultdict

pattern = re.compile(r"^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) (INFO|WARN|ERROR) (.*)$")
by_level = defaultdict(list)
for line in log.splitlines():
    m = pattern.match(line)
    if not m:
        continue
    day, time, level, message = m.groups()
    by_level[level].append({"time": time, "message": message})

durations = [int(x) for x in re.findall(r"(\d+)ms", log)]
print("levels:", sorted(by_level))
print("slowest:", max(durations), "ms")

__result__ = {
    "counts": {k: len(v) for k, v in sorted(by_level.items())},
    "errors": by_level["ERROR"],
    "average_ms": round(sum(durations) / len(durations), 1),
}
