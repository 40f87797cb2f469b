package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/lru"
)

// guard decides over HTTP who asks, and how often.
type guard struct {
	identities *identity.Store // nil: only local
	required   bool            // a token, on loopback too
	requests   *identity.Limiter
	failures   *identity.Limiter // of addresses that come with bad tokens
	calls      *identity.Gate
	// sessions are who opened them: another's session is not there.
	sessions *lru.Cache[string, int64]
	logger   *slog.Logger
}

const (
	badTokensPerMinute = 30
	badTokensBurst     = 20
)

func newGuard(cfg Config) guard {
	return guard{identities: cfg.Identities, required: cfg.RequireToken, requests: identity.NewLimiter(0), failures: identity.NewLimiter(0),
		calls: identity.NewGate(), sessions: lru.New[string, int64](100_000), logger: cfg.Logger}
}

// authenticated lets requests through that have an identity, with it in their context:
// the bearer's of a token, or local for those that come over loopback without one.
func (s *Server) authenticated(next http.Handler) http.Handler {
	g := &s.guard
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !sameOrigin(r) {
			refuse(w, http.StatusForbidden, fmt.Sprintf("origin %q is not this server", r.Header.Get("Origin")))
			return
		}
		from := remoteHost(r)
		if r.Header.Get("Authorization") == "" && !g.required && loopback(from) && !loopback(hostOf(r)) {
			// A page that has rebound its name to this machine (DNS rebinding).
			refuse(w, http.StatusForbidden, fmt.Sprintf("Host %q is not this machine", r.Host))
			return
		}
		id, err := s.whoAsks(r, from)
		switch {
		case identity.IsUnauthenticated(err):
			if wait, ok := g.failures.Allow(from, badTokensPerMinute, badTokensBurst); !ok {
				tooMany(w, wait, "too many requests without a good token")
				return
			}
			challenge := `Bearer realm="bmcis"`
			if !errors.Is(err, identity.ErrMissing) {
				challenge += `, error="invalid_token", error_description=` + strconv.Quote(headerText(err.Error()))
			}
			w.Header().Set("WWW-Authenticate", challenge)
			refuse(w, http.StatusUnauthorized, err.Error())
			return
		case err != nil:
			g.logger.Error("authenticate", "error", err)
			refuse(w, http.StatusServiceUnavailable, "who asks cannot be checked now; try again")
			return
		}
		if wait, ok := g.requests.Allow(id.Name, id.Limits.RequestsPerMinute, id.Limits.Burst); !ok {
			tooMany(w, wait, fmt.Sprintf("more than %d requests a minute", id.Limits.RequestsPerMinute))
			return
		}
		if r.Method == http.MethodPost && id.Limits.Concurrent > 0 {
			leave, ok := g.calls.Enter(id.Name, id.Limits.Concurrent)
			if !ok {
				tooMany(w, time.Second, fmt.Sprintf("%d calls are under way, which is all there may be at once", id.Limits.Concurrent))
				return
			}
			defer leave()
		}
		session := r.Header.Get(server.HeaderKeySessionID)
		if session != "" {
			if owner, known := g.sessions.Get(session); known && owner != id.ID {
				refuse(w, http.StatusNotFound, "session not found")
				return
			}
		}
		ctx := host.WithConnection(identity.NewContext(r.Context(), id), host.Connection{Transport: transportHTTP, Session: sessionName(session)})
		next.ServeHTTP(&sessionWatch{ResponseWriter: w, guard: g, owner: id.ID}, r.WithContext(ctx))
	})
}

// whoAsks is the identity of a request.
func (s *Server) whoAsks(r *http.Request, from string) (identity.Identity, error) {
	token, err := identity.FromHeader(r.Header.Get("Authorization"))
	if errors.Is(err, identity.ErrMissing) {
		// Who comes through a proxy does not come from this machine.
		forwarded := r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" || r.Header.Get("X-Real-Ip") != ""
		if s.guard.required || !loopback(from) || !localAddress(r) || forwarded {
			return identity.Identity{}, err
		}
		return s.local.get(r.Context())
	}
	if err != nil {
		return identity.Identity{}, err
	}
	if s.guard.identities == nil {
		return identity.Identity{}, identity.ErrUnknown
	}
	return s.guard.identities.Authenticate(r.Context(), token)
}

// localAddress reports whether the request reached a loopback address of ours.
func localAddress(r *http.Request) bool {
	a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true // no server: a test
	}
	host, _, err := net.SplitHostPort(a.String())
	return err == nil && loopback(host)
}

func remoteHost(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}

// sameOrigin refuses what a web page in somebody's browser sends: its Origin is neither
// this machine nor the host that the request is for.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if loopback(hostOf(r)) {
		return loopback(u.Hostname())
	}
	return strings.EqualFold(u.Host, r.Host)
}

// hostOf is the Host that a request is for, without its port.
func hostOf(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}

// sessionName names a session in logs without being of use to reach it.
func sessionName(session string) string {
	if session == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(session))
	return "mcp-" + hex.EncodeToString(sum[:6])
}

// sessionWatch notes who opened a session when the answer names it.
type sessionWatch struct {
	http.ResponseWriter
	guard *guard
	owner int64
}

func (w *sessionWatch) WriteHeader(status int) {
	w.note()
	w.ResponseWriter.WriteHeader(status)
}

func (w *sessionWatch) Write(p []byte) (int, error) {
	w.note()
	return w.ResponseWriter.Write(p)
}

func (w *sessionWatch) note() {
	if w.guard == nil {
		return
	}
	if session := w.Header().Get(server.HeaderKeySessionID); session != "" {
		if _, known := w.guard.sessions.Get(session); !known {
			w.guard.sessions.Put(session, w.owner)
		}
	}
	w.guard = nil
}

// Unwrap lets http.ResponseController reach the connection.
func (w *sessionWatch) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, which the library asks for.
func (w *sessionWatch) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// headerText is a message without what a header cannot carry.
func headerText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return ' '
		}
		return r
	}, s)
}

func tooMany(w http.ResponseWriter, wait time.Duration, text string) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
	refuse(w, http.StatusTooManyRequests, text+"; see the header Retry-After")
}

// searchTools answers GET /v1/tools/search for people and scripts, as the tool
// search_tools does.
func (s *Server) searchToolsHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	args := codeapi.SearchToolsArgs{Query: q.Get("query"), Detail: q.Get("detail_level"), Category: q.Get("category")}
	problem := ""
	for name := range q {
		switch name {
		case "query", "detail_level", "category", "limit":
		default:
			problem = fmt.Sprintf("unknown parameter %.60q, there are query, detail_level, category, limit", name)
		}
	}
	if text := q.Get("limit"); text != "" && problem == "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > codeapi.MaxToolHits {
			problem = fmt.Sprintf("limit must be 1 to %d, got %.40q", codeapi.MaxToolHits, text)
		}
		args.Limit = n
	}
	answer := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	fail := func(status int, text string) { answer(status, map[string]string{"error": text}) }
	if problem != "" {
		fail(http.StatusBadRequest, problem)
		return
	}
	call := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "search_tools"}}
	call.Params.RawArguments, _ = json.Marshal(args)
	result, err := s.attend(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		value, err := s.host.Service(ctx, codeapi.MethodTools, args)
		if err != nil {
			return serviceError(ctx, err)
		}
		return printed(value), nil
	})(r.Context(), call)
	switch {
	case r.Context().Err() != nil:
		return
	case err != nil:
		s.logger.Error("search tools", "error", err)
		fail(http.StatusInternalServerError, "the search failed; see the server's log")
	case result.IsError:
		text := "the search failed"
		if t, ok := result.Content[0].(mcp.TextContent); ok {
			text = t.Text
		}
		fail(http.StatusBadRequest, text)
	default:
		answer(http.StatusOK, result.StructuredContent)
	}
}
