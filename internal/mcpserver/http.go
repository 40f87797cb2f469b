package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Handler answers streamable HTTP at /mcp, the search for tools at /v1/tools/search,
// /healthz, /readyz, /metrics, and what more there is, until ctx is done: streams
// and running calls end with it.
func (s *Server) Handler(ctx context.Context, more ...Route) http.Handler {
	transport := server.NewStreamableHTTPServer(s.mcp,
		server.WithStateful(true),
		server.WithSessionIdleTTL(30*time.Minute),
		// Behind a proxy the Host is the proxy's; then tokens keep others out.
		server.WithDisableLocalhostProtection(s.guard.required),
		server.WithStreamableHTTPLogger(s.logger),
	)
	context.AfterFunc(ctx, func() { _ = transport.Shutdown(context.WithoutCancel(ctx)) })
	endpoint := http.Handler(transport)
	if fixtures != nil {
		endpoint = fixtures.wrap(endpoint)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.authenticated(s.admitted(s.posts(endpoint))))
	mux.Handle("GET /v1/tools/search", s.authenticated(http.HandlerFunc(s.searchToolsHTTP)))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	for _, r := range append(s.operations(), more...) {
		h := r.Handler
		if !r.Open {
			h = s.authenticated(h)
		}
		mux.Handle(r.Pattern, h)
	}
	return s.telemetry.HTTP(mux, "/mcp", "/v1/tools/search", "/healthz", "/readyz", "/metrics", "/console", "/console/")
}

// posts bounds requests, lets calls send progress, and keeps apart what the library
// mixes up.
func (s *Server) posts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
			refuse(w, http.StatusNotAcceptable, "GET opens the event stream of a session and needs Accept: text/event-stream; MCP clients send their messages with POST")
			return
		case r.Method == http.MethodGet, r.Method == http.MethodDelete:
			next.ServeHTTP(w, r)
			return
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", "GET, POST, DELETE")
			refuse(w, http.StatusMethodNotAllowed, fmt.Sprintf("method %.20s is none of MCP; messages are sent with POST", r.Method))
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessageBytes))
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is longer than %d bytes", maxMessageBytes))
			return
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, "the request could not be read to its end")
			return
		}
		if f := s.fault(body); f != nil {
			status := http.StatusBadRequest
			if f.ID.Value() != nil && !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
				status = http.StatusOK // as older revisions answer a request
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(f)
			return
		}
		if r.Header.Get(server.HeaderKeySessionID) == "" && isCancellation(body) {
			// Without a session the library would look for the request id among those
			// of all clients. Such a client cancels by closing the connection.
			w.WriteHeader(http.StatusAccepted)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		sse := newSSEWriter(w)
		defer sse.end()
		if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			r = r.WithContext(withNotifier(r.Context(), sse))
		}
		next.ServeHTTP(sse, r)
	})
}

func isCancellation(body []byte) bool {
	if !bytes.Contains(body, []byte(mcp.MethodNotificationCancelled)) {
		return false
	}
	var m struct {
		Method string `json:"method"`
	}
	return json.Unmarshal(body, &m) == nil && m.Method == string(mcp.MethodNotificationCancelled)
}

// refuse answers a request that is not even looked at.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INVALID_REQUEST, text, nil))
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// CheckListenAddress refuses an address that others on the network could reach, unless
// tokens tell who they are. The token and all else travels in clear: beyond loopback a
// proxy with TLS stands in front.
func CheckListenAddress(address string, tokens bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("listen address %q: %w; write 127.0.0.1:8737", address, err)
	}
	if !tokens && !loopback(host) {
		return fmt.Errorf("listen address %q can be reached from other machines and there is no token yet; make one with `bmcis tokens create NAME`, or use 127.0.0.1", address)
	}
	return nil
}

// ServeHTTP listens on address (loopback only, where Config.Identities is nil) until ctx is done. Running calls are
// then cancelled; their answers have up to 5 s to leave. ready, if not nil, gets the
// address in use; more are routes beside MCP.
func (s *Server) ServeHTTP(ctx context.Context, address string, ready func(net.Addr), more ...Route) error {
	if err := CheckListenAddress(address, s.guard.identities != nil); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	if ready != nil {
		ready(listener.Addr())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // also when Serve fails
	srv := &http.Server{
		Handler: s.Handler(ctx, more...), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err := srv.Shutdown(grace)
		if err != nil {
			err = srv.Close()
		}
		stopped <- err
	}()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
