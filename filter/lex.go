package filter

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// The words that begin or join conditions; as keys they stand in backticks.
var reserved = map[string]bool{
	"and": true, "or": true, "not": true, "exists": true, "true": true, "false": true, "null": true,
}

type kind int

const (
	kindEnd    kind = iota
	kindName        // a field, or a word such as between
	kindValue       // a string or number
	kindSymbol      // = != <> < <= > >= ( ) [ ] , ! && ||
)

type token struct {
	kind   kind
	offset int
	text   string // as written
	word   string // lower case, when a single bare word
	path   []string
	bare   bool // path began without a backtick
	value  any
}

type lexer struct {
	src string
	pos int
}

func (l *lexer) next() (token, *Error) {
	for l.pos < len(l.src) && strings.IndexByte(" \t\r\n", l.src[l.pos]) >= 0 {
		l.pos++
	}
	t := token{offset: l.pos}
	if l.pos == len(l.src) {
		return t, nil
	}
	var err *Error
	rest := l.src[l.pos:]
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		err = l.string(&t, byte(r))
	case r == '`' || isWordRune(r, true):
		err = l.name(&t)
	case r == '-' || r == '+' || r == '.' || r >= '0' && r <= '9':
		err = l.number(&t)
	default:
		t.kind = kindSymbol
		for _, s := range []string{"!=", "<>", "<=", ">=", "==", "&&", "||", "=", "<", ">", "(", ")", "[", "]", ",", "!"} {
			if strings.HasPrefix(rest, s) {
				t.text = s
				l.pos += len(s)
				return t, nil
			}
		}
		if r == utf8.RuneError {
			return t, errorf(l.pos, "", "the text is no valid UTF-8")
		}
		err = errorf(l.pos, "keys with other characters stand in `backticks`, text in quotes", "unexpected %q", r)
	}
	t.text = l.src[t.offset:l.pos]
	return t, err
}

// name reads keys separated by dots.
func (l *lexer) name(t *token) *Error {
	t.kind = kindName
	t.bare = l.src[l.pos] != '`'
	for {
		start := l.pos
		if l.pos < len(l.src) && l.src[l.pos] == '`' {
			key, n, ok := unquoteKey(l.src[l.pos:])
			if !ok {
				return errorf(start, "close it with `", "open backtick")
			}
			l.pos += n
			t.path = append(t.path, key)
		} else {
			for i, r := range l.src[start:] {
				if !isWordRune(r, i == 0) {
					break
				}
				l.pos = start + i + utf8.RuneLen(r)
			}
			if l.pos == start {
				return errorf(start, "odd keys stand in `backticks`", "a key must follow the dot")
			}
			t.path = append(t.path, l.src[start:l.pos])
		}
		if l.pos == len(l.src) || l.src[l.pos] != '.' {
			break
		}
		l.pos++
	}
	if t.bare && len(t.path) == 1 {
		t.word = strings.ToLower(t.path[0])
	}
	return nil
}

// string reads JSON's string syntax between either kind of quotes.
func (l *lexer) string(t *token, quote byte) *Error {
	t.kind = kindValue
	start := l.pos
	var json1 strings.Builder
	json1.WriteByte('"')
	for i := start + 1; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == quote:
			json1.WriteByte('"')
			l.pos = i + 1
			return l.unquote(t, json1.String())
		case c == '\\' && i+1 < len(l.src):
			if i++; l.src[i] == '\'' {
				json1.WriteByte('\'')
			} else {
				json1.WriteString(l.src[i-1 : i+1])
			}
		case c == '"':
			json1.WriteString(`\"`)
		case c == '\n':
			json1.WriteString(`\n`)
		case c == '\r':
			json1.WriteString(`\r`)
		case c == '\t':
			json1.WriteString(`\t`)
		default:
			json1.WriteByte(c)
		}
	}
	return errorf(start, "close it with "+string(quote), "open quote")
}

func (l *lexer) unquote(t *token, text string) *Error {
	var s string
	if !utf8.ValidString(text) {
		return errorf(t.offset, "", "the string is no valid UTF-8")
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return errorf(t.offset, `escapes are those of JSON: \" \\ \n \t \u00e9; write a backslash as \\`, "bad string")
	}
	t.value = s
	return nil
}

// number reads whatever looks like one, so that 2024-05-01 gets one clear error.
func (l *lexer) number(t *token) *Error {
	t.kind = kindValue
	for l.pos < len(l.src) && (strings.IndexByte("+-._:", l.src[l.pos]) >= 0 || isDigitOrLetter(l.src[l.pos])) {
		l.pos++
	}
	text := l.src[t.offset:l.pos]
	v, err := canonicalNumber(text)
	if err != nil {
		err.Offset = t.offset
		if !json.Valid([]byte(text)) {
			err.Msg, err.Hint = `"`+clip(text)+`" is no number`, "put dates and other text in quotes"
		}
		return err
	}
	t.value = v
	return nil
}

func isDigitOrLetter(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
