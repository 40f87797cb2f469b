package pylang

import "strings"

// nearest finds the candidate that a misspelt name most likely means, by edit
// distance with transpositions (Damerau), or "".
func nearest(name string, candidates []string) string {
	best, bestDist := "", 0
	limit := len(name)/3 + 1
	if limit > 3 {
		limit = 3
	}
	if len(name) <= 2 {
		limit = 1
	}
	for _, c := range candidates {
		if c == name || strings.HasPrefix(c, "_") != strings.HasPrefix(name, "_") {
			continue
		}
		if n := len(c) - len(name); n > limit || -n > limit {
			continue
		}
		d := distance(strings.ToLower(name), strings.ToLower(c))
		if d <= limit && d < len(name) && (best == "" || d < bestDist) {
			best, bestDist = c, d
		}
	}
	return best
}

// synonyms are parameter names agents carry over from other search APIs.
var synonyms = map[string][]string{
	"limit": {"top_k"}, "k": {"top_k"}, "n": {"top_k"}, "num_results": {"top_k"}, "n_results": {"top_k"}, "max_results": {"top_k", "limit"}, "count": {"top_k", "limit"}, "size": {"top_k", "batch_size"},
	"q": {"query"}, "text": {"query"}, "search": {"query"}, "filter": {"filters"}, "where": {"filters"}, "docs": {"documents"}, "results": {"documents"}, "top_n": {"top_k"}, "alpha": {"vector_weight"},
	"min_score": {"threshold"}, "max_length": {"max_content_length"},
}

func nearestParam(name string, params []string) string {
	for _, s := range synonyms[name] {
		if contains(params, s) {
			return s
		}
	}
	if n := nearest(name, params); n != "" {
		return n
	}
	for _, p := range params {
		if len(name) >= 3 && (strings.Contains(p, name) || strings.Contains(name, p)) {
			return p
		}
	}
	return ""
}

func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 100
	}
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
