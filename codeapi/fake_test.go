package codeapi

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/bmcis/bmcis/sandbox"
)

// fakeHost answers the calls of programs under test from a few documents, with a
// score that is easy to foresee: the share of the query's words that a text has.
type fakeHost struct {
	docs  []fakeDoc
	delay time.Duration // of each call

	mu      sync.Mutex
	output  strings.Builder
	calls   []string
	flying  int
	mostFly int
	fail    map[string]*sandbox.Error
	kept    json.RawMessage // the whole of an answer that was cut
}

type fakeDoc struct {
	id, doc, title, source, text string
	meta                         map[string]any
}

var _ sandbox.Host = (*fakeHost)(nil)

func newFakeHost() *fakeHost {
	h := &fakeHost{}
	long := strings.Repeat("The leader sends heartbeats to its followers. ", 20)
	for i, d := range []fakeDoc{
		{title: "Raft overview", source: "raft", text: "Raft is a consensus algorithm. A leader is elected. " + long, meta: map[string]any{"domain": "consensus", "year": 2014, "tags": []any{"raft", "paper"}}},
		{title: "Paxos", source: "paxos", text: "Paxos is a consensus algorithm by Leslie Lamport.", meta: map[string]any{"domain": "consensus", "year": 1998}},
		{title: "BMCIS overview", source: "docs", text: "BMCIS overview: the architecture of hybrid search. " + long, meta: map[string]any{"domain": "bmcis_architecture", "year": 2026}},
		{title: "Advanced features", source: "docs", text: "Advanced BMCIS features: reranking, filters, code execution.", meta: map[string]any{"domain": "bmcis_architecture", "year": 2025}},
		{title: "Cooking", source: "kitchen", text: "How to boil an egg. Ten minutes for a hard one.", meta: map[string]any{"domain": "food"}},
		{title: "Raft overview", source: "raft", text: "Log replication in Raft: a leader appends entries.", meta: map[string]any{"domain": "consensus", "year": 2014}},
		{title: "Ünïcode", source: "docs", text: "Größe und Maß: naïve Straßen, 日本語 and emoji 🎉.", meta: map[string]any{"domain": "language", "date": "2024-05-31"}},
	} {
		d.id = fmt.Sprintf("c%d", i+1)
		d.doc = fmt.Sprintf("doc-%d", i+1)
		if i == 5 {
			d.doc = "doc-1"
		}
		h.docs = append(h.docs, d)
	}
	return h
}

func (h *fakeHost) Print(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.output.WriteString(s)
}

func (h *fakeHost) Call(method string, args json.RawMessage) (json.RawMessage, error) {
	return h.Start(method, args)()
}

func (h *fakeHost) Start(method string, args json.RawMessage) func() (json.RawMessage, error) {
	h.mu.Lock()
	h.calls = append(h.calls, method+" "+string(args))
	h.flying++
	h.mostFly = max(h.mostFly, h.flying)
	h.mu.Unlock()
	type answer struct {
		v   json.RawMessage
		err error
	}
	done := make(chan answer, 1)
	go func() {
		time.Sleep(h.delay)
		v, err := h.answer(method, args)
		h.mu.Lock()
		h.flying--
		h.mu.Unlock()
		done <- answer{v, err}
	}()
	var once sync.Once
	var got answer
	return func() (json.RawMessage, error) {
		once.Do(func() { got = <-done })
		return got.v, got.err
	}
}

func (h *fakeHost) answer(method string, args json.RawMessage) (json.RawMessage, error) {
	if e := h.fail[method]; e != nil {
		return nil, e
	}
	switch method {
	case MethodKeep:
		var a KeepArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		h.kept = a.Value
		return json.Marshal(Kept{Handle: "kept-1", Bytes: len(a.Value), Expires: "2026-12-24T18:00:00Z"})
	case MethodHybrid, MethodLexical, MethodVector:
		var a SearchArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		return json.Marshal(h.search(method, a))
	case MethodBatch:
		var a BatchArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		var r BatchReply
		for _, q := range a.Queries {
			if q.Query == "fail" {
				r.Replies = append(r.Replies, BatchAnswer{Error: &CallError{Message: "this query fails", Hint: "ask another"}})
				continue
			}
			reply := h.search(MethodHybrid, q)
			r.Replies = append(r.Replies, BatchAnswer{SearchReply: &reply})
		}
		return json.Marshal(r)
	case MethodSimilar:
		var a SimilarArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		r := h.search(MethodVector, SearchArgs{Query: "leader algorithm", TopK: a.TopK})
		var kept []Hit
		for _, x := range r.Hits {
			if x.ID != a.ID {
				kept = append(kept, x)
			}
		}
		r.Hits = kept
		return json.Marshal(r)
	case MethodDocument:
		var a DocumentArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		for _, d := range h.docs {
			if d.doc == a.ID {
				return json.Marshal(Document{ID: d.doc, Title: d.title, Source: d.source, Metadata: d.meta, Text: d.text, Created: "2026-01-02T03:04:05Z"})
			}
		}
		return json.RawMessage("null"), nil
	case MethodTexts:
		var a TextsArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		r := TextsReply{Texts: map[string]string{}}
		for _, id := range a.IDs {
			if len(r.Texts) == 3 { // room for three
				break
			}
			if d := h.byID(id); d != nil {
				r.Texts[id] = d.text
			} else {
				r.Missing = append(r.Missing, id)
			}
		}
		return json.Marshal(r)
	case MethodTokens:
		var a TokensArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		r := TokensReply{Counts: make([]int, len(a.Texts))}
		for i, t := range a.Texts {
			r.Counts[i] = (len(t) + 3) / 4
		}
		return json.Marshal(r)
	case MethodRerank:
		var a RerankArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		r := RerankReply{Weight: 0.3}
		for _, p := range a.Passages {
			text := p.Text
			if p.ID != "" {
				d := h.byID(p.ID)
				if d == nil {
					r.Scores = append(r.Scores, nil)
					continue
				}
				text = d.text
			}
			s := 1 / (1 + math.Exp(-4*(share(a.Query, text)-0.5)))
			r.Scores = append(r.Scores, &s)
		}
		return json.Marshal(r)
	case MethodStats:
		return json.Marshal(Ledger{TokensTouched: 1234, Hits: 5, Calls: map[string]int{"search.hybrid": 1}})
	}
	return nil, &sandbox.Error{Kind: sandbox.KindValidation, Message: "no method " + method}
}

func (h *fakeHost) byID(id string) *fakeDoc {
	for i := range h.docs {
		if h.docs[i].id == id {
			return &h.docs[i]
		}
	}
	return nil
}

func share(query, text string) float64 {
	words := strings.Fields(strings.ToLower(query))
	n := 0
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), w) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(words)))
}

func (h *fakeHost) search(method string, a SearchArgs) SearchReply {
	r := SearchReply{Collection: "default", Generation: 7, Hits: []Hit{}}
	if a.Collection != "" {
		r.Collection = a.Collection
	}
	for _, d := range h.docs {
		s := share(a.Query, d.title+" "+d.text)
		if s == 0 {
			continue
		}
		runes := []rune(d.text)
		content := string(runes[:min(len(runes), ContentRunes)])
		hit := Hit{ID: d.id, DocumentID: d.doc, Title: d.title, Source: d.source, Metadata: d.meta, URI: "file:///" + d.doc,
			Content: content, Whole: content == d.text, End: len(d.text), Headings: []string{"Top", d.title},
			Created: "2026-01-02T03:04:05Z", Updated: "2026-02-03T00:00:00Z", Score: math.Round(s*1e6) / 1e6}
		if method != MethodVector {
			l := s * 10
			hit.LexicalScore, hit.LexicalRank = &l, 1
		}
		if method != MethodLexical {
			v := s
			hit.VectorScore, hit.VectorRank = &v, 1
		}
		r.Hits = append(r.Hits, hit)
	}
	sort.SliceStable(r.Hits, func(i, j int) bool { return r.Hits[i].Score > r.Hits[j].Score })
	k := a.TopK
	if k == 0 {
		k = DefaultTopK
	}
	if len(r.Hits) > k {
		r.Hits = r.Hits[:k]
	}
	return r
}
