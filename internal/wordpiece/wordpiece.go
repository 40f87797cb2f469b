// Package wordpiece is the BERT tokenizer: text goes in, token ids come out, as
// Hugging Face's tokenizers library makes them from a tokenizer.json. It is
// pure code: the caller reads the file. internal/embed and rerank call it.
//
// One difference is meant: text that looks like a special token ("[SEP]") is
// tokenised as ordinary text here, where the original turns it into the
// special id. Documents and queries are not trusted to steer the model.
package wordpiece

import (
	"unicode/utf8"
)

// Tokenizer is a WordPiece vocabulary with the BERT normalisation. It is
// read-only after Parse and safe for concurrent use.
type Tokenizer struct {
	vocab map[string]int32 // pieces that start a word
	cont  map[string]int32 // pieces that go on, without their prefix
	size  int              // largest id + 1

	maxPiece     int // bytes of the longest piece
	maxWordRunes int // longer words become [UNK]

	unk, cls, sep, pad int64
	norm               normalizer
}

// VocabSize is one more than the largest token id.
func (t *Tokenizer) VocabSize() int { return t.size }

// Special returns the ids of [CLS], [SEP], [UNK] and [PAD].
func (t *Tokenizer) Special() (cls, sep, unk, pad int64) {
	return t.cls, t.sep, t.unk, t.pad
}

// Append appends the tokens of text to dst, without special tokens, and stops
// once it has appended limit of them; a negative limit means all.
func (t *Tokenizer) Append(dst []int64, text string, limit int) []int64 {
	if limit < 0 {
		limit = int(^uint(0) >> 1)
	}
	s := scanner{t: t, dst: dst, stop: saturatingAdd(len(dst), limit)}
	s.scan(text)
	return s.dst
}

// Count is the number of tokens of text, without special tokens.
func (t *Tokenizer) Count(text string) int {
	// The ids are counted in pieces of a fixed buffer's size, so that a long
	// text costs no memory.
	s := scanner{t: t, dst: make([]int64, 0, 256), stop: int(^uint(0) >> 1), count: true}
	s.scan(text)
	return s.counted + len(s.dst)
}

// Encode appends [CLS] text [SEP] to dst, cut to at most limit ids, the two
// special ones included. A limit below 2 counts as 2.
func (t *Tokenizer) Encode(dst []int64, text string, limit int) []int64 {
	limit = max(limit, 2)
	dst = append(dst, t.cls)
	dst = t.Append(dst, text, limit-2)
	return append(dst, t.sep)
}

// AppendPair appends [CLS] a [SEP] b [SEP] to ids, and to types 0 for the
// first part (up to the first [SEP]) and 1 for the second. The parts are given
// as tokens; the caller has cut them.
func (t *Tokenizer) AppendPair(ids, types, a, b []int64) (outIDs, outTypes []int64) {
	ids = append(ids, t.cls)
	ids = append(ids, a...)
	ids = append(ids, t.sep)
	ids = append(ids, b...)
	ids = append(ids, t.sep)
	for range len(a) + 2 {
		types = append(types, 0)
	}
	for range len(b) + 1 {
		types = append(types, 1)
	}
	return ids, types
}

// scanner walks over one text. Its word buffer holds the normalised word being
// read; at a boundary the word is cut into pieces.
type scanner struct {
	t       *Tokenizer
	dst     []int64
	stop    int // length of dst at which to end
	word    []byte
	runes   int
	count   bool // only count: dst is emptied when full
	counted int
	space   [128]byte
}

func (s *scanner) full() bool {
	if s.count && len(s.dst) > cap(s.dst)/2 {
		s.counted += len(s.dst)
		s.dst = s.dst[:0]
	}
	return len(s.dst) >= s.stop
}

// scan tokenises text until its end or until dst is full.
func (s *scanner) scan(text string) {
	s.word = s.space[:0]
	n := &s.t.norm
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			i += s.other(text[i:])
			if s.full() {
				s.dst = s.dst[:s.stop]
				return
			}
			continue
		}
		i++
		switch n.ascii[c] {
		case classLetter:
			s.word = append(s.word, n.lower[c])
			s.runes++
			continue
		case classDrop:
			continue
		case classSpace:
			s.flush()
		case classPunct:
			s.flush()
			s.word = append(s.word, c)
			s.runes = 1
			s.flush()
		}
		if s.full() {
			s.dst = s.dst[:s.stop]
			return
		}
	}
	s.flush()
	if len(s.dst) > s.stop {
		s.dst = s.dst[:s.stop]
	}
}

// flush cuts the current word into the longest pieces from left to right. A
// word with a part that is in no piece becomes one [UNK].
func (s *scanner) flush() {
	if len(s.word) == 0 {
		return
	}
	word, runes, t := s.word, s.runes, s.t
	s.word, s.runes = s.word[:0], 0
	if runes > t.maxWordRunes {
		s.dst = append(s.dst, t.unk)
		return
	}
	start := len(s.dst)
	pieces := t.vocab
	for len(word) > 0 {
		end := min(len(word), t.maxPiece)
		id, ok := int32(0), false
		for ; end > 0; end-- {
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			if id, ok = pieces[string(word[:end])]; ok {
				break
			}
		}
		if !ok {
			s.dst = append(s.dst[:start], t.unk)
			return
		}
		s.dst = append(s.dst, int64(id))
		word = word[end:]
		pieces = t.cont
	}
}

func saturatingAdd(a, b int) int {
	if b > int(^uint(0)>>1)-a {
		return int(^uint(0) >> 1)
	}
	return a + b
}
