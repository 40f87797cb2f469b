package codeapi

import (
	"encoding/json"
	"math"
	"sort"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const rerankingText = `
"""Order results by how well their whole text answers a query."""

def rerank(query=None, documents=None, top_k=5, threshold=None, *, weight=None):
    """Scores each document's whole text against the query with the cross-encoder and
    returns the top_k best, each with rerank_score (0..1), which the order follows.

    documents are hits, dicts made from hits, or dicts with a text; at most 200. Without a
    query, the one that found the hits counts: rerank(results[:20], top_k=5). threshold
    keeps documents whose rerank_score is at least that. weight (0..1) is the
    cross-encoder's share in rerank_score, the rest is the search score; None is the
    model's measured best, 1 the cross-encoder alone, as for documents without a score.
    Hits stay hits, dicts stay dicts, score stays the search's."""
`

var rerankingDoc = guest.Lazy(rerankingText)

func (r *run) rerankingModule() *pylang.Module {
	return &pylang.Module{
		Name: "reranking", Doc: rerankingDoc().Doc,
		Members: rerankingDoc().Bind("reranking", map[string]guest.Impl{"rerank": r.rerank}),
	}
}

func (r *run) rerank(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	// rerank(documents) and rerank(documents, query): the list comes first.
	if _, isText := a.V[0].(starlark.String); !isText && a.Given(0) {
		if _, isText := a.V[1].(starlark.String); isText || !a.Given(1) {
			a.V[0], a.V[1] = a.V[1], a.V[0]
		}
	}
	if a.V[1] == nil {
		e := pylang.Raise("TypeError", "rerank() misses the argument 'documents'")
		e.Hint = "call it as rerank(query, documents, top_k=5)"
		return nil, e
	}
	docs, err := resultList(a, 1)
	if err != nil {
		return nil, err
	}
	topK, err := a.Int(2, 5, 1, MaxTopK)
	if err != nil {
		return nil, err
	}
	threshold, err := a.Float(3, math.Inf(-1), math.Inf(-1), math.Inf(1))
	if err != nil {
		return nil, err
	}
	share, err := a.Float(4, math.NaN(), 0, 1)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return new(starlark.List), nil
	}
	if len(docs) > MaxRerank {
		e := pylang.Raise("ValueError", "documents must be at most %d, got %d", MaxRerank, len(docs))
		e.Hint = "rerank the best of them: documents[:100]"
		return nil, e
	}
	args := RerankArgs{TopK: topK}
	if a.Given(0) {
		if args.Query, err = queryText(a, 0); err != nil {
			return nil, err
		}
	} else if args.Query = r.queryOf(docs); args.Query == "" {
		e := pylang.Raise("ValueError", "rerank() needs a query: these documents do not come from one search")
		e.Hint = "call it as rerank(query, documents, top_k=5)"
		return nil, e
	}
	for i, d := range docs {
		item, collection, err := r.passage(d)
		if err != nil {
			return nil, err
		}
		if item.ID == "" && item.Text == "" {
			e := pylang.Raise("ValueError", "documents[%d] has neither a known id nor a text to score", i)
			e.Hint = "give hits, their to_dict(), or dicts with a 'text'"
			return nil, e
		}
		if item.ID != "" && args.Collection == "" {
			args.Collection = collection
		}
		args.Passages = append(args.Passages, item)
	}
	return r.ask(MethodRerank, args, func(raw json.RawMessage) (starlark.Value, error) {
		var reply RerankReply
		if err := decodeReply(MethodRerank, raw, &reply); err != nil {
			return nil, err
		}
		if len(reply.Scores) != len(docs) {
			return nil, pylang.Raise("RuntimeError", "%s: %d scores for %d documents", MethodRerank, len(reply.Scores), len(docs))
		}
		if math.IsNaN(share) {
			share = reply.Weight
		}
		return reordered(docs, reply.Scores, share, topK, threshold)
	})
}

// queryOf is the query that found the documents; empty when it is not one.
func (r *run) queryOf(docs []starlark.Value) string {
	query := ""
	for _, d := range docs {
		c := r.chunkOf(d)
		if c == nil || c.group.query == "" {
			continue
		}
		if query != "" && c.group.query != query {
			return ""
		}
		query = c.group.query
	}
	return query
}

// chunkOf is the chunk behind a result: a hit's, or that of a dict's id.
func (r *run) chunkOf(v starlark.Value) *chunk {
	if h, ok := v.(*hit); ok {
		return h.chunk
	}
	if id, err := textField(v, "id"); err == nil && id != "" {
		return r.find(id)
	}
	return nil
}

// passage is what the reranker is to read for a result: the whole text of its
// chunk, which the host has, or the text that the program brings.
func (r *run) passage(v starlark.Value) (item RerankItem, collection string, err error) {
	if c := r.chunkOf(v); c != nil {
		if _, isHit := v.(*hit); isHit {
			return RerankItem{ID: c.ID}, c.group.collection, nil
		}
		// A dict whose text the program has replaced is scored as it is.
		text, err := textField(v, "text")
		if err != nil {
			return RerankItem{}, "", err
		}
		if text == "" || c.known && text == c.text {
			return RerankItem{ID: c.ID}, c.group.collection, nil
		}
	}
	for _, name := range []string{"text", "content", "preview", "title"} {
		text, err := textField(v, name)
		if err != nil {
			return RerankItem{}, "", err
		}
		if text != "" {
			return RerankItem{Text: text}, "", nil
		}
	}
	id, err := textField(v, "id")
	return RerankItem{ID: id}, "", err
}

// reordered sorts documents by the blend of their search scores and the
// reranker's relevance, 0..1 each. As in the engine's own reranking, both are
// brought to 0..1 by lowest and highest (the relevance as a logit), weighted, and
// scaled back between the ends of the search scores, so that rerank_score and
// score are on one scale. Documents that the reranker did not get to come last,
// in their own order.
func reordered(docs []starlark.Value, relevance []*float64, share float64, topK int, threshold float64) (starlark.Value, error) {
	type scored struct {
		doc   starlark.Value
		score float64
	}
	var order []scored
	var fused, logits []float64
	var unread []starlark.Value
	blend := share < 1
	for i, d := range docs {
		if relevance[i] == nil {
			unread = append(unread, d)
			continue
		}
		s, ok := scoreField(d, "score", "relevance_score")
		blend = blend && ok
		fused = append(fused, s)
		logits = append(logits, logit(*relevance[i]))
		order = append(order, scored{d, *relevance[i]})
	}
	if bottom, top := ends(fused); blend && top > bottom {
		low, high := ends(logits)
		for i := range order {
			verdict := 1.0
			if high > low {
				verdict = (logits[i] - low) / (high - low)
			}
			mixed := share*verdict + (1-share)*(fused[i]-bottom)/(top-bottom)
			order[i].score = bottom + (top-bottom)*mixed
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return order[i].score > order[j].score })
	var out []starlark.Value
	for _, o := range order {
		if len(out) == topK || o.score < threshold {
			break
		}
		v, err := changed(o.doc, set("rerank_score", starlark.Float(roundScore(o.score))))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if math.IsInf(threshold, -1) {
		out = append(out, unread[:min(len(unread), topK-len(out))]...)
	}
	return starlark.NewList(out), nil
}

func ends(xs []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range xs {
		low, high = min(low, x), max(high, x)
	}
	return low, high
}

// logit is the inverse of the logistic function, bounded where it would be
// infinite.
func logit(p float64) float64 {
	p = min(max(p, 1e-12), 1-1e-12)
	return math.Log(p / (1 - p))
}

// roundScore keeps six decimals: what follows is noise and costs tokens.
func roundScore(x float64) float64 { return math.Round(x*1e6) / 1e6 }
