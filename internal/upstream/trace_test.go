package upstream

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// TestCallsCarryTheTrace: another server is told of the trace in which it is called, and
// of none where there is none.
func TestCallsCarryTheTrace(t *testing.T) {
	box := mcpserver.NewMCPServer("box", "1", mcpserver.WithToolCapabilities(false))
	box.AddTool(mcp.NewTool("meta", mcp.WithDestructiveHintAnnotation(false)), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Params.Meta == nil {
			return mcp.NewToolResultText("none"), nil
		}
		return mcp.NewToolResultText(fmt.Sprint(r.Params.Meta.AdditionalFields["traceparent"])), nil
	})
	web := httptest.NewServer(mcpserver.NewStreamableHTTPServer(box))
	t.Cleanup(web.Close)
	c, err := Parse(fmt.Appendf(nil, `{"mcpServers": {"box": {"url": %q}}}`, web.URL))
	if err != nil {
		t.Fatal(err)
	}
	m := newManager(t, Options{}, c.Servers...)
	ask := func(ctx context.Context) string {
		t.Helper()
		r, err := m.Call(ctx, "mcp__box__meta", nil, Policy{Allow: []string{"*"}})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Value)
	}
	if got := ask(t.Context()); strings.Contains(got, "00-") {
		t.Errorf("without a trace the server got %s", got)
	}
	span := oteltrace.NewSpanContext(oteltrace.SpanContextConfig{TraceID: oteltrace.TraceID{1, 2, 3}, SpanID: oteltrace.SpanID{4, 5}, TraceFlags: oteltrace.FlagsSampled})
	if got, want := ask(oteltrace.ContextWithSpanContext(t.Context(), span)), "00-"+span.TraceID().String()+"-"+span.SpanID().String()+"-01"; !strings.Contains(got, want) {
		t.Errorf("the server got %s, want %s", got, want)
	}
}
