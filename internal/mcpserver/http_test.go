package mcpserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestDisconnectEndsTheProgram(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	w := overHTTP(t, s)
	greet(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	response := w.post(ctx, t, executeCall(1, map[string]any{"code": forever}, "p"))
	if _, err := io.ReadFull(response.Body, make([]byte, 10)); err != nil {
		t.Fatal(err) // the first line is there: the program runs
	}
	cancel()
	response.Body.Close()
	awaitIdle(t)
}

// Clients without a session use the same request ids; none can cancel another's call.
func TestCancellationWithoutASessionReachesNobody(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	w := overHTTP(t, s)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}`
	done := make(chan []map[string]any, 1)
	go func() {
		done <- w.call(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"import time\ntime.sleep(1)\n'whole'"},`+meta+`}}`)
	}()
	for range 5 {
		time.Sleep(100 * time.Millisecond)
		response := w.post(t.Context(), t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,`+meta+`}}`)
		response.Body.Close()
		if response.StatusCode != http.StatusAccepted {
			t.Fatal(response.Status)
		}
	}
	if got := <-done; !strings.Contains(fmt.Sprint(last(got)["result"]), "result:whole") {
		t.Fatalf("got %v", got)
	}
}

func TestHTTPRefusals(t *testing.T) {
	s := newServer(t, ToolsDirect, nil)
	w := overHTTP(t, s)
	post := func(set func(r *http.Request)) (int, string) {
		r, err := http.NewRequest(http.MethodPost, w.url, strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		set(r)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(body)
	}
	big := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", maxMessageBytes) + `"}}`
	for _, c := range []struct {
		name   string
		set    func(r *http.Request)
		status int
		text   string
	}{
		{"as it should be", func(*http.Request) {}, 200, "bmcis"},
		{"own origin", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, 200, "bmcis"},
		{"foreign origin", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, "origin"},
		{"no origin to speak of", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403, "origin"},
		{"foreign host", func(r *http.Request) { r.Host = "evil.example" }, 403, "Host"},
		{"too long", func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(big)), int64(len(big))
		}, 413, "longer than 8388608 bytes"},
		{"too long, length unsaid", func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(big)), -1
		}, 413, "longer than 8388608 bytes"},
		{"wrong type", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 400, "application/json"},
		{"unknown session", func(r *http.Request) {
			r.Header.Set("Mcp-Session-Id", "nobody")
			r.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			r.ContentLength = -1
		}, 404, "session"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := post(c.set)
			if status != c.status || !strings.Contains(body, c.text) {
				t.Errorf("got %d %.300s", status, body)
			}
		})
	}
}

// Other methods than those of the protocol are told what to do; a browser that opens the
// address gets no endless page.
func TestOtherMethodsAreRefused(t *testing.T) {
	w := overHTTP(t, newServer(t, ToolsDirect, nil))
	for method, status := range map[string]int{http.MethodPut: 405, http.MethodOptions: 405, http.MethodGet: 406} {
		r, err := http.NewRequestWithContext(t.Context(), method, w.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/html")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != status || !strings.Contains(string(body), "POST") {
			t.Errorf("%s: %d %s", method, response.StatusCode, body)
		}
	}
}

func TestListenAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "localhost:80": true, "[::1]:80": true, "127.9.9.9:1": true,
		"0.0.0.0:80": false, ":80": false, "192.168.1.5:80": false, "[::]:80": false, "example.com:80": false, "127.0.0.1": false,
	} {
		if err := CheckListenAddress(address, false); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
		if err := CheckListenAddress(address, true); (err == nil) != (address != "127.0.0.1") {
			t.Errorf("%s with tokens: %v", address, err)
		}
	}
}

// A stop cancels running calls, closes listening streams and returns at once.
func TestHTTPStopsPromptly(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	address := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- s.ServeHTTP(ctx, "127.0.0.1:0", func(a net.Addr) { address <- a.String() })
	}()
	w := &httpWire{url: "http://" + <-address + "/mcp"}
	health, err := http.Get(strings.TrimSuffix(w.url, "/mcp") + "/healthz")
	if err != nil || health.StatusCode != 200 {
		t.Fatal(err, health)
	}
	health.Body.Close()
	greet(t, w)
	listen, _ := http.NewRequest(http.MethodGet, w.url, nil)
	listen.Header.Set("Accept", "text/event-stream")
	listen.Header.Set("Mcp-Session-Id", w.session)
	stream, err := http.DefaultClient.Do(listen)
	if err != nil || stream.StatusCode != 200 {
		t.Fatal(err, stream)
	}
	defer stream.Body.Close()
	response := w.post(t.Context(), t, executeCall(1, map[string]any{"code": forever}, "p"))
	defer response.Body.Close()
	if _, err := io.ReadFull(response.Body, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("stopped after %v", time.Since(start))
	case <-time.After(soon):
		t.Fatal("the server goes on")
	}
	awaitIdle(t)
}
