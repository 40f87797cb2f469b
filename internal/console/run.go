package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/mcpserver"
	"github.com/bmcis/bmcis/sandbox"
)

const (
	maxRunBytes = 4 << 20 // a program and its variables
	maxTimeout  = 300     // seconds, as for execute_code
	// patience is how long a client may take to read what is sent.
	patience = 10 * time.Second
)

// event is one line of the answer to /console/api/run, in the order in which things
// happened; the last is "end" or "error".
type event struct {
	Event string `json:"event"` // output, call, end, error
	// Text is a printed line, Message an error of ours in words.
	Text    string `json:"text,omitempty"`
	Message string `json:"message,omitempty"`
	// Call is a call of the host that has ended.
	Call *hostCall `json:"call,omitempty"`
	// Result is a host.RunResult, Pretty its result with line breaks: a browser's numbers
	// would lose digits.
	Result json.RawMessage `json:"result,omitempty"`
	Pretty string          `json:"pretty,omitempty"`
}

type hostCall struct {
	Method  string  `json:"method"`
	Target  string  `json:"target,omitempty"`
	Start   float64 `json:"start_ms"`
	Millis  float64 `json:"ms"`
	Outcome string  `json:"outcome"`
	Error   string  `json:"error,omitempty"`
}

func wireCall(c audit.Call) *hostCall {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &hostCall{Method: c.Method, Target: c.Target, Start: ms(c.Start), Millis: ms(c.Duration), Outcome: c.Outcome, Error: c.Error}
}

// run runs or validates a program and tells what it does meanwhile, one JSON object a
// line. The client cancels it by closing the connection.
func (a *api) run(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Code         string                     `json:"code"`
		Context      map[string]json.RawMessage `json:"context"`
		Timeout      float64                    `json:"timeout"`
		ValidateOnly bool                       `json:"validate_only"`
	}
	if err := read(w, r, maxRunBytes, &q); err != nil {
		fail(w, r, err)
		return
	}
	_, id, err := a.Server.Who(r.Context())
	if err == nil {
		err = id.MayCall(toolCode, false)
	}
	switch {
	case err != nil:
	case !a.Server.RunsPrograms():
		err = mcpserver.ErrNoPrograms
	case q.Timeout < 0 || q.Timeout > maxTimeout:
		err = invalid("timeout must be 0 to %d seconds, got %v", maxTimeout, q.Timeout)
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	// The server's time for reading a request is over before a long program is.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("X-Accel-Buffering", "no") // proxies are to pass lines on at once
	s := newStream(w)
	program := sandbox.Program{Source: q.Code, Context: sandbox.RawContext(q.Context), ValidateOnly: q.ValidateOnly,
		Output: func(line string) { s.send(event{Event: "output", Text: line}) }}
	ctx := host.WithCalls(r.Context(), func(c audit.Call) { s.send(event{Event: "call", Call: wireCall(c)}) })
	result, err := a.Server.Execute(ctx, program, "console", time.Duration(q.Timeout*float64(time.Second)))
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		s.send(event{Event: "error", Message: err.Error()})
	default:
		s.send(event{Event: "end", Result: result, Pretty: pretty(result)})
	}
	s.close()
}

// pretty is the result of a run, indented.
func pretty(run json.RawMessage) string {
	var r struct{ Result json.RawMessage }
	var b bytes.Buffer
	if json.Unmarshal(run, &r) != nil || json.Indent(&b, r.Result, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// A stream sends events as lines. Whoever sends does not wait for a slow client: what is
// not yet sent waits in memory, bounded by what a program may print and call.
type stream struct {
	w    http.ResponseWriter
	mu   sync.Mutex
	more *sync.Cond
	// queue is what waits; ended says that nothing more comes, dropped that nobody
	// listens any more.
	queue          []byte
	ended, dropped bool
	done           chan struct{}
}

func newStream(w http.ResponseWriter) *stream {
	s := &stream{w: w, done: make(chan struct{})}
	s.more = sync.NewCond(&s.mu)
	w.WriteHeader(http.StatusOK)
	go s.write()
	return s
}

func (s *stream) send(e event) {
	line, err := json.Marshal(e)
	if err != nil {
		line, _ = json.Marshal(event{Event: "error", Message: "an answer could not be written: " + err.Error()})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped {
		return
	}
	s.queue = append(append(s.queue, line...), '\n')
	s.more.Signal()
}

// close returns when all is sent, or given up.
func (s *stream) close() {
	s.mu.Lock()
	s.ended = true
	s.more.Signal()
	s.mu.Unlock()
	<-s.done
}

func (s *stream) write() {
	defer close(s.done)
	out := http.NewResponseController(s.w)
	_ = out.Flush() // the page shows that the program runs
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.ended {
			s.more.Wait()
		}
		part := s.queue
		s.queue = nil
		s.mu.Unlock()
		if len(part) == 0 {
			return
		}
		_ = out.SetWriteDeadline(time.Now().Add(patience))
		_, err := s.w.Write(part)
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			s.mu.Lock()
			s.dropped, s.queue = true, nil
			s.mu.Unlock()
		}
	}
}
