package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// atom is a run of text that is not cut. Atoms of a section follow one another
// without gaps.
type atom struct {
	start, end int
	tokens     int
	// quality of a cut behind the atom, 0 to 100.
	quality int
	// prose may be repeated at the head of the next chunk.
	prose bool
	// header is the header row of the table that the atom continues.
	header string
}

// Qualities of breaks, best first.
const (
	qualityHeading   = 100
	qualityBlock     = 80
	qualityBlankLine = 50
	qualitySentence  = 40
	qualityLine      = 30
	qualityWord      = 5
	qualityByte      = 1
)

// appendAtoms cuts a block as finely as may be needed: code stays whole when it fits
// into a chunk of room tokens.
func (s *splitter) appendAtoms(atoms []atom, b Block, room int) []atom {
	text := s.text[b.Start:b.End]
	first := len(atoms)
	switch b.Kind {
	case Heading:
		// A cut right behind a heading would tear it from its text.
		return append(atoms, s.tokenLimited(nil, b.Start, b.End, room, 0)...)
	case Code:
		if n := s.o.Count(text); n <= room && len(text) <= room*bytesPerToken {
			return append(atoms, atom{start: b.Start, end: b.End, tokens: n, quality: qualityBlock})
		}
		atoms = s.lines(atoms, b.Start, b.End, room)
	case List:
		atoms = s.lines(atoms, b.Start, b.End, room)
	case Table:
		if b.HeaderEnd > b.Start && b.HeaderEnd < b.End {
			atoms = s.tokenLimited(atoms, b.Start, b.HeaderEnd, room, 0)
			rows := len(atoms)
			atoms = s.lines(atoms, b.HeaderEnd, b.End, room)
			for i := rows; i < len(atoms); i++ {
				atoms[i].header = b.Title
			}
		} else {
			atoms = s.lines(atoms, b.Start, b.End, room)
		}
	default:
		for at := 0; at < len(text); {
			end := sentenceEnd(text, at)
			atoms = s.tokenLimited(atoms, b.Start+at, b.Start+end, room, qualitySentence)
			at = end
		}
		for i := first; i < len(atoms); i++ {
			atoms[i].prose = true
		}
	}
	if len(atoms) > first {
		atoms[len(atoms)-1].quality = qualityBlock
	}
	return atoms
}

// lines makes an atom of each line; blank lines stay with the line before.
func (s *splitter) lines(atoms []atom, start, end, room int) []atom {
	for at := start; at < end; {
		stop := min(at+lineEnd(s.text[at:end], 0), end)
		quality := qualityLine
		for stop < end {
			next := stop + lineEnd(s.text[stop:end], 0)
			if strings.TrimSpace(s.text[stop:next]) != "" {
				break
			}
			stop, quality = next, qualityBlankLine
		}
		atoms = s.tokenLimited(atoms, at, stop, room, quality)
		at = stop
	}
	return atoms
}

// tokenLimited makes one atom, or several cut at white space when it is too large, or
// cut anywhere between runes when there is no white space.
func (s *splitter) tokenLimited(atoms []atom, start, end, room, quality int) []atom {
	const (
		wordBytes = 48 // a cut piece of a word has at most this many tokens
		runTokens = 24
	)
	text := s.text[start:end]
	if len(text) <= wordBytes || len(text) <= room*bytesPerToken/4 {
		if n := s.o.Count(text); n <= room/2 || len(text) <= wordBytes {
			return append(atoms, atom{start: start, end: end, tokens: n, quality: quality})
		}
	}
	run := atom{start: start, end: start, quality: qualityWord}
	flush := func() {
		if run.end > run.start {
			atoms = append(atoms, run)
		}
		run = atom{start: run.end, end: run.end, quality: qualityWord}
	}
	for at := 0; at < len(text); {
		stop := wordEnd(text, at, wordBytes)
		n := s.o.Count(text[at:stop])
		if run.tokens+n > runTokens || start+stop-run.start > room*bytesPerToken/4 {
			flush()
		}
		run.end, run.tokens = start+stop, run.tokens+n
		if !endsInSpace(text[at:stop]) && stop < len(text) {
			run.quality = qualityByte
			flush()
		}
		at = stop
	}
	flush()
	atoms[len(atoms)-1].quality = quality
	return atoms
}

// wordEnd is the end of the word at at with the white space behind it, or of its
// first limit bytes.
func wordEnd(s string, at, limit int) int {
	i := at
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			break
		}
		if i+size-at > limit {
			return i
		}
		i += size
	}
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

func endsInSpace(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}

// sentenceEnd is the end of the sentence at at with the white space behind it: a full
// stop, question or exclamation mark, closing marks, then white space.
func sentenceEnd(s string, at int) int {
	for i := at; i < len(s); {
		j := strings.IndexAny(s[i:], ".!?。！？\n")
		if j < 0 {
			return len(s)
		}
		r, size := utf8.DecodeRuneInString(s[i+j:])
		i += j + size
		if r == '\n' {
			// Only a blank line ends a sentence; text is wrapped.
			if i < len(s) && s[i] != '\n' {
				continue
			}
		} else {
			for i < len(s) && strings.IndexByte(`"')]*_`, s[i]) >= 0 {
				i++
			}
		}
		wide := r > unicode.MaxLatin1
		if i < len(s) && !wide && s[i] != ' ' && s[i] != '\n' && s[i] != '\t' && r != '\n' {
			continue
		}
		for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t') {
			i++
		}
		return i
	}
	return len(s)
}
