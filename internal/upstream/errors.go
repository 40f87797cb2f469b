package upstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind says whose fault a failed call is and what may help.
type Kind string

// The kinds of errors, all of them.
const (
	// KindUnknownServer: no server of that name is in the config.
	KindUnknownServer Kind = "unknown_server"
	// KindUnknownTool: the server has no tool of that name.
	KindUnknownTool Kind = "unknown_tool"
	// KindPolicy: the caller may not call this tool.
	KindPolicy Kind = "policy"
	// KindArguments: the arguments do not fit the tool's input schema.
	KindArguments Kind = "arguments"
	// KindConnect: the server could not be reached or did not complete the handshake.
	KindConnect Kind = "connect"
	// KindTimeout: the server did not answer in time.
	KindTimeout Kind = "timeout"
	// KindUpstream: the tool ran and failed, or the server refused the request; the
	// message is the server's.
	KindUpstream Kind = "upstream"
	// KindTooLarge: the answer was larger than allowed.
	KindTooLarge Kind = "too_large"
	// KindGarbage: the server sent what is no answer.
	KindGarbage Kind = "garbage"
	// KindCancelled: the caller gave up.
	KindCancelled Kind = "cancelled"
)

// Error is a failed call or a server that cannot be used. It is the only type of
// error that [Manager.Call] returns.
type Error struct {
	Kind   Kind
	Server string // "" when no server is meant
	Tool   string // the server's own name for it, "" when none is meant
	// Message is one line for the agent; the server's own words can have more lines.
	Message string
	// Hint says what helps, or is "".
	Hint string
	// MayHaveActed is set when the request had left before the failure: the tool may
	// have done its work although no answer came. Without it, calling again is safe.
	MayHaveActed bool

	cause error
}

// Error returns the message and the hint.
func (e *Error) Error() string {
	s := e.Message
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	if e.MayHaveActed && e.Kind != KindUpstream {
		s += " (the tool may have acted)"
	}
	return s
}

// Unwrap returns what caused the error, which can be nil.
func (e *Error) Unwrap() error { return e.cause }

// ended makes an error of a context that ended: the caller's wish or its time.
func ended(ctx context.Context, server, what string) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Kind: KindCancelled, Server: server, Message: fmt.Sprintf("server %q: %s was cancelled", server, what), cause: ctx.Err()}
	}
	return &Error{Kind: KindTimeout, Server: server, Message: fmt.Sprintf("server %q: no time is left for %s", server, what), cause: ctx.Err()}
}

// clip shortens somebody else's text for a message: its first n bytes at most, cut
// between characters, what a terminal would obey taken out.
func clip(s string, n int) string {
	s = strings.TrimSpace(plain(s))
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}

// plain replaces control characters, other than new lines and tabs, and the marks
// that reverse the direction of text: both can make a message look like another one.
// Bytes that are not UTF-8 become the replacement character.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r == 0x7F, r >= 0x80 && r < 0xA0,
			r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
