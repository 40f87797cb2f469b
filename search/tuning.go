package search

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/eval"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/internal/tune"
)

// Tuning is what `bmcis eval tune` learned from judged queries, in the form of its file.
type Tuning = tune.Tuning

// SetTuning makes all searches of a collection use what was learned, in every program
// that searches this database: k1 and b become the collection's own, the correction of
// weights and the calibration are stored beside them. Nil takes these two away again and
// leaves k1 and b, which [Engine.SetScoring] changes.
func (e *Engine) SetTuning(ctx context.Context, collection string, t *Tuning) error {
	if t == nil {
		return catalog.SetTuning(ctx, e.pool, collection, nil)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("set tuning of %q: %w", collection, err)
	}
	if _, err := tune.Parse(data); err != nil {
		return invalid("tuning: %v", err)
	}
	if t.BM25 != nil {
		if err := e.SetScoring(ctx, collection, Scoring{K1: &t.BM25.K1, B: &t.BM25.B}); err != nil {
			return err
		}
	}
	return catalog.SetTuning(ctx, e.pool, collection, data)
}

// ParseTuning reads the file that `bmcis eval tune` writes. The error says what is wrong
// with the content; the caller adds the file's name.
func ParseTuning(data []byte) (*Tuning, error) { return tune.Parse(data) }

// trying is the key of a context's tuning.
type trying struct{}

// withTuning makes searches with this context use t in place of what the collection has.
func withTuning(ctx context.Context, t *Tuning) context.Context {
	return context.WithValue(ctx, trying{}, t)
}

// readTuning takes what was learned for the collection. What cannot be read costs only
// itself.
func (q *query) readTuning(ctx context.Context) {
	if t, ok := ctx.Value(trying{}).(*Tuning); ok {
		q.tuning = t
		if t.BM25 != nil {
			q.coll.K1, q.coll.B = t.BM25.K1, t.BM25.B
		}
		return
	}
	if len(q.coll.Tuning) == 0 {
		return
	}
	var err error
	if q.tuning, err = tune.Parse(q.coll.Tuning); err != nil {
		q.tuning = nil
		q.degrade("tuning", fmt.Sprintf("what was learned for collection %s is not used: %v (or take it away: bmcis collections set %s --tuning none)", q.coll.Name, err, q.coll.Name))
	}
}

// calibrate estimates relevance where that was learned, and drops what is below the
// request's least score.
func (q *query) calibrate(items []rank.Item) []rank.Item {
	if q.tuning == nil || q.tuning.Calibration == nil || q.req.Fusion != FusionLinear || q.legs.lexical == nil || q.legs.vector == nil {
		return rank.MinScore(items, q.req.MinScore)
	}
	q.relevant = make(map[int64]float64, len(items))
	kept := items[:0]
	for _, it := range items {
		r := q.tuning.Calibration.Relevance(it.Score)
		q.relevant[it.ID] = r
		if r >= q.req.MinScore {
			kept = append(kept, it)
		}
	}
	return kept
}

// Judged is judged queries: questions, and which documents answer them how well.
type Judged = eval.Set

// LoadJudged reads queries.jsonl and qrels.tsv (or qrels/test.tsv) of a folder in BEIR
// layout.
func LoadJudged(dir string) (*Judged, error) { return eval.LoadQuestions(dir) }

// Learn makes a tuning for a collection from judged queries, up to most of them (0: all),
// and changes nothing: [Engine.SetTuning] applies it. Half of the queries are learned
// from, the other half measures; what gains nothing there is left out. Reranking and what
// the collection learned before are not used. progress may be nil. Errors: fewer than 40
// queries, a query that fails or is degraded, an unknown collection.
func (e *Engine) Learn(ctx context.Context, collection string, set *Judged, most int, progress func(done, total int64)) (*Tuning, error) {
	c, err := catalog.Get(ctx, e.pool, collection)
	if err != nil {
		return nil, err
	}
	return tune.Learn(ctx, set, tune.BM25{K1: c.K1, B: c.B}, asker{e, collection}, tune.Options{Queries: most, Progress: progress})
}

// asker answers the queries that tune.Learn asks, without reranking and without what the
// collection learned before.
type asker struct {
	engine     *Engine
	collection string
}

const (
	askDocuments = 100
	askWindow    = 200
)

func (a asker) Lexical(ctx context.Context, query string, p tune.BM25) ([]eval.Ranked, error) {
	q, err := a.ask(ctx, Request{Query: query, Mode: ModeLexical}, p)
	if err != nil {
		return nil, err
	}
	documents, err := q.documents(ctx)
	if err != nil {
		return nil, err
	}
	var list []eval.Ranked
	seen := map[string]bool{}
	for _, it := range q.order {
		if id := documents[it.ID]; id != "" && !seen[id] && len(list) < askDocuments {
			seen[id] = true
			list = append(list, eval.Ranked{ID: id, Score: it.Score})
		}
	}
	return list, nil
}

func (a asker) Candidates(ctx context.Context, query string, p tune.BM25) (tune.Candidates, error) {
	q, err := a.ask(ctx, Request{Query: query, Mode: ModeHybrid}, p)
	if err != nil {
		return tune.Candidates{}, err
	}
	documents, err := q.documents(ctx)
	if err != nil {
		return tune.Candidates{}, err
	}
	c := tune.Candidates{Class: q.route.Class, Prior: q.route.Weights.Lexical, Features: route.Features(q.input)}
	for _, it := range q.order {
		if id := documents[it.ID]; id != "" {
			f := q.fused[it.ID]
			c.List = append(c.List, tune.Candidate{Document: id, Lexical: f.Lexical.Normalized, Vector: f.Vector.Normalized})
		}
	}
	return c, nil
}

// ask runs the stages up to fusion.
func (a asker) ask(ctx context.Context, req Request, p tune.BM25) (*query, error) {
	req.Collection, req.Plain, req.Window = a.collection, true, askWindow
	ctx = withTuning(ctx, &Tuning{BM25: &p})
	q, err := a.engine.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, stage := range []func(context.Context) error{q.plan, q.retrieve, q.fuse} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	for _, d := range q.results.Degraded {
		return nil, fmt.Errorf("the answer was degraded, so learning from it would mislead: %s: %s", d.Stage, d.Reason)
	}
	return q, nil
}

// documents are the caller's ids of the candidates' documents.
func (q *query) documents(ctx context.Context) (map[int64]string, error) {
	rows, err := q.engine.pool.Query(ctx, "select k.id, d.external_id "+candidateRows, idsOf(q.order))
	if err != nil {
		return nil, fmt.Errorf("read documents of candidates: %w", err)
	}
	defer rows.Close()
	documents := map[int64]string{}
	for rows.Next() {
		var id int64
		var document string
		if err := rows.Scan(&id, &document); err != nil {
			return nil, fmt.Errorf("read documents of candidates: %w", err)
		}
		documents[id] = document
	}
	return documents, rows.Err()
}
