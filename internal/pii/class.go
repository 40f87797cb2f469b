package pii

import (
	"unicode"
	"unicode/utf8"
)

const (
	isDigit = 1 << iota
	isLower
	isUpper
	isHex
	isLocal   // in the local part of an e-mail address, apart from letters beyond ASCII
	isTrigger // fold looks closer
	isSpace
	isAlpha = isLower | isUpper
	isAlnum = isAlpha | isDigit
)

var class = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		switch {
		case b >= '0' && b <= '9':
			t[c] = isDigit | isHex | isLocal
		case b >= 'a' && b <= 'z':
			t[c] = isLower | isLocal
		case b >= 'A' && b <= 'Z':
			t[c] = isUpper | isLocal
		case b >= utf8.RuneSelf:
			t[c] = isTrigger
		}
	}
	for _, b := range "abcdefABCDEF" {
		t[b] |= isHex
	}
	for _, b := range "._%+-'" {
		t[b] |= isLocal
	}
	for _, b := range `%\&[({<` {
		t[b] |= isTrigger
	}
	for _, b := range " \t\n\r" {
		t[b] |= isSpace
	}
	return t
}()

func is(b byte, c uint8) bool { return class[b]&c != 0 }

// wordBefore reports whether the character before s[i] belongs to a word that goes on
// into s[i]. Scripts that put no spaces between words do not: 電話03-1234-5678.
func wordBefore(s string, i int) bool {
	if i == 0 {
		return false
	}
	if b := s[i-1]; b < utf8.RuneSelf {
		return is(b, isAlnum)
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return joins(r)
}

// wordAt reports whether a word goes on at s[i].
func wordAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if b := s[i]; b < utf8.RuneSelf {
		return is(b, isAlnum)
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return joins(r)
}

func joins(r rune) bool { return unicode.IsLetter(r) && !spaceless(r) }

func spaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 'ー'
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && is(s[i], isDigit) }

// at returns s[i], and 0 beyond the ends.
func at(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// digitsFrom returns the end of the run of digits at i.
func digitsFrom(s string, i int) int {
	for i < len(s) && is(s[i], isDigit) {
		i++
	}
	return i
}
