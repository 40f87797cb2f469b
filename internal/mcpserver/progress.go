package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/sandbox"
)

// A notifier writes one message to the client that made the running request. When
// Notify returns, the message stands before the answer on the wire; so nothing is
// lost and nothing comes late. (The library's own way is a channel whose reader may
// drop the last message when the answer overtakes it.)
type notifier interface {
	Notify(message any) error
}

type notifierKey struct{}

func withNotifier(ctx context.Context, n notifier) context.Context {
	return context.WithValue(ctx, notifierKey{}, n)
}

// A relay sends a program's printed lines as progress, each as a message of its own, and
// between them in brackets which calls it has made and how other servers' tools get on.
// The program is not held up by a slow client: lines wait in memory, bounded by what a
// program may print. A flood of lines is not made a flood of messages: when more than
// maxWaiting wait, they go out many at a time.
type relay struct {
	to    notifier
	token mcp.ProgressToken

	mu      sync.Mutex
	more    *sync.Cond
	lines   []string
	stages  int  // calls that the program has made
	dropped bool // nobody listens any more
	ended   bool
	done    chan struct{}
}

const (
	maxWaiting = 2000     // lines that are sent one by one
	flushBytes = 16 << 10 // of lines that are sent together
)

// newRelay returns nil where the client did not ask for progress or the transport
// cannot carry it.
func newRelay(ctx context.Context, r mcp.CallToolRequest) *relay {
	to, ok := ctx.Value(notifierKey{}).(notifier)
	if !ok || r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return nil
	}
	l := &relay{to: to, token: r.Params.Meta.ProgressToken, done: make(chan struct{})}
	l.more = sync.NewCond(&l.mu)
	go l.run()
	return l
}

// line queues one line. It does not block.
func (l *relay) line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.dropped && !l.ended {
		l.lines = append(l.lines, text)
		l.more.Signal()
	}
}

// maxStages is how many calls of one program are told; a loop's thousands tell nobody
// anything.
const maxStages = 200

// stage queues a line about a call that the program made and that has ended.
func (l *relay) stage(c audit.Call) {
	l.mu.Lock()
	l.stages++
	tell := l.stages <= maxStages
	l.mu.Unlock()
	if !tell {
		return
	}
	what := c.Method
	if c.Target != "" {
		what += " " + c.Target
	}
	if c.Outcome != string(sandbox.KindOK) {
		what += ": " + c.Outcome
	}
	l.line(fmt.Sprintf("[%s, %d ms]", what, c.Duration.Milliseconds()))
}

// finish returns when all lines are written, or, for a cancelled call, when the one
// being written is.
func (l *relay) finish(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.dropped, l.lines = true, nil
		l.more.Signal()
	})
	defer stop()
	l.mu.Lock()
	l.ended = true
	l.more.Signal()
	l.mu.Unlock()
	<-l.done
}

func (l *relay) run() {
	defer close(l.done)
	for message := 1; ; message++ {
		l.mu.Lock()
		for len(l.lines) == 0 && !l.ended {
			l.more.Wait()
		}
		if len(l.lines) == 0 {
			l.mu.Unlock()
			return
		}
		n := 1
		if len(l.lines) > maxWaiting {
			for size := 0; n < len(l.lines) && size < flushBytes; n++ {
				size += len(l.lines[n]) + 1
			}
		}
		text := strings.Join(l.lines[:n], "\n")
		l.lines = l.lines[n:]
		l.mu.Unlock()
		if err := l.to.Notify(progressMessage(l.token, message, text)); err != nil {
			l.mu.Lock()
			l.dropped, l.lines = true, nil
			l.mu.Unlock()
		}
	}
}

func progressMessage(token mcp.ProgressToken, n int, text string) any {
	return struct {
		JSONRPC string `json:"jsonrpc"`
		mcp.ProgressNotification
	}{mcp.JSONRPC_VERSION, mcp.NewProgressNotification(token, float64(n), nil, &text)}
}
