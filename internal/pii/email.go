package pii

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// The limits of RFC 5321, 4.5.3.1.
const (
	maxLocal  = 64
	maxDomain = 253
)

// emails finds addresses around every at sign, and those that are written in words.
func (s *scanner) emails() {
	for i, end := 0, 0; ; {
		j := strings.IndexByte(s.s[i:], '@')
		if j < 0 {
			break
		}
		i += j
		if start, stop, ok := emailAround(s.s, i, end); ok {
			s.found = append(s.found, Match{Email, start, stop})
			end = stop
		}
		i++
	}
	s.spelledEmails()
}

// emailAround returns the address whose at sign is s[p] and that does not begin before
// from.
func emailAround(s string, p, from int) (start, end int, ok bool) {
	spaced := at(s, p-1) == ' ' && at(s, p+1) == ' '
	left, right := p, p+1
	if spaced {
		left, right = p-1, p+2
	}
	for at(s, right) == '\n' || at(s, right) == '\r' { // broken after the at sign
		right++
	}
	start = localPart(s, left, from)
	if start == left {
		return 0, 0, false
	}
	if at(s, right) == '[' {
		end = addressLiteral(s, right)
	} else {
		end = domain(s, right)
	}
	if end == 0 {
		return 0, 0, false
	}
	if (spaced || right > p+1) && !commonDomain(s[right:end]) {
		return 0, 0, false
	}
	switch s[start:left] {
	case "git", "hg", "svn": // a remote, git@host:path, is nobody's mailbox
		if at(s, end) == ':' || at(s, end) == '/' || at(s, start-1) == '/' {
			return 0, 0, false
		}
	}
	if password(s, start) {
		return 0, 0, false
	}
	return start, end, true
}

// localPart returns where the local part that ends at p begins; p when there is none.
func localPart(s string, p, from int) int {
	if at(s, p-1) == '"' {
		return quotedLocal(s, p, from)
	}
	latin := true
	if p > 0 && s[p-1] >= utf8.RuneSelf {
		r, _ := utf8.DecodeLastRuneInString(s[:p])
		latin = unicode.Is(unicode.Latin, r)
	}
	i := p
	for i > from && p-i < maxLocal {
		b := s[i-1]
		if b < utf8.RuneSelf {
			if !is(b, isLocal) || b == '.' && at(s, i) == '.' {
				break
			}
			i--
			continue
		}
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if !(unicode.IsLetter(r) || unicode.IsMark(r)) || unicode.Is(unicode.Latin, r) != latin && !unicode.IsMark(r) || i-n < from {
			break
		}
		i -= n
	}
	// What cannot begin a local part, or hardly ever does: --author='ann@…
	for i < p && strings.IndexByte(".-+'%", s[i]) >= 0 {
		i++
	}
	// Nor does a local part end with a dot; and %s@%s.com is yet to be filled in.
	if i == p || s[p-1] == '.' || s[p-1] == '\'' || p-i == 1 && at(s, i-1) == '%' {
		return p
	}
	return i
}

// quotedLocal is localPart for "ann lee"@example.com.
func quotedLocal(s string, p, from int) int {
	some := false
	for i := p - 2; i >= from && p-i <= maxLocal; i-- {
		switch b := s[i]; {
		case b == '"':
			if !some || is(s[i+1], isSpace) || is(s[p-2], isSpace) || wordBefore(s, i) {
				return p
			}
			return i
		case is(b, isAlnum):
			some = true
		case !is(b, isLocal) && b != ' ':
			return p
		}
	}
	return p
}

// addressLiteral returns the end of [192.0.2.1] at i; 0 when it is something else.
func addressLiteral(s string, i int) int {
	for j := i + 1; j < len(s) && j-i < 64; j++ {
		switch b := s[j]; {
		case b == ']':
			if j-i < 4 {
				return 0
			}
			return j + 1
		case !is(b, isAlnum) && b != '.' && b != ':':
			return 0
		}
	}
	return 0
}

// domain returns the end of the domain at i: two labels or more, the last a top-level
// domain. 0 when there is none.
func domain(s string, i int) int {
	latin := true
	if i < len(s) && s[i] >= utf8.RuneSelf {
		r, _ := utf8.DecodeRuneInString(s[i:])
		latin = unicode.Is(unicode.Latin, r)
	}
	end, labels, numeric := 0, 0, 0
	for j := i; ; {
		start := j
		for j < len(s) && j-i < maxDomain {
			if b := s[j]; b < utf8.RuneSelf {
				if !is(b, isAlnum) && b != '-' {
					break
				}
				j++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[j:])
			if !(unicode.IsLetter(r) || unicode.IsMark(r)) || unicode.Is(unicode.Latin, r) != latin && !unicode.IsMark(r) {
				break
			}
			j += n
		}
		label := s[start:j]
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' || len(label) > 63 {
			break
		}
		if labels++; digitsFrom(label, 0) == len(label) {
			numeric++
		}
		if labels >= 2 && numeric < labels-1 && topLevel(label) || labels == 2 && numeric == 1 && topLevel(label) {
			end = j
		}
		if at(s, j) != '.' {
			break
		}
		j++
	}
	return end
}

// Top-level domains that nobody can register, but that private networks and examples
// use.
var privateDomains = map[string]bool{
	"local": true, "localdomain": true, "lan": true, "internal": true, "intranet": true, "corp": true, "home": true,
	"private": true, "example": true, "test": true, "invalid": true, "onion": true, "alt": true,
}

// topLevel reports whether a label is a top-level domain: one on the list of
// publicsuffix.org, one of private use, or one beyond ASCII.
func topLevel(label string) bool {
	if len(label) < 2 {
		return false
	}
	for i := range len(label) {
		if label[i] >= utf8.RuneSelf {
			return true
		}
	}
	label = strings.ToLower(label)
	if strings.HasPrefix(label, "xn--") {
		return true
	}
	for i := range len(label) {
		if !is(label[i], isAlpha) {
			return false
		}
	}
	if privateDomains[label] {
		return true
	}
	_, known := publicsuffix.PublicSuffix("a." + label)
	return known
}

// Top-level domains that are believed also where the rest is unclear.
var commonDomains = map[string]bool{
	"com": true, "org": true, "net": true, "edu": true, "gov": true, "io": true, "de": true, "uk": true, "fr": true,
	"eu": true, "ch": true, "at": true, "nl": true, "it": true, "es": true, "us": true, "ca": true, "jp": true,
	"info": true, "biz": true, "example": true, "test": true,
}

func commonDomain(domain string) bool {
	return commonDomains[strings.ToLower(domain[strings.LastIndexByte(domain, '.')+1:])]
}

// password reports whether what begins at start is the password in a URL, as in
// https://user:password@host.
func password(s string, start int) bool {
	if at(s, start-1) != ':' {
		return false
	}
	for i := start - 2; i >= 0 && start-i < 128; i-- {
		if s[i] == '/' {
			return at(s, i-1) == '/' && at(s, i-2) == ':'
		}
		if is(s[i], isSpace) {
			return false
		}
	}
	return false
}

// spelledEmails finds "ann dot lee at example dot com".
func (s *scanner) spelledEmails() {
	for i, from := 0, 0; ; {
		j := indexFold(s.s[i:], " at ")
		if j < 0 {
			return
		}
		i += j
		start, end, ok := spelledAround(s.s, i, from)
		if ok {
			s.found = append(s.found, Match{Email, start, end})
			from = end
			i = end
		} else {
			i += 3
		}
	}
}

// Words before "at … dot com" that make it a place and not a mailbox.
var notMailboxes = map[string]bool{
	"is": true, "are": true, "was": true, "be": true, "us": true, "me": true, "it": true, "them": true, "look": true,
	"looking": true, "available": true, "found": true, "find": true, "hosted": true, "available,": true, "page": true,
	"site": true, "website": true, "online": true, "here": true, "more": true, "file": true, "home": true, "up": true,
	"out": true, "lives": true, "live": true, "work": true, "working": true, "works": true, "back": true, "and": true,
	"or": true, "lookup": true, "visit": true, "blog": true, "docs": true, "documentation": true, "read": true,
}

func spelledAround(s string, p, from int) (start, end int, ok bool) {
	word := func(i int) int { // start of the word that ends at i
		for i > from && is(s[i-1], isAlnum|isLocal) {
			i--
		}
		return i
	}
	start = word(p)
	if start == p || p-start > maxLocal || notMailboxes[strings.ToLower(s[start:p])] {
		return 0, 0, false
	}
	for n := 0; n < 3 && start >= from+5 && strings.EqualFold(s[start-5:start], " dot "); n++ {
		w := word(start - 5)
		if w == start-5 {
			break
		}
		start = w
	}
	i, labels := p+4, 0
	for labels < 5 {
		j := i
		for j < len(s) && j-i < 63 && (is(s[j], isAlnum) || s[j] == '-') {
			j++
		}
		if j == i {
			break
		}
		labels++
		if label := strings.ToLower(s[i:j]); labels >= 2 && commonDomains[label] {
			end = j
		}
		if len(s)-j < 5 || !strings.EqualFold(s[j:j+5], " dot ") {
			break
		}
		i = j + 5
	}
	return start, end, end > 0 && !wordBefore(s, start)
}

// indexFold is strings.Index without regard to case, for an ASCII word that begins
// with a space.
func indexFold(s, word string) int {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], ' ')
		if j < 0 || i+j+len(word) > len(s) {
			return -1
		}
		i += j
		if s[i+1]|0x20 == word[1] && strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
		i++
	}
}
