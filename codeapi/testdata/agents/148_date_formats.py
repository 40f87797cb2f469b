from datetime import datetime, timedelta, date, timezone
start = datetime(2024, 2, 27, 22, 30)
for i in range(3):
    d = start + timedelta(days=i, hours=3)
    print(d.strftime("%Y-%m-%d %H:%M (%a, %d %b)"), d.isoformat(), d.weekday())
parsed = datetime.strptime("2024-03-10 14:05:09", "%Y-%m-%d %H:%M:%S")
delta = parsed - start
print(delta, delta.days, delta.seconds, delta.total_seconds())
print(date(2024, 12, 25) - date(2024, 3, 1), (date(2024, 12, 25) - date(2024, 3, 1)).days)
print(datetime.fromisoformat("2024-05-06T07:08:09+00:00").astimezone(timezone.utc))
print(repr(timedelta(minutes=90)), str(timedelta(days=-1, hours=2)), max(date(2020, 1, 1), date(2021, 5, 5)))
print(date(2024, 1, 31).replace(day=1), date.fromisoformat("2023-07-04").isocalendar()[1], parsed.date(), parsed.time())
def month_key(d): return f"{d:%Y-%m}"
result = [month_key(start + timedelta(days=20 * i)) for i in range(4)]
