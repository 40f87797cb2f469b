package pylang

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// Formatter may be implemented by values of modules (dates, for example) that
// understand a format spec.
type Formatter interface {
	PyFormat(spec string) (string, error)
}

// formatSpec is [[fill]align][sign][z][#][0][width][grouping][.precision][type].
type formatSpec struct {
	fill  rune
	align byte
	sign  byte
	alt   bool
	zero  bool
	width int
	group byte
	prec  int // -1: none
	typ   byte
}

const maxFormatWidth = 1 << 20

func parseSpec(s string) (formatSpec, error) {
	f := formatSpec{fill: ' ', prec: -1}
	bad := func() (formatSpec, error) { return f, Raise("ValueError", "Invalid format specifier '%s'", s) }
	rest := s
	if r, n := utf8.DecodeRuneInString(rest); n > 0 && len(rest) > n && strings.IndexByte("<>=^", rest[n]) >= 0 {
		f.fill, f.align = r, rest[n]
		rest = rest[n+1:]
	} else if rest != "" && strings.IndexByte("<>=^", rest[0]) >= 0 {
		f.align = rest[0]
		rest = rest[1:]
	}
	explicit := f.align != 0
	if rest != "" && strings.IndexByte("+- ", rest[0]) >= 0 {
		f.sign = rest[0]
		rest = rest[1:]
	}
	rest = strings.TrimPrefix(rest, "z")
	if strings.HasPrefix(rest, "#") {
		f.alt = true
		rest = rest[1:]
	}
	if strings.HasPrefix(rest, "0") {
		f.zero = true
		if !explicit {
			f.fill, f.align = '0', '='
		} else if f.fill == ' ' && !strings.HasPrefix(s, " ") {
			f.fill = '0'
		}
		rest = rest[1:]
	}
	digits := func() (int, bool) {
		i := 0
		for i < len(rest) && rest[i] >= '0' && rest[i] <= '9' {
			i++
		}
		if i == 0 {
			return 0, false
		}
		n, err := strconv.Atoi(rest[:i])
		if err != nil || n > math.MaxInt32 {
			n = math.MaxInt32
		}
		rest = rest[i:]
		return n, true
	}
	if n, ok := digits(); ok {
		f.width = n
	}
	if rest != "" && (rest[0] == ',' || rest[0] == '_') {
		f.group = rest[0]
		rest = rest[1:]
		if rest != "" && (rest[0] == ',' || rest[0] == '_') {
			if rest[0] == f.group {
				return f, Raise("ValueError", "Cannot specify '%c' with '%c'.", f.group, rest[0])
			}
			return f, Raise("ValueError", "Cannot specify both ',' and '_'.")
		}
	}
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		n, ok := digits()
		if !ok {
			return f, Raise("ValueError", "Format specifier missing precision")
		}
		f.prec = n
	}
	if len(rest) > 1 {
		return bad()
	}
	if len(rest) == 1 {
		f.typ = rest[0]
	}
	return f, nil
}

// formatInstance is format of an instance whose class does not define it.
func (rt *runtime) formatInstance(x *Instance, spec string) (string, error) {
	switch {
	case x.base != nil && !x.class.enum, x.class.kind == "IntEnum", x.class.kind == "StrEnum", x.class.kind == "IntFlag":
		if spec == "" { // format(x, "") is str(x)
			return rt.str(x)
		}
		return rt.format(x.base, spec)
	}
	if spec != "" && !x.class.enum && x.base == nil {
		return "", Raise("TypeError", "unsupported format string passed to %s.__format__", x.class.name)
	}
	s, err := rt.str(x)
	if err != nil || spec == "" {
		return s, err
	}
	return rt.format(starlark.String(s), spec)
}

// format is Python's format(v, spec).
func (rt *runtime) format(v starlark.Value, spec string) (string, error) {
	switch x := v.(type) {
	case *Instance:
		if fn := x.class.lookup("__format__"); fn != nil {
			r, err := rt.call(x.bind(fn), starlark.Tuple{starlark.String(spec)}, nil)
			if err != nil {
				return "", err
			}
			s, _ := starlark.AsString(r)
			return s, nil
		}
		return rt.formatInstance(x, spec)
	case Formatter:
		return x.PyFormat(spec)
	case Awaitable:
		f, err := rt.force(x)
		if err != nil {
			return "", err
		}
		if f != v {
			return rt.format(f, spec)
		}
	}
	if spec == "" {
		return rt.str(v)
	}
	switch v.(type) {
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool:
	default:
		e := Raise("TypeError", "unsupported format string passed to %s.__format__", typeName(v))
		if v == starlark.None {
			e.Hint = "the value is None: give a default first"
		}
		return "", e
	}
	f, err := parseSpec(spec)
	if err != nil {
		if e, ok := err.(*Exception); ok && strings.HasPrefix(e.Message, "Invalid format specifier") {
			e.Message += " for object of type '" + typeName(v) + "'"
		}
		return "", err
	}
	if f.width > maxFormatWidth || f.prec > maxFormatWidth {
		if err := rt.alloc(int64(max(f.width, f.prec)), 4); err != nil {
			return "", err
		}
	}
	switch x := v.(type) {
	case starlark.String:
		return formatStr(string(x), f, spec)
	case starlark.Bool:
		return rt.formatInt(num(x).(starlark.Int), f, typeName(v))
	case starlark.Int:
		return rt.formatInt(x, f, "int")
	}
	return formatFloat(float64(v.(starlark.Float)), f, "float")
}

func unknownCode(f formatSpec, typ string) error {
	return Raise("ValueError", "Unknown format code '%c' for object of type '%s'", f.typ, typ)
}

func formatStr(s string, f formatSpec, spec string) (string, error) {
	switch {
	case f.typ != 0 && f.typ != 's':
		e := unknownCode(f, "str").(*Exception)
		if strings.IndexByte("dfeg%", f.typ) >= 0 {
			e.Hint = "convert with int(...) or float(...) first"
		}
		return "", e
	case f.sign != 0:
		return "", Raise("ValueError", "Sign not allowed in string format specifier")
	case f.alt:
		return "", Raise("ValueError", "Alternate form (#) not allowed in string format specifier")
	case f.group != 0:
		return "", Raise("ValueError", "Cannot specify '%c' with 's'.", f.group)
	case f.align == '=' && !f.zero:
		return "", Raise("ValueError", "'=' alignment not allowed in string format specifier")
	}
	if f.align == '=' {
		f.align = '<'
	}
	if f.prec >= 0 {
		n := 0
		for i := range s {
			if n == f.prec {
				s = s[:i]
				break
			}
			n++
		}
	}
	return pad(s, f, '<'), nil
}

// pad fills to the width.
func pad(s string, f formatSpec, dflt byte) string {
	n := f.width - utf8.RuneCountInString(s)
	if n <= 0 {
		return s
	}
	fill := string(f.fill)
	align := f.align
	if align == 0 {
		align = dflt
	}
	switch align {
	case '<':
		return s + strings.Repeat(fill, n)
	case '^':
		return strings.Repeat(fill, n/2) + s + strings.Repeat(fill, n-n/2)
	}
	return strings.Repeat(fill, n) + s
}

// number assembles sign, prefix and digits, with grouping and zero padding.
func (f formatSpec) number(neg bool, prefix, digits, tail string, every int) string {
	sign := ""
	switch {
	case neg:
		sign = "-"
	case f.sign == '+' || f.sign == ' ':
		sign = string(f.sign)
	}
	if f.group != 0 {
		if f.fill == '0' && f.align == '=' {
			// zeros take part in the grouping
			room := f.width - len(sign) - len(prefix) - len(tail)
			n := max(len(digits), room-room/(every+1)-1)
			for n+(n-1)/every < room {
				n++
			}
			digits = groupDigits(strings.Repeat("0", n-len(digits))+digits, f.group, every)
		} else {
			digits = groupDigits(digits, f.group, every)
		}
	}
	body := digits + tail
	if f.align == '=' {
		n := f.width - utf8.RuneCountInString(sign+prefix+body)
		if n > 0 {
			return sign + prefix + strings.Repeat(string(f.fill), n) + body
		}
		return sign + prefix + body
	}
	return pad(sign+prefix+body, f, '>')
}

func groupDigits(s string, sep byte, every int) string {
	n := len(s)
	if n <= every {
		return s
	}
	var sb strings.Builder
	first := n % every
	if first == 0 {
		first = every
	}
	sb.WriteString(s[:first])
	for i := first; i < n; i += every {
		sb.WriteByte(sep)
		sb.WriteString(s[i : i+every])
	}
	return sb.String()
}

func (rt *runtime) formatInt(i starlark.Int, f formatSpec, typ string) (string, error) {
	neg := i.Sign() < 0
	abs := i
	if neg {
		abs = starlark.MakeInt(0).Sub(i)
	}
	base, prefix := 10, ""
	switch f.typ {
	case 0, 'd', 'n':
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0o"
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	case 'c':
		n, ok := i.Int64()
		if !ok || n < 0 || n > utf8.MaxRune {
			return "", Raise("OverflowError", "%%c arg not in range(0x110000)")
		}
		return pad(string(rune(n)), f, '<'), nil
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		x, err := toFloat(i)
		if err != nil {
			return "", err
		}
		return formatFloat(x, f, "int")
	default:
		return "", unknownCode(f, typ)
	}
	if f.prec >= 0 {
		return "", Raise("ValueError", "Precision not allowed in integer format specifier")
	}
	var digits string
	if base == 10 {
		s, err := intText(abs)
		if err != nil {
			return "", err
		}
		digits = s
	} else {
		digits = abs.BigInt().Text(base)
		if f.typ == 'X' {
			digits = strings.ToUpper(digits)
		}
	}
	if !f.alt {
		prefix = ""
	}
	every := 3
	if base != 10 {
		every = 4
		if f.group == ',' {
			return "", Raise("ValueError", "Cannot specify ',' with '%c'.", f.typ)
		}
	}
	return f.number(neg, prefix, digits, "", every), nil
}

func formatFloat(x float64, f formatSpec, typ string) (string, error) {
	neg := math.Signbit(x) && !math.IsNaN(x)
	a := math.Abs(x)
	tail := ""
	var s string
	t := f.typ
	if math.IsInf(a, 0) || math.IsNaN(a) {
		s = "inf"
		if math.IsNaN(a) {
			s = "nan"
		}
		switch t {
		case 'F', 'E', 'G':
			s = strings.ToUpper(s)
		case '%':
			tail = "%"
		case 0, 'f', 'e', 'g', 'n':
		default:
			return "", unknownCode(f, typ)
		}
		if f.fill == '0' && f.align == '=' && f.zero {
			// CPython pads these with zeros too
		}
		return f.number(neg, "", s, tail, 1000), nil
	}
	prec := f.prec
	switch t {
	case 'f', 'F', '%':
		if prec < 0 {
			prec = 6
		}
		if t == '%' {
			a *= 100
			tail = "%"
		}
		s = strconv.FormatFloat(a, 'f', prec, 64)
		if f.alt && prec == 0 {
			s += "."
		}
	case 'e', 'E':
		if prec < 0 {
			prec = 6
		}
		s = strconv.FormatFloat(a, 'e', prec, 64)
		if t == 'E' {
			s = strings.ToUpper(s)
		}
	case 'g', 'G', 'n':
		if prec < 0 {
			prec = 6
		}
		s = general(a, max(prec, 1), f.alt, -4, max(prec, 1))
		if t == 'G' {
			s = strings.ToUpper(s)
		}
	case 0:
		if prec < 0 {
			s = floatRepr(a)
		} else {
			p := max(prec, 1)
			s = general(a, p, f.alt, -4, p-1)
			if p == 1 {
				s = general(a, p, f.alt, -4, 0)
			}
			if !strings.ContainsAny(s, ".e") {
				s += ".0"
			}
		}
	default:
		return "", unknownCode(f, typ)
	}
	digits := s
	if i := strings.IndexAny(s, ".eE"); i >= 0 {
		digits, tail = s[:i], s[i:]+tail
	}
	return f.number(neg, "", digits, tail, 3), nil
}

// general is C's %g: exponent form when the exponent is below low or at least high.
func general(a float64, prec int, alt bool, low, high int) string {
	e := strconv.FormatFloat(a, 'e', prec-1, 64)
	i := strings.IndexByte(e, 'e')
	exp, _ := strconv.Atoi(e[i+1:])
	var s string
	if a != 0 && (exp < low || exp >= high) {
		m := e[:i]
		if !alt && strings.ContainsRune(m, '.') {
			m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
		}
		return m + e[i:]
	}
	if a == 0 {
		exp = 0
	}
	s = strconv.FormatFloat(a, 'f', max(prec-1-exp, 0), 64)
	if !alt && strings.ContainsRune(s, '.') {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// fstringHelper is §f for one program's f-strings.
func (rt *runtime) fstringHelper(specs []*fspec, many bool) starlark.Value {
	return rt.builtin(mark+"f", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if many {
			args = listElems(args[0].(*starlark.List))
		}
		f := specs[smallInt(args[0])]
		args = args[1:]
		var sb strings.Builder
		for _, p := range f.parts {
			if !p.field {
				sb.WriteString(p.text)
				continue
			}
			v := args[0]
			args = args[1:]
			spec := p.spec
			if p.dynamic {
				spec, _ = starlark.AsString(args[0])
				args = args[1:]
			}
			s, err := rt.formatField(v, p.conv, spec)
			if err != nil {
				return nil, err
			}
			if err := rt.alloc(int64(sb.Len())+int64(len(s)), 1); err != nil {
				return nil, err
			}
			sb.WriteString(s)
		}
		return starlark.String(sb.String()), nil
	})
}

// formatField applies a conversion and a spec.
func (rt *runtime) formatField(v starlark.Value, conv byte, spec string) (string, error) {
	if conv != 0 {
		var s string
		var err error
		switch conv {
		case 's':
			s, err = rt.str(v)
		case 'r':
			s, err = rt.repr(v)
		case 'a':
			s, err = rt.asciiRepr(v)
		}
		if err != nil || spec == "" {
			return s, err
		}
		v = starlark.String(s)
	}
	if s, ok := v.(starlark.String); ok && spec == "" {
		return string(s), nil
	}
	return rt.format(v, spec)
}
