package search

import (
	"time"
)

// Results is the answer to one Request. What was cut, skipped or failed is named:
// in Total, Stats and Degraded.
type Results struct {
	Hits []Hit `json:"hits"`
	// Plan is what the router decided, and why.
	Plan  Plan  `json:"plan"`
	Stats Stats `json:"stats"`
	// Degraded names each part that failed or ran out of time; the hits are the best
	// that the other parts could give. Empty when all went well.
	Degraded []Degradation `json:"degraded,omitempty"`
	// Generation counts the collection's committed changes; equal generations give
	// equal answers.
	Generation int64 `json:"generation"`
	// Cursor asks for the next page when put into the same Request; empty on the last.
	Cursor string `json:"cursor,omitempty"`
	Total  Total  `json:"total"`
}

// Hit is one chunk that answers the query, with the score of every stage.
type Hit struct {
	// ChunkID is stable across runs; DocumentID is the caller's own id.
	ChunkID    string `json:"id"`
	DocumentID string `json:"document_id"`
	Title      string `json:"title"`
	Source     string `json:"source"`
	URI        string `json:"uri,omitempty"`
	// Text is the chunk's whole text.
	Text     string   `json:"text"`
	Headings []string `json:"headings,omitempty"`
	// Start and End are the chunk's byte offsets in its document's text.
	Start    int            `json:"start"`
	End      int            `json:"end"`
	Metadata map[string]any `json:"metadata,omitempty"`
	// Created and Updated are when the document was first and last indexed.
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Score orders the hits: fused, boosted and, where the reranker ran, blended with
	// its verdict; within 0..1.
	Score float64 `json:"score"`
	// Relevance is the estimated probability that the hit answers the query, from the
	// fused score before reranking. Nil unless `bmcis eval tune` learned a calibration
	// for the collection, both legs answered and fusion is linear.
	Relevance *float64 `json:"relevance,omitempty"`
	// LexicalScore is BM25, VectorScore the cosine similarity, RerankScore the
	// cross-encoder's relevance, 0 to 1. Nil where that stage did not score this chunk.
	LexicalScore *float64 `json:"lexical_score,omitempty"`
	VectorScore  *float64 `json:"vector_score,omitempty"`
	RerankScore  *float64 `json:"rerank_score,omitempty"`
	// LexicalRank and VectorRank count from 1 within each leg; 0: not in its window.
	LexicalRank int `json:"lexical_rank,omitempty"`
	VectorRank  int `json:"vector_rank,omitempty"`
	// Explain is set when the request asked for it.
	Explain *Explain `json:"explain,omitempty"`
}

// Plan is the router's decision.
type Plan struct {
	// Class is the kind of query: identifier, phrase, keyword, natural or mixed.
	Class   string   `json:"class"`
	Mode    Mode     `json:"mode"`
	Weights Weights  `json:"weights"`
	Fusion  Fusion   `json:"fusion"`
	Window  int      `json:"window"`
	Rerank  bool     `json:"rerank"`
	Reasons []string `json:"reasons"`
}

// Stats says what the search did.
type Stats struct {
	// LexicalCandidates and VectorCandidates came from each leg; Candidates is their
	// union after the text was fetched.
	LexicalCandidates int `json:"lexical_candidates"`
	VectorCandidates  int `json:"vector_candidates"`
	Candidates        int `json:"candidates"`
	// Completed counts candidates whose missing score in one leg was computed.
	Completed int `json:"completed"`
	Reranked  int `json:"reranked"`
	// VectorExact is true when the vector leg compared every chunk.
	VectorExact bool `json:"vector_exact"`
	// Dropped counts candidates that were deleted between ranking and reading.
	Dropped int `json:"dropped,omitempty"`
	// Index is the work in the lexical index; zero where BM25 did not run.
	Index IndexStats `json:"index"`
	// Milliseconds per stage.
	Times Times `json:"ms"`
}

// Times is milliseconds of wall time per stage; legs run side by side.
type Times struct {
	// Load is for loading models, which happens in the first searches only. The embedding
	// model is loaded beside BM25.
	Load    float64 `json:"load"`
	Plan    float64 `json:"plan"`
	Embed   float64 `json:"embed"`
	Lexical float64 `json:"lexical"`
	Vector  float64 `json:"vector"`
	Fuse    float64 `json:"fuse"`
	Hydrate float64 `json:"hydrate"`
	Rerank  float64 `json:"rerank"`
	Total   float64 `json:"total"`
}

// Degradation is one part that did not do its work.
type Degradation struct {
	// Stage is lexical, vector, embed, rerank, cursor or tuning.
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
}

// Total is how many chunks match. Relation is "eq" when Value is exact and "ge" when
// it is a lower bound.
type Total struct {
	Value    int64  `json:"value"`
	Relation string `json:"relation"`
}

// Explain is how one hit came to its score.
type Explain struct {
	// Lexical tells each query term's part of the BM25 score; nil where no term matches.
	Lexical *LexicalExplain `json:"lexical,omitempty"`
	// Fusion tells each leg's normalised score and its weighted part, in words.
	Fusion []string `json:"fusion"`
	// Stages are the same numbers as values.
	Stages Stages `json:"stages"`
}

// Stages are a hit's score after each stage, all within 0..1.
type Stages struct {
	Lexical LegShare `json:"lexical"`
	Vector  LegShare `json:"vector"`
	// Fused is the sum of both shares.
	Fused float64 `json:"fused"`
	// Boosted is Fused after all boosts; equal to it where none applied.
	Boosted float64 `json:"boosted"`
	// Rerank is the cross-encoder's relevance; nil where it did not read this chunk.
	Rerank *float64 `json:"rerank,omitempty"`
	// Final is Hit.Score.
	Final float64 `json:"final"`
}

// LegShare is one leg's part in a fused score.
type LegShare struct {
	// Known is false where the leg has no score for the chunk, which counts as 0.
	Known bool `json:"known"`
	// Normalized is the leg's score on the scale of the fusion, Weight the leg's weight,
	// Share their product.
	Normalized float64 `json:"normalized"`
	Weight     float64 `json:"weight"`
	Share      float64 `json:"share"`
}

// LexicalExplain is a BM25 score term by term.
type LexicalExplain struct {
	Score   float64       `json:"score"`
	Formula string        `json:"formula"`
	Terms   []TermExplain `json:"terms"`
}

// TermExplain is one term's part in a BM25 score.
type TermExplain struct {
	Term string `json:"term"`
	// DocumentFrequency is the number of chunks that hold the term.
	DocumentFrequency int64   `json:"document_frequency"`
	IDF               float64 `json:"idf"`
	Score             float64 `json:"score"`
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
