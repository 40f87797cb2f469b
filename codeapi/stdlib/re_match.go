package stdlib

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

// match is one match. Its places count characters, as Python's do.
type match struct {
	p   *pattern
	s   subject
	loc []int // in bytes of s.s, -1 for groups that took no part
}

func (m *match) String() string {
	from, to := m.span(0)
	return fmt.Sprintf("<re.Match object; span=(%d, %d), match=%s>", from, to, quoteName(m.s.s[m.loc[0]:m.loc[1]]))
}
func (m *match) Type() string          { return "re.Match" }
func (m *match) Freeze()               {}
func (m *match) Truth() starlark.Bool  { return true }
func (m *match) Hash() (uint32, error) { return uint32(m.loc[0]*31 + m.loc[1]), nil }

func (m *match) span(i int) (int, int) {
	if m.loc[2*i] < 0 {
		return -1, -1
	}
	from := utf8.RuneCountInString(m.s.s[:m.loc[2*i]])
	return from, from + utf8.RuneCountInString(m.s.s[m.loc[2*i]:m.loc[2*i+1]])
}

// number is the group that a number or a name means.
func (m *match) number(v starlark.Value) (int, error) {
	if n, ok := guest.AsInt(v); ok {
		i, fits := n.Int64()
		if fits && i >= 0 && int(i) <= len(m.p.names) {
			return int(i), nil
		}
		return 0, raise("IndexError", "no such group")
	}
	if s, ok := v.(starlark.String); ok {
		for i, n := range m.p.names {
			if n == string(s) && n != "" {
				return i + 1, nil
			}
		}
	}
	return 0, raise("IndexError", "no such group")
}

func (m *match) group(i int, def starlark.Value) starlark.Value {
	if m.loc[2*i] < 0 {
		return def
	}
	return starlark.String(m.s.s[m.loc[2*i]:m.loc[2*i+1]])
}

// Get is m[group].
func (m *match) Get(key starlark.Value) (starlark.Value, bool, error) {
	i, err := m.number(key)
	if err != nil {
		return nil, false, err
	}
	return m.group(i, starlark.None), true, nil
}

var matchDoc = guest.Lazy(`
def group(*groups): ...
def groups(default=None): ...
def groupdict(default=None): ...
def start(group=0, /): ...
def end(group=0, /): ...
def span(group=0, /): ...
def expand(template): ...
`)

func (m *match) AttrNames() []string {
	names := []string{"endpos", "lastgroup", "lastindex", "pos", "re", "string"}
	for _, f := range matchDoc().Funcs {
		names = append(names, f.Name)
	}
	return names
}

func (m *match) Attr(name string) (starlark.Value, error) {
	switch name {
	case "string":
		return text(m.s.s), nil
	case "re":
		return m.p, nil
	case "pos":
		return starlark.MakeInt(utf8.RuneCountInString(m.s.s[:m.s.from])), nil
	case "endpos":
		return starlark.MakeInt(utf8.RuneCountInString(m.s.s[:m.s.to])), nil
	case "lastindex", "lastgroup":
		// The group that was closed last: the one that ends last, the outer one of
		// several.
		last := 0
		for i := 1; i <= len(m.p.names); i++ {
			if m.loc[2*i] >= 0 && (last == 0 || m.loc[2*i+1] > m.loc[2*last+1]) {
				last = i
			}
		}
		if last == 0 {
			return starlark.None, nil
		}
		if name == "lastindex" {
			return starlark.MakeInt(last), nil
		}
		if n := m.p.names[last-1]; n != "" {
			return text(n), nil
		}
		return starlark.None, nil
	}
	f := matchDoc().Func(name)
	if f == nil {
		return nil, raise("AttributeError", "'re.Match' object has no attribute '%s'", name)
	}
	return f.Builtin("", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return m.call(name, a) }), nil
}

func (m *match) call(name string, a *guest.Args) (starlark.Value, error) {
	switch name {
	case "group":
		if len(a.Rest) == 0 {
			return m.group(0, starlark.None), nil
		}
		row := make(starlark.Tuple, len(a.Rest))
		for j, v := range a.Rest {
			i, err := m.number(v)
			if err != nil {
				return nil, err
			}
			row[j] = m.group(i, starlark.None)
		}
		if len(row) == 1 {
			return row[0], nil
		}
		return row, nil
	case "groups":
		row := make(starlark.Tuple, len(m.p.names))
		for i := range row {
			row[i] = m.group(i+1, a.Or(0))
		}
		return row, nil
	case "groupdict":
		d := new(starlark.Dict)
		for i, n := range m.p.names {
			if n != "" {
				if err := d.SetKey(starlark.String(n), m.group(i+1, a.Or(0))); err != nil {
					return nil, err
				}
			}
		}
		return d, nil
	case "expand":
		s, err := str(a, 0)
		if err != nil {
			return nil, err
		}
		tpl, err := m.p.template(s)
		if err != nil {
			return nil, err
		}
		return text(tpl.expand(m.s.s, m.loc)), nil
	}
	i := 0
	if a.V[0] != nil {
		var err error
		if i, err = m.number(a.V[0]); err != nil {
			return nil, err
		}
	}
	from, to := m.span(i)
	switch name {
	case "start":
		return starlark.MakeInt(from), nil
	case "end":
		return starlark.MakeInt(to), nil
	}
	return starlark.Tuple{starlark.MakeInt(from), starlark.MakeInt(to)}, nil
}

// replacement is a parsed replacement text: literals, each followed by a group
// (-1 for none).
type replacement []struct {
	text  string
	group int
}

func (r replacement) expand(s string, loc []int) string {
	var b strings.Builder
	for _, part := range r {
		b.WriteString(part.text)
		if part.group >= 0 && loc[2*part.group] >= 0 {
			b.WriteString(s[loc[2*part.group]:loc[2*part.group+1]])
		}
	}
	return b.String()
}

// template parses a replacement text as Python does.
func (p *pattern) template(s string) (replacement, error) {
	var out replacement
	var lit strings.Builder
	add := func(group int) {
		out = append(out, struct {
			text  string
			group int
		}{lit.String(), group})
		lit.Reset()
	}
	group := func(n, at int) error {
		if n > len(p.names) {
			return raise("re.error", "invalid group reference %d at position %d", n, at)
		}
		add(n)
		return nil
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			lit.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return nil, raise("re.error", "bad escape (end of pattern) at position %d", i-1)
		}
		switch c := s[i]; {
		case c == 'g':
			if i+1 >= len(s) || s[i+1] != '<' {
				return nil, raise("re.error", "missing < at position %d", i+1)
			}
			end := strings.IndexByte(s[i:], '>')
			if end < 0 {
				return nil, raise("re.error", "missing >, unterminated name at position %d", i+2)
			}
			name := s[i+2 : i+end]
			if name == "" {
				return nil, raise("re.error", "missing group name at position %d", i+2)
			}
			n, err := strconv.Atoi(name)
			if err != nil {
				n = -1
				for j, known := range p.names {
					if known == name {
						n = j + 1
					}
				}
				if n < 0 {
					if !identifier(name) {
						return nil, raise("re.error", "bad character in group name %s at position %d", quoteName(name), i+2)
					}
					return nil, raise("IndexError", "unknown group name %s", quoteName(name))
				}
			}
			if n < 0 {
				return nil, raise("re.error", "bad character in group name %s at position %d", quoteName(name), i+2)
			}
			if err := group(n, i+2); err != nil {
				return nil, err
			}
			i += end
		case c == '0' || c >= '1' && c <= '9' && octalEscape(s[i:]):
			n := 0
			j := i
			for j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7' {
				n = n*8 + int(s[j]-'0')
				j++
			}
			if n > 0o377 {
				return nil, raise("re.error", "octal escape value \\%s outside of range 0-0o377 at position %d", s[i:j], i-1)
			}
			lit.WriteRune(rune(n))
			i = j - 1
		case c >= '1' && c <= '9':
			n := int(c - '0')
			if i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				n = n*10 + int(s[i+1]-'0')
				i++
			}
			if err := group(n, i); err != nil {
				return nil, err
			}
		default:
			if k := strings.IndexByte("abfnrtv\\", c); k >= 0 {
				lit.WriteByte("\a\b\f\n\r\t\v\\"[k])
				continue
			}
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
				return nil, raise("re.error", "bad escape \\%c at position %d", c, i-1)
			}
			lit.WriteByte('\\')
			lit.WriteByte(c)
		}
	}
	add(-1)
	return out, nil
}

// octalEscape reports whether s starts with three octal digits.
func octalEscape(s string) bool {
	if len(s) < 3 {
		return false
	}
	for i := range 3 {
		if s[i] < '0' || s[i] > '7' {
			return false
		}
	}
	return s[0] <= '3'
}
