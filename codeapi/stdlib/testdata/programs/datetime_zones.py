from datetime import datetime, date, timedelta, timezone, time
from zoneinfo import ZoneInfo
d = datetime(2024, 3, 15, 10, 30, tzinfo=timezone.utc)
print(d.isoformat(), d + timedelta(days=1, hours=2), d.astimezone(timezone(timedelta(hours=5, minutes=30))), d.strftime("%Y-%m-%d %H:%M %A %j %B %b %p %I"), datetime.strptime("2024-01-02 03:04", "%Y-%m-%d %H:%M"), datetime.fromisoformat("2024-01-02T03:04:05+00:00"), d.date(), d.time(), d.timestamp(), d.weekday(), d.isocalendar(), d.replace(year=2020))
print(d.astimezone(ZoneInfo("UTC")), datetime(2024, 7, 1, tzinfo=ZoneInfo("UTC")).utcoffset(), ZoneInfo("UTC"))
try: print(datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("America/New_York")))
except Exception as e: print(type(e))
print((date(2024, 3, 1) - date(2024, 2, 1)).days, timedelta(hours=25), timedelta(seconds=90).total_seconds(), timedelta(days=-1), timedelta(1) / 2, timedelta(1) // timedelta(hours=1), date.today() <= date.max, min(date(2024, 1, 1), date(2023, 1, 1)))
print(sorted([date(2024, 1, 2), date(2023, 1, 1)]), datetime.combine(date(2024, 1, 1), time(9, 30)), date.fromisoformat("2024-02-29"), d.tzinfo, d.tzname(), datetime.min, date(2024, 1, 31).strftime("%d/%m/%y"), f"{d:%Y/%m}", repr(d), repr(timedelta(1, 2)), time(1, 2, 3).isoformat())
try: datetime.strptime("x", "%Y")
except ValueError as e: print(e)
try: date(2024, 2, 30)
except ValueError as e: print(e)
try: datetime(2024, 1, 1) < d
except TypeError as e: print(e)
print(datetime.fromtimestamp(0, tz=timezone.utc), datetime.utcfromtimestamp(0), d.isoformat(timespec="seconds"), d == datetime(2024, 3, 15, 12, 30, tzinfo=timezone(timedelta(hours=2))), d.ctime(), date(2024, 3, 15).toordinal(), date.fromisocalendar(2024, 1, 1))
import calendar
print(calendar.monthrange(2024, 2), calendar.isleap(2024), calendar.month_name[3], calendar.day_abbr[0])
