package workspace

import (
	"errors"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "a.json": "a.json", "a/b/c.txt": "a/b/c.txt", "with space.txt": "with space.txt", ".hidden": ".hidden", "...": "...", "..a": "..a",
		"naïve.txt": "naïve.txt", "nai\u0308ve.txt": "naïve.txt", "日本.csv": "日本.csv", "2026-01-01T10:00.log": "2026-01-01T10:00.log",
		"%_'\"; drop table x; --": "%_'\"; drop table x; --", strings.Repeat("x", 255): strings.Repeat("x", 255),
	} {
		if got, err := cleanName(name); got != want || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{
		"", "/", "/etc/passwd", "..", ".", "../x", "a/../b", "a/./b", "a//b", "a/", "./a", "~/../x", `a\b`, `..\x`, `C:\x`, "C:/x", "c:x",
		"a\x00b", "a\nb", "a\tb", "a\x7f", "\x1b[31m", "a\u202egpj.exe", "a\u200b", "\ufeffa", "a\u2028b", "\xff", "a\xc3", "\ufffd", "a\u00a0b", "\ue000",
		" a", "a ", "a /b", "a/ b", "．．/x", "a／b", "a＼b", "．", "‥", "Ｃ:/x", strings.Repeat("x", 256), strings.Repeat("a/", 300) + "b", strings.Repeat("a/", 16) + "b",
		strings.Repeat("x/", 100000), strings.Repeat("\u0300", 100000), "℀", "a/％/．．",
	} {
		if got, err := cleanName(name); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.60q is taken as %.60q, %v", name, got, err)
		} else if len(err.Error()) > 600 || strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%.60q: %q is no line for people", name, err)
		}
	}
}

// FuzzName: what is taken is a local, clean, composed path without anything invisible,
// and is itself when cleaned again.
func FuzzName(f *testing.F) {
	for _, s := range []string{"a/b.txt", "../x", "a\u0308", "．．/x", "C:/x", "a/\u202e", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := cleanName(s)
		if err != nil {
			return
		}
		if again, err := cleanName(name); err != nil || again != name {
			t.Errorf("%q becomes %q, then %q, %v", s, name, again, err)
		}
		for _, form := range []string{name, norm.NFKC.String(name), norm.NFD.String(name)} {
			if !filepath.IsLocal(form) || path.Clean(form) != form || strings.Contains(form, `\`) {
				t.Errorf("%q becomes %q", s, form)
			}
		}
		if !utf8.ValidString(name) || !norm.NFC.IsNormalString(name) || len(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
			t.Errorf("%q becomes %q", s, name)
		}
	})
}

// FuzzContent: no bytes break the checks, and a preview is a valid beginning.
func FuzzContent(f *testing.F) {
	f.Add("a.json", "json", []byte("{}"), 10)
	f.Add("a", "", []byte("ä\nö"), 2)
	f.Fuzz(func(t *testing.T, name, said string, data []byte, limit int) {
		kind, err := contentType(name, said, data)
		if err != nil {
			return
		}
		if checkContent(name, kind, data) != nil || limit < 0 {
			return
		}
		text, lines := preview(kind, data, limit)
		if !strings.HasPrefix(string(data), text) || len(text) > limit || isText(kind) && !utf8.ValidString(text) || lines < strings.Count(text, "\n") {
			t.Errorf("%q of %q", text, data)
		}
	})
}
