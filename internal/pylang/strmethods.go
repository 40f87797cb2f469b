package pylang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

type callArgs struct {
	rt     *runtime
	s      string
	args   starlark.Tuple
	kwargs []starlark.Tuple
}

func strMethods() map[string]method {
	t := map[string]method{}
	def := func(name string, fn func(c callArgs) (starlark.Value, error)) {
		t[name] = func(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return fn(callArgs{rt, string(recv.(starlark.String)), withoutDerived(args), kwargs})
		}
	}
	mapped := func(name string, fn func(string) string) {
		def(name, func(c callArgs) (starlark.Value, error) {
			if _, err := bind("str."+name, c.args, c.kwargs); err != nil {
				return nil, err
			}
			return starlark.String(fn(c.s)), nil
		})
	}
	tested := func(name string, empty bool, fn func(rune) bool) {
		def(name, func(c callArgs) (starlark.Value, error) {
			if _, err := bind("str."+name, c.args, c.kwargs); err != nil {
				return nil, err
			}
			for _, r := range c.s {
				if !fn(r) {
					return starlark.False, nil
				}
			}
			return starlark.Bool(c.s != "" || empty), nil
		})
	}
	mapped("upper", upper)
	mapped("lower", lower)
	mapped("casefold", casefold)
	mapped("title", title)
	mapped("capitalize", func(s string) string {
		if s == "" {
			return s
		}
		_, n := utf8.DecodeRuneInString(s)
		return titleRune(s[:n]) + strings.ToLower(s[n:])
	})
	mapped("swapcase", func(s string) string {
		var sb strings.Builder
		for _, r := range s {
			if unicode.IsUpper(r) {
				sb.WriteString(strings.ToLower(string(r)))
			} else {
				sb.WriteString(upper(string(r)))
			}
		}
		return sb.String()
	})
	tested("isspace", false, pySpace)
	tested("isalpha", false, unicode.IsLetter)
	tested("isdigit", false, isDigitRune)
	tested("isdecimal", false, unicode.IsDigit)
	tested("isnumeric", false, func(r rune) bool { return unicode.IsNumber(r) || isDigitRune(r) })
	tested("isalnum", false, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || isDigitRune(r) })
	tested("isascii", true, func(r rune) bool { return r < 0x80 })
	tested("isprintable", true, printable)
	cased := func(name string, want, other func(rune) bool) {
		def(name, func(c callArgs) (starlark.Value, error) {
			found := false
			for _, r := range c.s {
				if other(r) || unicode.IsTitle(r) {
					return starlark.False, nil
				}
				found = found || want(r)
			}
			return starlark.Bool(found), nil
		})
	}
	cased("isupper", unicode.IsUpper, unicode.IsLower)
	cased("islower", unicode.IsLower, unicode.IsUpper)
	def("istitle", func(c callArgs) (starlark.Value, error) {
		found, prev := false, false
		for _, r := range c.s {
			switch {
			case unicode.IsUpper(r) || unicode.IsTitle(r):
				if prev {
					return starlark.False, nil
				}
				prev, found = true, true
			case unicode.IsLower(r):
				if !prev {
					return starlark.False, nil
				}
				prev, found = true, true
			default:
				prev = false
			}
		}
		return starlark.Bool(found), nil
	})
	def("isidentifier", func(c callArgs) (starlark.Value, error) {
		for i, r := range c.s {
			if !(r == '_' || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r)) {
				return starlark.False, nil
			}
		}
		return starlark.Bool(c.s != ""), nil
	})
	strip := func(name string, left, right bool) {
		def(name, func(c callArgs) (starlark.Value, error) {
			a, err := bind("str."+name, c.args, c.kwargs, "chars?")
			if err != nil {
				return nil, err
			}
			cut := pySpace
			if a[0] != nil && a[0] != starlark.None {
				chars, ok := a[0].(starlark.String)
				if !ok {
					return nil, Raise("TypeError", "%s arg must be None or str", name)
				}
				cut = func(r rune) bool { return strings.ContainsRune(string(chars), r) }
			}
			s := c.s
			if left {
				s = strings.TrimLeftFunc(s, cut)
			}
			if right {
				s = strings.TrimRightFunc(s, cut)
			}
			return starlark.String(s), nil
		})
	}
	strip("strip", true, true)
	strip("lstrip", true, false)
	strip("rstrip", false, true)
	def("split", func(c callArgs) (starlark.Value, error) { return c.split("split") })
	def("rsplit", func(c callArgs) (starlark.Value, error) { return c.split("rsplit") })
	def("splitlines", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.splitlines", c.args, c.kwargs, "keepends?")
		if err != nil {
			return nil, err
		}
		keep := a[0] != nil && bool(a[0].Truth())
		return strList(splitLines(c.s, keep)), nil
	})
	def("join", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.join", c.args, c.kwargs, "iterable")
		if err != nil {
			return nil, err
		}
		list, err := c.rt.list(a[0])
		if err != nil {
			if e, ok := err.(*Exception); ok && e.Class == "TypeError" {
				return nil, Raise("TypeError", "can only join an iterable")
			}
			return nil, err
		}
		parts := make([]string, len(list))
		total := int64(0)
		for i, v := range list {
			s, ok := plain(v).(starlark.String)
			if !ok {
				e := Raise("TypeError", "sequence item %d: expected str instance, %s found", i, typeName(v))
				e.Hint = "convert the items: str(x) for x in ..."
				return nil, e
			}
			parts[i] = string(s)
			total += int64(len(s) + len(c.s))
		}
		if err := c.rt.alloc(total, 1); err != nil {
			return nil, err
		}
		return starlark.String(strings.Join(parts, c.s)), nil
	})
	def("replace", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.replace", c.args, c.kwargs, "old", "new", "count?")
		if err != nil {
			return nil, err
		}
		old, ok1 := a[0].(starlark.String)
		repl, ok2 := a[1].(starlark.String)
		if !ok1 || !ok2 {
			i, v := 1, a[0]
			if ok1 {
				i, v = 2, a[1]
			}
			return nil, Raise("TypeError", "replace() argument %d must be str, not %s", i, typeName(v))
		}
		n, err := intArg(a[2], -1)
		if err != nil {
			return nil, err
		}
		count := int64(strings.Count(c.s, string(old)))
		if n >= 0 && count > n {
			count = n
		}
		if err := c.rt.alloc(int64(len(c.s))+count*int64(len(repl)), 1); err != nil {
			return nil, err
		}
		return starlark.String(strings.Replace(c.s, string(old), string(repl), int(n))), nil
	})
	def("format", func(c callArgs) (starlark.Value, error) {
		kw := map[string]starlark.Value{}
		for _, kv := range c.kwargs {
			kw[string(kv[0].(starlark.String))] = kv[1]
		}
		named := func(name string) (starlark.Value, error) {
			if v, ok := kw[name]; ok {
				return v, nil
			}
			return nil, newKeyError(starlark.String(name))
		}
		auto := 0
		s, err := c.rt.strFormat(c.s, c.args, named, 0, &auto)
		return starlark.String(s), err
	})
	def("format_map", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.format_map", c.args, c.kwargs, "mapping")
		if err != nil {
			return nil, err
		}
		named := func(name string) (starlark.Value, error) { return c.rt.getitem(a[0], starlark.String(name)) }
		auto := 0
		s, err := c.rt.strFormat(c.s, nil, named, 0, &auto)
		return starlark.String(s), err
	})
	for name, fn := range map[string]func(a, b string) bool{"startswith": strings.HasPrefix, "endswith": strings.HasSuffix} {
		def(name, func(c callArgs) (starlark.Value, error) {
			a, err := bind("str."+name, c.args, c.kwargs, "prefix", "start?", "end?")
			if err != nil {
				return nil, err
			}
			s, _, ok, err := c.window(a[1], a[2])
			if err != nil {
				return nil, err
			}
			list := starlark.Tuple{a[0]}
			if t, isTuple := a[0].(starlark.Tuple); isTuple {
				list = t
			}
			for _, v := range list {
				p, isStr := v.(starlark.String)
				if !isStr {
					e := Raise("TypeError", "%s first arg must be str or a tuple of str, not %s", name, typeName(v))
					if typeName(v) == "list" {
						e.Hint = "make it a tuple: tuple(...)"
					}
					return nil, e
				}
				if ok && fn(s, string(p)) {
					return starlark.True, nil
				}
			}
			return starlark.False, nil
		})
	}
	find := func(name string, last, must bool) {
		def(name, func(c callArgs) (starlark.Value, error) {
			a, err := bind("str."+name, c.args, c.kwargs, "sub", "start?", "end?")
			if err != nil {
				return nil, err
			}
			sub, ok := a[0].(starlark.String)
			if !ok {
				return nil, Raise("TypeError", "must be str, not %s", typeName(a[0]))
			}
			s, off, ok, err := c.window(a[1], a[2])
			if err != nil {
				return nil, err
			}
			i := -1
			if ok {
				if last {
					i = strings.LastIndex(s, string(sub))
				} else {
					i = strings.Index(s, string(sub))
				}
			}
			if i < 0 {
				if must {
					return nil, Raise("ValueError", "substring not found")
				}
				return starlark.MakeInt(-1), nil
			}
			return starlark.MakeInt(off + runeLen(s[:i])), nil
		})
	}
	find("find", false, false)
	find("rfind", true, false)
	find("index", false, true)
	find("rindex", true, true)
	def("count", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.count", c.args, c.kwargs, "sub", "start?", "end?")
		if err != nil {
			return nil, err
		}
		sub, ok := a[0].(starlark.String)
		if !ok {
			return nil, Raise("TypeError", "must be str, not %s", typeName(a[0]))
		}
		s, _, ok, err := c.window(a[1], a[2])
		if err != nil || !ok {
			return starlark.MakeInt(0), err
		}
		return starlark.MakeInt(strings.Count(s, string(sub))), nil
	})
	justify := func(name string, align byte) {
		def(name, func(c callArgs) (starlark.Value, error) {
			a, err := bind("str."+name, c.args, c.kwargs, "width", "fillchar?")
			if err != nil {
				return nil, err
			}
			w, err := intArg(a[0], 0)
			if err != nil {
				return nil, err
			}
			fill := ' '
			if a[1] != nil {
				s, _ := a[1].(starlark.String)
				if runeLen(string(s)) != 1 {
					return nil, Raise("TypeError", "The fill character must be exactly one character long")
				}
				fill, _ = utf8.DecodeRuneInString(string(s))
			}
			if err := c.rt.alloc(w, 4); err != nil {
				return nil, err
			}
			if align == '^' { // CPython puts the odd blank left when the width is odd
				n := int(w) - runeLen(c.s)
				if n <= 0 {
					return starlark.String(c.s), nil
				}
				left := n/2 + (n & int(w) & 1)
				return starlark.String(strings.Repeat(string(fill), left) + c.s + strings.Repeat(string(fill), n-left)), nil
			}
			return starlark.String(pad(c.s, formatSpec{fill: fill, width: int(w), align: align}, align)), nil
		})
	}
	justify("ljust", '<')
	justify("rjust", '>')
	justify("center", '^')
	def("zfill", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.zfill", c.args, c.kwargs, "width")
		if err != nil {
			return nil, err
		}
		w, err := intArg(a[0], 0)
		if err != nil {
			return nil, err
		}
		if err := c.rt.alloc(w, 1); err != nil {
			return nil, err
		}
		n := int(w) - runeLen(c.s)
		if n <= 0 {
			return starlark.String(c.s), nil
		}
		sign := ""
		if c.s != "" && (c.s[0] == '-' || c.s[0] == '+') {
			sign = c.s[:1]
		}
		return starlark.String(sign + strings.Repeat("0", n) + c.s[len(sign):]), nil
	})
	for name, last := range map[string]bool{"partition": false, "rpartition": true} {
		def(name, func(c callArgs) (starlark.Value, error) {
			a, err := bind("str."+name, c.args, c.kwargs, "sep")
			if err != nil {
				return nil, err
			}
			sep, ok := a[0].(starlark.String)
			if !ok {
				return nil, Raise("TypeError", "must be str, not %s", typeName(a[0]))
			}
			if sep == "" {
				return nil, Raise("ValueError", "empty separator")
			}
			i := strings.Index(c.s, string(sep))
			if last {
				i = strings.LastIndex(c.s, string(sep))
			}
			s := starlark.String(c.s)
			switch {
			case i < 0 && last:
				return starlark.Tuple{starlark.String(""), starlark.String(""), s}, nil
			case i < 0:
				return starlark.Tuple{s, starlark.String(""), starlark.String("")}, nil
			}
			return starlark.Tuple{s[:i], sep, s[i+len(sep):]}, nil
		})
	}
	for name, fn := range map[string]func(a, b string) string{"removeprefix": strings.TrimPrefix, "removesuffix": strings.TrimSuffix} {
		def(name, func(c callArgs) (starlark.Value, error) {
			a, err := bind("str."+name, c.args, c.kwargs, "part")
			if err != nil {
				return nil, err
			}
			p, err := strArg(name, a[0])
			return starlark.String(fn(c.s, p)), err
		})
	}
	def("expandtabs", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.expandtabs", c.args, c.kwargs, "tabsize?")
		if err != nil {
			return nil, err
		}
		n, err := intArg(a[0], 8)
		if err != nil {
			return nil, err
		}
		if err := c.rt.alloc(int64(strings.Count(c.s, "\t"))*max(n, 0)+int64(len(c.s)), 1); err != nil {
			return nil, err
		}
		var sb strings.Builder
		col := int64(0)
		for _, r := range c.s {
			switch r {
			case '\t':
				if n > 0 {
					k := n - col%n
					sb.WriteString(strings.Repeat(" ", int(k)))
					col += k
				}
				continue
			case '\n', '\r':
				col = -1
			}
			sb.WriteRune(r)
			col++
		}
		return starlark.String(sb.String()), nil
	})
	def("encode", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.encode", c.args, c.kwargs, "encoding?", "errors?")
		if err != nil {
			return nil, err
		}
		return encodeText(c.rt, c.s, a[0], a[1])
	})
	def("translate", func(c callArgs) (starlark.Value, error) {
		a, err := bind("str.translate", c.args, c.kwargs, "table")
		if err != nil {
			return nil, err
		}
		var sb strings.Builder
		for _, r := range c.s {
			v, err := c.rt.getitem(a[0], starlark.MakeInt(int(r)))
			if err != nil {
				if !c.rt.isClass(err, "LookupError") {
					return nil, err
				}
				sb.WriteRune(r)
				continue
			}
			switch v := v.(type) {
			case starlark.NoneType:
			case starlark.String:
				sb.WriteString(string(v))
			case starlark.Int:
				sb.WriteRune(rune(smallInt(v)))
			default:
				return nil, Raise("TypeError", "character mapping must return integer, None or str")
			}
		}
		return starlark.String(sb.String()), nil
	})
	return t
}
