// Package identity says who asks and what they may do. In goes what the connection
// carries, a bearer token or nothing; out comes an [Identity] with its rights and
// limits, or an error that says what is wrong with the token. The identity of a
// request comes from its connection alone, never from a program. Callers: the server,
// which authenticates each request, and `bmcis tokens`.
package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The identity of connections that need no token: stdio and loopback.
const (
	LocalID   int64 = 1
	LocalName       = "local"
)

// Identity is who asks. It is a value: a change of rights shows in the next one that
// [Store.Authenticate] returns.
type Identity struct {
	// ID owns workspaces, skills, vaults and lines of the audit log. It is never
	// reused.
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Policy
}

// Policy is what an identity may do. The zero value may nothing but call tools that
// are not destructive; [DefaultPolicy] is what a new identity gets.
type Policy struct {
	// Admin may read the audit log and everybody's statistics.
	Admin bool `json:"admin,omitempty"`
	// Collections it may read, by pattern: a name, in which * stands for any run of
	// characters. Ignored when AllCollections is set.
	Collections    []string `json:"collections,omitempty"`
	AllCollections bool     `json:"all_collections,omitempty"`
	// AllowTools and DenyTools are tools that it may and may not call, by pattern, such
	// as "mcp__github__*". An empty AllowTools allows all; DenyTools wins. Patterns that
	// all begin with "mcp__" speak of other servers' tools alone: the tools of this server,
	// by whose programs those are reached, then stay allowed. A list that names one of
	// them, or "*", is the whole list.
	AllowTools []string `json:"allow_tools,omitempty"`
	DenyTools  []string `json:"deny_tools,omitempty"`
	// Destructive are tools marked destructive that it may call, by their exact names,
	// whether AllowTools has them or not. A pattern never reaches such a tool; its
	// exact name in AllowTools does.
	Destructive []string `json:"destructive,omitempty"`
	// RestorePII allows turning tokens such as [EMAIL_ab12cd] back into what they
	// stand for.
	RestorePII bool   `json:"restore_pii,omitempty"`
	Limits     Limits `json:"limits,omitzero"`
}

// Limits are upper bounds for one identity. A zero field is the server's own limit;
// none can raise that.
type Limits struct {
	Wall        time.Duration `json:"wall_ns,omitempty"`
	CPU         time.Duration `json:"cpu_ns,omitempty"`
	MemoryBytes int64         `json:"memory_bytes,omitempty"`
	Steps       int64         `json:"steps,omitempty"`
	SourceBytes int64         `json:"source_bytes,omitempty"`
	OutputBytes int64         `json:"output_bytes,omitempty"`
	ResultBytes int64         `json:"result_bytes,omitempty"`
	HostCalls   int           `json:"host_calls,omitempty"`
	// RequestsPerMinute over all connections; Burst of them may come at once.
	// Burst defaults to a sixth of RequestsPerMinute, at least 1.
	RequestsPerMinute int `json:"requests_per_minute,omitempty"`
	Burst             int `json:"burst,omitempty"`
	// Concurrent programs and tool calls.
	Concurrent int `json:"concurrent,omitempty"`
}

// DefaultPolicy is that of a new identity for which nothing else is said: all
// collections, all tools that are not destructive, the server's limits.
func DefaultPolicy() Policy { return Policy{AllCollections: true} }

// MayRead reports whether the identity may read the collection. Whoever lists
// collections leaves out those for which it is false.
func (id Identity) MayRead(collection string) bool {
	return id.AllCollections || slices.ContainsFunc(id.Collections, func(p string) bool { return match(p, collection) })
}

// ToolRules returns the same rules in one list each, for those who keep such lists
// (internal/upstream): what is allowed by pattern or, for destructive tools, by exact
// name; and what is denied whatever the first list says.
func (p Policy) ToolRules() (allow, deny []string) {
	if len(p.AllowTools) == 0 {
		allow = []string{"*"}
	}
	return slices.Concat(allow, p.AllowTools, p.Destructive), slices.Clone(p.DenyTools)
}

// AllowsOwn reports whether AllowTools leaves the tools of this server alone.
func (p Policy) AllowsOwn() bool {
	return !slices.ContainsFunc(p.AllowTools, func(pattern string) bool { return !strings.HasPrefix(pattern, upstreamPrefix) })
}

// upstreamPrefix begins the names of other servers' tools.
const upstreamPrefix = "mcp__"

// MayCall returns nil when the identity may call the tool, else a [*Denied]. Whether a
// tool is destructive is the caller's knowledge; a tool that does not say counts as such.
func (id Identity) MayCall(tool string, destructive bool) error {
	named := func(p string) bool { return match(p, tool) }
	allow, deny := id.ToolRules()
	byName := slices.Contains(allow, tool) && !strings.Contains(tool, "*") // a tool called like a pattern
	allowed := slices.ContainsFunc(allow, named) || !strings.HasPrefix(tool, upstreamPrefix) && id.AllowsOwn()
	switch {
	case slices.ContainsFunc(deny, named), !allowed:
		return &Denied{Identity: id.Name, What: fmt.Sprintf("tool %q", tool), Why: "is not among its tools",
			Remedy: fmt.Sprintf("an administrator may allow it: bmcis tokens set %s --allow-tools … --deny-tools …", id.Name)}
	case destructive && !byName:
		return &Denied{Identity: id.Name, What: fmt.Sprintf("tool %q", tool), Why: "is destructive and not allowed by name",
			Remedy: fmt.Sprintf("an administrator may allow it: bmcis tokens set %s --destructive %s", id.Name, tool)}
	}
	return nil
}

// Denied is a policy error: the identity may not do that.
type Denied struct {
	Identity string
	// What is refused, such as `tool "x"`, Why, and the Remedy.
	What, Why, Remedy string
}

func (d *Denied) Error() string {
	return fmt.Sprintf("identity %q: %s %s; %s", d.Identity, d.What, d.Why, d.Remedy)
}

type contextKey struct{}

// NewContext attaches the identity of a connection to the context of its requests.
func NewContext(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, contextKey{}, id)
}

// FromContext returns the identity that [NewContext] attached.
func FromContext(ctx context.Context) (id Identity, ok bool) {
	id, ok = ctx.Value(contextKey{}).(Identity)
	return id, ok
}
