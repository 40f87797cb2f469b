package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// unicodePiece analyses s[start:end], which holds letters outside of ASCII and no
// white space.
func (w *worker) unicodePiece(start, end int) {
	it := words.FromString(w.s[start:end])
	at := start
	for it.Next() {
		n := len(it.Value())
		switch r, _ := utf8.DecodeRuneInString(w.s[at:]); {
		case unspaced(r):
			// UAX #29 leaves these scripts to dictionaries: take the run as it is.
			stop := at
			for stop < end {
				r, n := utf8.DecodeRuneInString(w.s[stop:])
				if !unspaced(r) && !unicode.Is(unicode.M, r) {
					break
				}
				stop += n
			}
			w.pairs(at, stop)
			for at+n < stop && it.Next() {
				n += len(it.Value())
			}
		case ascii(w.s[at : at+n]):
			w.piece(at, at+n)
		default:
			w.unicodeWord(at, at+n)
		}
		at += n
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unspaced reports scripts that write words without spaces, and Hangul, whose words
// carry endings: they are indexed as single characters and pairs.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

// unicodeWord emits one word.
func (w *worker) unicodeWord(start, end int) {
	w.buf = fold(w.buf[:0], w.s[start:end])
	letters, digits := false, false
	for _, r := range string(w.buf) {
		letters = letters || unicode.IsLetter(r)
		digits = digits || unicode.IsNumber(r)
	}
	if !letters && !digits {
		return
	}
	if len(w.buf) > MaxWordBytes {
		w.buf = w.buf[:MaxWordBytes]
		for len(w.buf) > 0 && !utf8.Valid(w.buf) {
			w.buf = w.buf[:len(w.buf)-1]
		}
	}
	if term := w.intern(w.buf, !digits); term != "" {
		w.dst = append(w.dst, Token{term, w.pos, start, end})
	}
	w.pos++
}

// pairs emits each character of an unspaced run, and each with its neighbour.
func (w *worker) pairs(start, end int) {
	run := w.s[start:end]
	exact := norm.NFKC.IsNormalString(run)
	if !exact {
		run = norm.NFKC.String(run) // offsets are then those of the whole run
	}
	offsets := func(from, to int) (int, int) {
		if exact {
			return start + from, start + to
		}
		return start, end
	}
	for i := 0; i < len(run); {
		n := cluster(run[i:])
		from, to := offsets(i, i+n)
		w.dst = append(w.dst, Token{w.intern([]byte(run[i:i+n]), false), w.pos, from, to})
		if i+n < len(run) {
			m := n + cluster(run[i+n:])
			from, to = offsets(i, i+m)
			w.dst = append(w.dst, Token{w.intern([]byte(run[i:i+m]), false), w.pos, from, to})
		}
		w.pos++
		i += n
	}
}

// cluster is the length of the first character with its marks.
func cluster(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	for n < len(s) && n < MaxWordBytes/4 {
		r, m := utf8.DecodeRuneInString(s[n:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		n += m
	}
	return n
}

// fold appends s in NFKC and lower case, without characters that only steer its
// layout, and with one kind of apostrophe.
func fold(dst []byte, s string) []byte {
	from := len(dst)
	dst = norm.NFKC.AppendString(dst, s)
	out := make([]byte, 0, len(dst)-from)
	for _, r := range string(dst[from:]) {
		switch {
		case r == '\u00ad' || r >= '\u200b' && r <= '\u200d' || r == '\ufeff':
			continue
		case r == '’':
			r = '\''
		}
		out = utf8.AppendRune(out, unicode.ToLower(r))
	}
	// Lower case can undo the normal form (İ).
	return norm.NFKC.Append(dst[:from], out...)
}
