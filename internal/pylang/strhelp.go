package pylang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// What the methods of str are made of.

// pySpace follows str.isspace.
func pySpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', '\f', '\v', 0x1c, 0x1d, 0x1e, 0x1f, 0x85, 0xa0:
		return true
	}
	return r >= 0x80 && unicode.Is(unicode.Z, r) && r != 0x200b
}

func asciiEscape(r rune) string {
	rt := &runtime{}
	s, _ := rt.asciiRepr(starlark.String(string(r)))
	return s
}

func strList(parts []string) starlark.Value {
	out := make([]starlark.Value, len(parts))
	for i, p := range parts {
		out[i] = starlark.String(p)
	}
	return starlark.NewList(out)
}

// upper is str.upper, with the expansions Go leaves out.
func upper(s string) string {
	if strings.ContainsAny(s, "ßﬀﬁﬂﬃﬄﬅﬆŉ") {
		s = strings.NewReplacer("ß", "SS", "ﬀ", "FF", "ﬁ", "FI", "ﬂ", "FL", "ﬃ", "FFI", "ﬄ", "FFL", "ﬅ", "ST", "ﬆ", "ST", "ŉ", "ʼN").Replace(s)
	}
	return strings.ToUpper(s)
}

// lower is str.lower: the dotted capital I becomes two characters, and a sigma at the
// end of a word has its other form.
func lower(s string) string {
	if !strings.ContainsAny(s, "İΣ") {
		return strings.ToLower(s)
	}
	r := []rune(s)
	var sb strings.Builder
	for i, c := range r {
		switch {
		case c == 'İ':
			sb.WriteString("i\u0307")
		case c == 'Σ' && casedBefore(r[:i]) && !casedAfter(r[i+1:]):
			sb.WriteRune('ς')
		default:
			sb.WriteRune(unicode.ToLower(c))
		}
	}
	return sb.String()
}

func isCased(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) }

// caseIgnorable says that a character stands inside a word without being a letter.
func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’", r)
}

func casedBefore(r []rune) bool {
	for i := len(r) - 1; i >= 0; i-- {
		if !caseIgnorable(r[i]) {
			return isCased(r[i])
		}
	}
	return false
}

func casedAfter(r []rune) bool {
	for _, c := range r {
		if !caseIgnorable(c) {
			return isCased(c)
		}
	}
	return false
}

func casefold(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "ß", "ss")
}

func titleRune(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	if r == 'ß' {
		return "Ss"
	}
	return string(unicode.ToTitle(r))
}

func title(s string) string {
	var sb strings.Builder
	prev := false
	for _, r := range s {
		is := unicode.IsLetter(r) && (unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r))
		switch {
		case is && !prev:
			sb.WriteString(titleRune(string(r)))
		case is:
			sb.WriteString(strings.ToLower(string(r)))
		default:
			sb.WriteRune(r)
		}
		prev = is
	}
	return sb.String()
}

func isDigitRune(r rune) bool {
	if unicode.IsDigit(r) {
		return true
	}
	switch {
	case r == 0xb2, r == 0xb3, r == 0xb9, r == 0x2070, r >= 0x2074 && r <= 0x2079, r >= 0x2080 && r <= 0x2089, r >= 0x2460 && r <= 0x2468:
		return true
	}
	return false
}

// window cuts s[start:end] by code points; ok is false when start lies behind
// the end. off is the number of code points before the window.
func (c callArgs) window(lo, hi starlark.Value) (s string, off int, ok bool, err error) {
	if (lo == nil || lo == starlark.None) && (hi == nil || hi == starlark.None) {
		return c.s, 0, true, nil
	}
	n := runeLen(c.s)
	a, err := intArg(lo, 0)
	if err != nil {
		return "", 0, false, err
	}
	b, err := intArg(hi, int64(n))
	if err != nil {
		return "", 0, false, err
	}
	if a < 0 {
		a = max(a+int64(n), 0)
	}
	if b < 0 {
		b = max(b+int64(n), 0)
	}
	b = min(b, int64(n))
	if a > int64(n) || a > b {
		return "", 0, false, nil
	}
	if isASCII(c.s) {
		return c.s[a:b], int(a), true, nil
	}
	r := []rune(c.s)
	return string(r[a:b]), int(a), true, nil
}

func (c callArgs) split(name string) (starlark.Value, error) {
	a, err := bind("str."+name, c.args, c.kwargs, "sep?", "maxsplit?")
	if err != nil {
		return nil, err
	}
	n, err := intArg(a[1], -1)
	if err != nil {
		return nil, err
	}
	if err := c.rt.alloc(int64(len(c.s)), 24); err != nil && len(c.s) > 1<<24 {
		return nil, err
	}
	if a[0] == nil || a[0] == starlark.None {
		return strList(splitSpace(c.s, int(n), name == "rsplit")), nil
	}
	sep, ok := a[0].(starlark.String)
	if !ok {
		return nil, Raise("TypeError", "must be str or None, not %s", typeName(a[0]))
	}
	if sep == "" {
		return nil, Raise("ValueError", "empty separator")
	}
	if n < 0 {
		return strList(strings.Split(c.s, string(sep))), nil
	}
	if name == "split" {
		return strList(strings.SplitN(c.s, string(sep), int(min(n, 1<<30))+1)), nil
	}
	var parts []string
	s := c.s
	for ; n > 0; n-- {
		i := strings.LastIndex(s, string(sep))
		if i < 0 {
			break
		}
		parts = append([]string{s[i+len(sep):]}, parts...)
		s = s[:i]
	}
	return strList(append([]string{s}, parts...)), nil
}

// splitSpace splits at runs of white space.
func splitSpace(s string, n int, right bool) []string {
	if n < 0 {
		return strings.FieldsFunc(s, pySpace)
	}
	var out []string
	if !right {
		s = strings.TrimLeftFunc(s, pySpace)
		for s != "" {
			i := strings.IndexFunc(s, pySpace)
			if i < 0 || n == 0 {
				return append(out, s)
			}
			out = append(out, s[:i])
			s = strings.TrimLeftFunc(s[i:], pySpace)
			n--
		}
		return out
	}
	s = strings.TrimRightFunc(s, pySpace)
	for s != "" {
		i := strings.LastIndexFunc(s, pySpace)
		if i < 0 || n == 0 {
			return append([]string{s}, out...)
		}
		_, w := utf8.DecodeRuneInString(s[i:])
		out = append([]string{s[i+w:]}, out...)
		s = strings.TrimRightFunc(s[:i], pySpace)
		n--
	}
	return out
}

// splitLines knows Python's line ends.
func splitLines(s string, keep bool) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		end := false
		switch r {
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			end = true
		case '\r':
			end = true
			if i+1 < len(s) && s[i+1] == '\n' {
				n = 2
			}
		}
		if end {
			if keep {
				out = append(out, s[start:i+n])
			} else {
				out = append(out, s[start:i])
			}
			start = i + n
		}
		i += n
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
