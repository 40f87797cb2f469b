package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/bmcis/bmcis/internal/pii"
)

// Logger writes records to w, as text or, when format is json, as one JSON object a line,
// with the trace and span of their context as trace_id and span_id. Where hide is not nil,
// tokens take the place of personal data in messages and attributes.
func Logger(w io.Writer, format string, level slog.Level, hide *pii.Sanitizer) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler
	switch format {
	case "", "text":
		h = slog.NewTextHandler(w, options)
	case "json":
		h = slog.NewJSONHandler(w, options)
	default:
		return nil, fmt.Errorf("log format %q is none of text, json", format)
	}
	h = traceHandler{h} // below the sanitizer: a trace id is hexadecimal digits, not a card number
	if hide != nil {
		h = pii.NewLogHandler(h, hide)
	}
	return slog.New(h), nil
}

// traceHandler adds the ids of the span that a record was written in.
type traceHandler struct{ slog.Handler }

func (h traceHandler) Handle(ctx context.Context, r slog.Record) error {
	if c := trace.SpanContextFromContext(ctx); c.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", c.TraceID().String()), slog.String("span_id", c.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
