package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// stdio is mcp-go's transport over a child's standard streams, ours because of what it
// bounds: the length of a line, the volume of what nobody asked for, the time a child
// that does not read can hold up a writer, and the life of the child's own children.
// Its methods may be called concurrently.
type stdio struct {
	server Server
	max    int
	die    context.CancelCauseFunc // ends the connection; the cause is for its callers
	life   context.Context

	start  sync.Mutex // guards closed, and proc until it is set
	closed bool
	proc   *process
	writes chan []byte

	mu      sync.Mutex
	pending map[string]chan<- answer // by id

	handlers  sync.Mutex
	onNotice  func(mcp.JSONRPCNotification)
	onRequest transport.RequestHandler
	answering chan struct{} // a place for each of the server's own requests

	garbage     atomic.Int64 // lines that are no JSON-RPC
	strays      atomic.Int64 // answers to no call
	sample      atomic.Value // string: the first such line
	lastMessage atomic.Int64 // when a line came that was JSON-RPC, in Unix nanoseconds
}

var _ transport.BidirectionalInterface = (*stdio)(nil)

type answer struct {
	response *transport.JSONRPCResponse
	err      error
}

// maxServerRequests is how many of a server's own requests are answered at a time;
// more are dropped.
const maxServerRequests = 8

func newStdio(s Server, max int, life context.Context, die context.CancelCauseFunc) *stdio {
	return &stdio{
		server: s, max: max, life: life, die: die,
		writes: make(chan []byte), pending: map[string]chan<- answer{},
		answering: make(chan struct{}, maxServerRequests),
	}
}

// Start starts the child. It ends with the connection's life, not with ctx.
func (t *stdio) Start(context.Context) error {
	t.start.Lock()
	defer t.start.Unlock()
	if t.closed {
		return context.Cause(t.life)
	}
	p, err := startProcess(t.server)
	if err != nil {
		return err
	}
	t.proc = p
	go t.read()
	go t.write()
	return nil
}

func (t *stdio) read() {
	lines := newLineReader(t.proc.stdout, t.max)
	var unasked flood
	for {
		line, id, n, err := lines.next()
		switch {
		case errors.Is(err, errEndless):
			t.die(&Error{Kind: KindTooLarge, Message: "its answer is larger than " + size(int64(t.max)), Hint: "ask for less", cause: err})
			t.proc.stop(true)
			return
		case err != nil:
			t.ended()
			return
		}
		asked := false
		if lines.partial && !json.Valid(line) {
			continue // half an answer is none
		}
		if line == nil {
			asked = t.deliver(id, answer{err: &Error{Kind: KindTooLarge,
				Message: fmt.Sprintf("its answer has %s, more than the %s allowed", size(n), size(int64(t.max))), Hint: "ask for less"}})
		} else {
			asked = t.handle(line)
		}
		if asked {
			continue
		}
		if err := unasked.pay(n); err != nil {
			t.die(&Error{Kind: KindGarbage, Message: "it " + err.Error(), cause: err})
			t.proc.stop(true)
			return
		}
	}
}

// ended is called when the child has closed its output: that is its end, whatever the
// process still does.
func (t *stdio) ended() {
	select {
	case <-t.proc.exited:
	case <-time.After(time.Second):
	}
	why := "it closed its output"
	select {
	case <-t.proc.exited:
		why = "it ended (" + t.proc.state + ")"
	default:
	}
	t.die(&Error{Kind: KindConnect, Message: why})
	t.proc.stop(false)
}

// handle reads one line and reports whether it answers a call.
func (t *stdio) handle(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		t.note(&t.garbage, line)
		// Broken as it is, it may tell whose answer it was to be.
		var s idScanner
		s.feed(line)
		return t.deliver(s.id, answer{err: &Error{Kind: KindGarbage, Message: "its answer is no JSON: " + clip(err.Error(), 100), cause: err}})
	}
	hasID := m.ID != nil && !bytes.Equal(m.ID, []byte("null"))
	switch {
	case m.Method != "" && hasID:
		t.answerRequest(line)
		return false
	case m.Method != "":
		t.lastMessage.Store(time.Now().UnixNano())
		// Nothing else concerns us: reading the rest would be work for a flood.
		if m.Method == mcp.MethodNotificationToolsListChanged || m.Method == string(mcp.MethodNotificationProgress) {
			t.handlers.Lock()
			handle := t.onNotice
			t.handlers.Unlock()
			var n mcp.JSONRPCNotification
			n.Method = m.Method
			if handle != nil && (m.Method == mcp.MethodNotificationToolsListChanged || json.Unmarshal(line, &n) == nil) {
				handle(n)
			}
		}
		return false
	case !hasID:
		t.note(&t.garbage, line)
		return false
	}
	response := &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: m.Result}
	a := answer{response: response}
	_ = json.Unmarshal(m.ID, &response.ID)
	switch {
	case len(m.Error) > 0 && !bytes.Equal(m.Error, []byte("null")):
		if err := json.Unmarshal(m.Error, &response.Error); err != nil {
			response.Error = &mcp.JSONRPCErrorDetails{Message: clip(string(m.Error), 500)}
		}
	case len(m.Result) == 0:
		a = answer{err: &Error{Kind: KindGarbage, Message: "it answered with neither a result nor an error: " + clip(string(line), 120)}}
	}
	if !t.deliver(m.ID, a) {
		t.note(&t.strays, line)
		return false
	}
	return true
}

func (t *stdio) note(counter *atomic.Int64, line []byte) {
	if counter.Add(1) == 1 {
		t.sample.CompareAndSwap(nil, string(line[:min(len(line), 200)]))
	}
}

// deliver hands an answer to the call with this id, once.
func (t *stdio) deliver(rawID []byte, a answer) bool {
	var id mcp.RequestId
	if len(rawID) == 0 || json.Unmarshal(rawID, &id) != nil || id.IsNil() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	to, ok := t.pending[id.String()]
	if !ok {
		return false
	}
	delete(t.pending, id.String())
	t.lastMessage.Store(time.Now().UnixNano())
	to <- a // has room for one
	return true
}

// answerRequest serves a request of the server's own: a ping, or what this client
// cannot do and says so.
func (t *stdio) answerRequest(line []byte) {
	t.handlers.Lock()
	handle := t.onRequest
	t.handlers.Unlock()
	var r transport.JSONRPCRequest
	if handle == nil || json.Unmarshal(line, &r) != nil {
		return
	}
	select {
	case t.answering <- struct{}{}:
	default:
		return // it asks faster than it reads answers
	}
	go func() {
		defer func() { <-t.answering }()
		ctx, cancel := context.WithTimeout(t.life, 5*time.Second)
		defer cancel()
		response, err := handle(ctx, r)
		if err != nil || response == nil {
			text := "not supported"
			if err != nil {
				text = err.Error()
			}
			response = transport.NewJSONRPCErrorResponse(r.ID, mcp.METHOD_NOT_FOUND, text, nil)
		}
		if b, err := json.Marshal(response); err == nil {
			_ = t.send(ctx, b)
		}
	}()
}

// write is the only one that writes to the child, so messages never mix, and a child
// that does not read blocks nobody but this goroutine.
func (t *stdio) write() {
	for {
		select {
		case b := <-t.writes:
			if _, err := t.proc.stdin.Write(append(b, '\n')); err != nil {
				// The reader sees the child's end, and knows more about it.
				<-t.life.Done()
				return
			}
		case <-t.life.Done():
			return
		}
	}
}

func (t *stdio) send(ctx context.Context, message []byte) error {
	select {
	case t.writes <- message:
		return nil
	case <-t.life.Done():
		return context.Cause(t.life)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SendRequest sends a request and waits for its answer, the end of ctx or the end of
// the connection. An answer that is the exchange's own reaches it untouched.
func (t *stdio) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	message, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	reply := make(chan answer, 1)
	id := r.ID.String()
	t.mu.Lock()
	t.pending[id] = reply
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		delete(t.pending, id)
		t.mu.Unlock()
	}()
	x := exchangeOf(ctx)
	if err := t.send(ctx, message); err != nil {
		return nil, err
	}
	x.markSent()
	var a answer
	select {
	case a = <-reply:
	case <-t.life.Done():
		select {
		case a = <-reply: // it came just before the end
		default:
			return nil, context.Cause(t.life)
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if a.err == nil {
		x.record(a.response)
	}
	return a.response, a.err
}

// SendNotification sends a notification.
func (t *stdio) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	message, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode the notification: %w", err)
	}
	return t.send(ctx, message)
}

// SetNotificationHandler sets who hears that the tools have changed and how calls get
// on; other notifications are dropped unread.
func (t *stdio) SetNotificationHandler(f func(mcp.JSONRPCNotification)) {
	t.handlers.Lock()
	defer t.handlers.Unlock()
	t.onNotice = f
}

// SetRequestHandler sets who answers the server's own requests.
func (t *stdio) SetRequestHandler(f transport.RequestHandler) {
	t.handlers.Lock()
	defer t.handlers.Unlock()
	t.onRequest = f
}

// Close ends the child and its group and returns when they are gone.
func (t *stdio) Close() error {
	t.die(&Error{Kind: KindConnect, Message: "the connection was closed"})
	t.start.Lock()
	t.closed = true
	p := t.proc
	t.start.Unlock()
	if p != nil {
		p.stop(false)
	}
	return nil
}

// GetSessionId returns "": there are no sessions here.
func (t *stdio) GetSessionId() string { return "" }

// diagnosis says what the server has said beside the protocol, for an error message:
// what it wrote to standard error and what of its output was no answer. "" if nothing.
func (t *stdio) diagnosis() string {
	var b bytes.Buffer
	if n := t.garbage.Load(); n > 0 {
		fmt.Fprintf(&b, "; %d of its lines are not JSON-RPC", n)
	}
	if n := t.strays.Load(); n > 0 {
		fmt.Fprintf(&b, "; %d of its answers have ids that nobody asked with", n)
	}
	if s, ok := t.sample.Load().(string); ok {
		fmt.Fprintf(&b, ", such as %q", clip(s, 100))
	}
	t.start.Lock()
	p := t.proc
	t.start.Unlock()
	if p != nil {
		if words := lastLines(p.stderr.String(), 600); words != "" {
			fmt.Fprintf(&b, "; it says: %s", words)
		}
	}
	return b.String()
}

// lastLines returns the last whole lines of text that fit into n bytes, joined.
func lastLines(text string, n int) string {
	text = plain(text)
	if len(text) > n {
		text = text[len(text)-n:]
		if _, after, ok := bytes.Cut([]byte(text), []byte("\n")); ok && len(bytes.TrimSpace(after)) > 0 {
			text = string(after)
		}
	}
	fields := bytes.FieldsFunc([]byte(text), func(r rune) bool { return r == '\n' })
	var kept [][]byte
	for _, f := range fields {
		if f = bytes.TrimSpace(f); len(f) > 0 {
			kept = append(kept, f)
		}
	}
	return strings.ToValidUTF8(string(bytes.Join(kept, []byte(" | "))), "")
}
