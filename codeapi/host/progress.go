package host

import (
	"context"

	"github.com/bmcis/bmcis/internal/upstream"
)

type reportKey struct{}

// WithProgress attaches a function that [Host.Execute] tells how the tools of other
// servers get on while a program waits for them, a line at a time. Personal data is hidden
// in it where it is hidden from the identity. It may be called concurrently, and servers
// wait for it.
func WithProgress(ctx context.Context, report func(line string)) context.Context {
	return context.WithValue(ctx, reportKey{}, report)
}

func reportOf(ctx context.Context) func(string) {
	f, _ := ctx.Value(reportKey{}).(func(string))
	return f
}

// reporting is the context of a call whose progress is wanted.
func (s *session) reporting(ctx context.Context, tool string) context.Context {
	if s.report == nil {
		return ctx
	}
	return upstream.WithProgress(ctx, func(line string) {
		line = tool + " " + line
		if s.san != nil {
			line, _ = s.san.Text(context.WithoutCancel(ctx), line) // safe also when it fails
		}
		s.report(line)
	})
}
