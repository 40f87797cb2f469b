// Package mcpserver offers the engine to agents over the Model Context Protocol.
//
// In: an engine, a sandbox runner, and which tool table to show. Out: a server on
// stdio or streamable HTTP. Caller: `bmcis serve`.
//
// Two tables exist. The code table is execute_code, in which a program runs the whole
// pipeline and only its small answer goes back to the model, with what goes beside it:
// finding tools, skills, files, tokens for personal data, statistics. The direct table is
// one tool per stage, for single look-ups and for the comparison of both ways. A tool that
// the server has not the service for is not listed.
//
// Who asks is decided by the connection alone: a bearer token over HTTP, or the local
// identity. It bounds what every tool and resource shows.
package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/admit"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/internal/telemetry"
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

// A program's result that is longer is cut, about 8,000 tokens of English; what it
// prints is shown up to the same length, and may be longer.
const (
	maxResultBytes = 32 << 10
	maxOutputBytes = 256 << 10
)

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
	// ResultBytes defaults to 32 KiB, and an answer carries as much of what was printed;
	// OutputBytes, beyond which a program is stopped, to 256 KiB. Other zero fields take
	// the runner's.
	Limits sandbox.Limits
	// Services and Privacy are what identities have besides searching; see host.Config.
	Services host.Services
	Privacy  host.Privacy
	// CacheDir keeps the vectors of tools; "" in memory alone.
	CacheDir string
	// Log is the audit log that get_execution_stats reads. Nil: there is no such tool.
	Log *audit.Store
	// Identities knows who the bearer of a token is. Nil: whoever asks is local, and may
	// everything; then only loopback addresses can be listened on.
	Identities *identity.Store
	// RequireToken demands a token of every request over HTTP, on loopback addresses too:
	// for a server behind a proxy.
	RequireToken bool
	// Telemetry counts, times and traces calls. Nil: nobody does.
	Telemetry *telemetry.Recorder
	// Ready says whether the server can answer, for /readyz. Nil: there is no such path.
	Ready func(context.Context) Readiness
	// MetricsApart leaves /metrics to a listener of its own.
	MetricsApart bool
	// Logger gets each call, at level info, and what goes wrong. Defaults to slog.Default().
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

	services host.Services
	vaults   bool // there are tokens for personal data
	audit    *audit.Writer
	log      *audit.Store
	local    localIdentity
	guard    guard
	gate     *identity.Gate

	telemetry    *telemetry.Recorder
	ready        func(context.Context) Readiness
	metricsApart bool
	requests     *admit.Gate // all that come over HTTP
	direct       *admit.Gate // calls of tools other than execute_code
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
		cfg.Limits.ResultBytes = maxResultBytes
	}
	if cfg.Limits.OutputBytes == 0 {
		cfg.Limits.OutputBytes = maxOutputBytes
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Engine == nil || (cfg.Runner == nil && cfg.Tools != ToolsDirect) {
		return nil, errors.New("mcpserver: an engine and, for execute_code, a runner are needed")
	}
	s := &Server{
		engine: cfg.Engine, runner: cfg.Runner, limits: cfg.Limits, logger: cfg.Logger,
		host: host.New(cfg.Engine, host.Config{Collection: cfg.Collection, Services: cfg.Services, Telemetry: cfg.Telemetry, Privacy: cfg.Privacy, CacheDir: cfg.CacheDir,
			ShownOutput: int(cfg.Limits.ResultBytes)}),
		defaultCollection: cfg.Collection,
		services:          cfg.Services, vaults: cfg.Privacy.Vaults != nil, audit: cfg.Services.Audit, log: cfg.Log,
		local: localIdentity{store: cfg.Identities}, gate: identity.NewGate(),
		telemetry: cfg.Telemetry, ready: cfg.Ready, metricsApart: cfg.MetricsApart, requests: newRequestGate(), direct: newDirectGate(),
	}
	s.guard = newGuard(cfg)
	options := []server.ServerOption{
		server.WithTitle("BMCIS knowledge engine"),
		server.WithInstructions(instructions(cfg.Tools)),
		server.WithToolCapabilities(false),
		server.WithToolHandlerMiddleware(s.attend),
		server.WithToolHandlerMiddleware(s.checkArguments),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(completer{s}),
		server.WithOutputSchemaValidation(),
		server.WithRecovery(),
		server.WithHooks(s.hooks()),
		// The tables never change while a server runs; which part of them one sees is one's
		// own. Files do change.
		server.WithCacheHints(3_600_000, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesList, 0, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
	}
	if fixtures != nil {
		options = append(options, fixtures.options...)
	}
	s.mcp = server.NewMCPServer("bmcis", cfg.Version, options...)
	s.addResources()
	s.addPrompts()
	switch cfg.Tools {
	case ToolsCode:
		s.addCodeTools(cfg.Tools)
		s.addAgentTools()
	case ToolsDirect:
		s.addDirectTools()
	case ToolsBoth:
		s.addCodeTools(cfg.Tools)
		s.addAgentTools()
		s.addDirectTools()
	default:
		return nil, fmt.Errorf("tool table %q is none of code, direct, both", cfg.Tools)
	}
	var err error
	if s.schemas, err = readSchemas(s.mcp.ListTools()); err != nil {
		return nil, fmt.Errorf("mcpserver: %w", err)
	}
	if fixtures != nil {
		fixtures.add(s)
	}
	return s, nil
}

// fixtures are what the protocol's conformance suite calls. They are nil except in builds
// with the tag conformance.
var fixtures *fixtureSet

type fixtureSet struct {
	options []server.ServerOption
	add     func(*Server)
	wrap    func(http.Handler) http.Handler // around the library's transport
}

// Warm prepares the search for tools, so that the first one does not pay for it.
func (s *Server) Warm(ctx context.Context) error { return s.host.Warm(ctx) }

func instructions(t Tools) string {
	switch t {
	case ToolsDirect:
		return "Searches a knowledge base. Use hybrid_search for most questions; rerank_results and filter_results work on ids of earlier hits."
	case ToolsBoth:
		return "Searches a knowledge base. One simple look-up: a direct tool. Over 100 rows, three or more steps, conditions, or polling: one execute_code program."
	}
	return "Searches a knowledge base by running programs: write one execute_code program per task and return only what is needed."
}

// readOnlyTool describes a tool that only reads the knowledge base: called again on the
// same generation it gives the same answer, and it reaches nothing outside.
func readOnlyTool(name, title, description string, input, output json.RawMessage) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(name, description, input)
	for _, option := range []mcp.ToolOption{
		mcp.WithToolTitle(title), mcp.WithToolIcons(icon(iconOf[name])), mcp.WithRawOutputSchema(output),
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
	text, err := render.JSON(v)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	result := mcp.NewToolResultStructured(text, string(text))
	result.IsError = failed
	return result, nil
}
