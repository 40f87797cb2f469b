package stdlib

import (
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
	unicodenorm "golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const unicodedataText = `
"""Facts about characters; there are no names of characters."""

def normalize(form, unistr, /):
    """The text in the normal form NFC, NFKC, NFD or NFKD."""

def is_normalized(form, unistr, /):
    """Whether the text is in that form."""

def category(chr, /):
    """The general category, such as 'Lu' or 'Mn'."""

def combining(chr, /):
    """The combining class, 0 for characters that do not combine."""

def east_asian_width(chr, /):
    """'W', 'F', 'H', 'Na', 'A' or 'N'."""
`

var unicodedataDoc = guest.Lazy(unicodedataText)

var normalForms = map[string]unicodenorm.Form{"NFC": unicodenorm.NFC, "NFD": unicodenorm.NFD, "NFKC": unicodenorm.NFKC, "NFKD": unicodenorm.NFKD}

func makeUnicodedata(_ *Env, c *guest.Contract) starlark.StringDict {
	form := func(a *guest.Args) (unicodenorm.Form, string, error) {
		name, err := str(a, 0)
		if err != nil {
			return 0, "", err
		}
		f, ok := normalForms[name]
		if !ok {
			return 0, "", raise("ValueError", "invalid normalization form")
		}
		s, err := str(a, 1)
		return f, s, err
	}
	char := func(f func(r rune) starlark.Value) guest.Impl {
		return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, ok := a.V[0].(starlark.String)
			if r, n := utf8.DecodeRuneInString(string(s)); ok && n > 0 && n == len(s) {
				return f(r), nil
			}
			return nil, raise("TypeError", "argument must be a unicode character, not '%s'", guest.TypeName(a.V[0]))
		}
	}
	m := c.Bind("unicodedata", map[string]guest.Impl{
		"normalize": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			f, s, err := form(a)
			if err != nil {
				return nil, err
			}
			if err := pylang.CheckAlloc(t, 18*int64(len(s))); err != nil { // as much longer as a text can get
				return nil, err
			}
			return text(f.String(s)), nil
		},
		"is_normalized": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			f, s, err := form(a)
			return starlark.Bool(f.IsNormalString(s)), err
		},
		"category": char(func(r rune) starlark.Value { return text(category(r)) }),
		"combining": char(func(r rune) starlark.Value {
			return starlark.MakeInt(int(unicodenorm.NFC.PropertiesString(string(r)).CCC()))
		}),
		"east_asian_width": char(func(r rune) starlark.Value {
			return text(map[width.Kind]string{width.EastAsianWide: "W", width.EastAsianFullwidth: "F", width.EastAsianHalfwidth: "H",
				width.EastAsianNarrow: "Na", width.EastAsianAmbiguous: "A", width.Neutral: "N"}[width.LookupRune(r).Kind()])
		}),
	})
	m["unidata_version"] = text(unicode.Version)
	return m
}

// category is the two letters of the general category.
func category(r rune) string {
	for name, table := range unicode.Categories {
		if len(name) == 2 && name != "LC" && name != "Cn" && unicode.Is(table, r) {
			return name
		}
	}
	return "Cn"
}
