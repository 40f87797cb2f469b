package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// maxIDs bounds the ids that one call of rerank_results or filter_results may name.
const maxIDs = 200

// searchArgs are the arguments of the three search tools.
type searchArgs struct {
	Query      string          `json:"query"`
	Limit      int             `json:"limit"`
	Collection string          `json:"collection"`
	Filter     json.RawMessage `json:"filter"`
	Text       string          `json:"text"`
	Weights    *search.Weights `json:"weights"`
}

// idsArgs are the arguments of the tools that work on earlier hits.
type idsArgs struct {
	IDs        []string        `json:"ids"`
	Query      string          `json:"query"`
	Limit      int             `json:"limit"`
	Collection string          `json:"collection"`
	Filter     json.RawMessage `json:"filter"`
	Text       string          `json:"text"`
}

const (
	propQuery      = `"query": {"type": "string", "minLength": 1, "maxLength": 8000, "description": "words, \"phrases\", +must, -not, field:word, prefix*"}`
	propLimit      = `"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "hits, default 10"}`
	propCollection = `"collection": {"type": "string", "maxLength": 200}`
	propFilter     = `"filter": {"anyOf": [{"type": "string"}, {"type": "object"}], "description": "such as domain = \"db\" and year >= 2024, or {\"domain\": \"db\"}"}`
	propText       = `"text": {"type": "string", "enum": ["preview", "full"], "description": "200 characters (default) or whole texts"}`
	propWeights    = `"weights": {"type": "object", "properties": {"lexical": {"type": "number", "minimum": 0}, "vector": {"type": "number", "minimum": 0}}, "additionalProperties": false}`
	propIDs        = `"ids": {"type": "array", "items": {"type": "string", "maxLength": 200}, "minItems": 1, "maxItems": 200, "description": "ids of earlier hits"}`
)

var hitsOutput = json.RawMessage(`{"type": "object", "properties": {"hits": {"type": "array", "items": {"type": "object",
 "properties": {"id": {"type": "string"}, "document_id": {"type": "string"}, "title": {"type": "string"}, "score": {"type": "number"}},
 "required": ["id", "document_id", "title", "score"]}},
 "degraded": {"type": "array", "items": {"type": "string"}}}, "required": ["hits"]}`)

var documentOutput = json.RawMessage(`{"type": "object", "properties": {"document_id": {"type": "string"}, "title": {"type": "string"},
 "text": {"type": "string"}}, "required": ["document_id", "title", "text"]}`)

var collectionsOutput = json.RawMessage(`{"type": "object", "properties": {"collections": {"type": "array", "items": {"type": "object",
 "properties": {"name": {"type": "string"}, "documents": {"type": "integer"}, "chunks": {"type": "integer"}}}}}, "required": ["collections"]}`)

// schema is an object schema of the given properties that refuses all others.
func schema(required string, properties ...string) json.RawMessage {
	text := `{"type": "object", "properties": {`
	for i, p := range properties {
		if i > 0 {
			text += ", "
		}
		text += p
	}
	text += `}, "additionalProperties": false`
	if required != "" {
		text += `, "required": [` + required + `]`
	}
	return json.RawMessage(text + `}`)
}

func (s *Server) addDirectTools() {
	add := func(name, title, description string, input, output json.RawMessage, handler server.ToolHandlerFunc) {
		s.mcp.AddTool(readOnlyTool(name, title, description, input, output), handler)
	}
	legs := []string{propQuery, propLimit, propCollection, propFilter, propText}
	add("bm25_search", "Keyword search", "Exact BM25 keyword search.",
		schema(`"query"`, legs...), hitsOutput, s.searchTool(search.ModeLexical))
	add("vector_search", "Meaning search", "Search by meaning (embeddings).",
		schema(`"query"`, legs...), hitsOutput, s.searchTool(search.ModeVector))
	add("hybrid_search", "Hybrid search", "Keyword and meaning search, fused by weight; the best choice for most questions.",
		schema(`"query"`, append(legs, propWeights)...), hitsOutput, s.searchTool(search.ModeAuto))
	add("rerank_results", "Rerank hits", "Order earlier hits anew with a cross-encoder that reads query and text together.",
		schema(`"query", "ids"`, propQuery, propIDs, propLimit, propCollection, propText), hitsOutput, s.rerankResults)
	add("filter_results", "Filter hits", "Keep the earlier hits whose document matches a filter.",
		schema(`"ids", "filter"`, propIDs, propFilter, propLimit, propCollection, propText), hitsOutput, s.filterResults)
	add("get_document", "Read a document", "The whole text of one document.",
		schema(`"id"`, `"id": {"type": "string", "maxLength": 1000, "description": "document_id of a hit"}`, propCollection), documentOutput, s.getDocument)
	add("list_collections", "List collections", "Names and sizes of the collections.",
		schema(""), collectionsOutput, s.listCollections)
}

// searchTool is one of the three search tools: the mode fixes the legs.
func (s *Server) searchTool(mode search.Mode) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a searchArgs
		if err := decode(r, &a); err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		where, err := host.ParseFilter("filter", a.Filter)
		if err != nil {
			return toolError(ctx, err)
		}
		req := search.Request{
			Query: a.Query, Limit: a.Limit, Collection: s.collection(a.Collection), Filter: where, Mode: mode,
			Rerank: search.RerankOptions{Policy: search.RerankOff}, // reranking is a tool of its own here
		}
		if a.Weights != nil {
			req.Weights = *a.Weights
		}
		results, err := s.engine.Search(ctx, req)
		if err != nil {
			return toolError(ctx, err)
		}
		return hitsResult(results.Hits, a.Text, results.Degraded)
	}
}

func (s *Server) rerankResults(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a idsArgs
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	hits, err := s.chunks(ctx, a)
	if err != nil {
		return toolError(ctx, err)
	}
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	scores, err := s.engine.Rerank(ctx, a.Query, texts)
	if err != nil {
		return toolError(ctx, err)
	}
	for i := range hits {
		hits[i].Score, hits[i].RerankScore = scores[i], &scores[i]
	}
	slices.SortStableFunc(hits, func(x, y search.Hit) int {
		switch {
		case x.Score > y.Score:
			return -1
		case x.Score < y.Score:
			return 1
		}
		return 0
	})
	return hitsResult(firstOf(hits, a.Limit), a.Text, nil)
}

func (s *Server) filterResults(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a idsArgs
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	where, err := host.ParseFilter("filter", a.Filter)
	if err != nil {
		return toolError(ctx, err)
	}
	hits, err := s.chunks(ctx, a)
	if err != nil {
		return toolError(ctx, err)
	}
	collection := s.collection(a.Collection)
	kept := slices.DeleteFunc(hits, func(h search.Hit) bool {
		return !filter.Match(where, filter.Document{
			ID: h.DocumentID, Title: h.Title, Source: h.Source, URI: h.URI, Collection: collection,
			Created: h.Created, Updated: h.Updated, Metadata: h.Metadata,
		})
	})
	if a.Limit > 0 {
		kept = firstOf(kept, a.Limit)
	}
	return hitsResult(kept, a.Text, nil)
}

func (s *Server) chunks(ctx context.Context, a idsArgs) ([]search.Hit, error) {
	if len(a.IDs) > maxIDs {
		return nil, fmt.Errorf("ids must hold at most %d ids, got %d", maxIDs, len(a.IDs))
	}
	hits, err := s.engine.Chunks(ctx, s.collection(a.Collection), a.IDs)
	if err == nil && len(hits) == 0 {
		err = fmt.Errorf("none of the %d ids is in the collection; take the field id of earlier hits", len(a.IDs))
	}
	return hits, err
}

func (s *Server) getDocument(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a struct {
		ID         string `json:"id"`
		Collection string `json:"collection"`
	}
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	d, err := s.engine.Document(ctx, s.collection(a.Collection), a.ID)
	if err != nil {
		return toolError(ctx, err)
	}
	return printed(render.DocumentJSON(render.Document{
		ID: d.ID, Title: d.Title, Source: d.Source, URI: d.URI, Text: d.Text, Metadata: d.Metadata,
		Created: d.Created, Updated: d.Updated,
	}, render.Full)), nil
}

func (s *Server) listCollections(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := decode(r, &struct{}{}); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	list, err := s.engine.Collections(ctx)
	if err != nil {
		return toolError(ctx, err)
	}
	if list == nil {
		list = []search.CollectionInfo{}
	}
	return structured(map[string]any{"collections": list}, false)
}

func firstOf(hits []search.Hit, limit int) []search.Hit {
	if limit == 0 {
		limit = 10
	}
	return hits[:min(limit, len(hits))]
}

// hitsResult prints hits with the renderer that the ledger counts by.
func hitsResult(hits []search.Hit, text string, degraded []search.Degradation) (*mcp.CallToolResult, error) {
	style := render.Lean
	if text == "full" {
		style = render.Full
	}
	printable := make([]render.Hit, len(hits))
	for i, h := range hits {
		printable[i] = render.Hit{
			ID: h.ChunkID, DocumentID: h.DocumentID, Title: h.Title, Source: h.Source, URI: h.URI,
			Headings: h.Headings, Metadata: h.Metadata, Text: h.Text, Score: h.Score,
			LexicalScore: h.LexicalScore, VectorScore: h.VectorScore, RerankScore: h.RerankScore,
			LexicalRank: h.LexicalRank, VectorRank: h.VectorRank,
		}
	}
	result := printed(render.Hits(printable, style))
	for _, d := range degraded {
		result.Content = append(result.Content, mcp.NewTextContent("degraded: "+d.Stage+": "+d.Reason))
	}
	return result, nil
}

// printed answers with JSON that is already written, as text and structured.
func printed(text []byte) *mcp.CallToolResult {
	return mcp.NewToolResultStructured(json.RawMessage(text), string(text))
}

// toolError is an answer that the model can read and act on; only a cancelled call
// and our own failures are errors of the protocol.
func toolError(ctx context.Context, err error) (*mcp.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var s *sandbox.Error
	if errors.As(err, &s) && s.Hint != "" {
		return mcp.NewToolResultErrorf("%s; %s", s.Message, s.Hint), nil
	}
	return mcp.NewToolResultError(err.Error()), nil
}

func (s *Server) collection(name string) string {
	if name == "" {
		return s.defaultCollection
	}
	return name
}
