package host

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// Connection says how a request came, for the audit log.
type Connection struct {
	Transport string // stdio, http or cli
	Session   string // names the connection; not a secret
	// Tool and Description are the tool that was called and what the caller says of it.
	Tool, Description string
}

type connectionKey struct{}

// WithConnection attaches a connection to the context of its requests.
func WithConnection(ctx context.Context, c Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

func connectionOf(ctx context.Context) Connection {
	c, _ := ctx.Value(connectionKey{}).(Connection)
	return c
}

// who is the identity behind a request, which is the connection's and never a program's
// to choose. known is false for what the process runs for itself, without a connection:
// that may read all collections, and has no files, skills or tools.
type who struct {
	identity.Identity
	known bool
}

func whoOf(ctx context.Context) who {
	id, ok := identity.FromContext(ctx)
	return who{id, ok}
}

func (w who) mayRead(collection string) bool { return !w.known || w.MayRead(collection) }

// confine keeps the engine to what the identity may read.
func (w who) confine(ctx context.Context) context.Context {
	if !w.known {
		return ctx
	}
	return search.Restrict(ctx, w.MayRead)
}

// clamp is the limits of a run within those of its identity. A zero limit of the run
// counts as the sandbox's default.
func (w who) clamp(l sandbox.Limits) sandbox.Limits {
	if !w.known {
		return l
	}
	d, most := sandbox.DefaultLimits(), w.Limits
	if l.Wall == 0 && most.Wall > 0 {
		l.Wall = d.Wall
	}
	l.Wall = least(l.Wall, most.Wall, d.Wall)
	if most.CPU > 0 {
		l.CPU = least(l.CPU, most.CPU, l.Wall)
	}
	if most.MemoryBytes > 0 {
		l.MemoryBytes = max(least(l.MemoryBytes, most.MemoryBytes, d.MemoryBytes), 32<<20)
	}
	l.MaxSteps = least(l.MaxSteps, most.Steps, d.MaxSteps)
	l.SourceBytes = least(l.SourceBytes, most.SourceBytes, d.SourceBytes)
	l.OutputBytes = least(l.OutputBytes, most.OutputBytes, d.OutputBytes)
	l.ResultBytes = least(l.ResultBytes, most.ResultBytes, d.ResultBytes)
	l.HostCalls = least(l.HostCalls, most.HostCalls, d.HostCalls)
	return l
}

// least is the run's limit, or the default where it has none, and at most the bound. No
// bound leaves the limit as it is.
func least[T int | int64 | time.Duration](limit, bound, byDefault T) T {
	if bound <= 0 {
		return limit
	}
	if limit == 0 {
		limit = byDefault
	}
	if limit == 0 {
		return bound
	}
	return min(limit, bound)
}

// readable is the collection that a program named, or the default one. What the identity
// may not read is refused with the words for one that does not exist.
func (s *session) readable(ctx context.Context, name string) (string, error) {
	name = s.collection(name)
	if s.who.mayRead(name) {
		return name, nil
	}
	// The engine finds none either, confined as it is, and has the words.
	if _, err := s.host.engine.Chunks(ctx, name, []string{"-"}); errors.Is(err, search.ErrNotFound) {
		return "", err
	}
	return "", invalid("", "collection %q not found", name)
}

// forbidden is the collection that the arguments of a failed call name, or leave to the
// default, if the identity may not read it. The program is told that there is none; the
// audit log is told that it tried.
func (s *session) forbidden(method string, args json.RawMessage) (collection string, is bool) {
	if handlers[method] == nil || method == codeapi.MethodStats || method == codeapi.MethodKeep || method == codeapi.MethodTokens {
		return "", false
	}
	var a struct{ Collection string }
	if json.Unmarshal(args, &a) != nil {
		return "", false
	}
	collection = s.collection(a.Collection)
	return collection, !s.who.mayRead(collection)
}

// unavailable says that this server has no such service.
func unavailable(what, hint string) error {
	return &codeapi.Failure{Class: "RuntimeError", Message: what + " not available here", Hint: hint}
}

// ConnectionOf returns the connection of a context; the zero value for none.
func ConnectionOf(ctx context.Context) Connection { return connectionOf(ctx) }
