package tokenbench

import (
	"time"

	"github.com/bmcis/bmcis/internal/render"
)

// A Transcript is what crossed the model's boundary in one run of a script.
type Transcript struct {
	Catalogue string // instructions and tools, before the first turn
	Task      string
	Turns     []Turn // without the last one, which is the answer
	Answer    string // as the model writes it
	// Elapsed is the time of all turns without the model: calls under way, and pauses that
	// the script makes between looks.
	Elapsed time.Duration
}

// A Turn is one answer of the model that calls tools, and what they said.
type Turn struct {
	Calls   []string // as the model writes them
	Results []string // as it reads them
	Elapsed time.Duration
}

// Count is a number of tokens by what they are.
type Count struct {
	Catalogue int `json:"catalogue"`
	Task      int `json:"task"`
	Calls     int `json:"calls"`
	Results   int `json:"results"`
	Answer    int `json:"answer"`
}

// Without and With are the tokens that differ, each counted once, without and with the
// catalogue.
func (c Count) Without() int { return c.Task + c.Calls + c.Results + c.Answer }

// With is Without and the catalogue.
func (c Count) With() int { return c.Catalogue + c.Without() }

// Billed are the tokens of all turns, each of which resends what came before.
type Billed struct {
	// Input and Output are billed without caching.
	Input  int `json:"input"`
	Output int `json:"output"`
	// CacheWrite and CacheRead are what becomes of Input with prompt caching: each turn
	// reads what earlier turns had and writes what is new.
	CacheWrite int `json:"cache_write"`
	CacheRead  int `json:"cache_read"`
}

// Prices are US dollars for a million tokens.
type Prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheWrite float64 `json:"cache_write"`
	CacheRead  float64 `json:"cache_read"`
}

// DefaultPrices are those that the original system reckoned with, and for the cache what
// such models ask: a quarter more to write, a tenth to read.
var DefaultPrices = Prices{Input: 3, Output: 15, CacheWrite: 3.75, CacheRead: 0.3}

// Cost is what a bill costs in dollars, without and with caching.
func (p Prices) Cost(b Billed) (without, with float64) {
	out := p.Output * float64(b.Output) / 1e6
	return p.Input*float64(b.Input)/1e6 + out, (p.CacheWrite*float64(b.CacheWrite)+p.CacheRead*float64(b.CacheRead))/1e6 + out
}

// A counter counts tokens and remembers texts that come again. It is not for concurrent
// use.
type counter map[render.Encoding]map[string]int

func (c counter) tokens(enc render.Encoding, s string) int {
	known := c[enc]
	if known == nil {
		known = map[string]int{}
		c[enc] = known
	}
	n, ok := known[s]
	if !ok {
		n = render.CountTokensIn(enc, s)
		known[s] = n
	}
	return n
}

// unique counts each token of a transcript once.
func (c counter) unique(enc render.Encoding, t Transcript) Count {
	n := Count{Catalogue: c.tokens(enc, t.Catalogue), Task: c.tokens(enc, t.Task), Answer: c.tokens(enc, t.Answer)}
	for _, turn := range t.Turns {
		for _, s := range turn.Calls {
			n.Calls += c.tokens(enc, s)
		}
		for _, s := range turn.Results {
			n.Results += c.tokens(enc, s)
		}
	}
	return n
}

// billed counts what every turn sends and gets, the catalogue included.
func (c counter) billed(enc render.Encoding, t Transcript) Billed {
	var b Billed
	before, seen := c.tokens(enc, t.Catalogue)+c.tokens(enc, t.Task), 0
	turn := func(written int) {
		b.Input += before
		b.CacheRead += seen
		b.CacheWrite += before - seen
		b.Output += written
		seen = before
		before += written
	}
	for _, step := range t.Turns {
		written, read := 0, 0
		for _, s := range step.Calls {
			written += c.tokens(enc, s)
		}
		for _, s := range step.Results {
			read += c.tokens(enc, s)
		}
		turn(written)
		before += read
	}
	turn(c.tokens(enc, t.Answer))
	return b
}
