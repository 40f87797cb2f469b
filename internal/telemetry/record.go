package telemetry

import (
	"context"
	"slices"
	"strings"
	"time"
)

// outcomeOK is how a call or program ends well.
const outcomeOK = "ok"

// ToolCall is one call of a tool of this server.
type ToolCall struct {
	Tool    string
	Outcome string // ok, or a kind of error
	Took    time.Duration
	Bytes   int    // text in the answer
	Session string // whose; "" counts for no session
}

// ToolCalled counts a call that has ended.
func (r *Recorder) ToolCalled(c ToolCall) {
	if r == nil {
		return
	}
	m, tool := &r.metrics, r.bounded("tool", c.Tool)
	m.toolCalls.WithLabelValues(tool, r.bounded("outcome", c.Outcome)).Inc()
	m.toolTime.WithLabelValues(tool).Observe(c.Took.Seconds())
	m.toolBytes.WithLabelValues(tool).Add(float64(c.Bytes))
	r.failed("tool", c.Outcome)
	r.used(c.Session, c.Tool == "execute_code")
}

// sessionUse is what a session has been counted for.
type sessionUse struct{ code, direct bool }

// used counts a session the first time it runs a program or calls a direct tool.
func (r *Recorder) used(session string, code bool) {
	if session == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	u, known := r.sessions.Get(session)
	if !known {
		r.metrics.sessions.WithLabelValues("any").Inc()
	}
	switch {
	case code && !u.code:
		u.code = true
		r.metrics.sessions.WithLabelValues("code").Inc()
	case !code && !u.direct:
		u.direct = true
		r.metrics.sessions.WithLabelValues("direct").Inc()
	}
	r.sessions.Put(session, u)
}

// failed counts an outcome that is not ok.
func (r *Recorder) failed(where, kind string) {
	if kind != outcomeOK {
		r.metrics.errors.WithLabelValues(where, r.bounded("kind", kind)).Inc()
	}
}

// Program is one program that has ended.
type Program struct {
	Outcome      string
	SourceBytes  int
	Took, Waited time.Duration // running, and waiting for room before
	CPU          time.Duration
	MemoryBytes  int64
	Steps        int64
	SentBytes    int64
	Calls        map[string]int // host calls by method
	// Hits that searches brought; Repeats is how often one tool of another server was
	// called with the same arguments, at most.
	Hits, Repeats     int
	Touched, Returned int // tokens
	Validation        bool
}

// ProgramEnded counts a program. A mere validation is not counted: nothing ran.
func (r *Recorder) ProgramEnded(p Program) {
	if r == nil || p.Validation {
		return
	}
	m, useCase, calls := &r.metrics, UseCase(p), 0
	for _, n := range p.Calls {
		calls += n
	}
	m.programs.WithLabelValues(r.bounded("outcome", p.Outcome)).Inc()
	m.programTime.WithLabelValues(useCase).Observe(p.Took.Seconds())
	m.programWait.Observe(p.Waited.Seconds())
	m.programSource.Observe(float64(p.SourceBytes))
	m.programCPU.Add(max(0, p.CPU.Seconds()))
	if p.MemoryBytes > 0 {
		m.programMemory.Observe(float64(p.MemoryBytes))
	}
	m.programCalls.Observe(float64(calls))
	m.programSteps.Add(max(0, float64(p.Steps)))
	m.programBytes.Add(max(0, float64(p.SentBytes)))
	m.combinations.WithLabelValues(Combination(p.Calls)).Inc()
	m.useCases.WithLabelValues(useCase).Inc()
	m.touched.WithLabelValues(useCase).Add(float64(p.Touched))
	m.returned.WithLabelValues(useCase).Add(float64(p.Returned))
	r.failed("program", p.Outcome)
}

// family is the kind of function that a host method belongs to; "" for those that only
// help (statistics, counting tokens, keeping a result).
func family(method string) string {
	group, _, _ := strings.Cut(method, ".")
	switch {
	case method == "search.document" || method == "results.texts":
		return "documents"
	case method == "tools.call":
		return "upstream"
	case group == "search", group == "rerank", group == "skills", group == "pii":
		return group
	case group == "tools":
		return "discovery"
	case group == "workspace":
		return "files"
	}
	return ""
}

// Combination names the kinds of functions that a program used, in alphabetical order
// joined by "+"; "none" when it called nothing. There are eight kinds.
func Combination(calls map[string]int) string {
	var kinds []string
	for method := range calls {
		if f := family(method); f != "" && !slices.Contains(kinds, f) {
			kinds = append(kinds, f)
		}
	}
	if kinds == nil {
		return "none"
	}
	slices.Sort(kinds)
	return strings.Join(kinds, "+")
}

// manyHits is from when on a program that searches counts as filtering many rows.
const manyHits = 100

// UseCase says what a program was for, as far as its calls tell; the first that fits:
// polling (one tool of another server, three times or more with the same arguments),
// workflow (tools of other servers), filtering (100 hits or more), reranking, search,
// reading (documents and files), computing (nothing of these).
func UseCase(p Program) string {
	has := func(families ...string) bool {
		for method := range p.Calls {
			if slices.Contains(families, family(method)) {
				return true
			}
		}
		return false
	}
	switch {
	case p.Repeats >= 3:
		return "polling"
	case has("upstream"):
		return "workflow"
	case p.Hits >= manyHits:
		return "filtering"
	case has("rerank"):
		return "reranking"
	case has("search"):
		return "search"
	case has("documents", "files"):
		return "reading"
	}
	return "computing"
}

// HostCall begins a call on the host: the context is that of its span, and end, called
// once, tells the outcome.
func (r *Recorder) HostCall(ctx context.Context, method string) (_ context.Context, end func(outcome string)) {
	if r == nil {
		return ctx, func(string) {}
	}
	begun := time.Now()
	ctx, span := r.Start(ctx, "host "+method)
	return ctx, func(outcome string) {
		name := r.bounded("method", method)
		r.metrics.hostCalls.WithLabelValues(name, r.bounded("outcome", outcome)).Inc()
		r.metrics.hostTime.WithLabelValues(name).Observe(time.Since(begun).Seconds())
		r.failed("host_call", outcome)
		span.Set("bmcis.outcome", outcome)
		span.End(outcome)
	}
}

// Search is one search that has ended.
type Search struct {
	Mode, Class string // of the plan; "" when it failed before there was one
	Failed      string // kind of error: invalid, cancelled, timeout, failed; "" for none
	Took        time.Duration
	Lexical     int // candidates; negative: the leg did not run
	Vector      int
	Reranked    int
	Degraded    []string // stages
	// Of the lexical index; Segments 0: it was not asked.
	Segments, CacheHits, CacheMisses, ReadBytes int64
}

// Searched counts a search.
func (r *Recorder) Searched(s Search) {
	if r == nil {
		return
	}
	m := &r.metrics
	if s.Failed != "" {
		r.failed("search", s.Failed)
		return
	}
	mode := r.bounded("mode", s.Mode)
	m.searches.WithLabelValues(mode, r.bounded("class", s.Class)).Inc()
	m.searchTime.WithLabelValues(mode).Observe(s.Took.Seconds())
	if s.Lexical >= 0 {
		m.candidates.WithLabelValues("lexical").Observe(float64(s.Lexical))
	}
	if s.Vector >= 0 {
		m.candidates.WithLabelValues("vector").Observe(float64(s.Vector))
	}
	m.reranked.Add(float64(s.Reranked))
	for i, stage := range s.Degraded {
		if !slices.Contains(s.Degraded[:i], stage) {
			m.degraded.WithLabelValues(r.bounded("stage", stage)).Inc()
		}
	}
	if s.Segments > 0 {
		m.segments.Observe(float64(s.Segments))
		m.cacheHits.Add(float64(s.CacheHits))
		m.cacheMisses.Add(float64(s.CacheMisses))
		m.cacheRead.Add(float64(s.ReadBytes))
	}
}

// Stage begins a stage of a search; what it returns ends it.
func (r *Recorder) Stage(ctx context.Context, stage string) (end func()) {
	if r == nil {
		return func() {}
	}
	begun := time.Now()
	_, span := r.Start(ctx, "search "+stage)
	return func() {
		r.metrics.stageTime.WithLabelValues(r.bounded("stage", stage)).Observe(time.Since(begun).Seconds())
		span.End(outcomeOK)
	}
}
