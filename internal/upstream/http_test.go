package upstream

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"
)

func honestServer(name string) *mcpgo.MCPServer {
	s := mcpgo.NewMCPServer(name, "1", mcpgo.WithToolCapabilities(true))
	s.AddTool(mcp.NewToolWithRawSchema("echo", "echoes", json.RawMessage(`{"type":"object"}`)), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructured(json.RawMessage(r.Params.RawArguments), "echoed"), nil
	})
	s.AddTool(mcp.NewToolWithRawSchema("big", "answers at length", json.RawMessage(`{"type":"object"}`)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(strings.Repeat("x", 8<<20)), nil
	})
	s.AddTool(mcp.NewToolWithRawSchema("silent", "says nothing", json.RawMessage(`{"type":"object"}`)), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.AddTool(mcp.NewToolWithRawSchema("grow", "gets a sibling", json.RawMessage(`{"type":"object"}`)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddTool(mcp.NewToolWithRawSchema("sibling", "new", json.RawMessage(`{"type":"object"}`)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("born"), nil
		})
		return mcp.NewToolResultText("grown"), nil
	})
	return s
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func TestHTTPTransports(t *testing.T) {
	const value = `{"id":30451149516,"big":9007199254740993}`
	for _, c := range []struct {
		name, protocol string
		server         func() Server
	}{
		{"streamable, newest revision", "2026-07-28", func() Server {
			return Server{Transport: HTTP, URL: serve(t, mcpgo.NewStreamableHTTPServer(honestServer("a"))) + "/mcp"}
		}},
		{"streamable, with a session", "2025-11-25", func() Server {
			h := mcpgo.NewStreamableHTTPServer(honestServer("a"), mcpgo.WithStateful(true))
			// Without server/discover, as a server of the older revision.
			return Server{Transport: HTTP, URL: serve(t, without("server/discover", h)) + "/mcp"}
		}},
		{"server-sent events", "2025-11-25", func() Server {
			return Server{Transport: SSE, URL: serveSSE(t, honestServer("a"))}
		}},
		{"a url alone is tried both ways", "2025-11-25", func() Server {
			return Server{Transport: auto, URL: serveSSE(t, honestServer("a"))}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.server()
			s.Name = "h"
			m := newManager(t, Options{MaxAnswerBytes: 1 << 20}, s)
			if r := mustCall(t, m, "echo", value, value); r.Text != "echoed" {
				t.Errorf("text %q", r.Text)
			}
			if got := m.Status()[0].Protocol; got != c.protocol {
				t.Errorf("speaks %s, want %s", got, c.protocol)
			}
			_, err := call(t, m, "big", "")
			if e := wantError(t, err, KindTooLarge, "1 MiB"); !e.MayHaveActed {
				t.Error("the tool may have acted")
			}
			mustCall(t, m, "echo", value, value)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err = m.Call(ctx, "mcp__h__silent", nil, all)
			cancel()
			wantError(t, err, KindTimeout, "did not answer in time")
			// The new tool is known as soon as the server has told of it.
			mustCall(t, m, "grow", "", `"grown"`)
			for i := 0; ; i++ {
				if _, err := call(t, m, "sibling", ""); err == nil {
					break
				} else if i == 1000 {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// serveSSE serves over the transport of 2024-11-05 and returns its address.
func serveSSE(t *testing.T, s *mcpgo.MCPServer) string {
	t.Helper()
	h := &lateHandler{}
	url := serve(t, h)
	sse := mcpgo.NewSSEServer(s, mcpgo.WithBaseURL(url))
	h.handler.Store(handlerBox{sse})
	return url + "/sse"
}

// lateHandler lets a server know its address before it has its handler.
type lateHandler struct{ handler atomic.Value }

type handlerBox struct{ http.Handler }

func (l *lateHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.handler.Load().(handlerBox).ServeHTTP(w, r)
}

// without answers one method as a server does that does not know it.
func without(method string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m wire
		if json.Unmarshal(body, &m) == nil && m.Method == method {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
}

// scripted serves the handshake honestly and then does as f says.
func scripted(f func(w http.ResponseWriter, r *http.Request, m wire)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var m wire
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := func(format string, args ...any) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,`+format+`}`, append([]any{m.ID}, args...)...)
		}
		switch m.Method {
		case "initialize":
			answer(`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
		case "tools/list":
			answer(`"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`)
		case "tools/call":
			f(w, r, m)
		default:
			answer(`"error":{"code":-32601,"message":"Method not found"}`)
		}
	})
}

func TestHostileHTTPAnswers(t *testing.T) {
	events := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }
	for name, c := range map[string]struct {
		f     func(w http.ResponseWriter, r *http.Request, m wire)
		kind  Kind
		words string
		acted bool
	}{
		"not JSON": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `<html>`)
		}, KindGarbage, "cannot be read", true},
		"a web page": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<html>welcome</html>`)
		}, KindGarbage, "text/html", true},
		"another id": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}`)
		}, KindGarbage, "4711", true},
		"another id in a stream": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			events(w)
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{\"content\":[]}}\n\n")
		}, KindGarbage, "4711", true},
		"neither": {func(w http.ResponseWriter, _ *http.Request, m wire) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s}`, m.ID)
		}, KindGarbage, "neither a result nor an error", true},
		"a stream without an answer": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			events(w)
			fmt.Fprint(w, ": sorry\n\n")
		}, KindGarbage, "cannot be read", true},
		"huge JSON": {func(w http.ResponseWriter, _ *http.Request, m wire) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
			pour(w, "x")
		}, KindTooLarge, "1 MiB", true},
		"a huge event": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			events(w)
			fmt.Fprint(w, "data: ")
			pour(w, "x")
		}, KindTooLarge, "1 MiB", true},
		"an event of many lines": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			events(w)
			pour(w, "data: x\n")
		}, KindTooLarge, "1 MiB", true},
		"a flood of events": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			events(w)
			pour(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n")
		}, KindGarbage, "flooded", true},
		"a zip bomb": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gzipped(64 << 20))
		}, KindTooLarge, "1 MiB", true},
		"401": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			w.WriteHeader(401)
			fmt.Fprint(w, "token expired: Bearer s3cr3t-value")
		}, KindUpstream, "status 401", false},
		"429": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			w.WriteHeader(429)
		}, KindUpstream, "wait before the next call", false},
		"500": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			w.WriteHeader(500)
			fmt.Fprint(w, "boom")
		}, KindUpstream, "status 500: boom", true},
		"a redirect elsewhere": {func(w http.ResponseWriter, r *http.Request, _ wire) {
			http.Redirect(w, r, "http://elsewhere.invalid/mcp", http.StatusTemporaryRedirect)
		}, KindConnect, "redirects to elsewhere.invalid", true},
		"a broken connection": {func(w http.ResponseWriter, _ *http.Request, _ wire) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = c.Close()
			}
		}, KindConnect, "EOF", true},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, scripted(c.f))
			m := newManager(t, Options{MaxAnswerBytes: 1 << 20},
				Server{Name: "h", Transport: HTTP, URL: url, Headers: map[string]string{"Authorization": "Bearer s3cr3t-value"}, secrets: []string{"Bearer s3cr3t-value", "s3cr3t-value"}})
			_, err := call(t, m, "x", "")
			e := wantError(t, err, c.kind, c.words)
			if e.MayHaveActed != c.acted {
				t.Errorf("may have acted: %v, want %v", e.MayHaveActed, c.acted)
			}
			if strings.Contains(e.Error(), "s3cr3t") {
				t.Errorf("the token is in the message: %v", e)
			}
		})
	}
}

// pour writes until nobody reads any more.
func pour(w io.Writer, s string) {
	block := []byte(strings.Repeat(s, 64<<10/len(s)))
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func TestHTTPServersThatAreNone(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	goneURL := gone.URL
	gone.Close()
	silent := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection goes unseen
		<-r.Context().Done()
	}))
	for name, c := range map[string]struct {
		s     Server
		words []string
	}{
		"nobody there":      {Server{Transport: HTTP, URL: goneURL}, []string{"nothing answers at 127.0.0.1", "connection refused"}},
		"no such host":      {Server{Transport: HTTP, URL: "http://nowhere.invalid/mcp"}, []string{"nowhere.invalid"}},
		"no such path":      {Server{Transport: HTTP, URL: serve(t, http.NotFoundHandler())}, []string{"status 404", "check the path of url"}},
		"no right":          {Server{Transport: HTTP, URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }))}, []string{"status 403", "check the token"}},
		"a web page":        {Server{Transport: HTTP, URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }))}, []string{"cannot be used"}},
		"silent":            {Server{Transport: HTTP, URL: silent}, []string{"did not complete the handshake within 1s"}},
		"silent, by events": {Server{Transport: SSE, URL: silent}, []string{"did not complete the handshake within 1s"}},
		"no events":         {Server{Transport: SSE, URL: serve(t, http.NotFoundHandler())}, []string{"status 404"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.s.Name = "h"
			m := newManager(t, Options{ConnectTimeout: time.Second, CallTimeout: time.Minute}, c.s)
			_, err := call(t, m, "x", "")
			if e := wantError(t, err, KindConnect, append(c.words, `server "h" cannot be used`)...); e.MayHaveActed {
				t.Error("nothing was asked of any tool")
			}
		})
	}
}

// A server that has forgotten the session, as after its restart, refuses the call
// with 404. So it may be sent again, to a new session.
func TestForgottenSessionsAreMadeAnew(t *testing.T) {
	var mu sync.Mutex
	sessions, calls := 0, 0
	h := scripted(func(w http.ResponseWriter, r *http.Request, m wire) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; r.Header.Get("Mcp-Session-Id") != fmt.Sprint(sessions) || calls == 2 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ok"}]}}`, m.ID)
	})
	m := newManager(t, Options{}, Server{Name: "h", Transport: HTTP, URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"initialize"`) {
			mu.Lock()
			sessions++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint(sessions))
			mu.Unlock()
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h.ServeHTTP(w, r)
	}))})
	for range 3 {
		mustCall(t, m, "x", "", `"ok"`)
	}
	mu.Lock()
	defer mu.Unlock()
	if sessions != 2 || calls != 4 {
		t.Errorf("%d sessions and %d calls, want 2 and 4", sessions, calls)
	}
}

// gzipped returns n spaces, compressed.
func gzipped(n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range n >> 20 {
		_, _ = w.Write(block)
	}
	_ = w.Close()
	return b.Bytes()
}
