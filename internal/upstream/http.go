package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// newHTTPClient returns the client that all requests to one server go through. It adds
// the config's headers, bounds what is read, and follows redirects only within the
// server's own origin: headers can be secrets, and Go takes only some of them along
// with care.
func newHTTPClient(s Server, max int, lost func(error)) (*http.Client, error) {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("the default HTTP transport was replaced by another type")
	}
	base = base.Clone()
	base.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	base.MaxResponseHeaderBytes = 256 << 10
	origin, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport: &boundedTransport{base: base, headers: s.Headers, max: max, lost: lost},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Scheme != origin.Scheme || r.URL.Host != origin.Host {
				return fmt.Errorf("the server redirects to %s; if that is meant, write that address into url", r.URL.Host)
			}
			if len(via) >= 5 {
				return errors.New("the server redirects in circles")
			}
			return nil
		},
	}, nil
}

// boundedTransport is a RoundTripper whose responses cannot be larger than allowed.
type boundedTransport struct {
	base    *http.Transport
	headers map[string]string
	max     int
	lost    func(error)  // called when the stream of notices cannot be opened; may be nil
	misses  atomic.Int32 // times in a row that it could not
}

// maxMisses is after how many vain attempts to listen, a second apart, the server is
// taken for gone.
const maxMisses = 5

// RoundTrip implements http.RoundTripper.
func (b *boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	x := exchangeOf(r.Context())
	ctx := r.Context()
	if x != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { x.markSent() }})
	}
	r = r.Clone(ctx)
	for k, v := range b.headers {
		if strings.EqualFold(k, "Host") {
			r.Host = v
		} else {
			r.Header.Set(k, v)
		}
	}
	resp, err := b.base.RoundTrip(r)
	if err != nil {
		if r.Method == http.MethodGet && b.lost != nil && b.misses.Add(1) >= maxMisses {
			b.lost(err)
		}
		return nil, err
	}
	b.misses.Store(0)
	x.update(func(t *trace) { t.status = resp.StatusCode })
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if media == "text/event-stream" && resp.StatusCode < 300 {
		resp.Body = &eventBody{ReadCloser: resp.Body, max: b.max, x: x}
		return resp, nil
	}
	limited := &limitedBody{ReadCloser: resp.Body, left: b.max, max: b.max, x: x}
	if resp.StatusCode >= 400 {
		// The client's own error keeps the body only sometimes.
		head, _ := io.ReadAll(io.LimitReader(limited, 2<<10))
		x.update(func(t *trace) { t.body, t.challenge = string(head), resp.Header.Get("WWW-Authenticate") })
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), limited), limited}
		return resp, nil
	}
	resp.Body = limited
	return resp, nil
}

func tooLarge(max int, x *exchange) *Error {
	e := &Error{Kind: KindTooLarge, Message: "its answer is larger than the " + size(int64(max)) + " allowed", Hint: "ask for less"}
	x.fail(e)
	return e
}

// limitedBody is the body of one answer.
type limitedBody struct {
	io.ReadCloser
	left, max int
	x         *exchange
}

// Read fails once more than max bytes have come.
func (l *limitedBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, tooLarge(l.max, l.x)
	}
	return n, err
}

// eventBody is a stream of events: it may go on for ever, but one event may not be
// larger than an answer, nor have very many lines (the client joins them one by one),
// and all together must not be a flood. The answers of a stream pay too; there is one
// in most streams, and the credit is for many.
type eventBody struct {
	io.ReadCloser
	max      int
	x        *exchange
	event    int // bytes of this event so far
	lines    int // of this event
	lineFull bool
	unasked  flood
}

const maxEventLines = 4096

// Read fails when an event or the stream breaks its bounds.
func (e *eventBody) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			e.event += len(rest)
			e.lineFull = e.lineFull || len(bytes.TrimRight(rest, "\r")) > 0
			break
		}
		e.event += i + 1
		e.lines++
		blank := !e.lineFull && len(bytes.TrimRight(rest[:i], "\r")) == 0
		rest, e.lineFull = rest[i+1:], false
		if !blank {
			continue
		}
		if err := e.unasked.pay(int64(e.event)); err != nil {
			fault := &Error{Kind: KindGarbage, Message: "it " + err.Error(), cause: err}
			e.x.fail(fault)
			return 0, fault
		}
		e.event, e.lines = 0, 0
	}
	if e.event > e.max+64<<10 || e.lines > maxEventLines {
		return 0, tooLarge(e.max, e.x)
	}
	return n, err
}

// streamable is mcp-go's streamable HTTP with the answers checked and recorded.
type streamable struct {
	*transport.StreamableHTTP
	life context.Context
}

func newStreamable(s Server, max int, life context.Context, die context.CancelCauseFunc) (*streamable, error) {
	c, err := newHTTPClient(s, max, func(err error) {
		die(&Error{Kind: KindConnect, Message: "it is gone", cause: err})
	})
	if err != nil {
		return nil, err
	}
	t, err := transport.NewStreamableHTTP(s.URL, transport.WithHTTPBasicClient(c),
		//lint:ignore SA1019 servers of the older revisions tell of changes on this stream only; RequiresLegacyProtocol keeps it to them
		transport.WithContinuousListening(), transport.WithHTTPLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	return &streamable{StreamableHTTP: t, life: life}, nil
}

// RequiresLegacyProtocol is false: the stream that continuous listening opens is for
// the older revisions only, and with the newest one nothing is opened.
func (t *streamable) RequiresLegacyProtocol() bool { return false }

// SendRequest sends a request and checks that the answer is this request's.
func (t *streamable) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return checked(ctx, t.life, r, t.StreamableHTTP.SendRequest)
}

// legacySSE is mcp-go's HTTP with server-sent events, likewise.
type legacySSE struct {
	*transport.SSE
	life context.Context
}

func newLegacySSE(s Server, max int, connect, call time.Duration, life context.Context, die context.CancelCauseFunc) (*legacySSE, error) {
	c, err := newHTTPClient(s, max, nil)
	if err != nil {
		return nil, err
	}
	t, err := transport.NewSSE(s.URL, transport.WithHTTPClient(c), transport.WithEndpointTimeout(connect),
		transport.WithResponseTimeout(call+time.Minute), transport.WithSSELogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	t.SetConnectionLostHandler(func(err error) {
		var ours *Error
		if !errors.As(err, &ours) {
			ours = &Error{Kind: KindConnect, Message: "its stream of events broke off", cause: err}
		}
		die(ours)
	})
	return &legacySSE{SSE: t, life: life}, nil
}

// SendRequest sends a request and waits for its answer on the stream.
func (t *legacySSE) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return checked(ctx, t.life, r, t.SSE.SendRequest)
}

// checked sends r, ends the wait when the connection ends, and refuses an answer with
// another id than the request's.
func checked(ctx, life context.Context, r transport.JSONRPCRequest,
	send func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error),
) (*transport.JSONRPCResponse, error) {
	// The client below would race a timer of its own against a deadline, so it does not
	// get to see one.
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	defer context.AfterFunc(life, cancel)()
	x := exchangeOf(ctx)
	response, err := send(inner, r)
	switch {
	case err != nil && life.Err() != nil:
		return nil, context.Cause(life)
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case response.ID.IsNil() && response.Error != nil:
		// A server that could not read the id answers without one.
	case response.ID.String() != r.ID.String():
		fault := &Error{Kind: KindGarbage, Message: fmt.Sprintf("it answered with the id %s to the request %s", response.ID, r.ID)}
		x.fail(fault)
		return nil, fault
	case response.Error == nil && len(response.Result) == 0:
		fault := &Error{Kind: KindGarbage, Message: "it answered with neither a result nor an error"}
		x.fail(fault)
		return nil, fault
	}
	x.record(response)
	return response, nil
}
