package pylang

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// PyStr may be implemented by values of modules whose str() is not their
// repr(); String() is always the repr.
type PyStr interface{ PyStr() string }

const maxReprDepth = 900

// str is Python's str(v).
func (rt *runtime) str(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		return string(v), nil
	case rawRepr:
		return string(v), nil
	case starlark.Int:
		return intText(v)
	case starlark.Float:
		return floatRepr(float64(v)), nil
	case starlark.Bool:
		return v.String(), nil
	case *Instance:
		if fn := v.class.lookup("__str__"); fn != nil {
			r, err := rt.call(v.bind(fn), nil, nil)
			if err != nil {
				return "", err
			}
			s, ok := r.(starlark.String)
			if !ok {
				return "", Raise("TypeError", "__str__ returned non-string (type %s)", typeName(r))
			}
			return string(s), nil
		}
		return rt.plainStr(v)
	case PyStr:
		return v.PyStr(), nil
	}
	return rt.repr(v)
}

// plainStr is str of an instance whose class does not define it.
func (rt *runtime) plainStr(v *Instance) (string, error) {
	switch {
	case v.class.exc:
		return rt.excText(v)
	case v.class.enum:
		return rt.enumText(v)
	}
	if _, isStr := v.base.(starlark.String); isStr {
		return rt.str(v.base)
	}
	return rt.repr(v)
}

// repr is Python's repr(v).
func (rt *runtime) repr(v starlark.Value) (string, error) {
	w := reprWriter{rt: rt}
	err := w.write(v, 0)
	return w.sb.String(), err
}

// reprPlain is repr outside of a run.
func reprPlain(v starlark.Value) string {
	w := reprWriter{}
	_ = w.write(v, 0)
	return w.sb.String()
}

type reprWriter struct {
	rt   *runtime
	sb   strings.Builder
	path []starlark.Value
	n    int
}

func (w *reprWriter) seen(v starlark.Value) bool {
	for _, p := range w.path {
		if p == v {
			return true
		}
	}
	return false
}

func (w *reprWriter) list(open, closer string, n int, at func(int) starlark.Value, depth int) error {
	w.sb.WriteString(open)
	for i := 0; i < n; i++ {
		if i > 0 {
			w.sb.WriteString(", ")
		}
		if err := w.write(at(i), depth+1); err != nil {
			return err
		}
	}
	w.sb.WriteString(closer)
	return nil
}

func (w *reprWriter) write(v starlark.Value, depth int) error {
	if depth > maxReprDepth {
		return w.rt.overflow(" while getting the repr of an object")
	}
	if w.n++; w.n&0xfff == 0 && w.rt != nil {
		if err := w.rt.alloc(int64(w.sb.Len()), 1); err != nil {
			return err
		}
		if err := w.rt.work(); err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case starlark.String:
		quoteTo(&w.sb, string(v))
	case starlark.Bytes:
		w.sb.WriteString(bytesRepr(string(v)))
	case starlark.Float:
		w.sb.WriteString(floatRepr(float64(v)))
	case starlark.Int:
		s, err := intText(v)
		if err != nil {
			return err
		}
		w.sb.WriteString(s)
	case *starlark.List:
		if w.seen(v) {
			w.sb.WriteString("[...]")
			return nil
		}
		w.path = append(w.path, v)
		err := w.list("[", "]", v.Len(), v.Index, depth)
		w.path = w.path[:len(w.path)-1]
		return err
	case starlark.Tuple:
		closer := ")"
		if len(v) == 1 {
			closer = ",)"
		}
		return w.list("(", closer, len(v), v.Index, depth)
	case *starlark.Dict:
		return w.dict(v, v, "{", "}", depth)
	case *Set:
		elems := v.elems()
		at := func(i int) starlark.Value { return elems[i] }
		switch {
		case v.frozen && len(elems) == 0:
			w.sb.WriteString("frozenset()")
		case v.frozen:
			return w.list("frozenset({", "})", len(elems), at, depth)
		case len(elems) == 0:
			w.sb.WriteString("set()")
		default:
			return w.list("{", "}", len(elems), at, depth)
		}
	case *dictView:
		elems := v.elems()
		return w.list("dict_"+v.kind+"([", "])", len(elems), func(i int) starlark.Value { return elems[i] }, depth)
	case *Instance:
		return w.instance(v, depth)
	case *starlark.Function:
		if v.Name() == "lambda" {
			w.sb.WriteString("<function <lambda>>")
		} else {
			w.sb.WriteString("<function " + plainName(v.Name()) + ">")
		}
	case *funcWrap:
		w.sb.WriteString("<function " + plainName(v.Name()) + ">")
	case *starlark.Builtin:
		w.sb.WriteString("<built-in function " + strings.TrimPrefix(v.Name(), mark+"b_") + ">")
	default:
		if _, ok := v.(Awaitable); ok && w.rt != nil {
			if f, err := w.rt.force(v); err != nil {
				return err
			} else if f != v {
				return w.write(f, depth+1)
			}
		}
		if rangeLike(v) {
			w.sb.WriteString("range(" + rangePart(v, "start").String() + ", " + rangePart(v, "stop").String())
			if step := rangePart(v, "step").String(); step != "1" {
				w.sb.WriteString(", " + step)
			}
			w.sb.WriteString(")")
			return nil
		}
		w.sb.WriteString(v.String())
	}
	return nil
}

func (w *reprWriter) dict(self starlark.Value, d *starlark.Dict, open, closer string, depth int) error {
	if w.seen(self) {
		w.sb.WriteString("{...}")
		return nil
	}
	w.path = append(w.path, self)
	w.sb.WriteString(open)
	for i, kv := range d.Items() {
		if i > 0 {
			w.sb.WriteString(", ")
		}
		if err := w.write(kv[0], depth+1); err != nil {
			return err
		}
		w.sb.WriteString(": ")
		if err := w.write(kv[1], depth+1); err != nil {
			return err
		}
	}
	w.sb.WriteString(closer)
	w.path = w.path[:len(w.path)-1]
	return nil
}

func (w *reprWriter) instance(v *Instance, depth int) error {
	if fn := v.class.lookup("__repr__"); fn != nil && w.rt != nil {
		if w.seen(v) {
			w.sb.WriteString("...")
			return nil
		}
		w.path = append(w.path, v)
		r, err := w.rt.call(v.bind(fn), nil, nil)
		w.path = w.path[:len(w.path)-1]
		if err != nil {
			return err
		}
		s, ok := r.(starlark.String)
		if !ok {
			return Raise("TypeError", "__repr__ returned non-string (type %s)", typeName(r))
		}
		w.sb.WriteString(string(s))
		return nil
	}
	s, err := w.rt.plainRepr(v)
	w.sb.WriteString(s)
	return err
}

// plainRepr is repr of an instance whose class does not define it.
func (rt *runtime) plainRepr(v *Instance) (string, error) {
	switch {
	case v.class.exc:
		args := make([]string, len(v.args))
		for i, a := range v.args {
			if rt == nil {
				args[i] = reprPlain(a)
				continue
			}
			s, err := rt.repr(a)
			if err != nil {
				return "", err
			}
			args[i] = s
		}
		return v.class.name + "(" + strings.Join(args, ", ") + ")", nil
	case v.class.enum:
		return rt.enumRepr(v)
	case v.base != nil:
		return rt.nativeRepr(v)
	}
	return fmt.Sprintf("<%s object at 0x%012x>", v.class.qualname(), v.identity()<<4), nil
}

// intText writes an int; CPython too refuses more than 4300 digits here.
func intText(i starlark.Int) (string, error) {
	if v, ok := i.Int64(); ok {
		return strconv.FormatInt(v, 10), nil
	}
	if n := bitLen(i); n > 4300*333/100 {
		s := ""
		if n < 15000 {
			s = i.String()
			if len(strings.TrimPrefix(s, "-")) <= 4300 {
				return s, nil
			}
		}
		return "", Raise("ValueError", "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit")
	}
	return i.String(), nil
}

// floatRepr is CPython's repr of a float: the shortest text that reads back the
// same, with an exponent below 1e-4 and from 1e16.
func floatRepr(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	case f == 0:
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	if a := math.Abs(f); a >= 1e16 || a < 1e-4 {
		return fixExp(strconv.FormatFloat(f, 'e', -1, 64))
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.ContainsRune(s, '.') {
		s += ".0"
	}
	return s
}

// fixExp writes exponents with at least two digits, as Go does too.
func fixExp(s string) string { return s }

// quoteTo writes a string literal as CPython's repr does.
func quoteTo(sb *strings.Builder, s string) {
	q := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		q = '"'
	}
	sb.WriteByte(q)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == q || c == '\\':
				sb.WriteByte('\\')
				sb.WriteByte(c)
			case c == '\n':
				sb.WriteString(`\n`)
			case c == '\r':
				sb.WriteString(`\r`)
			case c == '\t':
				sb.WriteString(`\t`)
			case c < ' ' || c == 0x7f:
				fmt.Fprintf(sb, `\x%02x`, c)
			default:
				sb.WriteByte(c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(sb, `\x%02x`, c)
		case printable(r):
			sb.WriteString(s[i : i+n])
		case r < 0x100:
			fmt.Fprintf(sb, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(sb, `\u%04x`, r)
		default:
			fmt.Fprintf(sb, `\U%08x`, r)
		}
		i += n
	}
	sb.WriteByte(q)
}

// printable follows str.isprintable: everything but Other and Separator.
func printable(r rune) bool {
	return r == ' ' || !unicode.In(r, unicode.C, unicode.Z) && unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
}

func bytesRepr(s string) string {
	var sb strings.Builder
	q := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		q = '"'
	}
	sb.WriteByte('b')
	sb.WriteByte(q)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == q || c == '\\':
			sb.WriteByte('\\')
			sb.WriteByte(c)
		case c == '\n':
			sb.WriteString(`\n`)
		case c == '\r':
			sb.WriteString(`\r`)
		case c == '\t':
			sb.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&sb, `\x%02x`, c)
		default:
			sb.WriteByte(c)
		}
	}
	sb.WriteByte(q)
	return sb.String()
}

// asciiRepr is Python's ascii(v).
func (rt *runtime) asciiRepr(v starlark.Value) (string, error) {
	s, err := rt.repr(v)
	if err != nil {
		return "", err
	}
	var sb strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			sb.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&sb, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&sb, `\u%04x`, r)
		default:
			fmt.Fprintf(&sb, `\U%08x`, r)
		}
	}
	return sb.String(), nil
}
