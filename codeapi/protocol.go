package codeapi

import (
	"encoding/json"
	"fmt"
)

// The methods that a program's modules call on the host. The host refuses all
// others.
const (
	MethodHybrid   = "search.hybrid"   // SearchArgs → SearchReply
	MethodLexical  = "search.lexical"  // SearchArgs → SearchReply
	MethodVector   = "search.vector"   // SearchArgs → SearchReply
	MethodBatch    = "search.batch"    // BatchArgs → BatchReply
	MethodDocument = "search.document" // DocumentArgs → Document
	MethodSimilar  = "search.similar"  // SimilarArgs → SearchReply
	MethodTexts    = "results.texts"   // TextsArgs → TextsReply
	MethodTokens   = "results.tokens"  // TokensArgs → TokensReply
	MethodRerank   = "rerank"          // RerankArgs → RerankReply
	MethodStats    = "stats"           // no arguments → Ledger
	MethodKeep     = "result.keep"     // KeepArgs → Kept
)

// Bounds that both ends keep: the modules to refuse early and with the program's
// own words, the host because it trusts nobody.
const (
	MaxTopK         = 1000          // hits of one search
	MaxRerank       = 200           // documents of one rerank call
	MaxBatch        = 50            // queries of one batch
	MaxQueryBytes   = 8 << 10       // length of a query
	MaxTexts        = 1000          // ids or texts of one call
	MaxRequestBytes = 4 << 20       // arguments of one call, as JSON
	MaxReplyBytes   = 4 << 20       // answer of one call, as JSON
	MaxKeepBytes    = 4<<20 - 1<<10 // answer of a program that is kept whole, as JSON
	ContentRunes    = 200           // length of Hit.Content, in characters
	DefaultTopK     = 10            // hits when the program does not say
	MaxFilterBytes  = 64 << 10      // length of a filter, as JSON
	MaxBoosts       = 20            // boosts of one search
	maxMetadata     = 256 << 10     // metadata of one hit, as JSON
)

// SearchArgs asks one question.
type SearchArgs struct {
	Query      string `json:"query"`
	TopK       int    `json:"top_k,omitempty"` // 0 is DefaultTopK
	Collection string `json:"collection,omitempty"`
	// Filter is an expression in text form or a JSON tree; see package filter.
	Filter json.RawMessage `json:"filter,omitempty"`
	// Weights of the legs. Nil lets the router choose; the method names override
	// them for one leg.
	BM25Weight   *float64 `json:"bm25_weight,omitempty"`
	VectorWeight *float64 `json:"vector_weight,omitempty"`
	Fusion       string   `json:"fusion,omitempty"`
	// Rerank forces the reranker on or off; nil lets the router choose.
	Rerank    *bool   `json:"rerank,omitempty"`
	MinScore  float64 `json:"min_score,omitempty"`
	GroupBy   string  `json:"group_by,omitempty"`
	Diversity float64 `json:"diversity,omitempty"`
	Boosts    []Boost `json:"boosts,omitempty"`
}

// Boost multiplies the fused score of the hits that match When.
type Boost struct {
	When   json.RawMessage `json:"when"`
	Factor float64         `json:"factor"`
}

// Hit is one hit on its way to the program. The whole text stays with the host
// until it is asked for.
type Hit struct {
	ID         string         `json:"id"`
	DocumentID string         `json:"document_id"`
	Title      string         `json:"title"`
	Source     string         `json:"source"`
	URI        string         `json:"uri,omitempty"`
	Headings   []string       `json:"headings,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	// Content is the text cut at ContentRunes characters; Whole says that nothing
	// was cut.
	Content string `json:"content"`
	Whole   bool   `json:"whole,omitempty"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	// Times are RFC 3339 in UTC, or empty.
	Created      string   `json:"created,omitempty"`
	Updated      string   `json:"updated,omitempty"`
	Score        float64  `json:"score"`
	LexicalScore *float64 `json:"lexical_score,omitempty"`
	VectorScore  *float64 `json:"vector_score,omitempty"`
	RerankScore  *float64 `json:"rerank_score,omitempty"`
	LexicalRank  int      `json:"lexical_rank,omitempty"`
	VectorRank   int      `json:"vector_rank,omitempty"`
}

// SearchReply answers SearchArgs and SimilarArgs.
type SearchReply struct {
	Hits       []Hit  `json:"hits"`
	Collection string `json:"collection"`
	Generation int64  `json:"generation"`
	// Degraded names what failed or ran out of time, as "stage: reason".
	Degraded []string `json:"degraded,omitempty"`
}

// BatchArgs asks several questions at once.
type BatchArgs struct {
	Queries []SearchArgs `json:"queries"`
}

// BatchReply answers BatchArgs, in its order.
type BatchReply struct {
	Replies []BatchAnswer `json:"replies"`
}

// BatchAnswer is the answer to one question of a batch: a reply or an error.
type BatchAnswer struct {
	*SearchReply
	Error *CallError `json:"error,omitempty"`
}

// CallError is a failed call's message for the program.
type CallError struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// DocumentArgs asks for a whole document by its own id.
type DocumentArgs struct {
	ID         string `json:"id"`
	Collection string `json:"collection,omitempty"`
}

// Document answers DocumentArgs.
type Document struct {
	ID       string         `json:"document_id"`
	Title    string         `json:"title"`
	Source   string         `json:"source"`
	URI      string         `json:"uri,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
	Text     string         `json:"text"`
	Created  string         `json:"created,omitempty"`
	Updated  string         `json:"updated,omitempty"`
	// Truncated says that Text was cut to fit into MaxReplyBytes.
	Truncated bool `json:"truncated,omitempty"`
}

// SimilarArgs asks for chunks like the chunk or document with this id.
type SimilarArgs struct {
	ID         string          `json:"id"`
	TopK       int             `json:"top_k,omitempty"`
	Collection string          `json:"collection,omitempty"`
	Filter     json.RawMessage `json:"filter,omitempty"`
}

// TextsArgs asks for the whole texts of chunks.
type TextsArgs struct {
	IDs        []string `json:"ids"`
	Collection string   `json:"collection,omitempty"`
}

// TextsReply holds the texts by id. An id that is in neither part was not
// answered for lack of room: ask again for it. A call answers at least one.
type TextsReply struct {
	Texts map[string]string `json:"texts"`
	// Missing ids are not, or no longer, in the collection.
	Missing []string `json:"missing,omitempty"`
}

// TokensArgs asks for the number of o200k tokens of each text.
type TokensArgs struct {
	Texts []string `json:"texts"`
}

// TokensReply answers TokensArgs, in its order.
type TokensReply struct {
	Counts []int `json:"counts"`
}

// RerankArgs asks for the relevance of passages to a query.
type RerankArgs struct {
	Query      string       `json:"query"`
	Collection string       `json:"collection,omitempty"`
	Passages   []RerankItem `json:"passages"`
	// TopK is how many the program will keep; the ledger counts those.
	TopK int `json:"top_k,omitempty"`
}

// RerankItem is one passage: the id of a chunk, whose whole text is scored, or a
// text that the program brought itself.
type RerankItem struct {
	ID   string `json:"id,omitempty"`
	Text string `json:"text,omitempty"`
}

// RerankReply answers RerankArgs, in its order.
type RerankReply struct {
	// Scores are relevance within 0..1. A nil score: the chunk is gone or the time
	// ran out; Degraded says which.
	Scores []*float64 `json:"scores"`
	// Weight is the share of the reranker in a blend with the search score that
	// measured best for this model, 0..1.
	Weight   float64  `json:"weight"`
	Degraded []string `json:"degraded,omitempty"`
}

// KeepArgs is a program's whole answer, of which only a part fits into the result. A
// run may send one.
type KeepArgs struct {
	Value json.RawMessage `json:"value"`
}

// Kept says where a whole answer is kept.
type Kept struct {
	Handle  string `json:"handle"`  // names it in the agent's workspace
	Bytes   int    `json:"bytes"`   // of its JSON
	Expires string `json:"expires"` // RFC 3339 in UTC; empty: until it is deleted
}

// Where says how a program reads it.
func (k Kept) Where() string {
	text := fmt.Sprintf("all of it: read_file(%q)", k.Handle)
	if k.Expires != "" {
		text += " until " + k.Expires
	}
	return text
}

// Ledger counts what a run touched and what it returned, in o200k tokens.
type Ledger struct {
	// TokensTouched are the host's answers as direct tools would have printed
	// them, with whole texts.
	TokensTouched int `json:"tokens_touched"`
	// TokensReturned are the answer: result and output.
	TokensReturned int `json:"tokens_returned"`
	// Calls by method, and how many hits and documents they brought.
	Calls     map[string]int `json:"calls,omitempty"`
	Hits      int            `json:"hits"`
	Documents int            `json:"documents"`
	// Milliseconds that the host worked for the run.
	HostMillis float64 `json:"host_ms"`
}
