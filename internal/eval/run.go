// Package eval measures ranking quality: a judged collection in BEIR layout and a
// function that answers queries go in; nDCG@10, R@100, RR@10 and AP with the values
// of trec_eval, latencies, a TREC run file and intervals for differences come out.
// Caller: `bmcis eval`.
package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Depth is how many documents a searcher is asked for: AP and R@100 look no further.
const Depth = 100

// Ranked is one document of an answer. A document's score is that of its best chunk.
type Ranked struct {
	ID    string
	Score float64
}

// Searcher answers one query with at most k documents, the best first. A document
// that comes more than once counts with its best score. Run calls it from one
// goroutine.
type Searcher func(ctx context.Context, query string, k int) ([]Ranked, error)

// Latency is milliseconds per query.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Report is what `bmcis eval --json` prints. Mode and Rerank are the caller's to fill.
type Report struct {
	Collection string  `json:"collection"`
	Documents  int     `json:"documents"`
	Queries    int     `json:"queries"`
	Mode       string  `json:"mode"`
	Rerank     bool    `json:"rerank"`
	Metrics    Metrics `json:"metrics"`
	Latency    Latency `json:"latency_ms"`
	// Comparison with another run, where one was given.
	Comparison *Comparison `json:"comparison,omitempty"`
}

func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d documents, %d queries", r.Collection, r.Documents, r.Queries)
	if r.Mode != "" {
		fmt.Fprintf(&b, ", mode %s", r.Mode)
	}
	if r.Rerank {
		b.WriteString(", reranked")
	}
	fmt.Fprintf(&b, "\nnDCG@10 %.4f  R@100 %.4f  RR@10 %.4f  AP %.4f\n", r.Metrics.NDCG10, r.Metrics.R100, r.Metrics.RR10, r.Metrics.AP)
	fmt.Fprintf(&b, "latency p50 %.1f ms  p95 %.1f ms  p99 %.1f ms", r.Latency.P50, r.Latency.P95, r.Latency.P99)
	if r.Comparison != nil {
		b.WriteString("\n" + r.Comparison.Words(5))
	}
	return b.String()
}

// Run asks every judged query, one after the other, and measures the answers. The
// first error ends it: a quality figure over a part of the queries would mislead.
// Progress may be nil.
func Run(ctx context.Context, set *Set, search Searcher, progress func(done, total int64)) (Report, TRECRun, error) {
	var run TRECRun
	if len(set.Queries) == 0 {
		return Report{}, run, errors.New("evaluate: the collection has no judged query")
	}
	took := make([]float64, 0, len(set.Queries))
	for i, q := range set.Queries {
		began := time.Now()
		answer, err := search(ctx, q.Text, Depth)
		if err != nil {
			return Report{}, run, fmt.Errorf("evaluate query %q: %w", q.ID, err)
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
		run.Answers = append(run.Answers, Answer{Query: q.ID, Ranking: bestChunks(answer, Depth)})
		if progress != nil {
			progress(int64(i+1), int64(len(set.Queries)))
		}
	}
	slices.Sort(took)
	report := Report{
		Collection: set.Name, Documents: set.Documents, Queries: len(set.Queries),
		Metrics: mean(run.Judge(set)),
		Latency: Latency{P50: percentile(took, 0.50), P95: percentile(took, 0.95), P99: percentile(took, 0.99)},
	}
	return report, run, nil
}

// bestChunks keeps each document once, with its best score, and at most k of them.
func bestChunks(answer []Ranked, k int) []Ranked {
	place := make(map[string]int, len(answer))
	var out []Ranked
	for _, r := range answer {
		if i, ok := place[r.ID]; ok {
			out[i].Score = max(out[i].Score, r.Score)
			continue
		}
		place[r.ID] = len(out)
		out = append(out, r)
	}
	return out[:min(k, len(out))]
}

// percentile is the nearest-rank percentile of sorted values.
func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(p*float64(len(sorted)))) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}
