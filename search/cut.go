package search

import (
	"context"
	"fmt"
	"time"

	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/rank"
)

// cut takes the page out of the ranked candidates and fills in every stage's score.
func (q *query) cut() {
	r := &q.results
	from := min(q.offset, len(q.read))
	to := min(from+q.req.Limit, len(q.read))
	r.Hits = make([]Hit, 0, to-from)
	for _, c := range q.read[from:to] {
		r.Hits = append(r.Hits, q.hit(c))
	}
	if to < len(q.read) || (q.req.GroupBy == "" && to < len(q.order) && to-from == q.req.Limit) {
		r.Cursor = q.writeCursor()
	}
	r.Stats.Times.Total = milliseconds(time.Since(q.begun))
}

func (q *query) hit(c read) Hit {
	h := hitOf(c.chunk)
	h.Score, h.RerankScore = c.item.Score, c.relevance
	if r, ok := q.relevant[c.item.ID]; ok {
		h.Relevance = &r
	}
	f := q.fused[c.item.ID]
	if f.Lexical.Known {
		h.LexicalScore, h.LexicalRank = &f.Lexical.Score, f.Lexical.Rank
	}
	if f.Vector.Known {
		h.VectorScore, h.VectorRank = &f.Vector.Score, f.Vector.Rank
	}
	return h
}

// explain adds to each hit of the page how its score came about, from the same
// functions that made the scores.
func (q *query) explain(ctx context.Context) error {
	if !q.req.Explain {
		return nil
	}
	from := min(q.offset, len(q.read))
	boosted := make(map[int64]float64, len(q.order)) // before the reranker
	for _, item := range q.order {
		boosted[item.ID] = item.Score
	}
	for i := range q.results.Hits {
		item := q.read[from+i].item
		f := q.fused[item.ID]
		e := &Explain{Fusion: f.Words(), Stages: Stages{
			Lexical: legShare(f.Lexical), Vector: legShare(f.Vector), Fused: f.Score, Boosted: boosted[item.ID],
			Rerank: q.read[from+i].relevance, Final: item.Score,
		}}
		if f.Lexical.Known {
			why, err := q.engine.lex.Explain(ctx, q.lexical(1), item.ID)
			if err != nil {
				return fmt.Errorf("explain hit %d: %w", i+1, err)
			}
			e.Lexical = explainLexical(why)
		}
		if item.Score != f.Score {
			e.Fusion = append(e.Fusion, fmt.Sprintf("after boosts and reranking: %.4f", item.Score))
		}
		q.results.Hits[i].Explain = e
	}
	return nil
}

func legShare(p rank.Part) LegShare {
	return LegShare{Known: p.Known, Normalized: p.Normalized, Weight: p.Weight, Share: p.Share}
}

func explainLexical(why *lexical.Explanation) *LexicalExplain {
	e := &LexicalExplain{Score: why.Score, Formula: why.Formula}
	for _, t := range why.Terms {
		e.Terms = append(e.Terms, TermExplain{Term: t.Text, DocumentFrequency: t.DF, IDF: t.IDF, Score: t.Score})
	}
	return e
}
