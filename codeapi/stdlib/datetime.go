package stdlib

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

const datetimeText = `
"""Dates and times as in Python. The local time zone is UTC. Classes: date, datetime,
time, timedelta, timezone; constants: MINYEAR, MAXYEAR, UTC. Time zones are fixed offsets,
or of zoneinfo.

date(year, month, day); date.today(), fromisoformat, fromtimestamp, fromordinal;
datetime(year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None);
datetime.now(tz=None), utcnow, fromisoformat, fromtimestamp, strptime(text, format), combine;
timedelta(days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0);
timezone.utc, timezone(timedelta(hours=2)). Methods: strftime(format), isoformat, replace,
weekday, isoweekday, isocalendar, toordinal, timestamp, astimezone, date, time,
total_seconds. Differences, sums and comparisons as in Python."""
`

var datetimeDoc = guest.Lazy(datetimeText)

// The heads of the classes' constructors and methods, for their argument rules.
var datetimeHeads = guest.Lazy(`
def date(year, month, day): ...
def datetime(year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0): ...
def time(hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0): ...
def timedelta(days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0): ...
def timezone(offset, name=None): ...
def now(tz=None): ...
def fromtimestamp(timestamp, tz=None): ...
def utcfromtimestamp(timestamp): ...
def fromordinal(ordinal): ...
def fromisoformat(date_string): ...
def fromisocalendar(year, week, day): ...
def strptime(date_string, format): ...
def combine(date, time, tzinfo=None): ...
def strftime(format): ...
def isoformat(sep="T", timespec="auto"): ...
def timeisoformat(timespec="auto"): ...
def astimezone(tz=None): ...
def replace(*args, **kwargs): ...
def zoned(dt): ...
`)

func makeDatetime(env *Env, _ *guest.Contract) starlark.StringDict {
	c := dateClasses(env)
	return starlark.StringDict{
		"date": c.date, "datetime": c.datetime, "time": c.time, "timedelta": c.delta, "timezone": c.zone,
		"tzinfo": c.tzinfo, "UTC": utcZone, "MINYEAR": starlark.MakeInt(1), "MAXYEAR": starlark.MakeInt(9999),
	}
}

type dateClassSet struct {
	date, datetime, time, delta, zone, tzinfo *class
}

var (
	dateMu     sync.Mutex
	dateShared dateClassSet // for type(v), set by the first run of the process
)

func dateClasses(env *Env) dateClassSet {
	head := func(name string, impl guest.Impl) starlark.Value {
		return datetimeHeads().Func(name).Builtin("", impl)
	}
	var c dateClassSet
	c.date = newClass("date", head("date", newDateArgs), starlark.StringDict{
		"today":           head("now", func(*starlark.Thread, *guest.Args) (starlark.Value, error) { return dateOf(env.Now().UTC()), nil }),
		"fromtimestamp":   head("utcfromtimestamp", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return dateFromTimestamp(a) }),
		"fromordinal":     head("fromordinal", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return fromOrdinal(a, false) }),
		"fromisoformat":   head("fromisoformat", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return dateFromISO(a) }),
		"fromisocalendar": head("fromisocalendar", fromISOCalendar(false)),
		"min":             date{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)}, "max": date{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)},
		"resolution": delta{days: 1},
	})
	c.datetime = newClass("datetime", head("datetime", newDatetimeArgs), starlark.StringDict{
		"now": head("now", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return now(env, a) }),
		"today": head("now", func(*starlark.Thread, *guest.Args) (starlark.Value, error) {
			return datetime{t: micro(env.Now().UTC())}, nil
		}),
		"utcnow": head("now", func(*starlark.Thread, *guest.Args) (starlark.Value, error) {
			return datetime{t: micro(env.Now().UTC())}, nil
		}),
		"fromtimestamp":    head("fromtimestamp", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return fromTimestamp(a, true) }),
		"utcfromtimestamp": head("utcfromtimestamp", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return fromTimestamp(a, false) }),
		"fromordinal":      head("fromordinal", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return fromOrdinal(a, true) }),
		"fromisoformat":    head("fromisoformat", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return datetimeFromISO(a) }),
		"fromisocalendar":  head("fromisocalendar", fromISOCalendar(true)),
		"strptime":         head("strptime", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return strptime(a) }),
		"combine":          head("combine", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return combine(a) }),
		"min":              datetime{t: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)},
		"max":              datetime{t: time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)},
		"resolution":       delta{us: 1},
	})
	c.time = newClass("time", head("time", newTimeArgs), starlark.StringDict{
		"fromisoformat": head("fromisoformat", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return timeFromISO(a) }),
		"min":           clock{}, "max": clock{d: 24*time.Hour - time.Microsecond}, "resolution": delta{us: 1},
	})
	c.delta = newClass("timedelta", head("timedelta", newDelta), starlark.StringDict{
		"min": delta{days: -maxDays}, "max": delta{days: maxDays, secs: 86399, us: 999999}, "resolution": delta{us: 1},
	})
	c.zone = newClass("timezone", head("timezone", newZone), starlark.StringDict{
		"utc": utcZone, "min": &zone{offset: delta{days: -1, secs: 60}}, "max": &zone{offset: delta{secs: 86340}},
	})
	c.tzinfo = newClass("tzinfo", head("now", func(*starlark.Thread, *guest.Args) (starlark.Value, error) {
		return nil, raise("TypeError", "time zones are made with timezone(timedelta(hours=...))")
	}), nil)
	dateMu.Lock()
	dateShared = c
	dateMu.Unlock()
	return c
}

func sharedClasses() dateClassSet {
	dateMu.Lock()
	defer dateMu.Unlock()
	return dateShared
}

// micro cuts to microseconds.
func micro(t time.Time) time.Time { return t.Truncate(time.Microsecond) }

// date is a calendar day, at midnight UTC.
type date struct{ t time.Time }

func dateOf(t time.Time) date {
	return date{time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)}
}

var _ starlark.TotallyOrdered = date{}

func (d date) String() string {
	return fmt.Sprintf("datetime.date(%d, %d, %d)", d.t.Year(), d.t.Month(), d.t.Day())
}
func (d date) PyStr() string          { return d.ISOFormat() }
func (d date) ISOFormat() string      { return isoDate(d.t) }
func (d date) Type() string           { return "date" }
func (d date) PyType() starlark.Value { return sharedClasses().date }
func (d date) Freeze()                {}
func (d date) Truth() starlark.Bool   { return true }
func (d date) Hash() (uint32, error)  { return starlark.MakeInt64(d.t.Unix()).Hash() }

func (d date) Cmp(y starlark.Value, _ int) (int, error) {
	return d.t.Compare(y.(date).t), nil
}

func isoDate(t time.Time) string {
	return fmt.Sprintf("%04d-%02d-%02d", t.Year(), t.Month(), t.Day())
}

func (d date) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	return dateArithmetic(d.t, nil, op, y, side, func(t time.Time) starlark.Value { return dateOf(t) })
}

// datetime is a day and a time, with a zone or without.
type datetime struct {
	t    time.Time // the wall clock, as if UTC
	zone *zone
	fold int
}

func (d datetime) String() string {
	parts := []int{d.t.Year(), int(d.t.Month()), d.t.Day(), d.t.Hour(), d.t.Minute()}
	us := d.t.Nanosecond() / 1000
	if d.t.Second() != 0 || us != 0 {
		parts = append(parts, d.t.Second())
	}
	if us != 0 {
		parts = append(parts, us)
	}
	s := strings.Trim(strings.ReplaceAll(fmt.Sprint(parts), " ", ", "), "[]")
	if d.fold != 0 {
		s += ", fold=1"
	}
	if d.zone != nil {
		s += ", tzinfo=" + d.zone.String()
	}
	return "datetime.datetime(" + s + ")"
}

func (d datetime) PyStr() string          { return d.iso(" ", "auto") }
func (d datetime) ISOFormat() string      { return d.iso("T", "auto") }
func (d datetime) Type() string           { return "datetime" }
func (d datetime) PyType() starlark.Value { return sharedClasses().datetime }
func (d datetime) Freeze()                {}
func (d datetime) Truth() starlark.Bool   { return true }

func (d datetime) Hash() (uint32, error) {
	return starlark.MakeInt64(d.utc().UnixMicro()).Hash()
}

// utc is the moment; a datetime without a zone counts as UTC.
func (d datetime) utc() time.Time {
	if d.zone == nil {
		return d.t
	}
	return d.t.Add(-d.zone.offset.duration())
}

func (d datetime) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o := y.(datetime)
	if (d.zone == nil) != (o.zone == nil) {
		switch op {
		case syntax.EQL:
			return false, nil
		case syntax.NEQ:
			return true, nil
		}
		return false, raise("TypeError", "can't compare offset-naive and offset-aware datetimes")
	}
	return ordered3(op, d.utc().Compare(o.utc())), nil
}

func ordered3(op syntax.Token, c int) bool {
	switch op {
	case syntax.EQL:
		return c == 0
	case syntax.NEQ:
		return c != 0
	case syntax.LT:
		return c < 0
	case syntax.LE:
		return c <= 0
	case syntax.GT:
		return c > 0
	}
	return c >= 0
}

func (d datetime) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	return dateArithmetic(d.t, &d, op, y, side, func(t time.Time) starlark.Value { return datetime{t: t, zone: d.zone.at(t, 0)} })
}

// dateArithmetic is + and - of dates; full is set for datetimes.
func dateArithmetic(t time.Time, full *datetime, op syntax.Token, y starlark.Value, side starlark.Side, make func(time.Time) starlark.Value) (starlark.Value, error) {
	move := func(by delta) (starlark.Value, error) {
		if full == nil {
			by.secs, by.us = 0, 0
		}
		days := int64(by.days)
		if days < -4_000_000 || days > 4_000_000 {
			return nil, raise("OverflowError", "date value out of range")
		}
		moved := t.AddDate(0, 0, int(days)).Add(time.Duration(by.secs)*time.Second + time.Duration(by.us)*time.Microsecond)
		if moved.Year() < 1 || moved.Year() > 9999 {
			return nil, raise("OverflowError", "date value out of range")
		}
		return make(moved), nil
	}
	switch y := y.(type) {
	case delta:
		if op == syntax.PLUS {
			return move(y)
		}
		if op == syntax.MINUS && side == starlark.Left {
			if full == nil {
				return move(delta{days: -y.days}) // a date heeds the days alone
			}
			return move(y.negated())
		}
	case date:
		if op == syntax.MINUS && full == nil && side == starlark.Left {
			return delta{days: int((t.Unix() - y.t.Unix()) / 86400)}, nil
		}
	case datetime:
		if op == syntax.MINUS && full != nil && side == starlark.Left {
			if (full.zone == nil) != (y.zone == nil) {
				return nil, raise("TypeError", "can't subtract offset-naive and offset-aware datetimes")
			}
			a, b := full.utc(), y.utc()
			if full.zone != nil && full.zone.region != nil && full.zone.region == y.zone.region {
				a, b = full.t, y.t // in one zone the clocks count, as in CPython
			}
			secs := a.Unix() - b.Unix()
			return normalDelta(0, secs, int64(a.Nanosecond()-b.Nanosecond())/1000), nil
		}
	}
	return nil, nil
}

// iso is isoformat.
func (d datetime) iso(sep, timespec string) string {
	return isoDate(d.t) + sep + isoTime(d.t, timespec) + d.zone.suffix()
}

func isoTime(t time.Time, timespec string) string {
	us := t.Nanosecond() / 1000
	if timespec == "auto" {
		timespec = "seconds"
		if us != 0 {
			timespec = "microseconds"
		}
	}
	switch timespec {
	case "hours":
		return fmt.Sprintf("%02d", t.Hour())
	case "minutes":
		return fmt.Sprintf("%02d:%02d", t.Hour(), t.Minute())
	case "milliseconds":
		return fmt.Sprintf("%02d:%02d:%02d.%03d", t.Hour(), t.Minute(), t.Second(), us/1000)
	case "microseconds":
		return fmt.Sprintf("%02d:%02d:%02d.%06d", t.Hour(), t.Minute(), t.Second(), us)
	}
	return fmt.Sprintf("%02d:%02d:%02d", t.Hour(), t.Minute(), t.Second())
}

// clock is a time of day.
type clock struct {
	d    time.Duration // since midnight
	zone *zone
	fold int
}

func (c clock) at() time.Time { return time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).Add(c.d) }

func (c clock) String() string {
	t := c.at()
	parts := []int{t.Hour(), t.Minute()}
	us := t.Nanosecond() / 1000
	if t.Second() != 0 || us != 0 {
		parts = append(parts, t.Second())
	}
	if us != 0 {
		parts = append(parts, us)
	}
	s := strings.Trim(strings.ReplaceAll(fmt.Sprint(parts), " ", ", "), "[]")
	if c.fold != 0 {
		s += ", fold=1"
	}
	if c.zone != nil {
		s += ", tzinfo=" + c.zone.String()
	}
	return "datetime.time(" + s + ")"
}

func (c clock) PyStr() string          { return c.ISOFormat() }
func (c clock) ISOFormat() string      { return isoTime(c.at(), "auto") + c.zone.suffix() }
func (c clock) Type() string           { return "time" }
func (c clock) PyType() starlark.Value { return sharedClasses().time }
func (c clock) Freeze()                {}
func (c clock) Truth() starlark.Bool   { return true }
func (c clock) Hash() (uint32, error)  { return starlark.MakeInt64(int64(c.d)).Hash() }

func (c clock) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o := y.(clock)
	a, b := c.d, o.d
	if (c.zone == nil) != (o.zone == nil) {
		if op == syntax.EQL || op == syntax.NEQ {
			return op == syntax.NEQ, nil
		}
		return false, raise("TypeError", "can't compare offset-naive and offset-aware times")
	}
	if c.zone != nil {
		a -= c.zone.offset.duration()
		b -= o.zone.offset.duration()
	}
	return ordered3(op, int(min(max(a-b, -1), 1))), nil
}

// zone is a fixed offset from UTC.
type zone struct {
	offset delta
	name   string
	named  bool
	region *time.Location // of ZoneInfo; the rest is then as it is at some time, see at
	dst    delta
}

var utcZone = &zone{}

func newZone(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	off, ok := a.V[0].(delta)
	if !ok {
		return nil, raise("TypeError", "timezone() argument 1 must be datetime.timedelta, not %s", guest.TypeName(a.V[0]))
	}
	limit := delta{days: 1}
	if off.compare(limit) >= 0 || off.compare(limit.negated()) <= 0 {
		return nil, raise("ValueError", "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), not %s.", off)
	}
	z := &zone{offset: off}
	if a.V[1] != nil {
		s, ok := a.V[1].(starlark.String)
		if !ok {
			return nil, raise("TypeError", "timezone() argument 2 must be str, not %s", guest.TypeName(a.V[1]))
		}
		z.name, z.named = string(s), true
	} else if off == (delta{}) {
		return utcZone, nil
	}
	return z, nil
}

func (z *zone) String() string {
	if z == utcZone {
		return "datetime.timezone.utc"
	}
	if z.region != nil {
		return "zoneinfo.ZoneInfo(key=" + quoteName(z.region.String()) + ")"
	}
	if z.named {
		return fmt.Sprintf("datetime.timezone(%s, %s)", z.offset, quoteName(z.name))
	}
	return fmt.Sprintf("datetime.timezone(%s)", z.offset)
}

func quoteName(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func (z *zone) PyStr() string {
	if z.region != nil {
		return z.region.String()
	}
	return z.label()
}
func (z *zone) Type() string {
	if z.region != nil {
		return "ZoneInfo"
	}
	return "timezone"
}
func (z *zone) PyType() starlark.Value {
	if z.region != nil {
		return classOf("ZoneInfo", nil)
	}
	return sharedClasses().zone
}
func (z *zone) Freeze()              {}
func (z *zone) Truth() starlark.Bool { return true }
func (z *zone) Hash() (uint32, error) {
	if z.region != nil {
		return starlark.String(z.region.String()).Hash()
	}
	return z.offset.Hash()
}

func (z *zone) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	same := z.offset == y.(*zone).offset
	if z.region != nil {
		same = z.region == y.(*zone).region
	}
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, raise("TypeError", "'%s' not supported between instances of 'datetime.timezone' and 'datetime.timezone'", op)
}

// suffix is +HH:MM[:SS[.ffffff]], empty without a zone.
func (z *zone) suffix() string {
	if z == nil {
		return ""
	}
	d, sign := z.offset, "+"
	if d.days < 0 {
		d, sign = d.negated(), "-"
	}
	s := fmt.Sprintf("%s%02d:%02d", sign, d.secs/3600, d.secs/60%60)
	if d.secs%60 != 0 || d.us != 0 {
		s += fmt.Sprintf(":%02d", d.secs%60)
	}
	if d.us != 0 {
		s += fmt.Sprintf(".%06d", d.us)
	}
	return s
}

// label is tzname.
func (z *zone) label() string {
	if z.named {
		return z.name
	}
	if z.offset == (delta{}) {
		return "UTC"
	}
	return "UTC" + z.suffix()
}

func (z *zone) AttrNames() []string { return []string{"dst", "fromutc", "tzname", "utcoffset"} }

func (z *zone) Attr(name string) (starlark.Value, error) {
	head := datetimeHeads().Func("zoned")
	if z.region != nil {
		if name == "key" {
			return text(z.region.String()), nil
		}
		then := func(a *guest.Args) *zone {
			if d, ok := a.V[0].(datetime); ok {
				return z.at(d.t, d.fold)
			}
			return nil
		}
		answer := func(f func(z *zone) starlark.Value) (starlark.Value, error) {
			return head.Builtin("", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
				if r := then(a); r != nil {
					return f(r), nil
				}
				return starlark.None, nil
			}), nil
		}
		switch name {
		case "utcoffset":
			return answer(func(z *zone) starlark.Value { return z.offset })
		case "tzname":
			return answer(func(z *zone) starlark.Value { return text(z.label()) })
		case "dst":
			return answer(func(z *zone) starlark.Value { return z.dst })
		}
	}
	switch name {
	case "utcoffset":
		return head.Builtin("", func(*starlark.Thread, *guest.Args) (starlark.Value, error) { return z.offset, nil }), nil
	case "tzname":
		return head.Builtin("", func(*starlark.Thread, *guest.Args) (starlark.Value, error) { return text(z.label()), nil }), nil
	case "dst":
		return head.Builtin("", func(*starlark.Thread, *guest.Args) (starlark.Value, error) { return starlark.None, nil }), nil
	}
	return nil, raise("AttributeError", "'datetime.timezone' object has no attribute '%s'", name)
}
