package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/mcpserver"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// api answers /console/api/. Requests have been authenticated.
type api struct{ Config }

// The tools whose rights each part of the console asks for.
const (
	toolCode        = "execute_code"
	toolDocument    = "get_document"
	toolCollections = "list_collections"
	toolStats       = "get_execution_stats"
)

// searchTool is the tool whose right a search in a mode needs.
func searchTool(m search.Mode) string {
	switch m {
	case search.ModeLexical:
		return "bm25_search"
	case search.ModeVector:
		return "vector_search"
	}
	return "hybrid_search"
}

func newAPI(cfg Config) http.Handler {
	a := &api{cfg}
	mux := http.NewServeMux()
	for pattern, f := range map[string]func(http.ResponseWriter, *http.Request) (json.RawMessage, error){
		"GET /console/api/me":          a.me,
		"GET /console/api/collections": a.collections,
		"GET /console/api/document":    a.document,
		"GET /console/api/savings":     a.savings,
		"GET /console/api/audit":       a.auditList,
		"GET /console/api/audit/{id}":  a.auditRun,
		"POST /console/api/search":     a.search,
	} {
		mux.Handle(pattern, answered(f))
	}
	mux.HandleFunc("POST /console/api/run", a.run)
	mux.HandleFunc("/console/api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, &refusal{http.StatusNotFound, fmt.Sprintf("the console has no %s %.200s", r.Method, r.URL.Path)})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		w.Header().Set("Cache-Control", "no-store")
		// Pages of other origins can send requests without an Origin, as images do.
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
			fail(w, r, &refusal{http.StatusForbidden, "the console answers its own page and no other"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// refusal is a request that is answered with a status of its own.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func invalid(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

var errNoLog = &refusal{http.StatusServiceUnavailable, "this server keeps no audit log, and with it no figures of runs"}

// answered writes what f returns.
func answered(f func(http.ResponseWriter, *http.Request) (json.RawMessage, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := f(w, r)
		if err != nil {
			fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
}

// fail answers with the error in words: {"error": {"message": "…"}}.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody listens
	}
	status := statusOf(err)
	if status == http.StatusInternalServerError {
		slog.ErrorContext(r.Context(), "console", "path", r.URL.Path, "error", err)
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]string{"message": err.Error()}})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func statusOf(err error) int {
	var r *refusal
	var denied *identity.Denied
	var program *sandbox.Error
	var call *mcpserver.CallError
	switch {
	case errors.As(err, &r):
		return r.status
	case errors.As(err, &denied):
		return http.StatusForbidden
	case errors.Is(err, search.ErrNotFound), errors.Is(err, audit.ErrNotFound):
		return http.StatusNotFound
	case search.IsInvalidRequest(err):
		return http.StatusBadRequest
	case errors.Is(err, mcpserver.ErrNoPrograms):
		return http.StatusServiceUnavailable
	case errors.As(err, &program):
		switch program.Kind {
		case sandbox.KindValidation:
			return http.StatusBadRequest
		case sandbox.KindBusy:
			return http.StatusTooManyRequests
		}
	case errors.As(err, &call) && errors.Unwrap(call) == nil:
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}

// read takes the JSON body of a request into v, strictly.
func read(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	// Any other type could come from a page of another origin without a question asked.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &refusal{http.StatusUnsupportedMediaType, "send the request with Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is longer than %d bytes", limit)}
	}
	if err != nil {
		return invalid("the request could not be read to its end")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return invalid("the request: %v", err)
	}
	if dec.More() {
		return invalid("the request holds more than one value")
	}
	return nil
}

// parameters are those of a query, all of which must be known.
type parameters struct{ url.Values }

func query(r *http.Request, known ...string) (parameters, error) {
	q := r.URL.Query()
	for name, values := range q {
		if !slices.Contains(known, name) {
			return parameters{}, invalid("unknown parameter %.60q, there are %s", name, strings.Join(known, ", "))
		}
		if len(values) > 1 {
			return parameters{}, invalid("parameter %s is given twice", name)
		}
	}
	return parameters{q}, nil
}

// number reads a whole number within bounds; absent, it is byDefault.
func (p parameters) number(name string, byDefault, low, high int64) (int64, error) {
	text := p.Get(name)
	if text == "" {
		return byDefault, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, invalid("%s must be %d to %d, got %.40q", name, low, high, text)
	}
	return n, nil
}

// me tells the page who it speaks for and what there is for them.
func (a *api) me(_ http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	if _, err := query(r); err != nil {
		return nil, err
	}
	_, id, err := a.Server.Who(r.Context())
	if err != nil {
		return nil, err
	}
	may := func(tool string) bool { return id.MayCall(tool, false) == nil }
	return json.Marshal(map[string]any{
		"identity": id.Name, "admin": id.Admin, "version": a.Version, "collection": a.Server.Collection(),
		"may": map[string]bool{
			"search":      may("hybrid_search") || may("bm25_search") || may("vector_search"),
			"code":        a.Server.RunsPrograms() && may(toolCode),
			"log":         a.Log != nil && may(toolStats),
			"collections": may(toolCollections),
		},
	})
}

// collections tells how the indexes are that the identity may read; an administrator sees
// the database as well, whose size speaks of all collections.
func (a *api) collections(_ http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	if _, err := query(r); err != nil {
		return nil, err
	}
	return a.Server.Look(r.Context(), toolCollections, func(ctx context.Context, id identity.Identity) (any, error) {
		health, err := a.Engine.Health(ctx)
		if err != nil {
			return nil, err
		}
		out := map[string]any{"collections": health}
		if id.Admin {
			st, err := a.Engine.Status(ctx)
			if err != nil {
				return nil, err
			}
			out["database"] = map[string]any{"postgres": st.Postgres, "pgvector": st.Pgvector, "bytes": st.DatabaseBytes}
		}
		return out, nil
	})
}
