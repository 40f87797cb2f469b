package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

func (s *session) hybrid(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.SearchArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	return s.search(ctx, a, search.ModeAuto)
}

func (s *session) lexical(ctx context.Context, raw json.RawMessage) (any, error) {
	return s.leg(ctx, raw, search.ModeLexical)
}

func (s *session) vector(ctx context.Context, raw json.RawMessage) (any, error) {
	return s.leg(ctx, raw, search.ModeVector)
}

// leg searches one leg. It gives what that leg gives: no weights, no reranking.
func (s *session) leg(ctx context.Context, raw json.RawMessage, mode search.Mode) (any, error) {
	var a codeapi.SearchArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	a.BM25Weight, a.VectorWeight = nil, nil
	off := false
	a.Rerank = &off
	return s.search(ctx, a, mode)
}

func (s *session) search(ctx context.Context, a codeapi.SearchArgs, mode search.Mode) (*codeapi.SearchReply, error) {
	r, err := s.request(ctx, a, mode)
	if err != nil {
		return nil, err
	}
	if r.Weights != (search.Weights{}) && mode == search.ModeAuto {
		r.Mode = search.ModeHybrid
	}
	results, err := s.host.engine.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	return s.reply(r.Collection, results), nil
}

// reply makes the program's answer of the engine's, remembers the texts and tells
// the ledger what a direct tool would have printed.
func (s *session) reply(collection string, results *search.Results) *codeapi.SearchReply {
	s.remember(collection, results.Hits)
	reply := &codeapi.SearchReply{Collection: collection, Generation: results.Generation, Hits: make([]codeapi.Hit, len(results.Hits))}
	print := make([]render.Hit, len(results.Hits))
	for i, h := range results.Hits {
		reply.Hits[i] = wireHit(h)
		print[i] = renderHit(h)
	}
	for _, d := range results.Degraded {
		reply.Degraded = append(reply.Degraded, d.Stage+": "+d.Reason)
	}
	s.degrade(reply.Degraded)
	s.ledger.printedHits(print)
	return reply
}

// wireHit is a hit without its whole text, with scores of six decimals.
func wireHit(h search.Hit) codeapi.Hit {
	content := render.Cut(h.Text, codeapi.ContentRunes)
	w := codeapi.Hit{
		ID: h.ChunkID, DocumentID: h.DocumentID, Title: h.Title, Source: h.Source, URI: h.URI,
		Headings: h.Headings, Metadata: h.Metadata, Content: content, Whole: len(content) == len(h.Text),
		Start: h.Start, End: h.End, Created: wireTime(h.Created), Updated: wireTime(h.Updated),
		Score: round6(h.Score), LexicalScore: round6p(h.LexicalScore), VectorScore: round6p(h.VectorScore),
		LexicalRank: h.LexicalRank, VectorRank: h.VectorRank,
	}
	if h.RerankScore != nil {
		// For a program rerank_score is what the order follows after reranking, and
		// that is the blended score.
		w.RerankScore = &w.Score
	}
	return w
}

func renderHit(h search.Hit) render.Hit {
	return render.Hit{
		ID: h.ChunkID, DocumentID: h.DocumentID, Title: h.Title, Source: h.Source, URI: h.URI,
		Headings: h.Headings, Metadata: h.Metadata, Text: h.Text, Score: h.Score,
		LexicalScore: h.LexicalScore, VectorScore: h.VectorScore, RerankScore: h.RerankScore,
		LexicalRank: h.LexicalRank, VectorRank: h.VectorRank,
	}
}

func wireTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Truncate(time.Second).Format(time.RFC3339)
}

func round6(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return render.Round(x, 6)
}

func round6p(x *float64) *float64 {
	if x == nil {
		return nil
	}
	r := round6(*x)
	return &r
}

// batchAtOnce is how many questions of a batch are searched at the same time.
const batchAtOnce = 4

func (s *session) batch(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.BatchArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if len(a.Queries) < 1 || len(a.Queries) > codeapi.MaxBatch {
		return nil, invalid("", "queries must be 1..%d, got %d", codeapi.MaxBatch, len(a.Queries))
	}
	reply := codeapi.BatchReply{Replies: make([]codeapi.BatchAnswer, len(a.Queries))}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(batchAtOnce)
	for i, q := range a.Queries {
		g.Go(func() (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = fmt.Errorf("internal error in search: %.200v", v)
				}
			}()
			one, err := s.search(gctx, q, search.ModeAuto)
			if err == nil {
				reply.Replies[i].SearchReply = one
				return nil
			}
			var e *sandbox.Error
			if err = callError(err); errors.As(err, &e) && e.Kind == sandbox.KindValidation {
				reply.Replies[i].Error = &codeapi.CallError{Message: e.Message, Hint: e.Hint}
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return reply, nil
}

func (s *session) document(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.DocumentArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if err := checkText("id", a.ID, codeapi.MaxQueryBytes); err != nil {
		return nil, err
	}
	if err := checkText("collection", a.Collection, 200); err != nil {
		return nil, err
	}
	collection, err := s.readable(ctx, a.Collection)
	if err != nil {
		return nil, err
	}
	d, err := s.host.engine.Document(ctx, collection, a.ID)
	if errors.Is(err, search.ErrNotFound) {
		return nil, nil // the module raises KeyError
	}
	if err != nil {
		return nil, err
	}
	s.ledger.printedDocument(render.Document{ID: d.ID, Title: d.Title, Source: d.Source, URI: d.URI, Text: d.Text,
		Metadata: d.Metadata, Created: d.Created, Updated: d.Updated})
	out := codeapi.Document{ID: d.ID, Title: d.Title, Source: d.Source, URI: d.URI, Text: d.Text,
		Metadata: d.Metadata, Created: wireTime(d.Created), Updated: wireTime(d.Updated)}
	// JSON needs at most six bytes for one of text.
	for len(out.Text) > codeapi.MaxReplyBytes/8 {
		all, err := render.JSON(out)
		if err != nil || len(all) <= codeapi.MaxReplyBytes {
			break
		}
		out.Text = validCut(out.Text, len(out.Text)*3/4)
		out.Truncated = true
	}
	return out, nil
}

// validCut is the first n bytes of s or fewer, not ending inside a character.
func validCut(s string, n int) string {
	for n > 0 && n < len(s) && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

func (s *session) similar(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.SimilarArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if a.ID == "" {
		return nil, invalid("", "id must not be empty")
	}
	for name, text := range map[string]string{"id": a.ID, "collection": a.Collection} {
		if err := checkText(name, text, codeapi.MaxQueryBytes); err != nil {
			return nil, err
		}
	}
	var r search.Request
	var err error
	if r.Collection, err = s.readable(ctx, a.Collection); err != nil {
		return nil, err
	}
	if r.Limit, err = topK(a.TopK); err != nil {
		return nil, err
	}
	if r.Filter, err = ParseFilter("filters", a.Filter); err != nil {
		return nil, err
	}
	results, err := s.host.engine.Similar(ctx, a.ID, r)
	if err != nil {
		return nil, err
	}
	return s.reply(r.Collection, results), nil
}

func (s *session) texts(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.TextsArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if err := checkIDs("ids", a.IDs, codeapi.MaxTexts); err != nil {
		return nil, err
	}
	collection, err := s.readable(ctx, a.Collection)
	if err != nil {
		return nil, err
	}
	found, err := s.lookUp(ctx, collection, a.IDs)
	if err != nil {
		return nil, err
	}
	reply := codeapi.TextsReply{Texts: map[string]string{}}
	size := 0
	for _, id := range a.IDs {
		h, ok := found[id]
		if !ok {
			reply.Missing = append(reply.Missing, id)
			continue
		}
		if _, twice := reply.Texts[id]; twice {
			continue
		}
		n := jsonSize(h.Text) + len(id) + 8
		if size+n > codeapi.MaxReplyBytes-64<<10 && len(reply.Texts) > 0 {
			continue // asked for again
		}
		size += n
		reply.Texts[id] = h.Text
	}
	return reply, nil
}

func checkIDs(name string, ids []string, limit int) error {
	if len(ids) < 1 || len(ids) > limit {
		return invalid("", "%s must be 1..%d, got %d", name, limit, len(ids))
	}
	for _, id := range ids {
		if id == "" {
			return invalid("", "%s must not hold an empty id", name)
		}
		if err := checkText("an id of "+name, id, 1000); err != nil {
			return err
		}
	}
	return nil
}

// jsonSize is the length of s as a JSON string.
func jsonSize(s string) int {
	n := len(s) + 2
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			n++
		case c < 0x20:
			n += 5
		case c == 0xE2: // perhaps U+2028, which encoding/json escapes
			n += 3
		}
	}
	return n
}

// tokens counts for one call of a run at a time: counting is work of ours, and a run that
// asks for much of it uses one core, as it would itself.
func (s *session) tokens(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.TokensArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if len(a.Texts) > codeapi.MaxTexts {
		return nil, invalid("", "texts must be at most %d, got %d", codeapi.MaxTexts, len(a.Texts))
	}
	reply := codeapi.TokensReply{Counts: make([]int, len(a.Texts))}
	s.counting.Lock()
	defer s.counting.Unlock()
	for i, t := range a.Texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		reply.Counts[i] = s.host.tokens.Count(t)
	}
	return reply, nil
}

func (s *session) rerank(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.RerankArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if err := checkQuery(a.Query); err != nil {
		return nil, err
	}
	if len(a.Passages) < 1 || len(a.Passages) > codeapi.MaxRerank {
		return nil, invalid("", "documents must be 1..%d, got %d", codeapi.MaxRerank, len(a.Passages))
	}
	keep, err := topK(a.TopK)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i, p := range a.Passages {
		if (p.ID == "") == (p.Text == "") {
			return nil, invalid("", "documents[%d] must have either an id or a text", i)
		}
		if p.ID != "" {
			ids = append(ids, p.ID)
		}
	}
	collection, err := s.readable(ctx, a.Collection)
	if err != nil {
		return nil, err
	}
	found := map[string]search.Hit{}
	if len(ids) > 0 {
		if err := checkIDs("documents", ids, codeapi.MaxRerank); err != nil {
			return nil, err
		}
		if found, err = s.lookUp(ctx, collection, ids); err != nil {
			return nil, err
		}
	}
	reply := codeapi.RerankReply{Scores: make([]*float64, len(a.Passages)), Weight: s.host.cfg.RerankerWeight}
	var texts []string
	var at []int // place in Passages of each text
	gone := 0
	for i, p := range a.Passages {
		text := p.Text
		if p.ID != "" {
			h, ok := found[p.ID]
			if !ok {
				gone++
				continue
			}
			text = h.Text
		}
		texts, at = append(texts, text), append(at, i)
	}
	if gone > 0 {
		reply.Degraded = append(reply.Degraded, fmt.Sprintf("rerank: %d of %d documents are not in collection %q", gone, len(a.Passages), collection))
	}
	if len(texts) > 0 {
		if err := s.score(ctx, a.Query, texts, at, &reply); err != nil {
			return nil, err
		}
	}
	s.degrade(reply.Degraded)
	s.printReranked(a, found, reply.Scores, keep)
	return reply, nil
}

// score fills in the relevance of the texts, as far as the time allows.
func (s *session) score(ctx context.Context, query string, texts []string, at []int, reply *codeapi.RerankReply) error {
	limited, cancel := context.WithDeadline(ctx, s.rerankDeadline())
	defer cancel()
	scores, err := s.host.engine.Rerank(limited, query, texts)
	if err != nil && (ctx.Err() != nil || limited.Err() == nil || len(scores) != len(texts)) {
		if limited.Err() != nil && ctx.Err() == nil {
			return &sandbox.Error{Kind: sandbox.KindTimeout, Message: "reranking took too long", Hint: "rerank fewer documents"}
		}
		return err
	}
	if len(scores) != len(texts) {
		return fmt.Errorf("rerank: %d scores for %d texts", len(scores), len(texts))
	}
	done := 0
	for j, x := range scores {
		if !math.IsNaN(x) {
			reply.Scores[at[j]] = &scores[j]
			done++
		}
	}
	if done < len(texts) {
		reply.Degraded = append(reply.Degraded, fmt.Sprintf("rerank: %d of %d documents were scored in time", done, len(texts)))
	}
	return nil
}

// printReranked tells the ledger what a direct tool would have printed: the best
// documents with their whole texts.
func (s *session) printReranked(a codeapi.RerankArgs, found map[string]search.Hit, scores []*float64, keep int) {
	order := make([]int, len(a.Passages))
	for i := range order {
		order[i] = i
	}
	value := func(i int) float64 {
		if scores[i] == nil {
			return -1
		}
		return *scores[i]
	}
	sort.SliceStable(order, func(i, j int) bool { return value(order[i]) > value(order[j]) })
	var print []render.Hit
	var texts []string
	for _, i := range order[:min(keep, len(order))] {
		p := a.Passages[i]
		if h, ok := found[p.ID]; ok && p.ID != "" {
			r := renderHit(h)
			r.RerankScore = scores[i]
			if r.RerankScore != nil {
				r.Score = *r.RerankScore
			}
			print = append(print, r)
		} else if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	if len(print) > 0 {
		s.ledger.printedHits(print)
	}
	if len(texts) > 0 {
		s.ledger.printedTexts(texts)
	}
}

func (s *session) stats(_ context.Context, raw json.RawMessage) (any, error) {
	if err := decode(raw, &struct{}{}); err != nil {
		return nil, err
	}
	return s.ledger.soFar(), nil
}
