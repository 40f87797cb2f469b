package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/spell"
)

// field is a field's name, understood.
type field struct {
	builtin *builtin
	path    []string // into the metadata, when not built in
}

type builtin struct {
	name, column string
	time         bool
	text         func(Document) string
}

var builtins = []*builtin{
	{name: "id", column: "d.external_id", text: func(d Document) string { return d.ID }},
	{name: "source", column: "d.source", text: func(d Document) string { return d.Source }},
	{name: "title", column: "d.title", text: func(d Document) string { return d.Title }},
	{name: "uri", column: "d.uri", text: func(d Document) string { return d.URI }},
	{name: "collection", column: "c.name", text: func(d Document) string { return d.Collection }},
	{name: "created", column: "d.created_at", time: true},
	{name: "updated", column: "d.updated_at", time: true},
}

func (f field) isZero() bool { return f.builtin == nil && len(f.path) == 0 }

func builtinNamed(name string) *builtin {
	for _, b := range builtins {
		if b.name == name {
			return b
		}
	}
	return nil
}

// parseField reads a name as Go and JSON callers write it: keys separated by dots,
// each of any characters, or in backticks when it has a dot or a backtick.
func parseField(name string) (field, *Error) {
	var path []string
	bare := !strings.HasPrefix(name, "`")
	for rest := name; ; {
		var key string
		if strings.HasPrefix(rest, "`") {
			k, n, ok := unquoteKey(rest)
			if !ok {
				return field{}, errorf(0, "close the backtick", "field %q has an open backtick", name)
			}
			key, rest = k, rest[n:]
		} else {
			end := strings.IndexByte(rest, '.')
			if end < 0 {
				end = len(rest)
			}
			key, rest = rest[:end], rest[end:]
			if key == "" || strings.ContainsRune(key, '`') {
				return field{}, errorf(0, "write keys separated by single dots, odd keys in `backticks`", "field %q has an empty or half-quoted key", name)
			}
		}
		path = append(path, key)
		if rest == "" {
			break
		}
		if rest[0] != '.' {
			return field{}, errorf(0, "put a dot after the closing backtick", "field %q goes on after a backtick", name)
		}
		rest = rest[1:]
	}
	return newField(path, bare)
}

// newField finds what a path of keys stands for. bare says that the first key was
// written without backticks, so that it may name a built-in field.
func newField(path []string, bare bool) (field, *Error) {
	if bare && len(path) == 1 {
		if b := builtinNamed(path[0]); b != nil {
			return field{builtin: b}, nil
		}
		if near := misspeltBuiltin(path[0]); near != "" {
			return field{}, errorf(0, "did you mean "+near+"? For the metadata key write metadata."+path[0], "unknown field %s", path[0])
		}
	}
	if bare && len(path) > 1 && path[0] == "metadata" {
		path = path[1:]
	}
	if len(path) > maxPath {
		return field{}, errorf(0, "", "field has more than %d keys", maxPath)
	}
	for _, key := range path {
		if !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
			return field{}, errorf(0, "no document can have such a key", "field key %q holds NUL or invalid UTF-8", key)
		}
	}
	return field{path: path}, nil
}

// String is the shortest name that newField understands as this field.
func (f field) String() string {
	if f.builtin != nil {
		return f.builtin.name
	}
	var b strings.Builder
	if first := f.path[0]; isWord(first) && (first == "metadata" || len(f.path) == 1 && (builtinNamed(first) != nil || misspeltBuiltin(first) != "")) {
		b.WriteString("metadata.")
	}
	for i, key := range f.path {
		if i > 0 {
			b.WriteByte('.')
		}
		if isWord(key) {
			b.WriteString(key)
		} else {
			b.WriteString("`" + strings.ReplaceAll(key, "`", "``") + "`")
		}
	}
	return b.String()
}

// unquoteKey reads a key in backticks at the start of s and returns the bytes read.
func unquoteKey(s string) (key string, n int, ok bool) {
	for i := 1; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '`' {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], "``", "`"), i + 1, true
	}
	return "", 0, false
}

// isWord reports whether s may stand in the text form without quotes as a key.
func isWord(s string) bool {
	if s == "" || reserved[strings.ToLower(s)] {
		return false
	}
	for i, r := range s {
		if !isWordRune(r, i == 0) {
			return false
		}
	}
	return true
}

func isWordRune(r rune, first bool) bool {
	if r == utf8.RuneError {
		return false
	}
	if first {
		return r == '_' || unicode.IsLetter(r)
	}
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// misspeltBuiltin names the built-in field that word is one slip away from. A word
// that only has a longer or shorter ending (sources, create) is taken as meant, as
// are neighbours of the short names (url is no slip for uri).
func misspeltBuiltin(word string) string {
	for _, b := range builtins {
		if len(b.name) >= 5 && spell.Distance(word, b.name) == 1 &&
			!strings.HasPrefix(word, b.name) && !strings.HasPrefix(b.name, word) {
			return b.name
		}
	}
	return ""
}
