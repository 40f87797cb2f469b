package upstream

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// An exchange travels in the context of one request through mcp-go's client down to
// the transport and brings back what the client's types would lose: the result as
// bytes, so that integers keep their digits, and how far the request came.
type exchange struct {
	mu    sync.Mutex
	trace trace
}

type trace struct {
	sent     bool
	result   json.RawMessage
	rpcError *mcp.JSONRPCErrorDetails
	fault    *Error // what the transport found wrong with the answer
	status   int    // of the last HTTP response
	body     string // the beginning of an HTTP response that is an error
	// challenge is its header WWW-Authenticate.
	challenge string
}

type exchangeKey struct{}

func withExchange(ctx context.Context) (context.Context, *exchange) {
	x := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// exchangeOf returns the context's exchange, nil when there is none. All its methods
// work on nil.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

func (x *exchange) update(f func(t *trace)) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	f(&x.trace)
}

func (x *exchange) markSent() { x.update(func(t *trace) { t.sent = true }) }

func (x *exchange) record(r *transport.JSONRPCResponse) {
	if r == nil {
		return
	}
	x.update(func(t *trace) { t.result, t.rpcError = r.Result, r.Error })
}

func (x *exchange) fail(e *Error) {
	x.update(func(t *trace) {
		if t.fault == nil {
			t.fault = e
		}
	})
}

func (x *exchange) snapshot() trace {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.trace
}
