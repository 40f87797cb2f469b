package spell

import "strings"

// others are the names that other search libraries have for parameters of ours.
var others = map[string][]string{
	"top_k":              {"limit", "k", "n", "num_results", "n_results", "max_results", "size", "count", "topk", "top_n"},
	"query":              {"q", "text", "question", "query_text", "search_query", "search"},
	"filters":            {"filter", "where", "filter_by", "metadata_filter"},
	"documents":          {"docs", "results", "hits", "passages", "candidates"},
	"results":            {"docs", "documents", "hits", "items"},
	"bm25_weight":        {"lexical_weight", "keyword_weight", "sparse_weight"},
	"vector_weight":      {"semantic_weight", "dense_weight", "embedding_weight", "alpha"},
	"max_content_length": {"max_length", "length", "max_chars", "content_length", "preview_length"},
	"min_score":          {"threshold", "score", "min", "minimum", "min_relevance"},
	"threshold":          {"min_score", "cutoff"},
	"max_tokens":         {"budget", "limit", "tokens", "token_budget"},
	"collection":         {"index", "collection_name", "corpus", "namespace"},
	"batch_size":         {"size", "page_size", "chunk_size"},
	"rerank":             {"reranker", "use_reranker", "rerank_results"},
}

// Meant is [Nearest] for names of an API: before it looks at letters it knows what
// other search libraries call the same thing, and what is the beginning of a name.
func Meant(name string, candidates []string) string {
	lower := strings.ToLower(name)
	for _, c := range candidates {
		for _, o := range others[c] {
			if o == lower {
				return c
			}
		}
	}
	for _, c := range candidates {
		if len(lower) >= 3 && strings.HasPrefix(c, lower) {
			return c
		}
	}
	return Nearest(name, candidates)
}
