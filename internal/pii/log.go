package pii

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
)

// LogHandler sanitizes log records: the message, and keys and values of all attributes,
// also those that With adds. Errors, Stringers and structs that hold personal data
// become strings. When the Tokenizer fails, the record is written with [EMAIL] and the
// like.
type LogHandler struct {
	next slog.Handler
	s    *Sanitizer
}

// NewLogHandler returns a handler that sanitizes and passes on to next.
func NewLogHandler(next slog.Handler, s *Sanitizer) *LogHandler { return &LogHandler{next, s} }

// Enabled implements [slog.Handler].
func (h *LogHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler]. A record costs one call of the Tokenizer at most.
func (h *LogHandler) Handle(ctx context.Context, r slog.Record) error {
	var t logTexts
	t.add("", r.Message)
	r.Attrs(func(a slog.Attr) bool {
		t.attr(a)
		return true
	})
	t.clean(ctx, h.s)
	out := slog.NewRecord(r.Time, r.Level, t.next(), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(t.rebuilt(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

// WithAttrs implements [slog.Handler].
func (h *LogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var t logTexts
	for _, a := range attrs {
		t.attr(a)
	}
	t.clean(context.Background(), h.s)
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = t.rebuilt(a)
	}
	return &LogHandler{h.next.WithAttrs(out), h.s}
}

// WithGroup implements [slog.Handler].
func (h *LogHandler) WithGroup(name string) slog.Handler {
	return &LogHandler{h.next.WithGroup(name), h.s}
}

// logTexts gathers the texts of a record in a fixed order, and hands them out again in
// that order once they are clean.
type logTexts struct {
	hints, texts, cleaned []string
	values                []logValue // of all attributes, in the same order
	at, value             int
}

// logValue is a resolved value, with how many texts it has.
type logValue struct {
	slog.Value
	forms int
}

func (t *logTexts) add(hint, text string) {
	t.hints = append(t.hints, hint)
	t.texts = append(t.texts, text)
}

func (t *logTexts) next() string {
	t.at++
	return t.cleaned[t.at-1]
}

func (t *logTexts) clean(ctx context.Context, s *Sanitizer) {
	// The record must not be lost, and what comes with an error is safe.
	t.cleaned, _ = s.texts(ctx, t.hints, t.texts)
}

// attr adds the key and value of an attribute.
func (t *logTexts) attr(a slog.Attr) {
	v := a.Value.Resolve() // once: a LogValuer may answer differently the next time
	forms := logForms(v)
	t.values = append(t.values, logValue{v, len(forms)})
	t.add("", a.Key)
	if v.Kind() == slog.KindGroup {
		for _, b := range v.Group() {
			t.attr(b)
		}
		return
	}
	for _, text := range forms {
		t.add(a.Key, text)
	}
}

// rebuilt returns the attribute with clean texts; those of attr, in the same order.
func (t *logTexts) rebuilt(a slog.Attr) slog.Attr {
	v := t.values[t.value]
	t.value++
	out := slog.Attr{Key: t.next(), Value: v.Value}
	if v.Kind() == slog.KindGroup {
		group := make([]slog.Attr, len(v.Group()))
		for i, b := range v.Group() {
			group[i] = t.rebuilt(b)
		}
		out.Value = slog.GroupValue(group...)
		return out
	}
	first := t.at
	dirty := false
	for range v.forms {
		dirty = dirty || t.cleaned[t.at] != t.texts[t.at]
		t.at++
	}
	if dirty {
		out.Value = slog.StringValue(t.cleaned[first])
	}
	return out
}

// logForms returns the texts that a handler may make of a value; the first is what
// stands for it when one of them holds personal data.
func logForms(v slog.Value) []string {
	switch v.Kind() {
	case slog.KindString:
		return []string{v.String()}
	case slog.KindInt64:
		return []string{strconv.FormatInt(v.Int64(), 10)}
	case slog.KindUint64:
		return []string{strconv.FormatUint(v.Uint64(), 10)}
	case slog.KindFloat64:
		return []string{strconv.FormatFloat(v.Float64(), 'f', -1, 64)}
	case slog.KindAny:
		text := fmt.Sprintf("%+v", v.Any())
		if b, ok := v.Any().([]byte); ok {
			text = string(b)
		}
		raw, err := json.Marshal(v.Any())
		if err != nil {
			raw = nil
		}
		return []string{text, string(raw)}
	}
	return nil
}
