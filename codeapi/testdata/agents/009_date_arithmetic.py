from datetime import datetime, timedelta, date

releases = ["2024-01-15", "2024-03-01", "2024-07-20", "2025-01-02"]
dates = [datetime.strptime(r, "%Y-%m-%d") for r in releases]
gaps = [(b - a).days for a, b in zip(dates, dates[1:])]

deadline = dates[-1] + timedelta(weeks=2, days=3)
print("gaps:", gaps)
print("deadline:", deadline.strftime("%d.%m.%Y"))
print("iso:", deadline.date().isoformat(), "weekday", deadline.weekday())

leap = date(2024, 2, 28) + timedelta(days=1)
__result__ = {
    "longest_gap": max(gaps),
    "deadline": deadline.isoformat(),
    "leap_day": leap.isoformat(),
    "is_later": deadline > datetime(2025, 1, 1, 12, 30),
}
