"""Facts about the calendar."""

from datetime import date, timedelta

MONDAY = 0
TUESDAY = 1
WEDNESDAY = 2
THURSDAY = 3
FRIDAY = 4
SATURDAY = 5
SUNDAY = 6
JANUARY = 1
FEBRUARY = 2
day_name = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
day_abbr = [name[:3] for name in day_name]
month_name = ["", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
month_abbr = [name[:3] for name in month_name]
_days = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


class IllegalMonthError(ValueError):
    def __init__(self, month):
        self.month = month

    def __str__(self):
        return "bad month number %r; must be 1-12" % self.month


def isleap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def leapdays(y1, y2):
    y1 -= 1
    y2 -= 1
    return (y2 // 4 - y1 // 4) - (y2 // 100 - y1 // 100) + (y2 // 400 - y1 // 400)


def weekday(year, month, day):
    return date(year, month, day).weekday()


def monthrange(year, month):
    if not 1 <= month <= 12:
        raise IllegalMonthError(month)
    return weekday(year, month, 1), _days[month] + (month == 2 and isleap(year))


def timegm(tuple):
    year, month, day, hour, minute, second = tuple[:6]
    days = date(year, month, 1).toordinal() - 719163 + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second


class Calendar:
    def __init__(self, firstweekday=0):
        self.firstweekday = firstweekday

    def iterweekdays(self):
        for i in range(self.firstweekday, self.firstweekday + 7):
            yield i % 7

    def itermonthdates(self, year, month):
        first = date(year, month, 1)
        day = first - timedelta(days=(first.weekday() - self.firstweekday) % 7)
        last = date(year, month, monthrange(year, month)[1])
        while day <= last or day.weekday() != self.firstweekday:
            yield day
            day += timedelta(days=1)

    def itermonthdays(self, year, month):
        for d in self.itermonthdates(year, month):
            yield d.day if d.month == month else 0

    def itermonthdays2(self, year, month):
        for d in self.itermonthdates(year, month):
            yield (d.day if d.month == month else 0), d.weekday()

    def _weeks(self, days):
        days = list(days)
        return [days[i:i + 7] for i in range(0, len(days), 7)]

    def monthdatescalendar(self, year, month):
        return self._weeks(self.itermonthdates(year, month))

    def monthdayscalendar(self, year, month):
        return self._weeks(self.itermonthdays(year, month))

    def monthdays2calendar(self, year, month):
        return self._weeks(self.itermonthdays2(year, month))


class TextCalendar(Calendar):
    def formatmonth(self, theyear, themonth, w=0, l=0):
        w = max(2, w)
        l = max(1, l)
        lines = [f"{month_name[themonth]} {theyear}".center(7 * (w + 1) - 1).rstrip()]
        lines.append(" ".join((day_name[d] if w >= 9 else day_abbr[d])[:w].center(w) for d in self.iterweekdays()))
        for week in self.monthdayscalendar(theyear, themonth):
            lines.append(" ".join(("%2i" % d if d else "").center(w) for d in week).rstrip())
        return ("\n" * l).join(lines) + "\n" * l


def monthcalendar(year, month):
    return Calendar().monthdayscalendar(year, month)


def month(theyear, themonth, w=0, l=0):
    return TextCalendar().formatmonth(theyear, themonth, w, l)
