package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCache bounds the words whose stems a worker remembers.
const maxCache = 1 << 16

// worker analyses one text at a time. It remembers stems: a language's frequent words
// are stemmed, and their strings made, once.
type worker struct {
	a     *Analyzer
	dst   []Token
	s     string
	pos   int
	cache map[string]string // folded word → term, "" for a stop word
	buf   []byte
	words []span
	// seen are the camelCase words of this text whose parts have been emitted: a word
	// that is repeated counts once for each of its parts.
	seen map[string]bool
}

// span is a piece of worker.s.
type span struct{ start, end int }

// run cuts the text at white space and at punctuation outside of ASCII.
func (w *worker) run() {
	s := w.s
	for i := 0; i < len(s); {
		if class[s[i]] == space {
			i++
			continue
		}
		start, ascii := i, true
		for i < len(s) {
			if c := s[i]; c < utf8.RuneSelf {
				if class[c] == space {
					break
				}
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if !wordRune(r, n) {
				break
			}
			ascii = false
			i += n
		}
		switch {
		case i == start: // a rune between pieces
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
		case ascii:
			w.piece(start, i)
		default:
			w.unicodePiece(start, i)
		}
	}
}

// wordRune reports whether a rune outside of ASCII can be in a word.
func wordRune(r rune, size int) bool {
	if r == utf8.RuneError && size == 1 {
		return false
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M) || r == '’' || r == '·' ||
		r == '\u00ad' || r == '\u200c' || r == '\u200d' || unicode.Is(unicode.Pc, r)
}

const (
	other = iota
	space
	lower
	upper
	digit
	joiner // between the parts of an identifier
	quote  // within a word
)

var class = func() (t [256]byte) {
	for c := range t {
		switch {
		case c <= ' ' || c == 0x7f:
			t[c] = space
		case 'a' <= c && c <= 'z':
			t[c] = lower
		case 'A' <= c && c <= 'Z':
			t[c] = upper
		case '0' <= c && c <= '9':
			t[c] = digit
		case c < utf8.RuneSelf && strings.IndexByte("._-/\\:@", byte(c)) >= 0:
			t[c] = joiner
		case c == '\'':
			t[c] = quote
		}
	}
	return t
}()

func isWord(c byte) bool { k := class[c]; return k == lower || k == upper || k == digit }

// piece analyses s[i:end], which is ASCII without white space.
func (w *worker) piece(i, end int) {
	s := w.s
	for i < end {
		if !isWord(s[i]) && s[i] != '_' {
			i++
			continue
		}
		// A chain of words with joiners between them.
		start := i
		w.words = w.words[:0]
		for i < end && s[i] == '_' {
			i++
		}
		for i < end && isWord(s[i]) {
			from := i
			i = wordEnd(s, i, end)
			w.words = append(w.words, span{from, i})
			// At most two joiners ("::", "__") lead to the next word.
			j := i
			for j < end && j < i+2 && class[s[j]] == joiner {
				j++
			}
			if j == i || j == end || !isWord(s[j]) {
				break
			}
			i = j
		}
		if len(w.words) == 0 {
			continue // underscores only
		}
		if s[start] == '_' || len(w.words) > 1 {
			for i < end && s[i] == '_' {
				i++
			}
		}
		w.chain(start, i)
		if i < end && (s[i] == '+' || s[i] == '#') {
			i = w.suffix(i, end)
		}
	}
}

// wordEnd is where the word that begins at i ends: letters and digits, an apostrophe
// between letters, a point or comma between digits.
func wordEnd(s string, i, end int) int {
	for i < end {
		c := s[i]
		switch {
		case isWord(c):
		case i+1 < end && c == '\'' && class[s[i-1]] != digit && isLetter(s[i+1]):
		case i+1 < end && (c == '.' || c == ',') && class[s[i-1]] == digit && class[s[i+1]] == digit:
		default:
			return i
		}
		i++
	}
	return i
}

func isLetter(c byte) bool { return class[c] == lower || class[c] == upper }

// chain emits the words of an identifier (mostly one plain word), and the identifier
// whole.
func (w *worker) chain(start, end int) {
	first := w.pos
	at := len(w.dst)
	for _, word := range w.words {
		w.word(word.start, word.end)
	}
	if (len(w.words) == 1 && start == w.words[0].start && end == w.words[0].end) || end-start > MaxWordBytes {
		return
	}
	// The whole belongs to the first position, before the words that follow.
	w.dst = append(w.dst, Token{})
	for at < len(w.dst)-1 && w.dst[at].Position == first {
		at++
	}
	copy(w.dst[at+1:], w.dst[at:])
	w.dst[at] = Token{w.whole(w.s[start:end]), first, start, end}
}

// whole is the term of an identifier: folded, not stemmed. It is never that of a word,
// since it holds a joiner.
func (w *worker) whole(s string) string {
	w.buf = w.buf[:0]
	for i := range len(s) {
		c := s[i]
		if class[c] == upper {
			c += 'a' - 'A'
		}
		w.buf = append(w.buf, c)
	}
	return w.intern(w.buf, false)
}

// suffix emits names like C++ and F#, whose sign is all that tells them from a letter.
func (w *worker) suffix(i, end int) int {
	last := w.words[len(w.words)-1]
	j := i
	for j < end && j < i+2 && w.s[j] == w.s[i] {
		j++
	}
	if last.end-last.start > 2 || j < end && isWord(w.s[j]) || w.pos == 0 {
		return j
	}
	w.dst = append(w.dst, Token{w.whole(w.s[last.start:j]), w.pos - 1, last.start, j})
	return j
}

// word emits an ASCII word, the parts of a camelCase one, and the shorter forms of a
// version.
func (w *worker) word(start, end int) {
	s := w.s[start:min(end, start+MaxWordBytes)]
	w.buf = w.buf[:0]
	humps, digits, points, quoted := false, false, false, false
	for i := range len(s) {
		c := s[i]
		switch class[c] {
		case upper:
			humps = humps || i > 0 && (class[s[i-1]] == lower || i+1 < len(s) && class[s[i+1]] == lower)
			c += 'a' - 'A'
		case digit:
			digits = true
		case other: // a comma between digits
			continue
		case joiner:
			points = true
		case quote:
			quoted = true
		}
		w.buf = append(w.buf, c)
	}
	term := w.intern(w.buf, !digits)
	if term != "" {
		w.dst = append(w.dst, Token{term, w.pos, start, end})
	}
	if humps && !quoted && class[s[0]] != digit && !w.seen[term] { // O'Neill and 0xDEADBEEF have none
		if w.seen == nil {
			w.seen = map[string]bool{}
		}
		w.seen[term] = true
		w.humps(start, start+len(s))
	}
	if points {
		w.version(start, start+len(s))
	}
	w.pos++
}

// humps emits the parts of a camelCase word: at each change from small to capital, and
// before the last capital of a row that small letters follow (HTTPServer).
func (w *worker) humps(start, end int) {
	s, from := w.s, start
	for i := start + 1; i <= end; i++ {
		cut := i == end || class[s[i]] == upper && (class[s[i-1]] != upper || i+1 < end && class[s[i+1]] == lower)
		if !cut {
			continue
		}
		// Single letters, and all but nothing of the word, are no parts.
		if i-from >= 2 && i-from < end-start {
			w.buf = w.buf[:0]
			plain := true
			for _, c := range []byte(s[from:i]) {
				if class[c] == upper {
					c += 'a' - 'A'
				}
				plain = plain && class[c] == lower
				w.buf = append(w.buf, c)
			}
			if term := w.intern(w.buf, plain); term != "" {
				w.dst = append(w.dst, Token{term, w.pos, from, i})
			}
		}
		from = i
	}
}

// version emits what a version is also called: 1.2 for 1.2.3, 3.11 for python3.11.
func (w *worker) version(start, end int) {
	s := w.s[start:end]
	from := strings.IndexAny(s, "0123456789")
	points := 0
	for i := from; i < len(s); i++ {
		if s[i] != '.' {
			continue
		}
		if points++; points == 2 || points == 3 {
			w.dst = append(w.dst, Token{w.intern([]byte(s[from:i]), false), w.pos, start + from, start + i})
		}
	}
	if from > 0 && points > 0 {
		w.dst = append(w.dst, Token{w.intern([]byte(strings.ToLower(s[from:])), false), w.pos, start + from, end})
	}
}

// intern gives the term of a folded word: stemmed if it is a word of the language, ""
// if it is a stop word.
func (w *worker) intern(folded []byte, stem bool) string {
	if term, ok := w.cache[string(folded)]; ok {
		return term
	}
	word := string(folded)
	term := word
	if stem {
		if w.a.stop[word] {
			term = ""
		} else {
			term = w.a.stem.apply(word)
		}
	}
	if len(w.cache) >= maxCache {
		clear(w.cache)
	}
	w.cache[word] = term
	return term
}
