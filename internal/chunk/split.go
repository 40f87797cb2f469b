package chunk

import (
	"slices"
	"strings"
	"unicode"
)

// Options say how large chunks are. The zero value takes every default.
type Options struct {
	// Count counts the tokens of a text as the embedding model does. Defaults to
	// [Estimate]. It should be additive over texts that are cut at white space.
	Count func(string) int
	// Target is the size to aim at where a section must be cut, in tokens. Defaults
	// to 300.
	Target int
	// Max is the largest chunk, in tokens. Defaults to 400.
	Max int
	// Limit is the largest passage (see [Passage]), in tokens: the model's window
	// without its special tokens. At least 400, to leave room beside the headings.
	// Defaults to 510.
	Limit int
	// Whole keeps a document in one chunk when its passage fits Limit.
	Whole bool
}

const (
	// minSection: a smaller section joins the next one, if that is below or beside it.
	minSection = 48
	// minRoom is left for text whatever the headings take.
	minRoom = 64
	// bytesPerToken bounds chunks in bytes too: a word of a million letters is one
	// token ([UNK]) to the model.
	bytesPerToken = 16
	// overlap is the share of Target that a chunk may repeat of the one before. Whole
	// sentences are repeated, so that it comes to 10 to 15 percent.
	overlap = 0.15
)

func (o Options) withDefaults() Options {
	if o.Count == nil {
		o.Count = Estimate
	}
	if o.Max <= 0 {
		o.Max = 400
	}
	if o.Target <= 0 || o.Target > o.Max {
		o.Target = o.Max * 3 / 4
	}
	if o.Limit <= 0 {
		o.Limit = 510
	}
	return o
}

// Estimate is about the number of WordPiece tokens of s: one for each mark and
// ideograph, and one for each six letters of a word, begun ones counted.
func Estimate(s string) int {
	n, word := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			word = 0
		case r > unicode.MaxLatin1 || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			n++
			word = 0
		default:
			if word%6 == 0 {
				n++
			}
			word++
		}
	}
	return n
}

// Split cuts a document into chunks. Together they hold every character of the text
// that is not white space; each is at most Max tokens, its passage at most Limit, in
// the count of o.Count. The time is linear in the text.
func Split(d Doc, title string, o Options) []Chunk {
	o = o.withDefaults()
	s := splitter{text: d.Text, title: title, o: o}
	if o.Whole && len(d.Text) <= o.Limit*bytesPerToken && o.Count(Passage(title, nil, d.Text)) <= o.Limit {
		s.add(0, len(d.Text), nil)
		return s.chunks
	}
	for _, sec := range s.sections(d.Blocks) {
		s.section(sec)
	}
	return s.chunks
}

type splitter struct {
	text   string
	title  string
	o      Options
	chunks []Chunk
}

// section is the blocks under one heading, that heading first.
type section struct {
	path   []string
	blocks []Block
	tokens int
}

func (s *section) headingOnly() bool { return len(s.blocks) == 1 && s.blocks[0].Kind == Heading }

// sections groups blocks by heading and joins sections that are too small to stand
// alone with the next, under the headings that both have.
func (s *splitter) sections(blocks []Block) []section {
	var out []section
	var stack []Block
	for _, b := range blocks {
		if b.Kind == Heading {
			for len(stack) > 0 && stack[len(stack)-1].Level >= b.Level {
				stack = stack[:len(stack)-1]
			}
			stack = append(stack, b)
		}
		if b.Kind == Heading || len(out) == 0 {
			path := make([]string, len(stack))
			for i, h := range stack {
				path[i] = h.Title
			}
			out = append(out, section{path: path})
		}
		last := &out[len(out)-1]
		last.blocks = append(last.blocks, b)
		last.tokens += s.o.Count(s.text[b.Start:b.End])
	}
	joined := out[:0]
	for _, next := range out {
		if n := len(joined); n > 0 {
			if cur := &joined[n-1]; s.joins(cur, &next) {
				if !cur.headingOnly() || len(cur.path) >= len(next.path) {
					cur.path = commonPath(cur.path, next.path)
				} else {
					cur.path = next.path
				}
				cur.blocks = append(cur.blocks, next.blocks...)
				cur.tokens += next.tokens
				continue
			}
		}
		joined = append(joined, next)
	}
	return joined
}

func (s *splitter) joins(cur, next *section) bool {
	if cur.tokens >= minSection || cur.tokens+next.tokens > s.o.Target {
		return false
	}
	shared := len(commonPath(cur.path, next.path))
	return shared == len(cur.path) || shared == len(cur.path)-1 && len(next.path) == len(cur.path)
}

func commonPath(a, b []string) []string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n:n]
}

// room is how many tokens a chunk under these headings may have.
func (s *splitter) room(headings []string) int {
	return max(minRoom, min(s.o.Max, s.o.Limit-s.o.Count(prefix(s.title, headings, ""))))
}

func (s *splitter) section(sec section) {
	if len(sec.blocks) == 0 {
		return
	}
	start, end := sec.blocks[0].Start, sec.blocks[len(sec.blocks)-1].End
	room := s.room(sec.path)
	if sec.tokens <= room && end-start <= room*bytesPerToken && s.fits(start, end, sec.path) {
		s.add(start, end, sec.path)
		return
	}
	var atoms []atom
	for _, b := range sec.blocks {
		atoms = s.appendAtoms(atoms, b, room)
	}
	s.pack(atoms, sec, room)
}

// fits checks a chunk as the model will see it.
func (s *splitter) fits(start, end int, headings []string) bool {
	start, end = trim(s.text, start, end)
	return s.o.Count(Passage(s.title, headings, s.text[start:end])) <= s.o.Limit
}

// pack fills chunks with atoms up to the best break.
func (s *splitter) pack(atoms []atom, sec section, sectionRoom int) {
	rest := 0
	for _, a := range atoms {
		rest += a.tokens
	}
	for from := 0; from < len(atoms); {
		headings, room := sec.path, sectionRoom
		if h := atoms[from].header; h != "" {
			headings = append(slices.Clip(headings), h)
			room = s.room(headings)
		}
		// At least one atom; more while they fit.
		to, tokens := from+1, atoms[from].tokens
		for to < len(atoms) && tokens+atoms[to].tokens <= room && atoms[to].end-atoms[from].start <= room*bytesPerToken {
			tokens += atoms[to].tokens
			to++
		}
		if to < len(atoms) {
			target := s.o.Target
			if rest < 2*target { // two halves rather than a chunk and a crumb
				target = rest/2 + 1
			}
			to = bestBreak(atoms, from, to, min(target, room))
		}
		for to > from+1 && !s.fits(atoms[from].start, atoms[to-1].end, headings) {
			to--
		}
		s.add(atoms[from].start, atoms[to-1].end, headings)
		next := to
		if to < len(atoms) {
			next = s.overlapFrom(atoms, from, to, room)
		}
		for _, a := range atoms[from:next] {
			rest -= a.tokens
		}
		from = next
	}
}

// bestBreak chooses where to end a chunk that begins at from and could reach to: the
// break's quality counts less the further it is from the target size, by the square
// of the distance.
func bestBreak(atoms []atom, from, to, target int) int {
	best, bestScore := to, -1.0
	tokens := 0
	for k := from; k < to; k++ {
		tokens += atoms[k].tokens
		d := float64(tokens-target) / float64(target)
		if d < -0.6 {
			continue
		}
		score := float64(atoms[k].quality) * (1 - 0.7*min(1, d*d*4))
		if score >= bestScore {
			best, bestScore = k+1, score
		}
	}
	return best
}

// overlapFrom steps back over whole sentences, as long as the next chunk still gets
// something new.
func (s *splitter) overlapFrom(atoms []atom, from, to, room int) int {
	budget := min(int(overlap*float64(s.o.Target)), room-atoms[to].tokens)
	next := to
	for k := to - 1; k > from && atoms[k].prose && atoms[to].prose; k-- {
		if budget -= atoms[k].tokens; budget < 0 {
			break
		}
		next = k
	}
	if atoms[to].end-atoms[next].start > room*bytesPerToken {
		return to
	}
	return next
}

// add appends a chunk unless it is blank.
func (s *splitter) add(start, end int, headings []string) {
	start, end = trim(s.text, start, end)
	if start < end {
		s.chunks = append(s.chunks, Chunk{Text: s.text[start:end], Start: start, End: end, Headings: headings})
	}
}

// trim leaves out blank lines before and white space after; the indentation of the
// first line stays.
func trim(text string, start, end int) (int, int) {
	part := strings.TrimRightFunc(text[start:end], unicode.IsSpace)
	end = start + len(part)
	if blank := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace)); blank > 0 {
		if i := strings.LastIndexByte(part[:blank], '\n'); i >= 0 {
			start += i + 1
		}
	}
	return start, end
}
