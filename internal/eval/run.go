// Package eval measures ranking quality on judged collections.
package eval

import (
	"context"
	"io"
)

// Ranked is one document of an answer, the best first.
type Ranked struct {
	ID    string
	Score float64
}

// Set is a judged collection.
type Set struct {
	Name string
	Dir  string
}

// LoadBEIR reads queries.jsonl and qrels.
func LoadBEIR(dir string) (*Set, error) { return &Set{}, nil }

// Metrics are means over all judged queries.
type Metrics struct {
	NDCG10 float64 `json:"nDCG@10"`
	R100   float64 `json:"R@100"`
	RR10   float64 `json:"RR@10"`
	AP     float64 `json:"AP"`
}

// Latency is milliseconds per query.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Report is what `bmcis eval --json` prints.
type Report struct {
	Collection string  `json:"collection"`
	Documents  int     `json:"documents"`
	Queries    int     `json:"queries"`
	Mode       string  `json:"mode"`
	Rerank     bool    `json:"rerank"`
	Metrics    Metrics `json:"metrics"`
	Latency    Latency `json:"latency_ms"`
}

// TRECRun is the ranking of every query.
type TRECRun struct{}

// Write writes TREC's six columns.
func (r TRECRun) Write(w io.Writer, tag string) error { return nil }

// Searcher answers one query with at most k documents, the best first.
type Searcher func(ctx context.Context, query string, k int) ([]Ranked, error)

// Run asks every judged query. Progress may be nil.
func Run(ctx context.Context, set *Set, search Searcher, progress func(done, total int64)) (Report, TRECRun, error) {
	return Report{}, TRECRun{}, nil
}
