package stdlib

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

// maxFormat bounds the length of a format and of a text to parse.
const maxFormat = 10_000

// PyFormat is format(d, spec), so that f"{d:%Y-%m-%d}" works.
func (d date) PyFormat(spec string) (string, error)     { return formatted(d.t, nil, spec, d.PyStr) }
func (d datetime) PyFormat(spec string) (string, error) { return formatted(d.t, d.zone, spec, d.PyStr) }
func (c clock) PyFormat(spec string) (string, error)    { return formatted(c.at(), c.zone, spec, c.PyStr) }

func formatted(t time.Time, z *zone, spec string, plain func() string) (string, error) {
	if spec == "" {
		return plain(), nil
	}
	return strftime(t, z, spec)
}

// strftime is that of glibc in the C locale, which CPython calls, with CPython's
// own %f, %z and %Z. The flags - _ 0 ^ # and a width may follow the %.
func strftime(t time.Time, z *zone, format string) (string, error) {
	if len(format) > maxFormat {
		return "", raise("ValueError", "format is longer than %d characters", maxFormat)
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		j := i + 1
		for j < len(format) && strings.IndexByte("-_0^#", format[j]) >= 0 {
			j++
		}
		flags := format[i+1 : j]
		width := 0
		for j < len(format) && format[j] >= '0' && format[j] <= '9' {
			width = min(width*10+int(format[j]-'0'), maxFormat)
			j++
		}
		if j == len(format) {
			b.WriteString(format[i:])
			break
		}
		s, ok := directive(t, z, format[j], flags, width)
		if !ok {
			s = format[i : j+1]
		}
		b.WriteString(s)
		i = j
	}
	return b.String(), nil
}

// directive writes one conversion; false when it is none.
func directive(t time.Time, z *zone, c byte, flags string, width int) (string, bool) {
	num := func(n, w int, pad byte) (string, bool) {
		if width > 0 {
			w = width
		}
		switch {
		case strings.Contains(flags, "-"):
			w = 0
		case strings.Contains(flags, "_"):
			pad = ' '
		case strings.Contains(flags, "0"):
			pad = '0'
		}
		s := strconv.Itoa(n)
		return strings.Repeat(string(pad), max(0, w-len(s))) + s, true
	}
	word := func(s string) (string, bool) {
		if strings.Contains(flags, "^") {
			s = strings.ToUpper(s)
		}
		if strings.Contains(flags, "#") {
			if s == strings.ToUpper(s) {
				s = strings.ToLower(s)
			} else {
				s = strings.ToUpper(s)
			}
		}
		pad := " "
		if strings.Contains(flags, "0") {
			pad = "0"
		}
		return strings.Repeat(pad, max(0, width-len(s))) + s, true
	}
	again := func(format string) (string, bool) {
		s, err := strftime(t, z, format)
		if err != nil {
			return "", false
		}
		return word(s)
	}
	hour12 := (t.Hour()+11)%12 + 1
	isoYear, isoWeek := t.ISOWeek()
	switch c {
	case 'a':
		return word(t.Format("Mon"))
	case 'A':
		return word(t.Format("Monday"))
	case 'b', 'h':
		return word(t.Format("Jan"))
	case 'B':
		return word(t.Format("January"))
	case 'w':
		return num(int(t.Weekday()), 1, '0')
	case 'u':
		return num(int(t.Weekday()+6)%7+1, 1, '0')
	case 'd':
		return num(t.Day(), 2, '0')
	case 'e':
		return num(t.Day(), 2, ' ')
	case 'm':
		return num(int(t.Month()), 2, '0')
	case 'y':
		return num(t.Year()%100, 2, '0')
	case 'Y':
		return num(t.Year(), 1, '0')
	case 'C':
		return num(t.Year()/100, 2, '0')
	case 'G':
		return num(isoYear, 1, '0')
	case 'g':
		return num(isoYear%100, 2, '0')
	case 'H':
		return num(t.Hour(), 2, '0')
	case 'I':
		return num(hour12, 2, '0')
	case 'k':
		return num(t.Hour(), 2, ' ')
	case 'l':
		return num(hour12, 2, ' ')
	case 'M':
		return num(t.Minute(), 2, '0')
	case 'S':
		return num(t.Second(), 2, '0')
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 'j':
		return num(t.YearDay(), 3, '0')
	case 'U':
		return num((t.YearDay()+6-int(t.Weekday()))/7, 2, '0')
	case 'W':
		return num((t.YearDay()+6-int(t.Weekday()+6)%7)/7, 2, '0')
	case 'V':
		return num(isoWeek, 2, '0')
	case 'p':
		return word(t.Format("PM"))
	case 'P':
		return word(t.Format("pm"))
	case 'c':
		return again("%a %b %e %H:%M:%S %Y")
	case 'x', 'D':
		return again("%m/%d/%y")
	case 'X', 'T':
		return again("%H:%M:%S")
	case 'r':
		return again("%I:%M:%S %p")
	case 'R':
		return again("%H:%M")
	case 'F':
		return again("%Y-%m-%d")
	case 's':
		return num(int(t.Unix()), 1, '0') // as glibc: the zone does not count
	case 'z':
		return strings.Replace(strings.Replace(z.suffix(), ":", "", 1), ":", "", 1), true
	case 'Z':
		if z == nil {
			return "", true
		}
		return z.label(), true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case '%':
		return "%", true
	}
	return "", false
}

var (
	longDays    = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	shortDays   = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
	longMonths  = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	shortMonths = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
)

// longestFirst is an alternative of names, the longest first, as Python builds it.
func longestFirst(names []string) string {
	sorted := append([]string(nil), names...)
	for i := range sorted {
		for j := i + 1; j < len(sorted); j++ {
			if len(sorted[j]) > len(sorted[i]) {
				sorted[i], sorted[j] = sorted[j], sorted[i]
			}
		}
	}
	return strings.Join(sorted, "|")
}

// parsePatterns are the patterns of CPython's _strptime for each directive.
var parsePatterns = map[byte]string{
	'd': `3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9]`,
	'f': `[0-9]{1,6}`,
	'H': `2[0-3]|[0-1]\d|\d`,
	'I': `1[0-2]|0[1-9]|[1-9]`,
	'G': `\d\d\d\d`,
	'j': `36[0-6]|3[0-5]\d|[1-2]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9]`,
	'm': `1[0-2]|0[1-9]|[1-9]`,
	'M': `[0-5]\d|\d`,
	'S': `6[0-1]|[0-5]\d|\d`,
	'U': `5[0-3]|[0-4]\d|\d`,
	'W': `5[0-3]|[0-4]\d|\d`,
	'w': `[0-6]`,
	'u': `[1-7]`,
	'V': `5[0-3]|0[1-9]|[1-4]\d|\d`,
	'y': `\d\d`,
	'Y': `\d\d\d\d`,
	'z': `[+-]\d\d:?[0-5]\d(?::?[0-5]\d(?:\.\d{1,6})?)?|Z`,
	'A': longestFirst(longDays), 'a': longestFirst(shortDays),
	'B': longestFirst(longMonths), 'b': longestFirst(shortMonths),
	'p': "am|pm", 'Z': "utc|gmt",
}

// parseFormat turns a format into an expression; order lists the directives of
// its groups.
func parseFormat(format string) (re *regexp.Regexp, order []byte, err error) {
	var b strings.Builder
	b.WriteString(`(?i)^`)
	seen := map[byte]bool{}
	format = strings.NewReplacer("%c", "%a %b %d %H:%M:%S %Y", "%x", "%m/%d/%y", "%X", "%H:%M:%S").Replace(strings.ReplaceAll(format, "%%", "%\x00"))
	runes := []rune(format)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			for i+1 < len(runes) && strings.ContainsRune(" \t\n\r\f\v", runes[i+1]) {
				i++
			}
			b.WriteString(`\s+`)
		case c == '%':
			if i++; i == len(runes) {
				return nil, nil, raise("ValueError", "stray %% in format '%s'", format)
			}
			d := runes[i]
			if d == 0 {
				b.WriteByte('%')
				continue
			}
			pattern, ok := parsePatterns[byte(d)]
			if d > 127 || !ok {
				return nil, nil, raise("ValueError", "'%c' is a bad directive in format '%s'", d, strings.ReplaceAll(format, "%\x00", "%%"))
			}
			if seen[byte(d)] {
				return nil, nil, raise("re.error", "redefinition of group name '%c'", d)
			}
			seen[byte(d)] = true
			order = append(order, byte(d))
			b.WriteString("(" + pattern + ")")
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err = regexp.Compile(b.String())
	if err != nil {
		return nil, nil, raise("ValueError", "format cannot be used: %v", err)
	}
	return re, order, nil
}

func indexOf(names []string, s string) int {
	for i, n := range names {
		if strings.EqualFold(n, s) {
			return i
		}
	}
	return -1
}

func strptime(a *guest.Args) (starlark.Value, error) {
	value, err := str(a, 0)
	if err != nil {
		return nil, raise("TypeError", "strptime() argument 1 must be str, not %s", guest.TypeName(a.V[0]))
	}
	format, err := str(a, 1)
	if err != nil {
		return nil, raise("TypeError", "strptime() argument 2 must be str, not %s", guest.TypeName(a.V[1]))
	}
	if len(value) > maxFormat || len(format) > maxFormat {
		return nil, raise("ValueError", "text and format must be at most %d characters", maxFormat)
	}
	re, order, err := parseFormat(format)
	if err != nil {
		return nil, err
	}
	m := re.FindStringSubmatch(value)
	if m == nil {
		return nil, raise("ValueError", "time data %s does not match format %s", reprText(value), reprText(format))
	}
	if rest := value[len(m[0]):]; rest != "" {
		return nil, raise("ValueError", "unconverted data remains: %s", rest)
	}
	return assemble(order, m[1:])
}

func reprText(s string) string {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	return quoteName(s)
}

// assemble makes a datetime of what the directives found.
func assemble(order []byte, found []string) (starlark.Value, error) {
	year, month, day := 1900, 1, 1
	var hour, minute, second, us int
	weekday, yearDay, week, isoYear, isoWeek := -1, 0, -1, 0, 0
	sundayFirst, haveYear, haveJulian := false, false, false
	afternoon := ""
	var z *zone
	for i, c := range order {
		s := strings.TrimSpace(found[i])
		n, _ := strconv.Atoi(s)
		switch c {
		case 'y':
			year, haveYear = n+2000, true
			if n >= 69 {
				year = n + 1900
			}
		case 'Y':
			year, haveYear = n, true
		case 'G':
			isoYear = n
		case 'm':
			month = n
		case 'B':
			month = indexOf(longMonths, s) + 1
		case 'b':
			month = indexOf(shortMonths, s) + 1
		case 'd':
			day = n
		case 'H':
			hour = n
		case 'I':
			hour = n
			if afternoon == "" {
				afternoon = "am"
			}
		case 'p':
			afternoon = strings.ToLower(s)
		case 'M':
			minute = n
		case 'S':
			second = n
		case 'f':
			us, _ = strconv.Atoi((s + "000000")[:6])
		case 'A':
			weekday = indexOf(longDays, s)
		case 'a':
			weekday = indexOf(shortDays, s)
		case 'w':
			weekday = (n + 6) % 7
		case 'u':
			weekday = n - 1
		case 'j':
			yearDay, haveJulian = n, true
		case 'U', 'W':
			week, sundayFirst = n, c == 'U'
		case 'V':
			isoWeek = n
		case 'z':
			off, err := parseOffset(s)
			if err != nil {
				return nil, err
			}
			z = &zone{offset: off}
			if off == (delta{}) {
				z = utcZone
			}
		case 'Z':
			if z == nil {
				z = nil // names alone give no offset, as in CPython
			}
		}
	}
	for _, c := range order {
		if c == 'I' {
			if afternoon == "pm" && hour != 12 {
				hour += 12
			} else if afternoon == "am" && hour == 12 {
				hour = 0
			}
		}
	}
	if isoYear != 0 && (isoWeek == 0 || weekday < 0) {
		return nil, raise("ValueError", "ISO year directive '%%G' must be used with the ISO week directive '%%V' and a weekday directive ('%%A', '%%a', '%%w', or '%%u').")
	}
	if isoWeek != 0 && isoYear == 0 {
		if haveYear {
			return nil, raise("ValueError", "ISO week directive '%%V' is incompatible with the year directive '%%Y'. Use the ISO year '%%G' instead.")
		}
		return nil, raise("ValueError", "ISO week directive '%%V' must be used with the ISO year directive '%%G' and a weekday directive ('%%A', '%%a', '%%w', or '%%u').")
	}
	t := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	switch {
	case isoYear != 0:
		var err error
		if t, err = isoWeekDay(isoYear, isoWeek, weekday+1); err != nil {
			return nil, err
		}
	case haveJulian:
		t = t.AddDate(0, 0, yearDay-1)
	case week >= 0 && weekday >= 0 && haveYear:
		first := int(t.Weekday()+6) % 7
		wd := weekday
		if sundayFirst {
			first = (first + 1) % 7
			wd = (wd + 1) % 7
		}
		week0 := (7 - first) % 7
		n := wd - first
		if week > 0 {
			n = week0 + 7*(week-1) + wd
		}
		t = t.AddDate(0, 0, n)
	default:
		if day > daysIn(year, month) {
			if month == 2 && day == 29 && !haveYear {
				return nil, raise("ValueError", "day is out of range for month")
			}
			return nil, raise("ValueError", "day is out of range for month")
		}
		t = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	}
	if year < 1 {
		return nil, raise("ValueError", "year %d is out of range", year)
	}
	if second > 59 {
		return nil, raise("ValueError", "second must be in 0..59")
	}
	t = t.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second + time.Duration(us)*time.Microsecond)
	return datetime{t: t, zone: z}, nil
}

// parseOffset reads Z, +HH:MM and +HHMM with seconds and a fraction of them.
func parseOffset(s string) (delta, error) {
	if s == "Z" || s == "z" {
		return delta{}, nil
	}
	sign := int64(1)
	if s[0] == '-' {
		sign = -1
	}
	digits, frac, _ := strings.Cut(strings.ReplaceAll(s[1:], ":", ""), ".")
	var parts [3]int64
	for i := 0; i < 3 && 2*i+2 <= len(digits); i++ {
		n, err := strconv.Atoi(digits[2*i : 2*i+2])
		if err != nil {
			return delta{}, raise("ValueError", "Inconsistent use of : in %s", s)
		}
		parts[i] = int64(n)
	}
	us := int64(0)
	if frac != "" {
		n, _ := strconv.Atoi((frac + "000000")[:6])
		us = int64(n)
	}
	return normalDelta(0, sign*(parts[0]*3600+parts[1]*60+parts[2]), sign*us), nil
}

var (
	isoDateRE = regexp.MustCompile(`^(?:(\d{4})-(\d{2})-(\d{2})|(\d{4})(\d{2})(\d{2})|(\d{4})-?W(\d{2})(?:-?(\d))?)$`)
	isoTimeRE = regexp.MustCompile(`^(\d{2})(?:(:?)(\d{2})(?:(:?)(\d{2})(?:[.,](\d+))?)?)?$`)
	isoZoneRE = regexp.MustCompile(`^[+-](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?$`)
)

func isoDay(s string) (time.Time, bool, error) {
	m := isoDateRE.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false, nil
	}
	at := func(i int) int {
		n, _ := strconv.Atoi(m[i])
		return n
	}
	if m[7] != "" {
		d := 1
		if m[9] != "" {
			d = at(9)
			if strings.Contains(s[:5], "-") != (strings.Count(s, "-") == 2) {
				return time.Time{}, false, nil
			}
		}
		if at(7) < 1 {
			return time.Time{}, false, raise("ValueError", "Year is out of range: %d", at(7))
		}
		t, err := isoWeekDay(at(7), at(8), d)
		return t, true, err
	}
	i := 1
	if m[1] == "" {
		i = 4
	}
	y, mo, d := at(i), at(i+1), at(i+2)
	switch {
	case y < 1:
		return time.Time{}, false, raise("ValueError", "year %d is out of range", y)
	case mo < 1 || mo > 12:
		return time.Time{}, false, raise("ValueError", "month must be in 1..12")
	case d < 1 || d > daysIn(y, mo):
		return time.Time{}, false, raise("ValueError", "day is out of range for month")
	}
	return time.Date(y, time.Month(mo), d, 0, 0, 0, 0, time.UTC), true, nil
}

func badISO(s string) error { return raise("ValueError", "Invalid isoformat string: %s", reprText(s)) }

func isoString(a *guest.Args) (string, error) {
	s, ok := a.V[0].(starlark.String)
	if !ok {
		return "", raise("TypeError", "fromisoformat: argument must be str")
	}
	return string(s), nil
}

func dateFromISO(a *guest.Args) (starlark.Value, error) {
	s, err := isoString(a)
	if err != nil {
		return nil, err
	}
	t, ok, err := isoDay(s)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, badISO(s)
	}
	return date{t}, nil
}

// isoClock reads a time with or without an offset.
func isoClock(s string) (clock, bool, error) {
	var c clock
	if at := strings.IndexAny(s, "+-Z"); at >= 0 {
		off := s[at:]
		s = s[:at]
		if off == "Z" {
			c.zone = utcZone
		} else {
			m := isoZoneRE.FindStringSubmatch(off)
			if m == nil {
				return c, false, nil
			}
			h, _ := strconv.Atoi(m[1])
			mi, _ := strconv.Atoi(m[2])
			sec, _ := strconv.Atoi(m[3])
			us, _ := strconv.Atoi((m[4] + "000000")[:6])
			sign := int64(1)
			if off[0] == '-' {
				sign = -1
			}
			d := normalDelta(0, sign*int64(h*3600+mi*60+sec), sign*int64(us))
			if h > 23 || mi > 59 || sec > 59 {
				return c, false, raise("ValueError", "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), not %s.", d)
			}
			c.zone = &zone{offset: d}
			if d == (delta{}) {
				c.zone = utcZone
			}
		}
	}
	m := isoTimeRE.FindStringSubmatch(s)
	if m == nil || m[5] != "" && m[2] != m[4] {
		return c, false, nil
	}
	h, _ := strconv.Atoi(m[1])
	mi, _ := strconv.Atoi(m[3])
	sec, _ := strconv.Atoi(m[5])
	us, _ := strconv.Atoi((m[6] + "000000")[:6])
	switch {
	case h > 23:
		return c, false, raise("ValueError", "hour must be in 0..23")
	case mi > 59:
		return c, false, raise("ValueError", "minute must be in 0..59")
	case sec > 59:
		return c, false, raise("ValueError", "second must be in 0..59")
	}
	c.d = time.Duration(h)*time.Hour + time.Duration(mi)*time.Minute + time.Duration(sec)*time.Second + time.Duration(us)*time.Microsecond
	return c, true, nil
}

func datetimeFromISO(a *guest.Args) (starlark.Value, error) {
	s, err := isoString(a)
	if err != nil {
		return nil, err
	}
	// The date is as long as can be: what follows it is one separator and the time.
	for _, n := range []int{10, 8, 7} {
		if len(s) < n {
			continue
		}
		day, ok, err := isoDay(s[:n])
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if len(s) == n {
			return datetime{t: day}, nil
		}
		rest := []rune(s[n:])
		c, ok, err := isoClock(string(rest[1:]))
		if err != nil {
			return nil, err
		}
		if ok {
			return datetime{t: day.Add(c.d), zone: c.zone}, nil
		}
	}
	return nil, badISO(s)
}

func timeFromISO(a *guest.Args) (starlark.Value, error) {
	s, err := isoString(a)
	if err != nil {
		return nil, err
	}
	c, ok, err := isoClock(strings.TrimPrefix(s, "T"))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, badISO(s)
	}
	return c, nil
}
