package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/pii"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// session answers the calls of one run. Its Call may be called concurrently.
type session struct {
	host   *Host
	ledger *ledger
	start  time.Time
	wall   time.Duration
	who    who
	conn   Connection
	san    *pii.Sanitizer   // nil: nothing is hidden
	watch  func(audit.Call) // nil: nobody watches
	report func(string)     // nil: nobody waits for progress

	counting sync.Mutex // of tokens; see there
	mu       sync.Mutex
	chunks   map[chunkKey]search.Hit // of this run's answers, for reranking and reading
	held     int                     // bytes of their texts
	degraded []string
	kept     *codeapi.Kept // the whole answer; asked for at most once
	asked    bool
	calls    []audit.Call // for the audit log
	omitted  int
	same     map[string]int // calls of other servers' tools by name and arguments
	repeats  int            // the most of these
}

type chunkKey struct{ collection, id string }

var _ sandbox.Caller = (*session)(nil)

func (h *Host) newSession(ctx context.Context, wall time.Duration) *session {
	if wall == 0 {
		wall = sandbox.DefaultLimits().Wall
	}
	return &session{host: h, who: whoOf(ctx), conn: connectionOf(ctx), san: h.Sanitizer(ctx), watch: callsOf(ctx), report: reportOf(ctx), ledger: newLedger(&h.tokens), start: time.Now(), wall: wall, chunks: make(map[chunkKey]search.Hit)}
}

// handlers are the methods that a program may call; there are no others.
var handlers = map[string]func(*session, context.Context, json.RawMessage) (any, error){
	codeapi.MethodHybrid:   (*session).hybrid,
	codeapi.MethodLexical:  (*session).lexical,
	codeapi.MethodVector:   (*session).vector,
	codeapi.MethodBatch:    (*session).batch,
	codeapi.MethodDocument: (*session).document,
	codeapi.MethodSimilar:  (*session).similar,
	codeapi.MethodTexts:    (*session).texts,
	codeapi.MethodTokens:   (*session).tokens,
	codeapi.MethodRerank:   (*session).rerank,
	codeapi.MethodStats:    (*session).stats,
	codeapi.MethodKeep:     (*session).keep,
}

// Call implements sandbox.Caller. The arguments come from a hostile process.
func (s *session) Call(ctx context.Context, method string, args json.RawMessage) (reply json.RawMessage, err error) {
	handle, ok := handlers[method]
	served, isService := services[method]
	if !ok && !isService {
		return nil, invalid("", "there is no method %.60q", method)
	}
	if len(args) > codeapi.MaxRequestBytes {
		return nil, invalid("send fewer at a time", "the arguments of %s are %d bytes, at most %d", method, len(args), codeapi.MaxRequestBytes)
	}
	start := time.Now()
	ctx, told := s.host.cfg.Telemetry.HostCall(ctx, method)
	defer func() {
		if v := recover(); v != nil {
			err = &sandbox.Error{Kind: sandbox.KindHost, Message: fmt.Sprintf("internal error in %s: %.200v", method, v),
				Hint: "this is a fault of BMCIS, not of the program; please report it"}
		}
		s.ledger.called(method, time.Since(start))
		s.recorded(method, args, start, reply, err)
		told(callOutcome(ctx, reply, err))
	}()
	ctx = s.who.confine(ctx)
	var value any
	if isService {
		value, err = s.answer(ctx, served, args)
	} else {
		value, err = handle(s, ctx, args)
	}
	if err != nil {
		return nil, callError(err)
	}
	reply, err = render.JSON(value)
	if err != nil {
		return nil, &sandbox.Error{Kind: sandbox.KindHost, Message: fmt.Sprintf("encode the answer of %s: %v", method, err)}
	}
	if len(reply) > codeapi.MaxReplyBytes {
		return nil, invalid("ask for fewer results, or filter first", "the answer of %s is %d bytes, at most %d", method, len(reply), codeapi.MaxReplyBytes)
	}
	return reply, nil
}

// decode reads arguments strictly: what is not known is refused.
func decode(args json.RawMessage, v any) error {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return invalid("", "arguments: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return invalid("", "arguments: more than one value")
	}
	return nil
}

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// request checks a program's question and makes the engine's of it.
func (s *session) request(ctx context.Context, a codeapi.SearchArgs, mode search.Mode) (search.Request, error) {
	r := search.Request{Query: a.Query, Mode: mode}
	if err := checkQuery(a.Query); err != nil {
		return r, err
	}
	if err := checkText("collection", a.Collection, 200); err != nil {
		return r, err
	}
	if err := checkText("group_by", a.GroupBy, 200); err != nil {
		return r, err
	}
	var err error
	if r.Collection, err = s.readable(ctx, a.Collection); err != nil {
		return r, err
	}
	if r.Limit, err = topK(a.TopK); err != nil {
		return r, err
	}
	if r.Filter, err = ParseFilter("filters", a.Filter); err != nil {
		return r, err
	}
	if r.Weights, err = weights(a); err != nil {
		return r, err
	}
	switch f := search.Fusion(a.Fusion); f {
	case "", search.FusionLinear, search.FusionRRF, search.FusionRelativeScore, search.FusionDBSF:
		r.Fusion = f
	default:
		return r, invalid("", "fusion %.40q is none of linear, rrf, relative_score, dbsf", a.Fusion)
	}
	r.MinScore, r.GroupBy, r.Diversity = a.MinScore, a.GroupBy, a.Diversity
	if !(a.MinScore >= 0 && a.MinScore <= 1) {
		return r, invalid("", "min_score must be 0..1, got %v", a.MinScore)
	}
	if !(a.Diversity >= 0 && a.Diversity <= 1) {
		return r, invalid("", "diversity must be 0..1, got %v", a.Diversity)
	}
	if len(a.Boosts) > codeapi.MaxBoosts {
		return r, invalid("", "boosts must be at most %d, got %d", codeapi.MaxBoosts, len(a.Boosts))
	}
	for i, b := range a.Boosts {
		when, err := ParseFilter(fmt.Sprintf("boosts[%d]", i), b.When)
		if err != nil {
			return r, err
		}
		if when == nil || !(b.Factor >= 0.5 && b.Factor <= 2) {
			return r, invalid("", "boosts[%d] needs a filter and a factor of 0.5..2", i)
		}
		r.Boosts = append(r.Boosts, search.Boost{When: when, Factor: b.Factor})
	}
	if a.Rerank != nil {
		r.Rerank.Policy = search.RerankOff
		if *a.Rerank {
			r.Rerank.Policy = search.RerankOn
			r.Rerank.Budget = max(time.Second, time.Until(s.rerankDeadline()))
		}
	}
	return r, nil
}

func (s *session) collection(name string) string {
	if name == "" {
		return s.host.cfg.Collection
	}
	return name
}

func checkQuery(q string) error {
	if strings.TrimSpace(q) == "" {
		return invalid("", "query must not be empty")
	}
	return checkText("query", q, codeapi.MaxQueryBytes)
}

func checkText(name, s string, limit int) error {
	if len(s) > limit {
		return invalid("", "%s must be at most %d bytes, got %d", name, limit, len(s))
	}
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return invalid("", "%s must be UTF-8 without NUL", name)
	}
	return nil
}

func topK(n int) (int, error) {
	if n == 0 {
		n = codeapi.DefaultTopK
	}
	if n < 1 || n > codeapi.MaxTopK {
		return 0, invalid("", "top_k must be 1..%d, got %d", codeapi.MaxTopK, n)
	}
	return n, nil
}

// weights are the caller's, if any; a leg that is not named gets what is left to
// one, so that vector_weight=0.7 means what it says.
func weights(a codeapi.SearchArgs) (search.Weights, error) {
	if a.BM25Weight == nil && a.VectorWeight == nil {
		return search.Weights{}, nil
	}
	var w search.Weights
	switch {
	case a.VectorWeight == nil:
		w.Lexical = *a.BM25Weight
		w.Vector = max(0, 1-w.Lexical)
	case a.BM25Weight == nil:
		w.Vector = *a.VectorWeight
		w.Lexical = max(0, 1-w.Vector)
	default:
		w = search.Weights{Lexical: *a.BM25Weight, Vector: *a.VectorWeight}
	}
	for _, x := range []float64{w.Lexical, w.Vector} {
		if !(x >= 0 && x <= 1e6) {
			return w, invalid("", "bm25_weight and vector_weight must be 0 or more, got %v and %v", w.Lexical, w.Vector)
		}
	}
	if w.Lexical == 0 && w.Vector == 0 {
		return w, invalid("", "bm25_weight and vector_weight are both 0: at least one must count")
	}
	return w, nil
}

// ParseFilter reads a filter in any of its forms: an expression, a JSON object, or the
// text of one; nil for none. The name of the argument is for errors, which are
// *sandbox.Error.
func ParseFilter(name string, raw json.RawMessage) (filter.Expr, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if len(raw) > codeapi.MaxFilterBytes {
		return nil, invalid("", "%s must be at most %d bytes, got %d", name, codeapi.MaxFilterBytes, len(raw))
	}
	var text string
	var e filter.Expr
	var err error
	isText := json.Unmarshal(raw, &text) == nil
	switch text = strings.TrimSpace(text); {
	case !isText:
		e, err = filter.ParseJSON(raw)
	case text == "":
		return nil, nil
	case text[0] == '{':
		e, err = filter.ParseJSON([]byte(text))
	default:
		e, err = filter.Parse(text)
	}
	var fe *filter.Error
	if errors.As(err, &fe) {
		if fe.Offset >= 0 {
			return nil, invalid(fe.Hint, "%s, character %d: %s", name, fe.Offset+1, fe.Msg)
		}
		return nil, invalid(fe.Hint, "%s: %s", name, fe.Msg)
	}
	if err != nil {
		return nil, invalid("", "%s: %v", name, err)
	}
	return e, nil
}

// remember keeps the chunks of an answer while there is room.
func (s *session) remember(collection string, hits []search.Hit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range hits {
		key := chunkKey{collection, h.ChunkID}
		if _, ok := s.chunks[key]; ok || s.held+len(h.Text) > s.host.cfg.CacheBytes {
			continue
		}
		s.held += len(h.Text)
		s.chunks[key] = h
	}
}

// lookUp finds chunks by id, those of this run without asking the engine. Ids
// that do not exist are missing in the answer.
func (s *session) lookUp(ctx context.Context, collection string, ids []string) (map[string]search.Hit, error) {
	found := make(map[string]search.Hit, len(ids))
	var ask []string
	s.mu.Lock()
	for _, id := range ids {
		if h, ok := s.chunks[chunkKey{collection, id}]; ok {
			found[id] = h
		} else if !slices.Contains(ask, id) {
			ask = append(ask, id)
		}
	}
	s.mu.Unlock()
	if len(ask) > 0 {
		hits, err := s.host.engine.Chunks(ctx, collection, ask)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			found[h.ChunkID] = h
		}
		s.remember(collection, hits)
	}
	return found, nil
}

// degrade notes what did not do its work, each thing once.
func (s *session) degrade(what []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range what {
		if !slices.Contains(s.degraded, w) && len(s.degraded) < 20 {
			s.degraded = append(s.degraded, w)
		}
	}
}

func (s *session) degradations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.degraded)
}
