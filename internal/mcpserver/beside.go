package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/sandbox"
)

// Route is something that [Server.Handler] answers beside MCP.
type Route struct {
	// Pattern as http.ServeMux reads it.
	Pattern string
	Handler http.Handler
	// Open answers requests without an identity: only for what holds nothing of anybody's.
	// The others are authenticated as those to /mcp are.
	Open bool
}

// CallError is a call that failed, in words that hide what is hidden from the identity.
// Unwrap returns the cause; nil says that the server was too busy to begin.
type CallError struct {
	Message string
	cause   error
}

func (e *CallError) Error() string { return e.Message }
func (e *CallError) Unwrap() error { return e.cause }

// ErrNoPrograms says that the server was started without execute_code.
var ErrNoPrograms = errors.New("this server runs no programs: it was started with --tools direct")

// Who returns the identity behind an authenticated request, and the context in which the
// engine is confined to its rights.
func (s *Server) Who(ctx context.Context) (context.Context, identity.Identity, error) {
	return s.identify(ctx)
}

// Do does the work f of a tool for a request that came beside MCP, as the tool would be
// done: with the identity's rights, a line in the audit log with args, and personal data
// hidden in the answer. Its answer is not counted as tokens, since no model gets it.
// Errors: *identity.Denied, *[CallError], ctx's own, and what the audit log could not
// take. It may be called concurrently.
func (s *Server) Do(ctx context.Context, tool string, args any, f func(ctx context.Context) (any, error)) (json.RawMessage, error) {
	ctx, id, err := s.identify(ctx)
	if err != nil {
		return nil, err
	}
	call := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool}}
	if call.Params.RawArguments, err = json.Marshal(args); err != nil {
		return nil, err
	}
	if err := s.denied(ctx, id, call); err != nil {
		return nil, err
	}
	var cause error
	result, err := s.attend(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		value, err := f(ctx)
		if cause = err; err != nil {
			return serviceError(ctx, err)
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultStructured(json.RawMessage(raw), ""), nil
	})(ctx, call)
	if err != nil {
		return nil, err
	}
	if result.IsError {
		e := &CallError{Message: "the call failed", cause: cause}
		if len(result.Content) > 0 {
			if t, ok := result.Content[0].(mcp.TextContent); ok {
				e.Message = t.Text
			}
		}
		return nil, e
	}
	raw, ok := result.StructuredContent.(json.RawMessage)
	if !ok {
		return json.Marshal(result.StructuredContent)
	}
	return raw, nil
}

// denied is a *identity.Denied, with a line in the audit log, when the identity may not
// call the tool.
func (s *Server) denied(ctx context.Context, id identity.Identity, call mcp.CallToolRequest) error {
	err := id.MayCall(call.Params.Name, false)
	if err == nil {
		return nil
	}
	if _, lost := s.attend(nil)(ctx, call); lost != nil { // it calls nothing and records that
		return lost
	}
	return err
}

// Look is [Server.Do] for what shows no document: sums, lists, the log. It leaves no line
// in the audit log, as `bmcis audit` and `bmcis status` leave none.
func (s *Server) Look(ctx context.Context, tool string, f func(ctx context.Context, id identity.Identity) (any, error)) (json.RawMessage, error) {
	ctx, id, err := s.identify(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.denied(ctx, id, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool}}); err != nil {
		return nil, err
	}
	value, err := f(ctx, id)
	san := s.host.Sanitizer(ctx)
	if err != nil {
		if san == nil {
			return nil, err
		}
		text, _ := san.Text(ctx, err.Error()) // safe also when it fails
		return nil, &CallError{Message: text, cause: err}
	}
	raw, err := json.Marshal(value)
	if err != nil || san == nil {
		return raw, err
	}
	if raw, _ = san.JSON(ctx, raw); raw == nil { // safe also when tokens cannot be kept
		return nil, errors.New("hide personal data: the answer is no JSON")
	}
	return raw, nil
}

// Execute runs a program as the tool execute_code does and returns its answer as JSON of
// a [host.RunResult]. wall is the program's time, 0 for the server's default; p.Output
// and [host.WithCalls] tell what it does meanwhile.
func (s *Server) Execute(ctx context.Context, p sandbox.Program, description string, wall time.Duration) (json.RawMessage, error) {
	if s.runner == nil {
		return nil, ErrNoPrograms
	}
	limits := s.limits
	if wall > 0 {
		limits.Wall = wall
	}
	return s.Do(ctx, "execute_code", nil, func(ctx context.Context) (any, error) {
		conn := host.ConnectionOf(ctx)
		conn.Description = description
		result, err := s.host.Execute(host.WithConnection(ctx, conn), s.runner, p, limits)
		if result.Error != nil {
			noteOutcome(ctx, string(result.Error.Kind))
		}
		return result, err
	})
}

// Collection is what is searched when a call names no collection.
func (s *Server) Collection() string { return s.defaultCollection }

// RunsPrograms reports whether the server has execute_code.
func (s *Server) RunsPrograms() bool { return s.runner != nil }
