package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/propagation"
)

// HTTP counts and times the answers of next. paths are those that may be labels; all
// others, which clients choose, are "other". With traces, the W3C context of the headers
// becomes that of the request.
func (r *Recorder) HTTP(next http.Handler, paths ...string) http.Handler {
	if r == nil {
		return next
	}
	methods := []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodHead, http.MethodOptions}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		begun, path, method := time.Now(), req.URL.Path, req.Method
		if !slices.Contains(paths, path) {
			path = "other"
		}
		if !slices.Contains(methods, method) {
			method = "other"
		}
		watch := &statusWatch{ResponseWriter: w}
		defer func() {
			code := "aborted" // by a panic, http.ErrAbortHandler among them
			if v := recover(); v != nil {
				defer panic(v)
			} else {
				code = strconv.Itoa(watch.code())
			}
			r.metrics.httpRequests.WithLabelValues(path, method, r.bounded("code", code)).Inc()
			if method == http.MethodPost || path != "/mcp" { // a GET of /mcp is a stream that stays open
				r.metrics.httpTime.WithLabelValues(path).Observe(time.Since(begun).Seconds())
			}
			if watch.status >= 400 {
				r.failed("http", code)
			}
		}()
		if r.tracer != nil {
			req = req.WithContext(w3c.Extract(req.Context(), propagation.HeaderCarrier(req.Header)))
		}
		next.ServeHTTP(watch, req)
	})
}

// statusWatch remembers the status of an answer.
type statusWatch struct {
	http.ResponseWriter
	status int
}

func (w *statusWatch) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (w *statusWatch) WriteHeader(status int) {
	if w.status == 0 && status >= 200 { // 1xx are not the answer
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWatch) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWatch) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, which mcp-go asks for.
func (w *statusWatch) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
