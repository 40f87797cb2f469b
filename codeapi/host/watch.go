package host

import (
	"context"

	"github.com/bmcis/bmcis/internal/audit"
)

type watchKey struct{}

// WithCalls attaches a function that [Host.Execute] tells each call of the program when
// the call has ended, with the same words that go into the audit log: personal data is
// hidden where it is hidden from the identity. It may be called concurrently, and calls
// wait for it. Beyond [audit.MaxCalls] it is told no more.
func WithCalls(ctx context.Context, ended func(audit.Call)) context.Context {
	return context.WithValue(ctx, watchKey{}, ended)
}

func callsOf(ctx context.Context) func(audit.Call) {
	f, _ := ctx.Value(watchKey{}).(func(audit.Call))
	return f
}

// tell passes a call on to whoever watches the run.
func (s *session) tell(c audit.Call) {
	if s.san != nil {
		clean, _ := s.san.Texts(context.Background(), []string{c.Target, c.Error}) // safe also when it fails
		c.Target, c.Error = clean[0], clean[1]
	}
	s.watch(c)
}
