package search

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/ingest"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/internal/tune"
)

// query is one search under way: each stage reads what earlier ones left.
type query struct {
	engine *Engine
	req    Request
	coll   catalog.Collection
	begun  time.Time
	offset int   // hits on earlier pages, from the cursor
	pinned int64 // generation of the first page, from the cursor; -1: first page
	input  route.Input
	route  route.Plan
	tuning *tune.Tuning // what was learned for the collection; nil for nothing
	// wordless says that the query holds no letter or digit, such as "⇒": there is no
	// word to look up, and only vectors can answer.
	wordless bool
	seen     *lexical.Analysis // what all of BM25 in this search sees
	legs     legs
	fused    map[int64]rank.Fused
	exact    map[int64]bool    // exact matches, which the reranker may not push off the page
	relevant map[int64]float64 // calibrated relevance, where a calibration was learned
	order    []rank.Item       // every candidate, best first
	looked   int               // how many of order were looked up
	read     []read            // those that were read, in the same order
	results  Results
}

// begin checks the request, finds the collection and reads the cursor.
func (e *Engine) begin(ctx context.Context, req Request) (*query, error) {
	q := &query{engine: e, begun: time.Now(), pinned: -1}
	if req.Rerank.Weight == 0 {
		req.Rerank.Weight = e.cfg.RerankerWeight
	}
	var err error
	if q.req, err = req.withDefaults(); err != nil {
		return nil, err
	}
	if q.coll, err = catalog.Get(ctx, e.pool, q.req.Collection); err != nil {
		return nil, err
	}
	q.readTuning(ctx)
	if req.Cursor != "" {
		if err := q.readCursor(req.Cursor); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// lexical is the query as the BM25 leg reads it.
func (q *query) lexical(limit int) lexical.Query {
	return lexical.Query{Collection: ingest.LexicalCollection(q.coll), Text: q.req.Query, Plain: q.req.Plain, Filter: q.req.Filter, Limit: limit, Seen: q.seen}
}

// plan asks the router, with the corpus statistics of the query's terms.
func (q *query) plan(ctx context.Context) (err error) {
	q.timed(ctx, "plan", &q.results.Stats.Times.Plan, func() { err = q.askRouter(ctx) })
	return err
}

func (q *query) askRouter(ctx context.Context) error {
	query := q.req.Query
	if q.req.Plain {
		query = withoutOperators(query)
	}
	analysis, err := q.engine.lex.Analyze(ctx, ingest.LexicalCollection(q.coll), query)
	if err != nil {
		return fmt.Errorf("analyse query: %w", err)
	}
	q.seen = analysis
	q.wordless = len(analysis.Terms) == 0 && !hasLetters(q.req.Query)
	if strings.TrimSpace(query) == "" {
		return invalid("the query is empty; ask with at least one word")
	}
	in := route.Input{
		Query: query, Mode: route.Mode(q.req.Mode),
		Weights:   route.Weights{Lexical: q.req.Weights.Lexical, Vector: q.req.Weights.Vector},
		Window:    q.req.Window,
		Limit:     q.offset + q.req.Limit,
		Rerank:    policyOf(q.req.Rerank.Policy),
		Documents: analysis.Documents,
	}
	for _, t := range analysis.Terms {
		in.Terms = append(in.Terms, route.Term{Text: t.Text, DF: t.DF, IDF: t.IDF})
	}
	if q.tuning != nil {
		in.Learned = q.tuning.Weight
	}
	q.input = in
	if q.route, err = route.Route(in); err != nil {
		return invalid("%v", err)
	}
	if q.req.Plain {
		q.route.Embed = q.req.Query // nothing in it is an operator, so meaning is in all of it
	}
	q.results.Plan = Plan{
		Class: string(q.route.Class), Mode: Mode(q.route.Mode), Fusion: q.req.Fusion, Window: q.route.Window,
		Weights: Weights(q.route.Weights), Reasons: q.route.Reasons,
	}
	return nil
}

// withoutOperators is the query with nothing in it that the query language reads. Names
// such as std::sort and --format stay as they are.
func withoutOperators(query string) string {
	words := strings.Fields(strings.Map(func(r rune) rune {
		if r == '"' || r == '*' {
			return ' '
		}
		return r
	}, query))
	for i, w := range words {
		if !strings.HasPrefix(w, "--") {
			w = strings.TrimLeft(w, "+-")
		}
		if field, rest, ok := strings.Cut(w, ":"); ok && route.IsField(field) {
			w = field + " " + rest
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

func policyOf(p RerankPolicy) route.Rerank { return route.Rerank(p) }

// cursor is what Results.Cursor holds: where the next page starts, and what it must
// belong to.
type cursor struct {
	Offset     int    `json:"o"`
	Generation int64  `json:"g"`
	Request    uint64 `json:"r"`
}

// readCursor takes the place of the next page from a cursor of the same request.
func (q *query) readCursor(text string) error {
	var c cursor
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.Offset < 1 || c.Offset > maxWindow {
		return invalid("cursor %q is damaged; take it unchanged from the answer before, or leave it empty", text)
	}
	if c.Request != q.req.fingerprint() {
		return invalid("the cursor belongs to another request; repeat the request that it came from, with only the cursor changed")
	}
	q.offset, q.pinned = c.Offset, c.Generation
	return nil
}

// writeCursor names the page after this one.
func (q *query) writeCursor() string {
	data, _ := json.Marshal(cursor{ // three numbers
		Offset: q.offset + q.req.Limit, Generation: q.results.Generation, Request: q.req.fingerprint(),
	})
	return base64.RawURLEncoding.EncodeToString(data)
}

// fingerprint is equal for requests that differ only in their cursor.
func (r Request) fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %v %q %q %v %q %v %d %d %v %q %v %v", r.Query, r.Plain, r.Collection, r.Mode, r.Weights, r.Fusion,
		filterText(r.Filter), r.Limit, r.Window, r.Rerank, r.GroupBy, r.Diversity, r.MinScore)
	for _, b := range r.Boosts {
		fmt.Fprintf(h, " %v %v %v %q", filterText(b.When), b.Factor, b.HalfLife, b.Field)
	}
	return h.Sum64()
}

func filterText(f filter.Expr) string {
	if f == nil {
		return ""
	}
	return f.String()
}
