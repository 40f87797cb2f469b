package pylang

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// percentBytes is format % args for bytes: %s and %b take bytes.
func (rt *runtime) percentBytes(format string, args starlark.Value) (string, error) {
	text := func(v starlark.Value) starlark.Value {
		if b, ok := rawBytes(v); ok {
			return starlark.String(latin1(b))
		}
		return v
	}
	switch a := args.(type) {
	case starlark.Tuple:
		out := make(starlark.Tuple, len(a))
		for i, v := range a {
			out[i] = text(v)
		}
		args = out
	default:
		args = text(args)
	}
	s, err := rt.percent(strings.ReplaceAll(latin1(format), "%b", "%s"), args)
	return fromLatin1(s), err
}

// percent is format % args.
func (rt *runtime) percent(format string, args starlark.Value) (string, error) {
	var sb strings.Builder
	list := []starlark.Value{args}
	tuple, isTuple := plain(args).(starlark.Tuple)
	if isTuple {
		list = tuple
	}
	// Anything with x[key] that is no tuple and no text counts as a mapping.
	isMap := false
	switch a := args.(type) {
	case starlark.Tuple, starlark.String:
	case *Instance:
		isMap = a.class.lookup("__getitem__") != nil || isMapping(a)
	case *TypeObj, *Class, *typingForm:
	case starlark.Mapping, starlark.Indexable, starlark.Bytes, *typeUnion:
		isMap = true
	}
	next := 0
	arg := func() (starlark.Value, error) {
		if next >= len(list) {
			return nil, Raise("TypeError", "not enough arguments for format string")
		}
		next++
		return list[next-1], nil
	}
	usedMap := false
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			sb.WriteByte(format[i])
			continue
		}
		i++
		if i >= len(format) {
			return "", Raise("ValueError", "incomplete format")
		}
		var v starlark.Value
		if format[i] == '(' {
			end := strings.IndexByte(format[i:], ')')
			if end < 0 {
				return "", Raise("ValueError", "incomplete format key")
			}
			key := starlark.String(format[i+1 : i+end])
			if !isMap {
				return "", Raise("TypeError", "format requires a mapping")
			}
			x, err := rt.getitem(args, key)
			if err != nil {
				return "", err
			}
			v, usedMap = x, true
			i += end + 1
		}
		f := formatSpec{fill: ' ', prec: -1, align: '>'}
		for ; i < len(format) && strings.IndexByte("#0- +", format[i]) >= 0; i++ {
			switch format[i] {
			case '#':
				f.alt = true
			case '0':
				f.zero = true
			case '-':
				f.align = '<'
			default:
				if f.sign != '+' {
					f.sign = format[i]
				}
			}
		}
		number := func() (int, error) {
			if i < len(format) && format[i] == '*' {
				i++
				x, err := arg()
				if err != nil {
					return 0, err
				}
				n, ok := num(x).(starlark.Int)
				if !ok {
					return 0, Raise("TypeError", "* wants int")
				}
				w, _ := n.Int64()
				return int(w), nil
			}
			n := 0
			for ; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
				if n = n*10 + int(format[i]-'0'); n > math.MaxInt32 {
					n = math.MaxInt32
				}
			}
			return n, nil
		}
		w, err := number()
		if err != nil {
			return "", err
		}
		if w < 0 {
			f.align, w = '<', -w
		}
		f.width = w
		if i < len(format) && format[i] == '.' {
			i++
			if f.prec, err = number(); err != nil {
				return "", err
			}
		}
		for i < len(format) && strings.IndexByte("hlL", format[i]) >= 0 {
			i++
		}
		if i >= len(format) {
			return "", Raise("ValueError", "incomplete format")
		}
		c := format[i]
		if c == '%' {
			sb.WriteByte('%')
			continue
		}
		if v == nil {
			if usedMap {
				return "", Raise("TypeError", "not enough arguments for format string")
			}
			if v, err = arg(); err != nil {
				return "", err
			}
		}
		if f.width > maxFormatWidth || f.prec > maxFormatWidth {
			if err := rt.alloc(int64(max(f.width, f.prec)), 4); err != nil {
				return "", err
			}
		}
		s, err := rt.percentOne(c, v, f)
		if err != nil {
			return "", err
		}
		sb.WriteString(s)
	}
	if next < len(list) && !isMap {
		return "", Raise("TypeError", "not all arguments converted during string formatting")
	}
	return sb.String(), nil
}

func (rt *runtime) percentOne(c byte, v starlark.Value, f formatSpec) (string, error) {
	text := func(s string, err error) (string, error) {
		if err != nil {
			return "", err
		}
		if f.prec >= 0 && utf8.RuneCountInString(s) > f.prec {
			s = string([]rune(s)[:f.prec])
		}
		return pad(s, f, '>'), nil
	}
	switch c {
	case 's':
		return text(rt.str(v))
	case 'r':
		return text(rt.repr(v))
	case 'a':
		return text(rt.asciiRepr(v))
	case 'c':
		switch x := num(v).(type) {
		case starlark.Int:
			n, ok := x.Int64()
			if !ok || n < 0 || n > utf8.MaxRune {
				return "", Raise("OverflowError", "%%c arg not in range(0x110000)")
			}
			return pad(string(rune(n)), f, '>'), nil
		case starlark.String:
			if utf8.RuneCountInString(string(x)) == 1 {
				return pad(string(x), f, '>'), nil
			}
		}
		return "", Raise("TypeError", "%%c requires int or char")
	case 'd', 'i', 'u', 'x', 'X', 'o':
		x := num(v)
		if fl, ok := x.(starlark.Float); ok && (c == 'd' || c == 'i' || c == 'u') {
			n, err := starlark.NumberToInt(fl)
			if err != nil {
				return "", Raise("OverflowError", "cannot convert float %s to integer", map[bool]string{true: "NaN", false: "infinity"}[math.IsNaN(float64(fl))])
			}
			x = n
		}
		n, ok := x.(starlark.Int)
		if !ok {
			if c == 'd' || c == 'i' || c == 'u' {
				return "", Raise("TypeError", "%%%c format: a real number is required, not %s", c, typeName(v))
			}
			return "", Raise("TypeError", "%%%c format: an integer is required, not %s", c, typeName(v))
		}
		neg := n.Sign() < 0
		if neg {
			n = starlark.MakeInt(0).Sub(n)
		}
		base, prefix := 10, ""
		switch c {
		case 'x', 'X':
			base, prefix = 16, "0"+string(c)
		case 'o':
			base, prefix = 8, "0o"
		}
		digits, err := intText(n)
		if base != 10 {
			digits, err = n.BigInt().Text(base), nil
		}
		if err != nil {
			return "", err
		}
		if c == 'X' {
			digits = strings.ToUpper(digits)
		}
		if !f.alt {
			prefix = ""
		}
		if len(digits) < f.prec {
			digits = strings.Repeat("0", f.prec-len(digits)) + digits
		}
		if f.zero && f.align != '<' && f.prec < 0 {
			f.fill, f.align = '0', '='
		}
		return f.number(neg, prefix, digits, "", 3), nil
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if !isNumber(v) {
			return "", Raise("TypeError", "must be real number, not %s", typeName(v))
		}
		x, err := toFloat(v)
		if err != nil {
			return "", err
		}
		f.typ = c
		if f.zero && f.align != '<' {
			f.fill, f.align = '0', '='
		}
		return formatFloat(x, f, "float")
	}
	return "", Raise("ValueError", "unsupported format character '%c' (%s)", c, "0x"+strconv.FormatInt(int64(c), 16))
}

// strFormat is str.format; named gives the values of names.
func (rt *runtime) strFormat(format string, args starlark.Tuple, named func(string) (starlark.Value, error), depth int, auto *int) (string, error) {
	if depth > 2 {
		return "", Raise("ValueError", "Max string recursion exceeded")
	}
	var sb strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c == '}' {
			if i+1 < len(format) && format[i+1] == '}' {
				sb.WriteByte('}')
				i++
				continue
			}
			return "", Raise("ValueError", "Single '}' encountered in format string")
		}
		if c != '{' {
			sb.WriteByte(c)
			continue
		}
		if i+1 < len(format) && format[i+1] == '{' {
			sb.WriteByte('{')
			i++
			continue
		}
		// the field runs to the matching brace
		nest, j := 1, i+1
		for ; j < len(format) && nest > 0; j++ {
			switch format[j] {
			case '{':
				nest++
			case '}':
				nest--
			}
		}
		if nest > 0 {
			if i+1 >= len(format) {
				return "", Raise("ValueError", "Single '{' encountered in format string")
			}
			return "", Raise("ValueError", "expected '}' before end of string")
		}
		field := format[i+1 : j-1]
		i = j - 1
		spec, conv := "", byte(0)
		name := field
		if k := strings.IndexAny(field, "!:"); k >= 0 {
			if b := strings.IndexByte(field, '['); b >= 0 && b < k {
				if e := strings.IndexByte(field[b:], ']'); e >= 0 && b+e > k {
					k = -1
					if m := strings.IndexAny(field[b+e:], "!:"); m >= 0 {
						k = b + e + m
					}
				}
			}
			if k >= 0 {
				name = field[:k]
				rest := field[k:]
				if rest[0] == '!' {
					if len(rest) < 2 {
						return "", Raise("ValueError", "end of string while looking for conversion specifier")
					}
					conv = rest[1]
					if conv != 's' && conv != 'r' && conv != 'a' {
						return "", Raise("ValueError", "Unknown conversion specifier '%c'", conv)
					}
					rest = rest[2:]
					if rest != "" && rest[0] != ':' {
						return "", Raise("ValueError", "expected ':' after conversion specifier")
					}
				}
				if rest != "" {
					spec = rest[1:]
				}
			}
		}
		v, err := rt.formatValue(name, args, named, auto)
		if err != nil {
			return "", err
		}
		if strings.IndexByte(spec, '{') >= 0 {
			if spec, err = rt.strFormat(spec, args, named, depth+1, auto); err != nil {
				return "", err
			}
		}
		s, err := rt.formatField(v, conv, spec)
		if err != nil {
			return "", err
		}
		if err := rt.alloc(int64(sb.Len())+int64(len(s)), 1); err != nil {
			return "", err
		}
		sb.WriteString(s)
	}
	return sb.String(), nil
}

// formatValue finds what a replacement field names: 0, name, a.b, a[0].
func (rt *runtime) formatValue(name string, args starlark.Tuple, named func(string) (starlark.Value, error), auto *int) (starlark.Value, error) {
	head := name
	rest := ""
	if k := strings.IndexAny(name, ".["); k >= 0 {
		head, rest = name[:k], name[k:]
	}
	var v starlark.Value
	if head == "" {
		if *auto < 0 {
			return nil, Raise("ValueError", "cannot switch from manual field specification to automatic field numbering")
		}
		if *auto >= len(args) {
			return nil, Raise("IndexError", "Replacement index %d out of range for positional args tuple", *auto)
		}
		v = args[*auto]
		*auto++
	} else if n, err := strconv.Atoi(head); err == nil && n >= 0 {
		if *auto > 0 {
			return nil, Raise("ValueError", "cannot switch from automatic field numbering to manual field specification")
		}
		*auto = -1
		if n >= len(args) {
			return nil, Raise("IndexError", "Replacement index %d out of range for positional args tuple", n)
		}
		v = args[n]
	} else if v, err = named(head); err != nil {
		return nil, err
	}
	for rest != "" {
		var err error
		if rest[0] == '.' {
			k := strings.IndexAny(rest[1:], ".[")
			attr := rest[1:]
			if k >= 0 {
				attr = rest[1 : k+1]
			}
			rest = rest[len(attr)+1:]
			if isDunder(attr) && !dunderOK[attr] {
				return nil, Raise("AttributeError", "attribute %s is not available in this sandbox", attr)
			}
			v, err = rt.getattr(v, attr)
		} else {
			k := strings.IndexByte(rest, ']')
			if k < 0 {
				return nil, Raise("ValueError", "Missing ']' in format string")
			}
			key := rest[1:k]
			rest = rest[k+1:]
			if n, e := strconv.Atoi(key); e == nil && n >= 0 {
				v, err = rt.getitem(v, starlark.MakeInt(n))
			} else {
				v, err = rt.getitem(v, starlark.String(key))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}
