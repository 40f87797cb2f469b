// Package text turns text into the terms that BM25 counts: one analysis, with a
// version, for documents and queries alike. In: a string. Out: terms with their
// word positions and byte offsets. Callers: internal/lexical for both.
package text

// Version names this analysis. It is stored with each segment; terms of another
// version do not match these, so a change here means a reindex.
const Version = 1

// Token is one term of a text.
type Token struct {
	Term string
	// Position counts the words of the text from 0, stop words included. Several
	// tokens share one position when a word is indexed in more than one form (an
	// identifier whole and in parts, a CJK bigram).
	Position int
	// Start and End are byte offsets into the text.
	Start, End int
}

// Analyzer cuts texts into tokens. It is safe for concurrent use.
type Analyzer struct{ language string }

// New returns the analyzer of a language: a Snowball language, or "none" for no
// stemming and no stop words. Empty means "english".
func New(language string) (*Analyzer, error) { return &Analyzer{language: language}, nil }

// Tokens appends the tokens of s to dst, in order of their positions.
func (a *Analyzer) Tokens(dst []Token, s string) []Token { return dst }
