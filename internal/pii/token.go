package pii

import (
	"strings"
)

// Tokens are [KIND_id]: id is minID or more lower-case hexadecimal digits.
const (
	minID = 6
	maxID = 64
)

// Token returns the token of a kind with an identifier of 6 to 64 lower-case
// hexadecimal digits.
func Token(k Kind, id string) string { return "[" + k.String() + "_" + id + "]" }

// hidden stands for a value when there is no token to be had.
func hidden(k Kind) string { return "[" + k.String() + "]" }

// ParseToken takes a token apart; ok is false for anything that is not exactly one.
func ParseToken(token string) (k Kind, id string, ok bool) {
	k, n := tokenAt(token)
	if n == 0 || n != len(token) {
		return 0, "", false
	}
	return k, token[len(k.String())+2 : n-1], true
}

// tokenAt returns the kind and length of the token that s begins with, length 0 if it
// does not.
func tokenAt(s string) (Kind, int) {
	if len(s) < len("[IP_")+minID+1 || s[0] != '[' {
		return 0, 0
	}
	for k := range kinds {
		name := kindNames[k]
		if !strings.HasPrefix(s[1:], name) || at(s, 1+len(name)) != '_' {
			continue
		}
		start := len(name) + 2
		end := start
		for end < len(s) && end-start <= maxID && is(s[end], isDigit|isHex) && !is(s[end], isUpper) {
			end++
		}
		if n := end - start; n < minID || n > maxID || at(s, end) != ']' {
			return 0, 0
		}
		return k, end + 1
	}
	return 0, 0
}

// standInAt is tokenAt, for [EMAIL] and the like too.
func standInAt(s string) int {
	for k := range kinds {
		if name := kindNames[k]; len(s) >= len(name)+2 && s[len(name)+1] == ']' && s[1:len(name)+1] == name {
			return len(name) + 2
		}
	}
	_, n := tokenAt(s)
	return n
}

// tokensIn calls f with every token in text.
func tokensIn(text string, f func(k Kind, start, end int)) {
	for i := 0; ; {
		j := strings.IndexByte(text[i:], '[')
		if j < 0 {
			return
		}
		i += j
		k, n := tokenAt(text[i:])
		if n == 0 {
			i++
			continue
		}
		f(k, i, i+n)
		i += n
	}
}
