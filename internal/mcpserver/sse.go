package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// writeTimeout is how long a client may leave one message unread.
const writeTimeout = 30 * time.Second

// sseWriter is the response of one POST. The first Notify turns it into an event
// stream; what the library then writes as its plain JSON answer becomes the last
// event. Without a Notify it changes nothing. Its methods may be called concurrently.
type sseWriter struct {
	under http.ResponseWriter
	ctrl  *http.ResponseController

	mu      sync.Mutex
	header  http.Header // the library's; copied out when the head is written
	started bool        // the head has been written
	ours    bool        // ... by Notify
	plain   bool        // the library believes that it writes a plain answer
	events  bool        // the body is an event stream
	ended   bool
	answer  bytes.Buffer
}

func newSSEWriter(w http.ResponseWriter) *sseWriter {
	return &sseWriter{under: w, ctrl: http.NewResponseController(w), header: w.Header().Clone()}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *sseWriter) Unwrap() http.ResponseWriter { return w.under }

// Header returns the head that the library prepares.
func (w *sseWriter) Header() http.Header { return w.header }

// WriteHeader writes the head unless Notify has.
func (w *sseWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(status)
}

func (w *sseWriter) writeHeader(status int) {
	events := strings.HasPrefix(w.header.Get("Content-Type"), "text/event-stream")
	if w.ours {
		w.plain = !events
		return
	}
	if w.started || w.ended {
		return
	}
	w.started, w.events = true, events
	h := w.under.Header()
	clear(h)
	for k, v := range w.header {
		h[k] = v
	}
	w.under.WriteHeader(status)
}

// Write writes, or keeps the plain answer of a response that is a stream.
func (w *sseWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return 0, errEnded
	}
	if !w.started {
		w.writeHeader(http.StatusOK)
	}
	if w.ours && w.plain {
		return w.answer.Write(p)
	}
	return w.under.Write(p)
}

// Flush sends what was written.
func (w *sseWriter) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started && !w.ended {
		_ = w.ctrl.Flush()
	}
}

var (
	errEnded = errors.New("the response has ended")
	errPlain = errors.New("the response is not an event stream")
)

// Notify writes one event and returns when it is on its way.
func (w *sseWriter) Notify(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ended:
		return errEnded
	case w.started && !w.events:
		return errPlain
	case !w.started:
		h := w.under.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		w.under.WriteHeader(http.StatusOK)
		w.started, w.ours, w.events = true, true, true
	}
	return w.event(data)
}

func (w *sseWriter) event(data []byte) error {
	_ = w.ctrl.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := fmt.Fprintf(w.under, "event: message\ndata: %s\n\n", data); err != nil {
		return err
	}
	return w.ctrl.Flush()
}

// end writes the kept answer as the last event. Nothing is written after it.
func (w *sseWriter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if data := bytes.TrimSpace(w.answer.Bytes()); len(data) > 0 && !w.ended {
		_ = w.event(data)
	}
	w.ended = true
	if w.ours {
		_ = w.ctrl.SetWriteDeadline(time.Time{}) // the connection lives on
	}
}
