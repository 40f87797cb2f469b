// Package search is the engine: a question goes in, ranked chunks with the score of
// every stage come out.
//
// BM25 and vector search run side by side under the same filter and deadline; a
// router decides how much each counts; their exact scores are fused, boosted,
// optionally reranked by a cross-encoder, and cut. Everything lives in one
// PostgreSQL with pgvector.
//
//	engine, err := search.Open(ctx, search.Config{})
//	if err != nil { ... }
//	defer engine.Close()
//	report, err := engine.Index(ctx, search.IndexOptions{}, search.Files("docs"))
//	results, err := engine.Search(ctx, search.Request{Query: "how are sessions closed?"})
//
// Callers: analysts who import it, the code API's host (codeapi/host), the MCP
// server's direct tools, the command line. The package knows nothing of programs,
// sandboxes or MCP.
package search
