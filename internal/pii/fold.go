package pii

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// barrier stands in folded text for a token or a value that is known already. It
// belongs to no value.
const barrier = 0

// folded is text in a form that is easy to look through: digits, signs and spaces of
// all scripts as ASCII, invisible characters gone, escapes and "[at]" resolved,
// tokens as one barrier. It remembers where everything came from.
type folded struct {
	text string
	segs []segment // empty: text is the original
}

// A segment is a run of folded text, up to the next segment, that begins at offset
// from of the original. It is the original's bytes, or, if unit is set, one byte for
// something else.
type segment struct {
	at, from int
	unit     bool
}

// span returns where folded text [start, end) lies in the original.
func (f *folded) span(start, end int) (int, int) {
	if len(f.segs) == 0 {
		return start, end
	}
	i := f.segmentOf(start)
	j := f.segmentOf(end - 1)
	first := f.segs[i].from + start - f.segs[i].at
	if f.segs[j].unit {
		return first, f.segs[j+1].from
	}
	return first, f.segs[j].from + end - f.segs[j].at
}

func (f *folded) segmentOf(i int) int {
	return sort.Search(len(f.segs), func(k int) bool { return f.segs[k].at > i }) - 1
}

// fold folds text; values that are known already become barriers.
func fold(text string, known []Match) folded {
	var out []byte // nil as long as nothing had to be changed
	var segs []segment
	copied := 0 // text[:copied] is in out
	// replace writes b (nothing when n is 0) for text[i:j], back of the bytes before
	// it are dropped.
	replace := func(i, j, back int, b byte, n int) {
		if segs == nil {
			out = make([]byte, 0, len(text))
			segs = append(segs, segment{})
		}
		out = append(out, text[copied:i]...)
		out = out[:len(out)-back]
		if n == 1 {
			segs = append(segs, segment{at: len(out), from: i - back, unit: true})
			out = append(out, b)
		}
		segs = append(segs, segment{at: len(out), from: j})
		copied = j
	}
	for i := 0; i < len(text); {
		if len(known) > 0 && i >= known[0].Start {
			replace(known[0].Start, known[0].End, 0, barrier, 1)
			i = known[0].End
			known = known[1:]
			continue
		}
		b := text[i]
		if !is(b, isTrigger) {
			i++
			continue
		}
		n, c, width := foldAt(text, i)
		if len(known) > 0 && i+n > known[0].Start {
			n = 0
		}
		switch {
		case n == 0:
			i++
		case c == '@' || c == '.':
			// "ann [at] example [dot] com": the spaces belong to it.
			back, ahead := 0, 0
			if bracket(b) {
				for back < i-copied && back < 2 && text[i-back-1] == ' ' {
					back++
				}
				for ahead < 2 && at(text, i+n+ahead) == ' ' {
					ahead++
				}
				if len(known) > 0 && i+n+ahead > known[0].Start {
					ahead = max(0, known[0].Start-i-n)
				}
			}
			replace(i, i+n+ahead, back, c, 1)
			i += n + ahead
		case width == 2:
			i += n // as it is
		default:
			replace(i, i+n, 0, c, width)
			i += n
		}
	}
	if segs == nil {
		return folded{text: text}
	}
	out = append(out, text[copied:]...)
	return folded{text: string(out), segs: segs}
}

func bracket(b byte) bool { return b == '[' || b == '(' || b == '{' || b == '<' }

// foldAt looks at the trigger text[i]. It returns how many bytes it is about (0: one
// that stays), the ASCII byte they stand for, and whether that is written (width 1),
// nothing is (width 0), or they stay as they are (width 2).
func foldAt(text string, i int) (n int, c byte, width int) {
	rest := text[i:]
	switch b := rest[0]; {
	case b >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError {
			return n, 0, 2
		}
		c, width := foldRune(r)
		return n, c, width
	case b == '%' && len(rest) >= 3:
		switch rest[1:3] {
		case "40":
			return 3, '@', 1
		case "2B", "2b":
			return 3, '+', 1
		case "20":
			return 3, ' ', 1
		case "3A", "3a":
			return 3, ':', 1
		}
	case b == '\\' && len(rest) >= 2:
		switch rest[1] {
		case 'n', 'r':
			return 2, '\n', 1
		case 't':
			return 2, '\t', 1
		case '\\':
			return 2, 0, 2
		case 'u':
			if len(rest) >= 6 {
				switch strings.ToLower(rest[2:6]) {
				case "0040":
					return 6, '@', 1
				case "002b":
					return 6, '+', 1
				}
			}
		}
	case b == '&':
		for _, e := range [...]string{"&#64;", "&#x40;", "&#X40;", "&commat;"} {
			if strings.HasPrefix(rest, e) {
				return len(e), '@', 1
			}
		}
	case bracket(b):
		if b == '[' {
			if n := standInAt(rest); n > 0 {
				return n, barrier, 1
			}
		}
		if len(rest) >= 4 && i > 0 {
			end := closing[b]
			if rest[3] == end && strings.EqualFold(rest[1:3], "at") {
				return 4, '@', 1
			}
			if len(rest) >= 5 && rest[4] == end && strings.EqualFold(rest[1:4], "dot") {
				return 5, '.', 1
			}
		}
	}
	return 0, 0, 0
}

var closing = [256]byte{'[': ']', '(': ')', '{': '}', '<': '>'}

// foldRune returns what a character beyond ASCII stands for, with the width of foldAt.
func foldRune(r rune) (c byte, width int) {
	switch {
	case r < 0xA0:
		return 0, 2
	case r == 0xA0, r >= 0x2000 && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
		return ' ', 1
	case r == 0xAD, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x2064, r >= 0x2066 && r <= 0x2069, r == 0xFEFF:
		return 0, 0
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xFE58, r == 0xFE63:
		return '-', 1
	case r >= 0xFF01 && r <= 0xFF5E:
		return byte(r - 0xFEE0), 1
	case r == 0xFE6B:
		return '@', 1
	case r >= 0x0660 && unicode.Is(unicode.Nd, r):
		return '0' + digitValue(r), 1
	}
	return 0, 2
}

// digitValue returns the value of a decimal digit. Unicode keeps them in runs of ten
// from zero to nine.
func digitValue(r rune) byte {
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	return 0
}
