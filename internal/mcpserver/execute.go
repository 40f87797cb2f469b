package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/sandbox"
)

// executeDescription is all that a model needs to write a right program. It is part
// of every conversation, so each word is paid for; longer help is docs/code-api.md.
// A test runs every function that it names.
const executeDescription = `Run a Python program against the knowledge base in a sandbox; only its answer comes back. Do the whole task in one program: search, rerank, filter, shorten.
Ready without import or await:
search.hybrid_search(query, top_k=10, bm25_weight=None, vector_weight=None, filters=None, collection=None); without weights also search.bm25_search and search.vector_search; search.batch_search(queries) gives one list a query; search.get_document(document_id)
reranker.rerank(query, hits, top_k=5)
filter.where(hits, 'year >= 2024'), filter.filter_by_domain(hits, domain), filter.filter_by_source(hits, source), filter.filter_by_score(hits, min_score)
results.format_for_agent(hits), results.summarize(hits, max_content_length=200), results.pack(hits, max_tokens)
A hit: h.score (0..1) or h["score"], and so id, document_id, title, content (200 characters), text (whole), source, metadata; h.to_dict().
filters: 'domain = "db" and year >= 2024' or {"domain": "db", "year": {"gte": 2024}}.
Assign the answer to __result__ and keep it small. print goes to output. No files, network or os; json, re, math, datetime, statistics, itertools, collections can be imported.
Example:
hits = search.hybrid_search("raft leader election", top_k=20)
__result__ = results.format_for_agent(reranker.rerank("raft leader election", hits, top_k=3))`

// executeArgs are the arguments of execute_code.
type executeArgs struct {
	Code         string                     `json:"code"`
	Description  string                     `json:"description"`
	Context      map[string]json.RawMessage `json:"context"` // as written: key order and digits
	Timeout      float64                    `json:"timeout"`
	ValidateOnly bool                       `json:"validate_only"`
}

var executeInput = json.RawMessage(`{
 "type": "object",
 "properties": {
  "code": {"type": "string", "description": "Python source"},
  "description": {"type": "string", "description": "what it does, for the log"},
  "context": {"type": "object", "description": "variables for the program"},
  "timeout": {"type": "number", "exclusiveMinimum": 0, "maximum": 300, "description": "seconds, default 30"},
  "validate_only": {"type": "boolean", "description": "report problems and possible calls, run nothing"}
 },
 "required": ["code"],
 "additionalProperties": false
}`)

var executeOutput = json.RawMessage(`{
 "type": "object",
 "properties": {
  "success": {"type": "boolean"},
  "result": {"anyOf": [{"type": "object"}, {"type": "array"}, {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}], "description": "the program's answer"},
  "output": {"type": "string", "description": "what the program printed"},
  "error": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {
    "kind": {"type": "string", "enum": ["validation", "syntax", "runtime", "timeout", "memory", "steps", "output", "calls", "policy", "busy", "cancelled", "host"]},
    "message": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}, "hint": {"type": "string"}, "retry_after": {"type": "integer"}},
   "required": ["kind", "message"]}]},
  "execution_time": {"type": "number", "description": "seconds"},
  "truncated": {"type": "boolean"},
  "usage": {"type": "object"},
  "ledger": {"type": "object", "description": "tokens touched inside and returned"},
  "kept": {"type": "object", "description": "where the whole result is when it was cut"},
  "degraded": {"type": "array", "items": {"type": "string"}, "description": "parts of searches that failed"},
  "report": {"type": "object", "description": "with validate_only: problems and possible calls"}
 },
 "required": ["success", "result", "output", "error", "execution_time", "truncated", "usage", "ledger"]
}`)

// What a program can do besides, where the server has it.
const (
	filesDescription  = "\nFiles that stay: write_file(name, text or value), read_file(name), list_files()."
	skillsDescription = "\nSaved code: save_skill(name, code, description), then from skills import NAME."
	toolsDescription  = "\nTools of other servers: search_tools(\"what for\", detail_level=\"full\"), then from servers.SERVER import TOOL or call_mcp_tool(\"mcp__SERVER__TOOL\", {...})."
	bothDescription   = "\nFor one simple look-up call a direct tool instead; for over 100 rows, three or more steps, or polling write a program."
)

// describeExecute is the description of execute_code on this server.
func (s *Server) describeExecute(tools Tools) string {
	body, example, _ := strings.Cut(executeDescription, "\nExample:")
	if s.services.Workspace != nil {
		body += filesDescription
	}
	if s.services.Skills != nil {
		body += skillsDescription
	}
	if s.services.Upstream != nil {
		body += toolsDescription
	}
	if tools == ToolsBoth {
		body += bothDescription
	}
	return body + "\nExample:" + example
}

func (s *Server) addCodeTools(tools Tools) {
	does := acts{repeats: true}
	if s.services.Workspace != nil || s.services.Skills != nil || s.services.Upstream != nil {
		does = acts{writes: true, destroys: true, outside: s.services.Upstream != nil}
	}
	s.mcp.AddTool(agentTool("execute_code", "Run a program", s.describeExecute(tools), does, string(executeInput), string(executeOutput)), s.executeCode)
}

func (s *Server) executeCode(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a executeArgs
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	limits := s.limits
	if a.Timeout > 0 {
		limits.Wall = time.Duration(a.Timeout * float64(time.Second))
	}
	conn := host.ConnectionOf(ctx)
	conn.Description = a.Description
	ctx = host.WithConnection(ctx, conn)
	if a.Description != "" {
		text := a.Description
		if san := s.host.Sanitizer(ctx); san != nil {
			text, _ = san.Text(ctx, text) // safe also when it fails
		}
		s.logger.Info("execute_code", "description", render.Cut(text, 200))
	}
	program := sandbox.Program{Source: a.Code, Context: sandbox.RawContext(a.Context), ValidateOnly: a.ValidateOnly}
	progress := newRelay(ctx, r)
	if progress != nil {
		program.Output = progress.line
		ctx = host.WithCalls(host.WithProgress(ctx, progress.line), progress.stage)
	}
	result, err := s.host.Execute(ctx, s.runner, program, limits)
	if progress != nil {
		progress.finish(ctx) // the lines stand before the answer
	}
	if err != nil {
		return nil, err
	}
	if result.Error != nil {
		noteOutcome(ctx, string(result.Error.Kind))
	}
	return structured(result, !result.Success)
}
