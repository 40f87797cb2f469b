package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A conn is one live connection to one server. When its life ends, the cause says why.
type conn struct {
	client *client.Client
	stdio  *stdio // nil over HTTP
	life   context.Context
	die    context.CancelCauseFunc
	born   time.Time

	version string // of the protocol
	name    string // of the server, as it calls itself

	changed  atomic.Bool  // the tools are others than those last listed
	served   atomic.Bool  // a call has succeeded
	timeouts atomic.Int32 // calls in a row that were not answered

	calls   atomic.Int64 // numbers those that asked for progress
	reports sync.Mutex
	asking  map[string]*asking // by progress token
}

type connector struct {
	server        Server
	max           int
	connect, call time.Duration
	clientVersion string
	running       *sync.WaitGroup // what is not yet closed
}

// open connects and shakes hands within the connector's time for that, whatever its
// callers do meanwhile: a server that takes long to start is ready for the next call.
// The connection lives until its die or until parent ends.
func (k connector) open(parent context.Context) (*conn, error) {
	kinds := []Transport{k.server.Transport}
	if k.server.Transport == auto {
		kinds = []Transport{HTTP, SSE}
	}
	for i, kind := range kinds {
		c, err := k.openAs(parent, kind)
		if err == nil {
			return c, nil
		}
		if i == len(kinds)-1 || !errors.Is(err, transport.ErrLegacySSEServer) {
			return nil, err
		}
	}
	panic("unreachable")
}

func (k connector) openAs(parent context.Context, kind Transport) (*conn, error) {
	life, die := context.WithCancelCause(parent)
	c := &conn{life: life, die: die, born: time.Now()}
	var t transport.Interface
	var err error
	switch kind {
	case Stdio:
		c.stdio = newStdio(k.server, k.max, life, die)
		t = c.stdio
	case HTTP:
		t, err = newStreamable(k.server, k.max, life, die)
	case SSE:
		t, err = newLegacySSE(k.server, k.max, k.connect, k.call, life, die)
	}
	if err != nil {
		die(err)
		return nil, k.failure(err, nil)
	}
	// A server of an older revision that ignores what it does not know gets its
	// handshake after this probe, within the same time.
	options := []client.ClientOption{client.WithDiscoverTimeout(min(5*time.Second, k.connect/3))}
	if kind == SSE { // a transport of the older revisions
		options = append(options, client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	}
	c.client = client.NewClient(t, options...)
	c.client.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationToolsListChanged:
			c.changed.Store(true)
		case string(mcp.MethodNotificationProgress):
			c.progress(n.Params.AdditionalFields)
		}
	})
	k.running.Add(1)
	context.AfterFunc(life, func() {
		defer k.running.Done()
		_ = c.client.Close()
	})

	ctx, cancel := context.WithTimeout(life, k.connect)
	defer cancel()
	ctx, x := withExchange(ctx)
	// Start takes a context for the connection's whole life, so its own bound is
	// a timer.
	timer := time.AfterFunc(k.connect, func() { die(context.DeadlineExceeded) })
	err = c.client.Start(context.WithValue(life, exchangeKey{}, x))
	if timer.Stop() && err == nil {
		var r *mcp.InitializeResult
		r, err = c.client.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
			ClientInfo: mcp.Implementation{Name: "bmcis", Version: k.clientVersion},
		}})
		if err == nil {
			c.version, c.name = r.ProtocolVersion, r.ServerInfo.Name
			k.listen(c)
			return c, nil
		}
	}
	if cause := context.Cause(life); cause != nil {
		err = cause
	} else if ctx.Err() != nil {
		err = ctx.Err()
	}
	shot := x.snapshot()
	// Words that the server wrote at its end are worth the moment.
	failure := k.failure(err, &shot)
	if c.stdio != nil {
		failure.Message += mask(c.stdio.diagnosis(), k.server.secrets)
	}
	die(failure)
	return nil, failure
}

// listen asks a server of the stateless revision to tell when its tools change. The
// older ones tell unasked.
func (k connector) listen(c *conn) {
	caps := c.client.GetServerCapabilities()
	if !mcp.IsModernProtocol(c.version) || caps.Tools == nil || !caps.Tools.ListChanged {
		return
	}
	go func() {
		for pause := time.Second; c.life.Err() == nil; pause = min(2*pause, time.Minute) {
			_ = c.client.Listen(c.life, mcp.SubscriptionFilter{ToolsListChanged: true})
			c.changed.Store(true) // what happened meanwhile is not known
			select {
			case <-time.After(pause):
			case <-c.life.Done():
			}
		}
	}()
}

// failure words why a connection did not come about.
func (k connector) failure(err error, x *trace) *Error {
	e := &Error{Kind: KindConnect, Server: k.server.Name, cause: err}
	var ours *Error
	if x != nil && x.fault != nil {
		err = x.fault
	}
	var unsupported mcp.UnsupportedProtocolVersionError
	switch {
	case errors.As(err, &ours):
		e.Message, e.Hint = ours.Message+" before it was ready", ours.Hint
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = fmt.Sprintf("it did not complete the handshake within %v", k.connect)
		e.Hint = "set a longer connectTimeout if it is only slow to start"
	case errors.As(err, &unsupported):
		e.Message = fmt.Sprintf("it speaks revision %q of the protocol, which this client does not", clip(unsupported.Version, 40))
	case x != nil && x.status >= 400:
		e.Message, e.Hint = httpFailure(x)
	case x != nil && x.rpcError != nil:
		e.Message = fmt.Sprintf("it refused the handshake: %s (%d)", clip(x.rpcError.Message, 300), x.rpcError.Code)
	default:
		e.Message = k.reason(err)
	}
	e.Message = mask(fmt.Sprintf("server %q cannot be used: %s", k.server.Name, e.Message), k.server.secrets)
	return e
}

// reason shortens an error of the network or of mcp-go to what says something.
func (k connector) reason(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	var in *url.Error
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("there is no host %q", dns.Name)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Sprintf("nothing answers at %s: %v", op.Addr, op.Err)
	case errors.As(err, &in):
		return clip(in.Err.Error(), 300)
	case errors.As(err, &syntax):
		return "its answer is not JSON: " + syntax.Error()
	}
	return clip(err.Error(), 300)
}

func httpFailure(x *trace) (message, hint string) {
	message = fmt.Sprintf("it answers with HTTP status %d", x.status)
	if body := clip(x.body, 200); body != "" {
		message += ": " + body
	}
	switch x.status {
	case 401, 403:
		hint = "check the token in headers"
		if strings.Contains(strings.ToLower(x.challenge), "resource_metadata") {
			hint = `it offers OAuth, which is not built: get a token from its provider and write "headers": {"Authorization": "Bearer ${TOKEN}"}`
		}
	case 404, 405:
		hint = "check the path of url, and type: \"http\" or \"sse\""
	case 429:
		hint = "wait before the next call"
	}
	return message, hint
}

// listTools asks for all pages of the server's tools. It stops at maxPages, at a
// cursor that comes again, and at maxTools, and says so in the note.
func (c *conn) listTools(ctx context.Context, maxTools int, maxBytes int64) (tools []json.RawMessage, note string, err error) {
	const maxPages = 1000
	seen := map[mcp.Cursor]bool{}
	var cursor mcp.Cursor
	var total int64
	excluded := 0
	for pages := 0; ; pages++ {
		if pages == maxPages {
			note = fmt.Sprintf("its list of tools has more than %d pages; the first %d tools are used", maxPages, len(tools))
			break
		}
		ctx, x := withExchange(ctx)
		request := mcp.ListToolsRequest{}
		request.Params.Cursor = cursor
		parsed, err := c.client.ListToolsByPage(ctx, request)
		shot := x.snapshot()
		if shot.result == nil {
			return nil, "", listFailure{err, shot}
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  json.RawMessage   `json:"nextCursor"`
		}
		if err := json.Unmarshal(shot.result, &page); err != nil {
			return nil, "", listFailure{&Error{Kind: KindGarbage, Message: "its list of tools is none: " + clip(err.Error(), 200), cause: err}, shot}
		}
		if err == nil && len(parsed.Tools) < len(page.Tools) {
			// The client has left out tools whose x-mcp-header annotations are
			// wrong, as the specification demands.
			keep := map[string]bool{}
			for _, t := range parsed.Tools {
				keep[t.Name] = true
			}
			kept := page.Tools[:0]
			for _, raw := range page.Tools {
				var t struct{ Name string }
				if json.Unmarshal(raw, &t) == nil && keep[t.Name] {
					kept = append(kept, raw)
				} else {
					excluded++
				}
			}
			page.Tools = kept
		}
		for _, raw := range page.Tools {
			if total += int64(len(raw)); len(tools) == maxTools || total > maxBytes {
				return tools, fmt.Sprintf("its list of tools is too long; the first %d are used", len(tools)), nil
			}
			tools = append(tools, raw)
		}
		next := mcp.Cursor("")
		if len(page.Next) > 0 {
			if err := json.Unmarshal(page.Next, &next); err != nil {
				note = "its list of tools breaks off: the cursor is no string"
				break
			}
		}
		if next == "" {
			break
		}
		if seen[next] {
			note = "its list of tools repeats a page; what came before is used"
			break
		}
		seen[next], cursor = true, next
	}
	if excluded > 0 && note == "" {
		note = fmt.Sprintf("%d of its tools have wrong x-mcp-header annotations and are left out", excluded)
	}
	return tools, note, nil
}

// listFailure carries what the exchange knows beside the error.
type listFailure struct {
	err error
	x   trace
}

func (l listFailure) Error() string { return fmt.Sprint(l.err) }
func (l listFailure) Unwrap() error { return l.err }
