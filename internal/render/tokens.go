package render

import (
	"hash/maphash"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Encoding names a tokenizer.
type Encoding string

// The encodings that CountTokensIn knows.
const (
	O200k  Encoding = "o200k_base"  // of current models; what the ledger counts with
	CL100k Encoding = "cl100k_base" // of older models
)

// Encodings lists the names of the known encodings.
func Encodings() []Encoding { return []Encoding{O200k, CL100k} }

type counter struct {
	once  sync.Once
	codec tokenizer.Codec
	err   error
}

var counters = map[Encoding]*counter{O200k: {}, CL100k: {}}

func (c *counter) load(name Encoding) (tokenizer.Codec, error) {
	c.once.Do(func() { c.codec, c.err = tokenizer.Get(tokenizer.Encoding(name)) })
	return c.codec, c.err
}

// maxRun bounds a stretch of text without white space or a change between
// letters and others: the merge step of a BPE tokenizer takes quadratic time in
// its length. Longer stretches are counted in pieces, which can only overcount,
// by at most one token a piece.
const maxRun = 2048

// CountTokens counts the o200k tokens of s. It is safe for concurrent use; the
// first call loads the vocabulary (about 20 ms), later ones count some 3 MB a
// second. Special tokens in s count as ordinary text.
func CountTokens(s string) int { return CountTokensIn(O200k, s) }

// CountTokensIn is CountTokens in another encoding; an unknown one counts as
// O200k.
func CountTokensIn(enc Encoding, s string) int {
	c, ok := counters[enc]
	if !ok {
		enc, c = O200k, counters[O200k]
	}
	codec, err := c.load(enc)
	if err != nil {
		// The vocabularies are part of the program; this cannot happen in a
		// program that was built whole. Four bytes a token is the usual mean.
		return (len(s) + 3) / 4
	}
	total := 0
	for len(s) > 0 {
		piece := s
		if end := runEnd(s); end < len(s) {
			piece = s[:end]
		}
		s = s[len(piece):]
		if strings.Contains(piece, "<|") {
			total += countSplit(codec, piece)
			continue
		}
		n, err := codec.Count(piece)
		if err != nil {
			n = (len(piece) + 3) / 4
		}
		total += n
	}
	return total
}

// countSplit counts text that may hold special tokens such as <|endoftext|>,
// which arrive here as ordinary text of a document.
func countSplit(codec tokenizer.Codec, s string) int {
	total := 0
	for i, part := range strings.SplitAfter(s, "<") {
		if i == 0 && part == "" {
			continue
		}
		n, err := codec.Count(part)
		if err != nil {
			n = (len(part) + 3) / 4
		}
		total += n
	}
	return total
}

// runEnd returns where to cut s so that no stretch in the first part is longer
// than maxRun; len(s) when no cut is needed.
func runEnd(s string) int {
	start, class := 0, 0
	for i, r := range s {
		k := 1
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			k = 0
		case r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf:
			k = 2
		}
		if k != class {
			start, class = i, k
			continue
		}
		if i-start >= maxRun {
			return i
		}
	}
	return len(s)
}

// A TokenCache remembers the token counts of texts it has seen. It is safe for
// concurrent use. The zero value is ready; it holds about 100,000 counts.
type TokenCache struct {
	mu   sync.Mutex
	seed maphash.Seed
	gens [2]map[tokenKey]int32
}

type tokenKey struct {
	hash uint64
	size int
}

const cacheGeneration = 50_000

// Count returns CountTokens(s).
func (c *TokenCache) Count(s string) int {
	c.mu.Lock()
	if c.gens[0] == nil {
		c.seed = maphash.MakeSeed()
		c.gens[0] = make(map[tokenKey]int32)
	}
	seed := c.seed
	c.mu.Unlock()
	key := tokenKey{maphash.String(seed, s), len(s)}
	c.mu.Lock()
	n, ok := c.gens[0][key]
	if !ok {
		if n, ok = c.gens[1][key]; ok {
			c.put(key, n)
		}
	}
	c.mu.Unlock()
	if ok {
		return int(n)
	}
	count := CountTokens(s)
	c.mu.Lock()
	c.put(key, int32(count))
	c.mu.Unlock()
	return count
}

// put stores under the lock; a full generation pushes out the one before it.
func (c *TokenCache) put(key tokenKey, n int32) {
	if len(c.gens[0]) >= cacheGeneration {
		c.gens[1], c.gens[0] = c.gens[0], make(map[tokenKey]int32)
	}
	c.gens[0][key] = n
}
