package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// patterns are the three ways to ask, as programs. A test runs them.
const patterns = `Answer %s from the knowledge base with one execute_code program. Choose the simplest of these patterns that does, change it to the task, and return only what is needed.

1. Search. One plain question:
hits = search.hybrid_search(question, top_k=5)
__result__ = results.format_for_agent(hits)

2. Search, rerank, filter. The best of many, or with conditions:
hits = search.hybrid_search(question, top_k=50)
hits = filter.filter_by_score(hits, 0.1)
best = reranker.rerank(question, hits, top_k=5)
__result__ = results.format_for_agent(results.summarize(best, max_content_length=150))

3. Conditional. The first answer decides what comes next:
hits = search.hybrid_search(question, top_k=10)
if not hits or hits[0].score < 0.3:
    hits = search.vector_search(question, top_k=10)
rows = [{"title": h.title, "score": h.score, "id": h.document_id} for h in hits[:5]]
__result__ = rows

Each program starts with: question = %s`

func (s *Server) addPrompts() {
	if s.runner == nil {
		return
	}
	s.mcp.AddPrompt(mcp.NewPrompt("search_patterns",
		mcp.WithPromptTitle("Search patterns"), mcp.WithPromptIcons(icon("program")),
		mcp.WithPromptDescription("Three patterns for search programs: search; search, rerank and filter; conditional search"),
		mcp.WithArgument("question", mcp.ArgumentDescription("what is to be found out")),
	), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		what, literal := "the question", `"..."`
		if q := strings.TrimSpace(r.Params.Arguments["question"]); q != "" {
			what, literal = fmt.Sprintf("the question %q", q), fmt.Sprintf("%q", q)
		}
		return mcp.NewGetPromptResult("Patterns for search programs",
			[]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(fmt.Sprintf(patterns, what, literal)))}), nil
	})
}
