package wordpiece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The four things that can happen to a character.
const (
	classLetter byte = iota // part of a word
	classSpace              // ends a word
	classPunct              // a word of its own
	classDrop               // as if it were not there
)

// normalizer is BERT's: clean, set ideographs apart, strip accents, lower.
type normalizer struct {
	clean, cjk, strip, lowercase bool
	ascii                        [utf8.RuneSelf]byte
	lower                        [utf8.RuneSelf]byte
}

// prepare fills the tables for ASCII.
func (n *normalizer) prepare() {
	for c := range utf8.RuneSelf {
		r := rune(c)
		n.ascii[c] = n.class(r)
		n.lower[c] = byte(c)
		if n.lowercase {
			n.lower[c] = byte(unicode.ToLower(r))
		}
	}
}

// class tells what a character is to the splitter, before decomposition.
func (n *normalizer) class(r rune) byte {
	switch {
	case n.clean && unicode.Is(control, r):
		return classDrop
	case unicode.Is(space, r):
		return classSpace
	case unicode.Is(punct, r):
		return classPunct
	}
	return classLetter
}

// other handles the character beyond ASCII that text begins with, and returns
// its length. Going rune by rune is exact: decomposition also reorders
// combining marks, but these are stripped (and without stripping there is no
// decomposition).
func (s *scanner) other(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	n := &s.t.norm
	switch n.class(r) {
	case classDrop:
		return size
	case classSpace:
		s.flush()
		return size
	}
	ideograph := n.cjk && unicode.Is(ideograph, r)
	if ideograph {
		s.flush()
	}
	if n.strip {
		s.decompose(r)
	} else {
		s.put(r)
	}
	if ideograph {
		s.flush()
	}
	return size
}

// Hangul syllables are decomposed by arithmetic (Unicode, section 3.12); the
// tables of the norm package leave them out.
const (
	hangulBase, hangulEnd = 0xAC00, 0xD7A4
	leadBase, vowelBase   = 0x1100, 0x1161
	tailBase              = 0x11A7
	vowelCount, tailCount = 21, 28
)

// decompose puts the canonical decomposition of r.
func (s *scanner) decompose(r rune) {
	if r >= hangulBase && r < hangulEnd {
		i := r - hangulBase
		s.put(leadBase + i/(vowelCount*tailCount))
		s.put(vowelBase + i%(vowelCount*tailCount)/tailCount)
		if tail := i % tailCount; tail > 0 {
			s.put(tailBase + tail)
		}
		return
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if d == nil {
		s.put(r)
		return
	}
	for len(d) > 0 {
		c, size := utf8.DecodeRune(d)
		s.put(c)
		d = d[size:]
	}
}

// put adds one decomposed character to the word, or ends the word at it.
func (s *scanner) put(r rune) {
	n := &s.t.norm
	if n.strip && unicode.Is(nonspacing, r) {
		return
	}
	if n.lowercase {
		r = unicode.ToLower(r)
	}
	switch {
	case unicode.Is(punct, r):
		s.flush()
		s.word = utf8.AppendRune(s.word, r)
		s.runes = 1
		s.flush()
	case unicode.Is(space, r):
		s.flush()
	default:
		s.word = utf8.AppendRune(s.word, r)
		s.runes++
	}
}
