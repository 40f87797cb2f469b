package load

import (
	"errors"
	"fmt"
	"strings"
)

// A scenarioDef is what one call does: a program for execute_code, which gets query, other
// and third (questions) and where (the collection or None), or a direct tool.
type scenarioDef struct {
	name, what string
	code       string
	tool       string
}

var scenarios = []scenarioDef{
	{name: "search", what: "one question, ten previews", code: `
hits = search.hybrid_search(query, top_k=10, collection=where)
__result__ = results.format_for_agent(hits)
`},
	{name: "rerank", what: "one question, 30 candidates reranked, five answers", code: `
hits = search.hybrid_search(query, top_k=30, collection=where, rerank=False)
__result__ = results.format_for_agent(reranker.rerank(query, hits, top_k=5))
`},
	{name: "filter", what: "200 hits filtered and counted, a summary goes back", code: `
hits = search.hybrid_search(query, top_k=200, collection=where, rerank=False)
good = [h for h in hits if h.score >= 0.2]
sources = {}
for h in good:
    sources[h.source] = sources.get(h.source, 0) + 1
__result__ = {"hits": len(hits), "good": len(good), "sources": len(sources), "best": [h.title for h in good[:3]]}
`},
	{name: "conditional", what: "a second search when the first is not good enough", code: `
hits = search.bm25_search(query, top_k=10, collection=where)
if not hits or hits[0].score < 0.7:
    hits = search.vector_search(query, top_k=10, collection=where)
__result__ = results.summarize(hits[:5], max_content_length=100)
`},
	{name: "batch", what: "three questions at once, merged", code: `
lists = search.batch_search([query, other, third], top_k=10, collection=where)
__result__ = results.format_for_agent(filter.dedupe([h for hits in lists for h in hits])[:10])
`},
	{name: "failing", what: "a program that ends with an error, to see errors in metrics", code: `
__result__ = search.hybrid_search(query, top_k=1, collection=where)[7].title
`},
	{name: "direct", what: "the direct tool hybrid_search, ten hits (servers with --tools direct or both)", tool: "hybrid_search"},
}

// DefaultMix is how often each scenario is chosen in a hundred calls.
func DefaultMix() map[string]int {
	return map[string]int{"search": 30, "rerank": 40, "filter": 15, "conditional": 10, "batch": 5}
}

func scenario(name string) (scenarioDef, bool) {
	for _, s := range scenarios {
		if s.name == name {
			return s, true
		}
	}
	return scenarioDef{}, false
}

func scenarioNames() string {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// CheckMix refuses a mix that names what is no scenario, or nothing.
func CheckMix(mix map[string]int) error {
	sum := 0
	for name, n := range mix {
		if _, ok := scenario(name); !ok {
			return fmt.Errorf("%q in the mix is no scenario; there are %s", name, scenarioNames())
		}
		if n < 0 || n > 10_000 {
			return fmt.Errorf("%s=%d in the mix: a number of 0 to 10000", name, n)
		}
		sum += n
	}
	if sum == 0 {
		return errors.New("the mix is empty")
	}
	return nil
}

// Describe lists the scenarios, a line each.
func Describe() string {
	var b strings.Builder
	for _, s := range scenarios {
		b.WriteString("  " + s.name + strings.Repeat(" ", 13-len(s.name)) + s.what + "\n")
	}
	return b.String()
}
