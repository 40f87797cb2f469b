package search

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bmcis/bmcis/internal/lru"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/internal/text"
)

// Texts ranks texts that are in no collection, such as descriptions of tools, by the rules
// that documents are ranked by: the same analysis of words, exact BM25 (with the defaults
// of a collection), the same embeddings, the router's weights, fusion by theoretical
// bounds. The statistics of words are those of the texts given, so an answer tells
// nothing of any other text. It is for some thousands of short texts: every one is
// scored. Its methods may be called concurrently.
type Texts struct {
	engine   *Engine
	analyzer *text.Analyzer
	words    *lru.Cache[[32]byte, *wordCounts]
	vectors  *vectorStore
	budget   time.Duration
}

// wordCounts are the terms of a text.
type wordCounts struct {
	counts map[string]int
	length int
}

// TextScore is one text's place in a ranking.
type TextScore struct {
	// Index into the texts that were given.
	Index int
	// Score is fused, within 0..1; the others as in [Hit].
	Score                     float64
	LexicalScore, VectorScore *float64
}

const (
	maxTexts    = 20_000
	textBudget  = 5 * time.Second
	textBatch   = 8
	textK1      = 1.2
	textB       = 0.75
	vectorFloor = 0.5 // a cosine at which two texts have nothing in common; see rank.DefaultCosineLow
)

// NewTexts returns a ranker with the engine's models. It keeps vectors in a file in
// cacheDir, so that another process need not make them again; "" keeps them in memory
// alone.
func (e *Engine) NewTexts(cacheDir string) (*Texts, error) {
	a, err := text.New("")
	if err != nil {
		return nil, err
	}
	return &Texts{engine: e, analyzer: a, words: lru.New[[32]byte, *wordCounts](maxTexts),
		vectors: &vectorStore{dir: cacheDir}, budget: textBudget}, nil
}

// Rank orders the texts by how well they answer the query, best first, and returns the
// first limit of those that share a word or some meaning with it. Vectors of texts are
// remembered; those that are not yet made within 5 s count by their words alone, and
// Degradation says so.
func (t *Texts) Rank(ctx context.Context, query string, texts []string, limit int) ([]TextScore, []Degradation, error) {
	if strings.TrimSpace(query) == "" {
		return nil, nil, invalid("the query is empty; ask with at least one word")
	}
	if len(texts) > maxTexts {
		return nil, nil, invalid("at most %d texts can be ranked, got %d", maxTexts, len(texts))
	}
	lex, terms, bound := t.lexical(query, texts)
	plan, err := route.Route(route.Input{Query: query, Terms: terms, Documents: int64(len(texts)), Limit: max(limit, 1), Rerank: route.Rerank(RerankOff)})
	if err != nil {
		return nil, nil, invalid("%v", err)
	}
	var degraded []Degradation
	vec, err := t.vector(ctx, query, texts)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		degraded = append(degraded, Degradation{Stage: "vector", Reason: err.Error()})
	}
	options := rank.FuseOptions{Weights: rank.Weights(plan.Weights), Bounds: rank.Bounds{Lexical: bound}}
	switch {
	case len(vec) == 0 || plan.Mode == route.Lexical:
		options.Weights, vec = rank.Weights{Lexical: 1}, nil
	case len(terms) == 0:
		options.Weights = rank.Weights{Vector: 1}
	}
	fused, err := rank.Fuse(options, rank.Leg{Hits: lex}, rank.Leg{Hits: vec})
	if err != nil {
		return nil, degraded, fmt.Errorf("rank texts: %w", err)
	}
	var out []TextScore
	for _, f := range fused {
		if len(out) == limit || f.Score <= 0 {
			break
		}
		s := TextScore{Index: int(f.ID), Score: f.Score}
		if f.Lexical.Known {
			s.LexicalScore = &f.Lexical.Score
		}
		if f.Vector.Known {
			s.VectorScore = &f.Vector.Score
		}
		out = append(out, s)
	}
	return out, degraded, nil
}

// lexical scores the texts by BM25: Σ idf·tf/(tf + k1·(1 − b + b·length/average)) over the
// query's terms. bound is the most that any text could have.
func (t *Texts) lexical(query string, texts []string) (scores []rank.Scored, terms []route.Term, bound float64) {
	asked := t.count(query)
	docs := make([]*wordCounts, len(texts))
	average := 0.0
	for i, s := range texts {
		docs[i] = t.count(s)
		average += float64(docs[i].length) / float64(len(texts))
	}
	sum := make([]float64, len(texts))
	for _, term := range slices.Sorted(maps.Keys(asked.counts)) { // sums are taken in one order
		df := 0
		for _, d := range docs {
			if d.counts[term] > 0 {
				df++
			}
		}
		idf := math.Log(1 + (float64(len(docs)-df)+0.5)/(float64(df)+0.5))
		terms = append(terms, route.Term{Text: term, DF: int64(df), IDF: idf})
		bound += idf
		for i, d := range docs {
			if tf := float64(d.counts[term]); tf > 0 {
				sum[i] += idf * tf / (tf + textK1*(1-textB+textB*float64(d.length)/max(average, 1)))
			}
		}
	}
	for i, s := range sum {
		if s > 0 {
			scores = append(scores, rank.Scored{ID: int64(i), Score: s})
		}
	}
	return scores, terms, bound
}

func (t *Texts) count(s string) *wordCounts {
	key := sha256.Sum256([]byte(s))
	if c, ok := t.words.Get(key); ok {
		return c
	}
	c := &wordCounts{counts: map[string]int{}}
	for _, token := range t.analyzer.Tokens(nil, s) {
		c.counts[token.Term]++
		c.length = max(c.length, token.Position+1)
	}
	t.words.Put(key, c)
	return c
}

// vector scores the texts by the cosine of their embeddings to the query's.
func (t *Texts) vector(ctx context.Context, query string, texts []string) ([]rank.Scored, error) {
	model, err := t.engine.embedder.get()
	if err != nil {
		return nil, err
	}
	asked, err := model.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	left, err := t.embed(ctx, texts, t.budget)
	if err == nil && left > 0 {
		err = fmt.Errorf("%d of %d texts have no vector yet; ask again", left, len(texts))
	}
	var scores []rank.Scored
	for i, s := range texts {
		v, ok := t.vectors.get(sha256.Sum256([]byte(s)))
		if !ok {
			continue
		}
		dot := 0.0
		for j, x := range v {
			dot += float64(x) * float64(asked[j])
		}
		if dot > vectorFloor {
			scores = append(scores, rank.Scored{ID: int64(i), Score: dot})
		}
	}
	return scores, err
}

// Prepare makes the vectors of texts, so that a later Rank need not.
func (t *Texts) Prepare(ctx context.Context, texts []string) error {
	_, err := t.embed(ctx, texts, 0)
	return err
}

// embed makes the vectors that are missing, as many as the budget allows (0: all), and
// returns how many are left.
func (t *Texts) embed(ctx context.Context, texts []string, budget time.Duration) (left int, err error) {
	model, err := t.engine.embedder.get()
	if err != nil {
		return len(texts), err
	}
	t.vectors.open(model.Space())
	var missing []string
	wanted := map[[32]byte]bool{}
	for _, s := range texts {
		key := sha256.Sum256([]byte(s))
		if _, ok := t.vectors.get(key); !ok && !wanted[key] {
			missing = append(missing, s)
		}
		wanted[key] = true
	}
	if len(missing) == 0 {
		return 0, nil
	}
	// What is made is kept, also when the caller has gone: the next one goes on from there.
	defer t.vectors.save(wanted)
	start := time.Now()
	for len(missing) > 0 {
		if budget > 0 && time.Since(start) > budget {
			return len(missing), nil
		}
		batch := missing[:min(textBatch, len(missing))]
		vectors, err := model.Passages(ctx, batch)
		if err != nil {
			return len(missing), err
		}
		for i, v := range vectors {
			t.vectors.put(sha256.Sum256([]byte(batch[i])), v)
		}
		missing = missing[len(batch):]
	}
	return 0, nil
}
