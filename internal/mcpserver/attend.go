package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pii"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

const (
	transportStdio = "stdio"
	transportHTTP  = "http"
)

// localIdentity is who asks without a token, with rights as of a second ago at most.
type localIdentity struct {
	store *identity.Store // nil: may everything
	mu    sync.Mutex
	id    identity.Identity
	read  time.Time
}

func (l *localIdentity) get(ctx context.Context) (identity.Identity, error) {
	if l.store == nil {
		return identity.Identity{ID: identity.LocalID, Name: identity.LocalName, Policy: identity.DefaultPolicy()}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.read) < identity.Lag {
		return l.id, nil
	}
	id, err := l.store.Local(ctx)
	if err == nil {
		l.id, l.read = id, time.Now()
	}
	return id, err
}

// identify returns the identity behind a request, which its connection decides, and the
// context in which it is confined to its rights. Over HTTP the guard has attached it; a
// request without one comes from nowhere and is refused.
func (s *Server) identify(ctx context.Context) (context.Context, identity.Identity, error) {
	id, ok := identity.FromContext(ctx)
	if !ok {
		if host.ConnectionOf(ctx).Transport != transportStdio {
			return ctx, id, errors.New("the request has no identity")
		}
		var err error
		if id, err = s.local.get(ctx); err != nil {
			return ctx, id, err
		}
		ctx = identity.NewContext(ctx, id)
	}
	return search.Restrict(ctx, id.MayRead), id, nil
}

// attend is the outermost middleware of all tools: it finds who asks, refuses what they
// may not, records the call, and hides personal data in the answer where that is wanted.
func (s *Server) attend(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return s.watched(func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, id, err := s.identify(ctx)
		if err != nil {
			return nil, err
		}
		conn := host.ConnectionOf(ctx)
		conn.Tool = r.Params.Name
		a := &attended{id: id, conn: conn, start: time.Now()}
		ctx = context.WithValue(host.WithConnection(ctx, conn), attendedKey{}, a)
		result, err := s.permitted(ctx, a, next, r)
		noteOutcome(ctx, a.outcome)
		san := s.host.Sanitizer(ctx)
		if r.Params.Name != "execute_code" || a.outcome != "" { // the host records programs, with their calls
			if lost := s.record(ctx, r, a, result, err, san); lost != nil {
				return nil, lost
			}
		}
		if san == nil || r.Params.Name == "restore_pii" {
			return result, err
		}
		return hidden(ctx, san, result, err)
	})
}

// attended is a call on its way.
type attended struct {
	id    identity.Identity
	conn  host.Connection
	start time.Time
	// outcome in the audit log, where the answer does not tell it: a refusal looks to the
	// caller like a failure, and sometimes on purpose.
	outcome string
}

type attendedKey struct{}

// The outcomes of calls that were not made.
const (
	outcomePolicy = string(sandbox.KindPolicy)
	outcomeBusy   = string(sandbox.KindBusy)
)

// refused notes that a policy stands against the call that ctx is of.
func refused(ctx context.Context) {
	if a, ok := ctx.Value(attendedKey{}).(*attended); ok {
		a.outcome = outcomePolicy
	}
}

// permitted makes the call if the identity may call the tool now.
func (s *Server) permitted(ctx context.Context, a *attended, next server.ToolHandlerFunc, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := a.id.MayCall(r.Params.Name, false); err != nil {
		refused(ctx)
		return mcp.NewToolResultError(err.Error()), nil
	}
	if a.conn.Transport == transportStdio {
		leave, ok := s.gate.Enter(a.id.Name, a.id.Limits.Concurrent)
		if !ok {
			a.outcome = outcomeBusy
			return mcp.NewToolResultErrorf("%d calls of %s are under way, which is all it may have at once; wait for one to end", a.id.Limits.Concurrent, a.id.Name), nil
		}
		defer leave()
	}
	result, err := next(ctx, r)
	if schema := s.schemas[r.Params.Name]; schema != nil && schema.Properties["collection"] != nil && result != nil && result.IsError &&
		!a.id.MayRead(s.collection(r.GetString("collection", ""))) {
		refused(ctx) // in words that do not say so
	}
	return result, err
}

// maxRecorded bounds the arguments of a direct call in the audit log.
const maxRecorded = 256 << 10

// record writes a direct call into the audit log. What cannot be recorded is not answered.
func (s *Server) record(ctx context.Context, r mcp.CallToolRequest, a *attended, result *mcp.CallToolResult, failed error, san *pii.Sanitizer) error {
	if s.audit == nil {
		return nil
	}
	args := r.Params.RawArguments
	if len(args) == 0 {
		args, _ = json.Marshal(r.Params.Arguments)
	}
	rec := audit.Record{Started: a.start, Duration: time.Since(a.start), IdentityID: a.id.ID, Identity: a.id.Name, Session: a.conn.Session,
		Transport: a.conn.Transport, Kind: audit.KindTool, Tool: r.Params.Name, Digest: audit.DigestOf(args), Outcome: "ok"}
	switch {
	case a.outcome != "":
		rec.Outcome = a.outcome
	case ctx.Err() != nil:
		rec.Outcome = "cancelled"
	case failed != nil:
		rec.Outcome, rec.Error = "host", failed.Error()
	case result != nil && result.IsError:
		rec.Outcome = "failed"
	}
	if result != nil {
		for _, c := range result.Content {
			if t, ok := c.(mcp.TextContent); ok {
				rec.Answer += t.Text
			}
		}
		if result.IsError {
			rec.Error = rec.Answer[:min(len(rec.Answer), 4000)]
		}
	}
	if san == nil && r.Params.Name == "sanitize_pii" {
		san = new(pii.Sanitizer) // what is to be hidden is not written down
	}
	later := context.WithoutCancel(ctx)
	if san != nil {
		if clean, _ := san.JSON(later, args); clean != nil {
			args = clean
		} else {
			args = nil
		}
		rec.Error, _ = san.Text(later, rec.Error)
	}
	if len(args) > maxRecorded {
		args = fmt.Appendf(args[:maxRecorded:maxRecorded], "… (%d bytes more)", len(args)-maxRecorded)
	}
	rec.Program = strings.ToValidUTF8(string(args), "�")
	return s.audit.Append(later, rec)
}

// hidden is an answer with tokens in the place of personal data.
func hidden(ctx context.Context, san *pii.Sanitizer, result *mcp.CallToolResult, err error) (*mcp.CallToolResult, error) {
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		text, _ := san.Text(ctx, err.Error())
		if text != err.Error() {
			return nil, errors.New(text)
		}
		return nil, err
	}
	clean := *result
	if result.StructuredContent != nil {
		raw, err := json.Marshal(result.StructuredContent)
		if err != nil {
			return nil, err
		}
		if raw, _ = san.JSON(ctx, raw); raw == nil { // safe also when tokens cannot be kept
			return nil, errors.New("hide personal data: the answer is no JSON")
		}
		clean.StructuredContent = json.RawMessage(raw)
	}
	clean.Content = make([]mcp.Content, len(result.Content))
	for i, c := range result.Content {
		if t, ok := c.(mcp.TextContent); ok {
			if raw, _ := san.JSON(ctx, []byte(t.Text)); raw != nil {
				t.Text = string(raw)
			} else {
				t.Text, _ = san.Text(ctx, t.Text)
			}
			c = t
		}
		clean.Content[i] = c
	}
	return &clean, nil
}

// visibleTools leaves out of a list what the identity may not call. A call of it is refused
// by attend, with the reason and a line in the audit log.
func (s *Server) visibleTools(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
	_, id, err := s.identify(ctx)
	result.Tools = slices.DeleteFunc(slices.Clone(result.Tools), func(t mcp.Tool) bool {
		return err != nil || id.MayCall(t.Name, false) != nil
	})
}
