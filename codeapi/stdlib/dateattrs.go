package stdlib

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

// part reads argument i as a field within lo..hi; what is CPython's message.
func part(a *guest.Args, i, def, lo, hi int, what string) (int, error) {
	if a.V[i] == nil {
		return def, nil
	}
	n, ok := guest.AsInt(a.V[i])
	if !ok {
		return 0, raise("TypeError", "'%s' object cannot be interpreted as an integer", guest.TypeName(a.V[i]))
	}
	v, fits := n.Int64()
	if !fits {
		return 0, raise("OverflowError", "Python int too large to convert to C int")
	}
	if v < int64(lo) || v > int64(hi) {
		if strings.Contains(what, "%") {
			what = fmt.Sprintf(what, v)
		}
		return 0, raise("ValueError", "%s", what)
	}
	return int(v), nil
}

func dayArgs(a *guest.Args) (time.Time, error) {
	y, err := part(a, 0, 0, 1, 9999, "year %d is out of range")
	if err != nil {
		return time.Time{}, err
	}
	m, err := part(a, 1, 0, 1, 12, "month must be in 1..12")
	if err != nil {
		return time.Time{}, err
	}
	d, err := part(a, 2, 0, 1, daysIn(y, m), "day is out of range for month")
	if err != nil {
		return time.Time{}, err
	}
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC), nil
}

func daysIn(y, m int) int { return time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day() }

func newDateArgs(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	t, err := dayArgs(a)
	return date{t}, err
}

// clockArgs reads hour, minute, second, microsecond, tzinfo, fold from i on.
func clockArgs(a *guest.Args, i int) (clock, error) {
	var c clock
	h, err := part(a, i, 0, 0, 23, "hour must be in 0..23")
	if err != nil {
		return c, err
	}
	m, err := part(a, i+1, 0, 0, 59, "minute must be in 0..59")
	if err != nil {
		return c, err
	}
	s, err := part(a, i+2, 0, 0, 59, "second must be in 0..59")
	if err != nil {
		return c, err
	}
	us, err := part(a, i+3, 0, 0, 999999, "microsecond must be in 0..999999")
	if err != nil {
		return c, err
	}
	if c.zone, err = zoneArg(a, i+4); err != nil {
		return c, err
	}
	c.fold, err = part(a, i+5, 0, 0, 1, "fold must be either 0 or 1")
	c.d = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(us)*time.Microsecond
	return c, err
}

func zoneArg(a *guest.Args, i int) (*zone, error) {
	if !a.Given(i) {
		return nil, nil
	}
	z, ok := a.V[i].(*zone)
	if !ok {
		return nil, raise("TypeError", "tzinfo argument must be None or of a tzinfo subclass, not type '%s'", guest.TypeName(a.V[i]))
	}
	return z, nil
}

func newDatetimeArgs(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	day, err := dayArgs(a)
	if err != nil {
		return nil, err
	}
	c, err := clockArgs(a, 3)
	t := day.Add(c.d)
	return datetime{t, c.zone.at(t, c.fold), c.fold}, err
}

func newTimeArgs(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return clockArgs(a, 0) }

func now(env *Env, a *guest.Args) (starlark.Value, error) {
	z, err := zoneArg(a, 0)
	if err != nil {
		return nil, err
	}
	return z.local(micro(env.Now().UTC())), nil
}

// moment reads a timestamp, rounded to microseconds half to even.
func moment(a *guest.Args, i int) (time.Time, error) {
	r, err := exactNumber(a.V[i], "timestamp")
	if err != nil {
		if _, isFloat := a.V[i].(starlark.Float); !isFloat {
			return time.Time{}, raise("TypeError", "'%s' object cannot be interpreted as an integer", guest.TypeName(a.V[i]))
		}
		return time.Time{}, err
	}
	us := roundHalfEven(r.Mul(r, new(big.Rat).SetInt64(1e6)))
	if !us.IsInt64() {
		return time.Time{}, raise("OverflowError", "timestamp out of range for platform time_t")
	}
	t := time.UnixMicro(us.Int64()).UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return t, raise("ValueError", "year %d is out of range", t.Year())
	}
	return t, nil
}

func fromTimestamp(a *guest.Args, zoned bool) (starlark.Value, error) {
	t, err := moment(a, 0)
	if err != nil {
		return nil, err
	}
	if !zoned {
		return datetime{t: t}, nil
	}
	z, err := zoneArg(a, 1)
	if err != nil {
		return nil, err
	}
	return z.local(t), nil
}

func dateFromTimestamp(a *guest.Args) (starlark.Value, error) {
	t, err := moment(a, 0)
	return dateOf(t), err
}

var dayOne = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)

func ordinal(t time.Time) int { return int((t.Unix()-dayOne.Unix())/86400) + 1 }

func fromOrdinal(a *guest.Args, full bool) (starlark.Value, error) {
	n, err := a.Index(0, 0)
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, raise("ValueError", "ordinal must be >= 1")
	}
	if n > 3652059 {
		return nil, raise("ValueError", "year is out of range")
	}
	t := dayOne.AddDate(0, 0, n-1)
	if full {
		return datetime{t: t}, nil
	}
	return date{t}, nil
}

func fromISOCalendar(full bool) guest.Impl {
	return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		y, err := part(a, 0, 0, 1, 9999, "Year is out of range: %d")
		if err != nil {
			return nil, err
		}
		w, err := a.Index(1, 0)
		if err != nil {
			return nil, err
		}
		d, err := a.Index(2, 0)
		if err != nil {
			return nil, err
		}
		t, err := isoWeekDay(y, w, d)
		if full {
			return datetime{t: t}, err
		}
		return date{t}, err
	}
}

func isoWeekDay(y, w, d int) (time.Time, error) {
	jan4 := time.Date(y, 1, 4, 0, 0, 0, 0, time.UTC)
	monday := jan4.AddDate(0, 0, -int((jan4.Weekday()+6)%7))
	_, last := time.Date(y, 12, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
	if w < 1 || w > last {
		return monday, raise("ValueError", "Invalid week: %d", w)
	}
	if d < 1 || d > 7 {
		return monday, raise("ValueError", "Invalid weekday: %d (range is [1, 7])", d)
	}
	t := monday.AddDate(0, 0, 7*(w-1)+d-1)
	if t.Year() < 1 || t.Year() > 9999 {
		return t, raise("ValueError", "Year is out of range: %d", y)
	}
	return t, nil
}

func combine(a *guest.Args) (starlark.Value, error) {
	var day time.Time
	switch d := a.V[0].(type) {
	case date:
		day = d.t
	case datetime:
		day = dateOf(d.t).t
	default:
		return nil, raise("TypeError", "combine() argument 1 must be datetime.date, not %s", guest.TypeName(d))
	}
	c, ok := a.V[1].(clock)
	if !ok {
		return nil, raise("TypeError", "combine() argument 2 must be datetime.time, not %s", guest.TypeName(a.V[1]))
	}
	z := c.zone
	if a.V[2] != nil {
		var err error
		if z, err = zoneArg(a, 2); err != nil {
			return nil, err
		}
	}
	return datetime{day.Add(c.d), z, c.fold}, nil
}

// bound makes a method of a date with the arguments of a head.
func bound(head string, f func(a *guest.Args) (starlark.Value, error)) starlark.Value {
	return datetimeHeads().Func(head).Builtin("", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return f(a) })
}

func nullary(name string, f func() starlark.Value) starlark.Value {
	return method(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args)+len(kwargs) > 0 {
			return nil, raise("TypeError", "%s() takes no arguments (%d given)", name, len(args)+len(kwargs))
		}
		return f(), nil
	})
}

var isoCalendarType = &tupleType{name: "datetime.IsoCalendarDate", fields: []string{"year", "week", "weekday"}}

var timeTupleType = &tupleType{name: "time.struct_time", fields: []string{"tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst"}}

// dayAttr are the attributes that dates and datetimes share; nil for others.
func dayAttr(t time.Time, z *zone, name string) starlark.Value {
	weekday := int(t.Weekday()+6) % 7
	switch name {
	case "year":
		return starlark.MakeInt(t.Year())
	case "month":
		return starlark.MakeInt(int(t.Month()))
	case "day":
		return starlark.MakeInt(t.Day())
	case "weekday":
		return nullary(name, func() starlark.Value { return starlark.MakeInt(weekday) })
	case "isoweekday":
		return nullary(name, func() starlark.Value { return starlark.MakeInt(weekday + 1) })
	case "isocalendar":
		return nullary(name, func() starlark.Value {
			y, w := t.ISOWeek()
			return isoCalendarType.make(starlark.Tuple{starlark.MakeInt(y), starlark.MakeInt(w), starlark.MakeInt(weekday + 1)})
		})
	case "toordinal":
		return nullary(name, func() starlark.Value { return starlark.MakeInt(ordinal(t)) })
	case "timetuple":
		return nullary(name, func() starlark.Value {
			var vs starlark.Tuple
			for _, n := range []int{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second(), weekday, t.YearDay(), -1} {
				vs = append(vs, starlark.MakeInt(n))
			}
			return timeTupleType.make(vs)
		})
	case "ctime":
		return nullary(name, func() starlark.Value { return text(t.Format("Mon Jan _2 15:04:05 2006")) })
	case "strftime", "__format__":
		return bound("strftime", func(a *guest.Args) (starlark.Value, error) {
			f, err := str(a, 0)
			if err != nil {
				return nil, err
			}
			s, err := strftime(t, z, f)
			return text(s), err
		})
	}
	return nil
}

func clockAttr(t time.Time, z *zone, fold int, name string) starlark.Value {
	switch name {
	case "hour":
		return starlark.MakeInt(t.Hour())
	case "minute":
		return starlark.MakeInt(t.Minute())
	case "second":
		return starlark.MakeInt(t.Second())
	case "microsecond":
		return starlark.MakeInt(t.Nanosecond() / 1000)
	case "fold":
		return starlark.MakeInt(fold)
	case "tzinfo":
		if z == nil {
			return starlark.None
		}
		return z
	case "utcoffset", "tzname", "dst":
		return nullary(name, func() starlark.Value {
			switch {
			case z == nil || name == "dst" && z.region == nil:
				return starlark.None
			case name == "dst":
				return z.dst
			case name == "tzname":
				return text(z.label())
			}
			return z.offset
		})
	}
	return nil
}

var dayNames = []string{"ctime", "day", "isocalendar", "isoformat", "isoweekday", "month", "replace", "strftime", "timetuple", "toordinal", "weekday", "year"}

func (d date) AttrNames() []string { return dayNames }

func (d date) Attr(name string) (starlark.Value, error) {
	switch name {
	case "isoformat", "__str__":
		return nullary(name, func() starlark.Value { return text(d.ISOFormat()) }), nil
	case "replace":
		return bound("replace", func(a *guest.Args) (starlark.Value, error) {
			kw, err := replaced("date", a, []starlark.Value{starlark.MakeInt(d.t.Year()), starlark.MakeInt(int(d.t.Month())), starlark.MakeInt(d.t.Day())})
			if err != nil {
				return nil, err
			}
			return newDateArgs(nil, kw)
		}), nil
	}
	if v := dayAttr(d.t, nil, name); v != nil {
		return v, nil
	}
	return nil, raise("AttributeError", "'datetime.date' object has no attribute '%s'", name)
}

// replaced are a constructor's arguments: the old values and what replaces them.
func replaced(class string, a *guest.Args, old []starlark.Value) (*guest.Args, error) {
	out, err := datetimeHeads().Func(class).Call(a.Rest, append([]starlark.Tuple(nil), a.Kw...))
	var filled []starlark.Tuple
	fn := datetimeHeads().Func(class)
	if err != nil { // required ones are missing: give the old values by name
		given := map[string]bool{}
		for i := range a.Rest {
			if i < len(fn.Params) {
				given[fn.Params[i].Name] = true
			}
		}
		filled = append(filled, a.Kw...)
		for _, kv := range a.Kw {
			given[string(kv[0].(starlark.String))] = true
		}
		for i, p := range fn.Fixed() {
			if !given[p.Name] && i < len(old) {
				filled = append(filled, starlark.Tuple{starlark.String(p.Name), old[i]})
			}
		}
		if out, err = fn.Call(a.Rest, filled); err != nil {
			return nil, err
		}
	}
	for i := range out.V {
		if out.V[i] == nil && i < len(old) {
			out.V[i] = old[i]
		}
	}
	return out, nil
}

func (d datetime) AttrNames() []string {
	return append([]string{"astimezone", "date", "dst", "fold", "hour", "microsecond", "minute", "second", "time", "timestamp", "timetz", "tzinfo", "tzname", "utcoffset", "utctimetuple"}, dayNames...)
}

func (d datetime) Attr(name string) (starlark.Value, error) {
	sinceMidnight := time.Duration(d.t.Hour())*time.Hour + time.Duration(d.t.Minute())*time.Minute + time.Duration(d.t.Second())*time.Second + time.Duration(d.t.Nanosecond())
	switch name {
	case "date":
		return nullary(name, func() starlark.Value { return dateOf(d.t) }), nil
	case "time":
		return nullary(name, func() starlark.Value { return clock{d: sinceMidnight, fold: d.fold} }), nil
	case "timetz":
		return nullary(name, func() starlark.Value { return clock{d: sinceMidnight, zone: d.zone, fold: d.fold} }), nil
	case "timestamp":
		return nullary(name, func() starlark.Value {
			f, _ := big.NewRat(d.utc().UnixMicro(), 1e6).Float64()
			return float(f)
		}), nil
	case "isoformat", "__str__":
		return bound("isoformat", func(a *guest.Args) (starlark.Value, error) {
			sep, spec, err := isoArgs(a, 0)
			return text(d.iso(sep, spec)), err
		}), nil
	case "astimezone":
		return bound("astimezone", func(a *guest.Args) (starlark.Value, error) {
			z, err := zoneArg(a, 0)
			if err != nil {
				return nil, err
			}
			if z == nil {
				z = utcZone
			}
			there := z.local(d.utc())
			if y := there.t.Year(); y < 1 || y > 9999 {
				return nil, raise("OverflowError", "date value out of range")
			}
			return there, nil
		}), nil
	case "replace":
		return bound("replace", func(a *guest.Args) (starlark.Value, error) {
			old := []starlark.Value{starlark.MakeInt(d.t.Year()), starlark.MakeInt(int(d.t.Month())), starlark.MakeInt(d.t.Day()),
				starlark.MakeInt(d.t.Hour()), starlark.MakeInt(d.t.Minute()), starlark.MakeInt(d.t.Second()), starlark.MakeInt(d.t.Nanosecond() / 1000),
				starlark.None, starlark.MakeInt(d.fold)}
			if d.zone != nil {
				old[7] = d.zone
			}
			args, err := replaced("datetime", a, old)
			if err != nil {
				return nil, err
			}
			return newDatetimeArgs(nil, args)
		}), nil
	}
	if v := dayAttr(d.t, d.zone, name); v != nil {
		return v, nil
	}
	if v := clockAttr(d.t, d.zone, d.fold, name); v != nil {
		return v, nil
	}
	return nil, raise("AttributeError", "'datetime.datetime' object has no attribute '%s'", name)
}

// isoArgs reads sep (where there is one) and timespec.
func isoArgs(a *guest.Args, i int) (sep, spec string, err error) {
	sep, spec = "T", "auto"
	if i == 0 && a.V[0] != nil {
		if sep, err = str(a, 0); err != nil {
			return
		}
		if len([]rune(sep)) != 1 {
			return "", "", raise("TypeError", "isoformat() argument 1 must be a unicode character, not %s", "str")
		}
	}
	last := len(a.V) - 1
	if a.V[last] != nil {
		if spec, err = str(a, last); err != nil {
			return
		}
		switch spec {
		case "auto", "hours", "minutes", "seconds", "milliseconds", "microseconds":
		default:
			return "", "", raise("ValueError", "Unknown timespec value")
		}
	}
	return sep, spec, nil
}

func (c clock) AttrNames() []string {
	return []string{"dst", "fold", "hour", "isoformat", "microsecond", "minute", "replace", "second", "strftime", "tzinfo", "tzname", "utcoffset"}
}

func (c clock) Attr(name string) (starlark.Value, error) {
	t := c.at()
	switch name {
	case "isoformat", "__str__":
		return bound("timeisoformat", func(a *guest.Args) (starlark.Value, error) {
			_, spec, err := isoArgs(a, 1)
			return text(isoTime(t, spec) + c.zone.suffix()), err
		}), nil
	case "strftime", "__format__":
		return dayAttr(t, c.zone, "strftime"), nil
	case "replace":
		return bound("replace", func(a *guest.Args) (starlark.Value, error) {
			old := []starlark.Value{starlark.MakeInt(t.Hour()), starlark.MakeInt(t.Minute()), starlark.MakeInt(t.Second()),
				starlark.MakeInt(t.Nanosecond() / 1000), starlark.None, starlark.MakeInt(c.fold)}
			if c.zone != nil {
				old[4] = c.zone
			}
			args, err := replaced("time", a, old)
			if err != nil {
				return nil, err
			}
			return clockArgs(args, 0)
		}), nil
	}
	if v := clockAttr(t, c.zone, c.fold, name); v != nil {
		return v, nil
	}
	return nil, raise("AttributeError", "'datetime.time' object has no attribute '%s'", name)
}
