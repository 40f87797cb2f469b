// Package mcpserver offers the engine to agents over the Model Context Protocol.
//
// In: an engine, a sandbox runner, and which tool table to show. Out: a server on
// stdio or streamable HTTP. Caller: `bmcis serve`.
//
// Two tables exist. The code table is one tool, execute_code, in which a program runs
// the whole pipeline and only its small answer goes back to the model. The direct
// table is one tool per stage, for single look-ups and for the comparison of both
// ways. A tool that is not built is not listed.
package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// Tools names a tool table.
type Tools string

// The tool tables.
const (
	ToolsCode   Tools = "code"
	ToolsDirect Tools = "direct"
	ToolsBoth   Tools = "both"
)

// maxAnswerBytes is the default bound of a program's result and of its output.
const maxAnswerBytes = 256 << 10

// Config is what a server works with.
type Config struct {
	Engine *search.Engine  // required
	Runner *sandbox.Runner // required unless Tools is ToolsDirect
	Tools  Tools           // defaults to ToolsCode
	// Collection is searched when a call names none. Defaults to "default".
	Collection string
	// Version is told to clients. Defaults to "dev".
	Version string
	// Limits of a program. The time is the default of a call that names none.
	// ResultBytes and OutputBytes default to 256 KiB, which is far more than a model
	// wants to read; other zero fields take the runner's.
	Limits sandbox.Limits
	// Logger gets what goes wrong. Defaults to slog.Default().
	Logger *slog.Logger
}

// Server answers MCP clients. It may serve several transports at once.
type Server struct {
	mcp    *server.MCPServer
	engine *search.Engine
	runner *sandbox.Runner
	host   *host.Host
	limits sandbox.Limits
	logger *slog.Logger
	// schemas are the input schemas by tool, which checkArguments goes by.
	schemas map[string]*argSchema

	defaultCollection string
}

// New builds the tool table. The engine and the runner stay the caller's to close.
func New(cfg Config) (*Server, error) {
	if cfg.Tools == "" {
		cfg.Tools = ToolsCode
	}
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	if cfg.Limits.ResultBytes == 0 {
		cfg.Limits.ResultBytes = maxAnswerBytes
	}
	if cfg.Limits.OutputBytes == 0 {
		cfg.Limits.OutputBytes = maxAnswerBytes
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Engine == nil || (cfg.Runner == nil && cfg.Tools != ToolsDirect) {
		return nil, errors.New("mcpserver: an engine and, for execute_code, a runner are needed")
	}
	s := &Server{
		engine: cfg.Engine, runner: cfg.Runner, limits: cfg.Limits, logger: cfg.Logger,
		host:              host.New(cfg.Engine, host.Config{Collection: cfg.Collection}),
		defaultCollection: cfg.Collection,
	}
	s.mcp = server.NewMCPServer("bmcis", cfg.Version,
		server.WithTitle("BMCIS knowledge engine"),
		server.WithInstructions(instructions(cfg.Tools)),
		server.WithToolCapabilities(false),
		server.WithToolHandlerMiddleware(s.checkArguments),
		server.WithOutputSchemaValidation(),
		server.WithRecovery(),
		server.WithHooks(s.hooks()),
		// The tables never change while a server runs.
		server.WithCacheHints(3_600_000, mcp.CacheScopePublic),
	)
	switch cfg.Tools {
	case ToolsCode:
		s.addCodeTools()
	case ToolsDirect:
		s.addDirectTools()
	case ToolsBoth:
		s.addCodeTools()
		s.addDirectTools()
	default:
		return nil, fmt.Errorf("tool table %q is none of code, direct, both", cfg.Tools)
	}
	var err error
	if s.schemas, err = readSchemas(s.mcp.ListTools()); err != nil {
		return nil, fmt.Errorf("mcpserver: %w", err)
	}
	return s, nil
}

func instructions(t Tools) string {
	switch t {
	case ToolsDirect:
		return "Searches a knowledge base. Use hybrid_search for most questions; rerank_results and filter_results work on ids of earlier hits."
	case ToolsBoth:
		return "Searches a knowledge base. One simple look-up: a direct tool. Several steps, over 100 rows, or conditions: one execute_code program."
	}
	return "Searches a knowledge base by running programs: write one execute_code program per task and return only what is needed."
}

// readOnlyTool describes a tool that only reads the knowledge base: called again on the
// same generation it gives the same answer, and it reaches nothing outside.
func readOnlyTool(name, title, description string, input, output json.RawMessage) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(name, description, input)
	for _, option := range []mcp.ToolOption{
		mcp.WithToolTitle(title), mcp.WithRawOutputSchema(output),
		mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(false),
		mcp.WithIdempotentHintAnnotation(true), mcp.WithOpenWorldHintAnnotation(false),
	} {
		option(&tool)
	}
	return tool
}

// decode reads a tool's arguments, which checkArguments has seen, into v. Integers keep
// all their digits.
func decode(r mcp.CallToolRequest, v any) error {
	raw := r.Params.RawArguments
	if len(raw) == 0 {
		var err error
		if raw, err = json.Marshal(r.GetRawArguments()); err != nil {
			return err
		}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("arguments of %s: %w", r.Params.Name, err)
	}
	return nil
}

// structured answers with v as structured content and the same JSON as text, for
// clients that read only text.
func structured(v any, failed bool) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	result := mcp.NewToolResultStructured(json.RawMessage(text), string(text))
	result.IsError = failed
	return result, nil
}
