package lexical

import (
	"context"
	"fmt"
	"slices"

	"github.com/bmcis/bmcis/internal/segment"
)

// Analysis is a parsed query with the statistics of its terms.
type Analysis struct {
	Terms []Term
	// Phrases are the quoted parts, as written.
	Phrases   []string
	Documents int64
	// Notes say what of the query was cut or ignored.
	Notes []string

	collection int64
	view       *view
}

// Analyze parses text as a query and looks its terms up, without scoring anything.
func (ix *Index) Analyze(ctx context.Context, c Collection, queryText string) (*Analysis, error) {
	var out *Analysis
	err := ix.loaded(ctx, Query{Collection: c, Text: queryText}, func(x *execution) {
		r := x.result()
		out = &Analysis{Terms: r.Terms, Phrases: x.parsed.phrases, Documents: r.Documents, Notes: r.Degraded, collection: c.ID, view: x.view}
	})
	if err != nil {
		return nil, fmt.Errorf("analyze query: %w", err)
	}
	return out, nil
}

// Score gives the BM25 of chunks for the query's terms, 0 where none matches and for
// chunks that are not in the index. Filter, +must and -not do not matter to it.
func (ix *Index) Score(ctx context.Context, q Query, chunks []int64) ([]float64, error) {
	var out []float64
	err := ix.loaded(ctx, q, func(x *execution) { out = x.scoreChunks(chunks) })
	if err != nil {
		return nil, fmt.Errorf("score %d chunks: %w", len(chunks), err)
	}
	return out, nil
}

func (x *execution) scoreChunks(chunks []int64) []float64 {
	out := make([]float64, len(chunks))
	for i, s := range x.view.segs {
		if x.read.bad[s.segState] != nil {
			continue
		}
		var lists []postings
		for k, chunk := range chunks {
			d, ok := s.find(chunk)
			if !ok {
				continue
			}
			if lists == nil {
				lists = x.postingsOf(make([]postings, 0, len(x.terms)), i)
			}
			out[k] = x.scoreDoc(i, d, lists, nil)
		}
	}
	return out
}

// find gives the number of a chunk's document unless it is deleted.
func (s *viewSeg) find(chunk int64) (uint32, bool) {
	d, ok := s.docs.Find(chunk)
	if !ok || s.alive != nil && s.alive[d>>6]>>(d&63)&1 == 0 {
		return 0, false
	}
	return d, true
}

// scoreDoc adds up the score of one document, in the order of all scoring. visit, if
// not nil, sees each term that it has: its place in x.terms, its shape and its part.
func (x *execution) scoreDoc(seg int, d uint32, lists []postings, visit func(term int, shape segment.Shape, part float64)) float64 {
	inv := x.scoring.inv[seg][x.scoring.lens[seg].code[d]]
	var sum float64
	for i, l := range lists {
		if l.List == nil {
			continue
		}
		at, ok := slices.BinarySearch(l.Docs, d)
		if !ok {
			continue
		}
		part := gainOf(l.gain, l.wtf[l.Codes[at]]*inv)
		sum += part
		if visit != nil {
			shapes := x.view.segs[seg].meta.Shapes
			if t := x.terms[i]; t.name < 0 {
				shapes = x.merged[seg][t.pre].shapes
			}
			visit(i, shapes[l.Codes[at]], part)
		}
	}
	return sum
}

// Explanation says how a score came about.
type Explanation struct {
	Chunk int64
	// Found is false when the chunk is not in the index.
	Found bool
	Score float64
	// Formula is how the parts follow from the numbers.
	Formula string
	// Length is the chunk's weighted length, Average that of the collection.
	Length, Average float64
	K1, B           float64
	Weights         FieldWeights
	Terms           []TermScore
	// Degraded names what of the query was cut or could not be read.
	Degraded []string
}

// TermScore is one term's part in a score.
type TermScore struct {
	Term
	// Count is how often the query has the term.
	Count int
	// Title, Headings, Body and Path are its frequencies in the chunk's fields.
	Title, Headings, Body, Path uint32
	Score                       float64
}

const formula = "score = Σ count·idf·tf/(tf + k1·(1 - b + b·length/average)), idf = ln(1 + (documents - df + 0.5)/(df + 0.5)), tf and length weighted by field"

// Explain says how the score of a chunk comes about. It calls what Search calls.
func (ix *Index) Explain(ctx context.Context, q Query, chunk int64) (*Explanation, error) {
	var out *Explanation
	err := ix.loaded(ctx, q, func(x *execution) { out = x.explain(chunk) })
	if err != nil {
		return nil, fmt.Errorf("explain chunk %d: %w", chunk, err)
	}
	return out, nil
}

func (x *execution) explain(chunk int64) *Explanation {
	w := x.params.weights
	out := &Explanation{
		Chunk: chunk, Formula: formula, K1: x.params.k1, B: x.params.b,
		Weights:  FieldWeights{w[segment.Title], w[segment.Headings], w[segment.Body], w[segment.Path]},
		Average:  x.scoring.average,
		Degraded: x.result().Degraded,
	}
	for i, s := range x.view.segs {
		d, ok := s.find(chunk)
		if !ok || x.read.bad[s.segState] != nil {
			continue
		}
		out.Found = true
		l := x.scoring.lens[i]
		out.Length = l.value[l.code[d]]
		out.Score = x.scoreDoc(i, d, x.postingsOf(nil, i), func(term int, shape segment.Shape, part float64) {
			t := x.terms[term]
			out.Terms = append(out.Terms, TermScore{
				Term: Term{t.text, t.df, t.idf}, Count: t.count,
				Title: shape[segment.Title], Headings: shape[segment.Headings], Body: shape[segment.Body], Path: shape[segment.Path],
				Score: part,
			})
		})
	}
	return out
}
