package pylang

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// bytes and bytearray. What they do like str is done by str's methods, on a text that
// has one character for each byte.

// bytearray is Python's bytearray.
type bytearray struct{ b []byte }

var (
	_ starlark.HasSetIndex = (*bytearray)(nil)
	_ starlark.Comparable  = (*bytearray)(nil)
	_ starlark.HasBinary   = (*bytearray)(nil)
)

func (a *bytearray) String() string       { return "bytearray(" + bytesRepr(string(a.b)) + ")" }
func (a *bytearray) Type() string         { return "bytearray" }
func (a *bytearray) Freeze()              {}
func (a *bytearray) Truth() starlark.Bool { return len(a.b) > 0 }
func (a *bytearray) Hash() (uint32, error) {
	return 0, Raise("TypeError", "unhashable type: 'bytearray'")
}
func (a *bytearray) Len() int                   { return len(a.b) }
func (a *bytearray) Index(i int) starlark.Value { return starlark.MakeInt(int(a.b[i])) }
func (a *bytearray) Iterate() starlark.Iterator {
	i := 0
	return &errIterator{next: func() (starlark.Value, bool, error) {
		if i >= len(a.b) {
			return nil, false, nil
		}
		i++
		return a.Index(i - 1), true, nil
	}}
}

func (a *bytearray) SetIndex(i int, v starlark.Value) error {
	b, err := byteArg(v, "byte must be in range(0, 256)")
	a.b[i] = b
	return err
}

func (a *bytearray) DelItem(key starlark.Value) error {
	rt := &runtime{}
	i, err := rt.index(key, len(a.b), "bytearray", false)
	if err == nil {
		a.b = slices.Delete(a.b, i, i+1)
	}
	return err
}

func (a *bytearray) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	c := bytes.Compare(a.b, y.(*bytearray).b)
	switch op {
	case syntax.EQL:
		return c == 0, nil
	case syntax.NEQ:
		return c != 0, nil
	}
	return orderResult(op.String(), c), nil
}

// Binary serves + and *.
func (a *bytearray) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch op {
	case syntax.PLUS:
		if b, ok := rawBytes(y); ok {
			if side == starlark.Right { // the type is that of the left operand
				return starlark.Bytes(b + string(a.b)), nil
			}
			return &bytearray{append(bytes.Clone(a.b), b...)}, nil
		}
	case syntax.STAR:
		if n, ok := num(y).(starlark.Int); ok {
			count := max(smallInt(n), 0)
			if count*len(a.b) > defaultMaxAlloc {
				return nil, &Fatal{Kind: "memory", Message: "a bytearray of that size is too large"}
			}
			return &bytearray{bytes.Repeat(a.b, count)}, nil
		}
	}
	return nil, nil
}

// rawBytes gives the bytes of any bytes-like value.
func rawBytes(v starlark.Value) (string, bool) {
	switch v := plain(v).(type) {
	case starlark.Bytes:
		return string(v), true
	case *bytearray:
		return string(v.b), true
	}
	return "", false
}

func byteArg(v starlark.Value, message string) (byte, error) {
	n, err := intArg(v, 0)
	if err != nil {
		return 0, err
	}
	if n < 0 || n > 255 {
		return 0, Raise("ValueError", "%s", message)
	}
	return byte(n), nil
}

// makeBytes reads the arguments of bytes(...) and bytearray(...).
func makeBytes(rt *runtime, name string, args starlark.Tuple, kwargs []starlark.Tuple) (string, error) {
	a, err := bind(name, args, kwargs, "source?", "encoding?", "errors?")
	if err != nil {
		return "", err
	}
	if i, ok := a[0].(*Instance); ok {
		if fn := i.class.lookup("__bytes__"); fn != nil {
			r, err := rt.call(i.bind(fn), nil, nil)
			if err != nil {
				return "", err
			}
			b, ok := rawBytes(r)
			if !ok {
				return "", Raise("TypeError", "__bytes__ returned non-bytes (type %s)", typeName(r))
			}
			return b, nil
		}
	}
	if b, ok := rawBytes(a[0]); ok {
		return b, nil
	}
	switch v := plain(a[0]).(type) {
	case nil:
		return "", nil
	case starlark.String:
		if a[1] == nil {
			return "", Raise("TypeError", "string argument without an encoding")
		}
		b, err := encodeText(rt, string(v), a[1], a[2])
		if err != nil {
			return "", err
		}
		return string(b.(starlark.Bytes)), nil
	case starlark.Int:
		n, err := intArg(v, 0)
		if err != nil {
			return "", err
		}
		if n < 0 {
			return "", Raise("ValueError", "negative count")
		}
		if err := rt.alloc(n, 1); err != nil {
			return "", err
		}
		return string(make([]byte, n)), nil
	}
	var out []byte
	err = rt.each(a[0], func(v starlark.Value) error {
		message := "bytes must be in range(0, 256)"
		if name == "bytearray" {
			message = "byte must be in range(0, 256)"
		}
		b, err := byteArg(v, message)
		out = append(out, b)
		return err
	})
	return string(out), err
}

// latin1 has one character for each byte of b.
func latin1(b string) string {
	if isASCII(b) {
		return b
	}
	r := make([]rune, len(b))
	for i := range r {
		r[i] = rune(b[i])
	}
	return string(r)
}

// fromLatin1 is the way back.
func fromLatin1(s string) string {
	if isASCII(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}

// bytesMethods are those of bytes, or with array those of bytearray.
func bytesMethods(array bool) map[string]method {
	wrap := func(b string) starlark.Value { return starlark.Bytes(b) }
	if array {
		wrap = func(b string) starlark.Value { return &bytearray{[]byte(b)} }
	}
	raw := func(v starlark.Value) string { b, _ := rawBytes(v); return b }
	t := map[string]method{
		"decode": func(rt *runtime, v starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("decode", args, kwargs, "encoding?", "errors?")
			if err != nil {
				return nil, err
			}
			return decodeBytes(rt, starlark.Bytes(raw(v)), a[0], a[1])
		},
		"hex": func(_ *runtime, v starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("hex", args, kwargs, "sep?", "bytes_per_sep?")
			if err != nil {
				return nil, err
			}
			b := raw(v)
			if a[0] == nil {
				return starlark.String(hex.EncodeToString([]byte(b))), nil
			}
			sep, err := strArg("hex", a[0])
			if err != nil {
				return nil, err
			}
			n, err := intArg(a[1], 1)
			if err != nil {
				return nil, err
			}
			return starlark.String(hexGroups(b, sep, int(n))), nil
		},
	}
	for _, name := range strings.Fields("startswith endswith find rfind index rindex count replace split rsplit join partition rpartition removeprefix removesuffix ljust rjust center zfill expandtabs splitlines strip lstrip rstrip upper lower title capitalize swapcase isdigit isalpha isalnum isspace islower isupper istitle isascii") {
		t[name] = func(rt *runtime, v starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return viaText(rt, name, raw(v), args, kwargs, wrap)
		}
	}
	if array {
		arrayMethods(t)
	}
	return t
}

// hexGroups writes bytes in hexadecimal with a separator every n bytes, counted from
// the right, or from the left when n is negative.
func hexGroups(b, sep string, n int) string {
	var sb strings.Builder
	for i := 0; i < len(b); i++ {
		if i > 0 && (n > 0 && (len(b)-i)%n == 0 || n < 0 && i%-n == 0) {
			sb.WriteString(sep)
		}
		sb.WriteString(hex.EncodeToString([]byte{b[i]}))
	}
	return sb.String()
}

// viaText calls a method of str on bytes.
func viaText(rt *runtime, name, b string, args starlark.Tuple, kwargs []starlark.Tuple, wrap func(string) starlark.Value) (starlark.Value, error) {
	switch name {
	case "upper", "lower", "title", "capitalize", "swapcase", "isdigit", "isalpha", "isalnum", "isspace", "islower", "isupper", "istitle":
		if !isASCII(b) {
			return asciiOnly(rt, name, b, args, kwargs, wrap)
		}
	case "strip", "lstrip", "rstrip":
		if len(args) == 0 || args[0] == starlark.None {
			args = starlark.Tuple{starlark.Bytes(" \t\n\r\f\v")}
		}
	}
	toText := func(v starlark.Value) (starlark.Value, error) {
		switch v := v.(type) {
		case starlark.String:
			if name == "startswith" || name == "endswith" {
				return nil, Raise("TypeError", "%s first arg must be bytes or a tuple of bytes, not str", name)
			}
			return nil, Raise("TypeError", "a bytes-like object is required, not 'str'")
		case starlark.Int:
			if name == "find" || name == "rfind" || name == "index" || name == "rindex" || name == "count" {
				c, err := byteArg(v, "byte must be in range(0, 256)")
				return starlark.String(string(rune(c))), err
			}
		}
		if x, ok := rawBytes(v); ok {
			return starlark.String(latin1(x)), nil
		}
		return v, nil
	}
	in := make(starlark.Tuple, len(args))
	for i, v := range args {
		if i > 0 && name != "replace" { // a position, a count or a width
			if x, ok := rawBytes(v); ok {
				v = starlark.String(latin1(x))
			}
			in[i] = v
			continue
		}
		x, err := toText(v)
		if err != nil {
			return nil, err
		}
		if t, ok := v.(starlark.Tuple); ok {
			parts := make(starlark.Tuple, len(t))
			for k, p := range t {
				if parts[k], err = toText(p); err != nil {
					return nil, err
				}
			}
			x = parts
		}
		if name == "join" {
			if x, err = textsOf(rt, v); err != nil {
				return nil, err
			}
		}
		in[i] = x
	}
	v, err := strMethods()[name](rt, starlark.String(latin1(b)), in, kwargs)
	if e, ok := err.(*Exception); ok && e.Class == "TypeError" {
		e.Message = strings.NewReplacer("must be str or a tuple of str", "must be bytes or a tuple of bytes", "must be str, not", "must be a bytes-like object, not").Replace(e.Message)
	}
	if err != nil {
		return nil, err
	}
	return fromText(v, wrap), nil
}

// textsOf lists the texts of an iterable of bytes, for join.
func textsOf(rt *runtime, v starlark.Value) (starlark.Value, error) {
	var list []starlark.Value
	err := rt.each(v, func(x starlark.Value) error {
		b, ok := rawBytes(x)
		if !ok {
			return Raise("TypeError", "sequence item %d: expected a bytes-like object, %s found", len(list), typeName(x))
		}
		list = append(list, starlark.String(latin1(b)))
		return nil
	})
	return starlark.NewList(list), err
}

func fromText(v starlark.Value, wrap func(string) starlark.Value) starlark.Value {
	switch v := v.(type) {
	case starlark.String:
		return wrap(fromLatin1(string(v)))
	case *starlark.List:
		out := make([]starlark.Value, v.Len())
		for i := range out {
			out[i] = fromText(v.Index(i), wrap)
		}
		return starlark.NewList(out)
	case starlark.Tuple:
		out := make(starlark.Tuple, len(v))
		for i := range out {
			out[i] = fromText(v[i], wrap)
		}
		return out
	}
	return v
}

// asciiOnly serves the methods that know the letters of ASCII alone: the other bytes
// stay, and are no letters.
func asciiOnly(rt *runtime, name, b string, args starlark.Tuple, kwargs []starlark.Tuple, wrap func(string) starlark.Value) (starlark.Value, error) {
	const other = '\u3007' // a character that is neither letter, digit nor space there
	var rest []byte
	masked := strings.Map(func(r rune) rune {
		if r >= 0x80 {
			rest = append(rest, byte(r))
			return other
		}
		return r
	}, latin1(b))
	switch name {
	case "isdigit", "isalpha", "isalnum", "isspace":
		return starlark.False, nil
	case "islower", "isupper", "istitle":
		masked = strings.ReplaceAll(masked, string(other), " ")
	}
	v, err := strMethods()[name](rt, starlark.String(masked), args, kwargs)
	s, ok := v.(starlark.String)
	if err != nil || !ok {
		return v, err
	}
	out := strings.Map(func(r rune) rune {
		if r == other {
			c := rest[0]
			rest = rest[1:]
			return rune(c)
		}
		return r
	}, string(s))
	return wrap(fromLatin1(out)), nil
}

// arrayMethods are those that change a bytearray.
func arrayMethods(t map[string]method) {
	type tuple = starlark.Tuple
	def := func(name string, f func(rt *runtime, a *bytearray, args []starlark.Value) (starlark.Value, error), params ...string) {
		t[name] = func(rt *runtime, v starlark.Value, args tuple, kwargs []tuple) (starlark.Value, error) {
			a, err := bind(name, args, kwargs, params...)
			if err != nil {
				return nil, err
			}
			return f(rt, v.(*bytearray), a)
		}
	}
	const outside = "byte must be in range(0, 256)"
	def("append", func(_ *runtime, a *bytearray, args []starlark.Value) (starlark.Value, error) {
		c, err := byteArg(args[0], outside)
		if err == nil {
			a.b = append(a.b, c)
		}
		return starlark.None, err
	}, "item")
	def("extend", func(rt *runtime, a *bytearray, args []starlark.Value) (starlark.Value, error) {
		b, err := makeBytes(rt, "bytearray", tuple{args[0]}, nil)
		a.b = append(a.b, b...)
		return starlark.None, err
	}, "iterable")
	def("insert", func(_ *runtime, a *bytearray, args []starlark.Value) (starlark.Value, error) {
		i, err := intArg(args[0], 0)
		if err != nil {
			return nil, err
		}
		c, err := byteArg(args[1], outside)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			i += int64(len(a.b))
		}
		a.b = slices.Insert(a.b, int(min(max(i, 0), int64(len(a.b)))), c)
		return starlark.None, nil
	}, "index", "item")
	def("pop", func(rt *runtime, a *bytearray, args []starlark.Value) (starlark.Value, error) {
		if len(a.b) == 0 {
			return nil, Raise("IndexError", "pop from empty bytearray")
		}
		key := args[0]
		if key == nil {
			key = starlark.MakeInt(-1)
		}
		i, err := rt.index(key, len(a.b), "bytearray", false)
		if err != nil {
			return nil, Raise("IndexError", "pop index out of range")
		}
		c := a.b[i]
		a.b = slices.Delete(a.b, i, i+1)
		return starlark.MakeInt(int(c)), nil
	}, "index?")
	def("remove", func(_ *runtime, a *bytearray, args []starlark.Value) (starlark.Value, error) {
		c, err := byteArg(args[0], outside)
		if err != nil {
			return nil, err
		}
		i := bytes.IndexByte(a.b, c)
		if i < 0 {
			return nil, Raise("ValueError", "value not found in bytearray")
		}
		a.b = slices.Delete(a.b, i, i+1)
		return starlark.None, nil
	}, "value")
	def("reverse", func(_ *runtime, a *bytearray, _ []starlark.Value) (starlark.Value, error) {
		slices.Reverse(a.b)
		return starlark.None, nil
	})
	def("clear", func(_ *runtime, a *bytearray, _ []starlark.Value) (starlark.Value, error) {
		a.b = nil
		return starlark.None, nil
	})
	def("copy", func(_ *runtime, a *bytearray, _ []starlark.Value) (starlark.Value, error) {
		return &bytearray{bytes.Clone(a.b)}, nil
	})
}

// bytesFromHex is bytes.fromhex.
func bytesFromHex(_ *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("fromhex", args, kwargs, "string")
	if err != nil {
		return nil, err
	}
	s, err := strArg("fromhex", a[0])
	if err != nil {
		return nil, err
	}
	var out []byte
	for i := 0; i < len(s); {
		if strings.IndexByte(" \t\n\r\f\v", s[i]) >= 0 {
			i++
			continue
		}
		for k := i; k < i+2; k++ {
			if k >= len(s) || strings.IndexByte("0123456789abcdefABCDEF", s[k]) < 0 {
				return nil, Raise("ValueError", "non-hexadecimal number found in fromhex() arg at position %d", k)
			}
		}
		b, err := hex.DecodeString(s[i : i+2])
		if err != nil {
			return nil, err
		}
		out = append(out, b[0])
		i += 2
	}
	return starlark.Bytes(out), nil
}
