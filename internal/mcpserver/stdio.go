package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
)

// maxMessageBytes bounds one message, on either transport: a program and its
// context, with room.
const maxMessageBytes = 8 << 20

// stdioCalls is how many calls of one client may be under way. How many programs
// really run at once is the runner's decision.
const stdioCalls = 32

// stopGrace is how long running calls may take to notice that the client has gone.
const stopGrace = 2 * time.Second

// ServeStdio answers one client on in and out until in ends or ctx is done; calls
// that still run are then cancelled. Nothing else may write to out. A read of in
// that is under way when ctx is done is left behind.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := &lineWriter{out: out}
	input := newLineReader(in, lines)
	input.fault = s.fault
	stdio := server.NewStdioServer(s.mcp)
	server.WithWorkerPoolSize(stdioCalls)(stdio)
	stdio.SetErrorLogger(log.New(logWriter{s.logger}, "", 0))
	stdio.SetContextFunc(func(ctx context.Context) context.Context {
		ctx = host.WithConnection(ctx, host.Connection{Transport: transportStdio})
		return context.WithValue(withNotifier(ctx, lines), earlyKey{}, &input.early)
	})
	ended := make(chan error, 1)
	go func() { ended <- stdio.Listen(ctx, input, lines) }()
	var err error
	select {
	case err = <-ended:
	case <-input.eof:
		err = within(ended, stopGrace)
	case <-ctx.Done():
		err = within(ended, stopGrace)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// within waits for the end a little: a client that closed its end of in without
// reading out must not keep us here.
func within(ended <-chan error, grace time.Duration) error {
	select {
	case err := <-ended:
		return err
	case <-time.After(grace):
		return nil
	}
}

// logWriter passes the library's log lines on.
type logWriter struct{ logger *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.logger.Error("mcp", "message", strings.TrimSpace(string(p)))
	return len(p), nil
}

// lineWriter writes whole messages, one at a time. Its methods may be called
// concurrently.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Notify writes one message.
func (w *lineWriter) Notify(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// lineReader hands messages on one by one. It answers too long ones itself, ends the
// last one with a newline where the client did not, says when the input has ended,
// and notes calls that are cancelled before they begin.
type lineReader struct {
	in    *bufio.Reader
	out   *lineWriter
	rest  []byte // of the line being handed on
	err   error
	eof   chan struct{}
	early earlyCancels
	fault func(message []byte) *mcp.JSONRPCError // of what is answered here
}

func newLineReader(in io.Reader, out *lineWriter) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), out: out, eof: make(chan struct{})}
}

func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest = r.next()
		r.early.see(r.rest)
		if r.err != nil {
			close(r.eof)
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads one line; it is empty at the end and after one that was too long.
func (r *lineReader) next() []byte {
	var line []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > maxMessageBytes {
			long, line = true, nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		r.err = err
		break
	}
	if long {
		_ = r.out.Notify(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INVALID_REQUEST,
			fmt.Sprintf("the message is longer than %d bytes", maxMessageBytes), nil))
		return nil
	}
	if len(bytes.TrimSpace(line)) > 0 && r.fault != nil {
		if f := r.fault(line); f != nil {
			_ = r.out.Notify(f)
			return nil
		}
	}
	if len(line) > 0 && line[len(line)-1] != '\n' {
		line = append(line, '\n')
	}
	return line
}

// earlyCancels remembers, of the calls that were read but have not begun, which the
// client has cancelled already. The library knows only calls that have begun and
// forgets the cancellation of others.
type earlyCancels struct {
	mu      sync.Mutex
	waiting map[string]bool // by request id; true when cancelled
}

type earlyKey struct{}

// see looks at a message before the library does.
func (e *earlyCancels) see(line []byte) {
	if !bytes.Contains(line, []byte("tools/call")) && !bytes.Contains(line, []byte("notifications/cancelled")) {
		return
	}
	var m struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
		Params struct {
			RequestID any `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case m.Method == string(mcp.MethodToolsCall) && m.ID != nil:
		if e.waiting == nil {
			e.waiting = map[string]bool{}
		}
		e.waiting[fmt.Sprint(m.ID)] = false
	case m.Method == string(mcp.MethodNotificationCancelled):
		if key := fmt.Sprint(m.Params.RequestID); !e.waiting[key] {
			if _, ok := e.waiting[key]; ok {
				e.waiting[key] = true
			}
		}
	}
}

// begin forgets the call and reports whether it was cancelled.
func (e *earlyCancels) begin(id any) bool {
	key := fmt.Sprint(id)
	e.mu.Lock()
	defer e.mu.Unlock()
	cancelled := e.waiting[key]
	delete(e.waiting, key)
	return cancelled
}

// hooks cancels, as soon as the library knows it, a call whose cancellation came first.
func (s *Server) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterListTools(s.visibleTools)
	h.AddAfterListResources(s.listResources)
	h.AddBeforeReadResource(s.markMissing)
	h.AddBeforeCallTool(func(ctx context.Context, id any, _ *mcp.CallToolRequest) {
		early, ok := ctx.Value(earlyKey{}).(*earlyCancels)
		if !ok || !early.begin(id) {
			return
		}
		message, err := json.Marshal(map[string]any{
			"jsonrpc": mcp.JSONRPC_VERSION, "method": mcp.MethodNotificationCancelled,
			"params": map[string]any{"requestId": id},
		})
		if err == nil {
			s.mcp.HandleMessage(ctx, message)
		}
	})
	return h
}
