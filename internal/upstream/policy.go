package upstream

import (
	"fmt"
	"slices"
)

// Policy says which tools one identity may call. The zero Policy allows none. Patterns
// are qualified names in which "*" stands for any run of characters:
// "mcp__github__*". What a server's config denies stays denied for everybody.
//
// A Policy is a value; it is safe for concurrent use as long as nobody changes its
// slices.
type Policy struct {
	// Identity is named in messages, so that whoever runs the server knows whose
	// policy to change.
	Identity string
	// Allow lists what may be called. A tool that is marked destructive needs its
	// own name here, in full: a pattern does not reach it.
	Allow []string
	// Deny lists what may not be called, whatever Allow says.
	Deny []string
}

// AllowAll returns a policy that allows every tool that is not marked destructive.
func AllowAll(identity string) Policy { return Policy{Identity: identity, Allow: []string{"*"}} }

// Check returns nil when the policy allows the tool, else an [Error] of [KindPolicy]
// that says what stands against it and what would allow it.
func (p Policy) Check(t Tool) error {
	refuse := func(message, hint string) error {
		return &Error{Kind: KindPolicy, Server: t.Server, Tool: t.Name, Message: message, Hint: hint}
	}
	who := p.Identity
	if who == "" {
		who = "this caller"
	}
	for _, pattern := range p.Deny {
		if matches(pattern, t.QualifiedName) {
			return refuse(fmt.Sprintf("%s is denied to %s by %q", t.QualifiedName, who, pattern), "")
		}
	}
	if slices.Contains(p.Allow, t.QualifiedName) {
		return nil
	}
	if !matchesAny(p.Allow, t.QualifiedName) {
		return refuse(fmt.Sprintf("%s may not call %s", who, t.QualifiedName),
			fmt.Sprintf("add %q to the tools allowed to %s", t.QualifiedName, who))
	}
	if t.Destructive() {
		return refuse(fmt.Sprintf("%s is marked destructive, and %s is allowed it by a pattern only", t.QualifiedName, who),
			fmt.Sprintf("add its full name %q to the tools allowed to %s", t.QualifiedName, who))
	}
	return nil
}
