package stdlib

import (
	"strings"
	"unicode"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const stringText = `
"""Constants: ascii_letters, ascii_lowercase, ascii_uppercase, digits, hexdigits,
octdigits, punctuation, whitespace, printable. Template("$name") has substitute and
safe_substitute."""

def capwords(s, sep=None):
    """Capitalizes each word."""

def Template(template):
    """A text with $name and ${name} in it."""
`

var stringDoc = guest.Lazy(stringText)

func makeString(_ *Env, c *guest.Contract) starlark.StringDict {
	m := c.Bind("string", map[string]guest.Impl{"capwords": capwords, "Template": newTemplate})
	const lower = "abcdefghijklmnopqrstuvwxyz"
	const digits = "0123456789"
	punctuation := "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	whitespace := " \t\n\r\x0b\x0c"
	letters := lower + strings.ToUpper(lower)
	for name, s := range map[string]string{
		"ascii_lowercase": lower, "ascii_uppercase": strings.ToUpper(lower), "ascii_letters": letters,
		"digits": digits, "hexdigits": digits + "abcdefABCDEF", "octdigits": "01234567",
		"punctuation": punctuation, "whitespace": whitespace, "printable": digits + letters + punctuation + whitespace,
	} {
		m[name] = text(s)
	}
	return m
}

func capwords(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	s, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	sep := " "
	words := strings.FieldsFunc(s, unicode.IsSpace)
	if a.Given(1) {
		if sep, err = str(a, 1); err != nil {
			return nil, err
		}
		if sep == "" {
			return nil, raise("ValueError", "empty separator")
		}
		words = strings.Split(s, sep)
	}
	for i, w := range words {
		cap, err := pylang.GetAttr(t, starlark.String(w), "capitalize")
		if err != nil {
			return nil, err
		}
		v, err := pylang.Call(t, cap, nil, nil)
		if err != nil {
			return nil, err
		}
		words[i], _ = starlark.AsString(v)
	}
	return text(strings.Join(words, sep)), nil
}

func newTemplate(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	s, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	return object("Template", map[string]starlark.Value{
		"template":        text(s),
		"substitute":      templateFunc("substitute", s, false),
		"safe_substitute": templateFunc("safe_substitute", s, true),
	}), nil
}

func templateFunc(name, s string, safe bool) starlark.Value {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > 1 {
			return nil, raise("TypeError", "Template.%s() takes one dict and keywords", name)
		}
		return fillTemplate(t, s, safe, args, kwargs)
	})
}

func fillTemplate(t *starlark.Thread, s string, safe bool, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	lookup := func(key string) (string, error) {
		for _, kv := range kwargs {
			if string(kv[0].(starlark.String)) == key {
				return pylang.Str(t, kv[1])
			}
		}
		if len(args) == 1 {
			if m, ok := args[0].(starlark.Mapping); ok {
				if v, ok, err := m.Get(starlark.String(key)); err != nil {
					return "", err
				} else if ok {
					return pylang.Str(t, v)
				}
			}
		}
		return "", pylang.NoKey(text(key))
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		dollar := strings.IndexByte(s[i:], '$')
		if dollar < 0 {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+dollar])
		i += dollar
		if strings.HasPrefix(s[i:], "$$") {
			b.WriteByte('$')
			i += 2
			continue
		}
		name, n := templateName(s[i+1:])
		if name == "" {
			if !safe {
				line := strings.Count(s[:i], "\n") + 1
				col := i - strings.LastIndexByte(s[:i], '\n')
				return nil, raise("ValueError", "Invalid placeholder in string: line %d, col %d", line, col)
			}
			b.WriteByte('$')
			i++
			continue
		}
		v, err := lookup(name)
		if err != nil {
			if !safe {
				return nil, err
			}
			v = s[i : i+1+n]
		}
		b.WriteString(v)
		i += 1 + n
	}
	return text(b.String()), nil
}

// templateName reads NAME or {NAME} and how many bytes it takes.
func templateName(s string) (string, int) {
	braced := strings.HasPrefix(s, "{")
	i := 0
	if braced {
		i = 1
	}
	start := i
	for i < len(s) && (s[i] == '_' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || i > start && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	name := s[start:i]
	if braced {
		if i >= len(s) || s[i] != '}' {
			return "", 0
		}
		i++
	}
	return name, i
}
