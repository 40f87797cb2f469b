package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// A Span is one piece of work in a trace. The zero Span does nothing.
type Span struct{ span trace.Span }

// Set adds an attribute.
func (s Span) Set(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// SetInt adds an attribute.
func (s Span) SetInt(key string, value int64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// End ends the span. An outcome that is not ok is an error of this kind; texts of errors,
// which may hold anything, stay out of traces.
func (s Span) End(outcome string) {
	if s.span == nil {
		return
	}
	if outcome != outcomeOK {
		s.span.SetStatus(codes.Error, outcome)
	}
	s.span.End()
}

// Start begins a span within that of ctx. Without traces it returns ctx as it is.
func (r *Recorder) Start(ctx context.Context, name string) (context.Context, Span) {
	if r == nil || r.tracer == nil {
		return ctx, Span{}
	}
	ctx, span := r.tracer.Start(ctx, name)
	return ctx, Span{span}
}

// Tracing reports whether spans are recorded.
func (r *Recorder) Tracing() bool { return r != nil && r.tracer != nil }

var w3c = propagation.TraceContext{}

// Continue makes the trace context of a request's _meta the parent of what is started in
// ctx: the keys traceparent and tracestate, as W3C Trace Context has them and MCP carries
// them. It wins over that of HTTP headers, which may be a proxy's. What is malformed is
// ignored, as the standard says.
func (r *Recorder) Continue(ctx context.Context, meta map[string]any) context.Context {
	if r == nil || r.tracer == nil || meta == nil {
		return ctx
	}
	carrier := propagation.MapCarrier{}
	for _, key := range w3c.Fields() {
		if text, ok := meta[key].(string); ok && len(text) <= 512 {
			carrier[key] = text
		}
	}
	if carrier["traceparent"] == "" {
		return ctx
	}
	return w3c.Extract(ctx, carrier)
}

// Meta is the trace context of ctx as fields of the _meta of a request to another server;
// nil where there is none.
func Meta(ctx context.Context) map[string]any {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return nil
	}
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	fields := make(map[string]any, len(carrier))
	for key, text := range carrier {
		fields[key] = text
	}
	return fields
}

// StartTracing switches traces on when the environment asks for them, as the
// specification of OpenTelemetry's environment variables says: OTEL_EXPORTER_OTLP_ENDPOINT
// or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, or OTEL_TRACES_EXPORTER is otlp. The
// exporter and the batches read the rest of OTEL_* by themselves. Otherwise it does
// nothing. It must be called before the recorder is used; [Recorder.Close] sends what is
// left. Spans that cannot be delivered are dropped, never waited for.
func (r *Recorder) StartTracing(ctx context.Context, getenv func(string) string, version string) (on bool, err error) {
	if on, err := wantsTraces(getenv); !on || err != nil {
		return false, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return false, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "bmcis"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv()) // the later wins
	if err != nil {
		return false, fmt.Errorf("traces: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("traces", "error", err) }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	r.tracer, r.stop = provider.Tracer("github.com/bmcis/bmcis"), provider.Shutdown
	return true, nil
}

func wantsTraces(getenv func(string) string) (bool, error) {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	endpoint := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") + getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	switch exporter := getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "none":
		return false, nil
	case "otlp":
	case "":
		if endpoint == "" {
			return false, nil
		}
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER=%s: there is otlp, and none", exporter)
	}
	protocol := getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
	if protocol == "" {
		protocol = getenv("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=%s: traces are sent as http/protobuf; point the endpoint at the receiver's HTTP port, 4318 by default", protocol)
	}
	return true, nil
}

// Close sends the spans that are left, until ctx ends. It may be called twice.
func (r *Recorder) Close(ctx context.Context) error {
	if r == nil || r.stop == nil {
		return nil
	}
	return r.stop(ctx)
}
