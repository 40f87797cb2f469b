package text

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

type stemmer func(*snowballstem.Env) bool

var stemmers = map[string]stemmer{
	"none":       nil,
	"arabic":     arabic.Stem,
	"danish":     danish.Stem,
	"dutch":      dutch.Stem,
	"english":    english.Stem,
	"finnish":    finnish.Stem,
	"french":     french.Stem,
	"german":     german.Stem,
	"hungarian":  hungarian.Stem,
	"irish":      irish.Stem,
	"italian":    italian.Stem,
	"norwegian":  norwegian.Stem,
	"portuguese": portuguese.Stem,
	"romanian":   romanian.Stem,
	"russian":    russian.Stem,
	"spanish":    spanish.Stem,
	"swedish":    swedish.Stem,
	"tamil":      tamil.Stem,
	"turkish":    turkish.Stem,
}

// apply stems a folded word. A stemmer that stumbles over a word, or leaves nothing of
// it, leaves the word as it is.
func (s stemmer) apply(word string) (out string) {
	if s == nil {
		return word
	}
	defer func() {
		if recover() != nil || out == "" {
			out = word
		}
	}()
	env := snowballstem.NewEnv(word)
	s(env)
	return env.Current()
}

// englishStopWords are the 33 words that Lucene and its relatives leave out, and "i": the
// pronoun of many questions ("how do I ...") is the counter of many programs.
var englishStopWords = set(
	"a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "i", "if", "in", "into", "is", "it",
	"no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
	"they", "this", "to", "was", "will", "with")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
