package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// maxRequestBytes bounds one HTTP request: a program and its context, with room.
const maxRequestBytes = 8 << 20

// Handler answers streamable HTTP at /mcp, and /healthz.
func (s *Server) Handler() http.Handler {
	transport := server.NewStreamableHTTPServer(s.mcp,
		server.WithStateful(true),
		server.WithSessionIdleTTL(30*time.Minute),
		server.WithStreamableHTTPLogger(s.logger),
	)
	mux := http.NewServeMux()
	mux.Handle("/mcp", http.MaxBytesHandler(transport, maxRequestBytes))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// CheckListenAddress refuses an address that others on the network could reach:
// the server has no authentication yet.
func CheckListenAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("listen address %q: %w; write 127.0.0.1:8737", address, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("listen address %q can be reached from other machines and there is no authentication yet; use 127.0.0.1", address)
}

// ServeHTTP listens on address (loopback only) until ctx is done, then lets running
// requests end for up to 10 s. ready, if not nil, gets the address in use.
func (s *Server) ServeHTTP(ctx context.Context, address string, ready func(net.Addr)) error {
	if err := CheckListenAddress(address); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	if ready != nil {
		ready(listener.Addr())
	}
	srv := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		stopped <- srv.Shutdown(grace)
	}()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
