# context: {"events": ["2024-05-01T08:15:00", "2024-05-01T08:47:30", "2024-05-01T09:05:10", "2024-05-02T23:59:59", "2024-05-03T00:00:01"]}
from datetime import datetime, timedelta
from collections import Counter

stamps = [datetime.fromisoformat(e) for e in events]
by_day = Counter(t.date().isoformat() for t in stamps)
by_hour = Counter(t.hour for t in stamps)
gaps = [b - a for a, b in zip(stamps, stamps[1:])]
longest = max(gaps)

print("span:", stamps[-1] - stamps[0])
print("longest gap:", longest, f"= {longest.total_seconds():.0f} s")
print("busy hours:", sorted(h for h, n in by_hour.items() if n > 1))
within_hour = [g for g in gaps if g < timedelta(hours=1)]
print(stamps[0].strftime("%A %d %B %Y, %H:%M"), stamps[0].isocalendar()[1])

__result__ = {"by_day": by_day, "within_hour": len(within_hour), "rounded": [t.replace(minute=0, second=0).isoformat() for t in stamps[:2]]}
