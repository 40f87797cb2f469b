package pysyntax

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxIntDigits is CPython's own bound on decimal integer literals.
const maxIntDigits = 4300

// number reads an integer or a float.
func (lx *lexer) number() {
	start := lx.off
	pos := lx.posAt(start)
	s := lx.src[start:lx.end]
	i := 0
	isFloat := false
	digits := func(ok func(byte) bool) bool { // digits with single underscores between them
		from := i
		for i < len(s) && (ok(s[i]) || s[i] == '_') {
			if s[i] == '_' && (i+1 >= len(s) || !ok(s[i+1])) {
				return false
			}
			i++
		}
		return i > from
	}
	bad := func(what string) { fail(pos, "", "invalid %s literal", what) }
	base := 10
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X':
			base = 16
		case 'o', 'O':
			base = 8
		case 'b', 'B':
			base = 2
		}
	}
	if base != 10 {
		i = 2
		inBase := func(c byte) bool {
			switch base {
			case 16:
				return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
			case 8:
				return c >= '0' && c <= '7'
			}
			return c == '0' || c == '1'
		}
		if i < len(s) && s[i] == '_' {
			i++
		}
		if !digits(inBase) {
			bad(map[int]string{16: "hexadecimal", 8: "octal", 2: "binary"}[base])
		}
	} else {
		if s[0] != '.' && !digits(isDigit) {
			bad("decimal")
		}
		if i < len(s) && s[i] == '.' {
			isFloat = true
			i++
			if i < len(s) && isDigit(s[i]) && !digits(isDigit) {
				bad("decimal")
			}
		}
		if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
			j := i
			i++
			if i < len(s) && (s[i] == '+' || s[i] == '-') {
				i++
			}
			if i < len(s) && isDigit(s[i]) {
				isFloat = true
				if !digits(isDigit) {
					bad("decimal")
				}
			} else {
				i = j
			}
		}
	}
	if i < len(s) && (s[i] == 'j' || s[i] == 'J') {
		fail(pos, "use two floats", "complex numbers are not available")
	}
	if i < len(s) && (isNameStart(s[i]) && (s[i] < utf8.RuneSelf || letterAt(s[i:])) || isDigit(s[i])) {
		if !startsKeyword(s[i:]) {
			bad("decimal")
		}
	}
	raw := s[:i]
	clean := strings.ReplaceAll(raw, "_", "")
	t := token{kind: tNumber, text: raw, pos: pos, off: start, end: start + i}
	switch {
	case isFloat:
		f, err := strconv.ParseFloat(clean, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			bad("decimal")
		}
		t.num = f
	default:
		if base == 10 {
			if len(clean) > 1 && clean[0] == '0' && strings.Trim(clean, "0") != "" {
				fail(pos, "write 0o for octal", "leading zeros in decimal integer literals are not permitted")
			}
			if len(clean) > maxIntDigits {
				fail(pos, "compute it with ** instead", "integer literal of %d digits is longer than %d", len(clean), maxIntDigits)
			}
		} else {
			clean = clean[2:]
			if len(clean) > 4*maxIntDigits {
				fail(pos, "compute it with ** instead", "integer literal of %d digits is too long", len(clean))
			}
		}
		if v, err := strconv.ParseInt(clean, base, 64); err == nil {
			t.num = v
		} else {
			b, ok := new(big.Int).SetString(clean, base)
			if !ok {
				bad("decimal")
			}
			t.num = b
		}
	}
	lx.off += i
	lx.add(t)
}

func letterAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// startsKeyword accepts 1if x else y, as CPython does with a warning.
func startsKeyword(s string) bool {
	for _, k := range []string{"and", "else", "for", "if", "in", "is", "not", "or"} {
		if strings.HasPrefix(s, k) && (len(s) == len(k) || !isNameStart(s[len(k)]) && !isDigit(s[len(k)])) {
			return true
		}
	}
	return false
}
