package codeapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/sandbox"
)

// corpusHost is the host that testdata/agents/bmcis_stub.py describes: the same
// answers to the same calls, from corpus.json.
type corpusHost struct {
	chunks []corpusChunk
	words  [][]string
	stems  []map[string]bool
}

// corpusRun is the corpus as one program's host.
type corpusRun struct {
	*corpusHost
	mu     sync.Mutex
	output strings.Builder
	calls  map[string]int
}

var _ sandbox.Host = (*corpusRun)(nil)

func (h *corpusRun) Print(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.output.WriteString(s)
}

func (h *corpusRun) Start(method string, args json.RawMessage) func() (json.RawMessage, error) {
	return sync.OnceValues(func() (json.RawMessage, error) { return h.Call(method, args) })
}

func (h *corpusRun) Call(method string, args json.RawMessage) (json.RawMessage, error) {
	h.mu.Lock()
	h.calls[method]++
	h.mu.Unlock()
	switch method {
	case codeapi.MethodHybrid, codeapi.MethodLexical, codeapi.MethodVector:
		return answer(args, func(a codeapi.SearchArgs) (codeapi.SearchReply, error) { return h.search(method, a) })
	case codeapi.MethodBatch:
		return answer(args, func(a codeapi.BatchArgs) (r codeapi.BatchReply, err error) {
			for _, q := range a.Queries {
				reply, err := h.search(codeapi.MethodHybrid, q)
				one := codeapi.BatchAnswer{SearchReply: &reply}
				if err != nil {
					one = codeapi.BatchAnswer{Error: &codeapi.CallError{Message: err.Error()}}
				}
				r.Replies = append(r.Replies, one)
			}
			return r, nil
		})
	case codeapi.MethodSimilar:
		return answer(args, h.similar)
	case codeapi.MethodDocument:
		return answer(args, h.document)
	case codeapi.MethodTexts:
		return answer(args, func(a codeapi.TextsArgs) (codeapi.TextsReply, error) {
			r := codeapi.TextsReply{Texts: map[string]string{}}
			for _, id := range a.IDs {
				if c := h.chunk(id); c != nil {
					r.Texts[id] = c.Text
				} else {
					r.Missing = append(r.Missing, id)
				}
			}
			return r, nil
		})
	case codeapi.MethodTokens:
		return answer(args, func(a codeapi.TokensArgs) (r codeapi.TokensReply, err error) {
			for _, s := range a.Texts {
				r.Counts = append(r.Counts, (utf8.RuneCountInString(s)+3)/4)
			}
			return r, nil
		})
	case codeapi.MethodRerank:
		return answer(args, h.rerank)
	case codeapi.MethodStats:
		return json.Marshal(codeapi.Ledger{TokensTouched: 10, Calls: h.calls})
	}
	return nil, &sandbox.Error{Kind: sandbox.KindValidation, Message: "no method " + method}
}

func answer[A, R any](args json.RawMessage, f func(A) (R, error)) (json.RawMessage, error) {
	var a A
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	r, err := f(a)
	if err != nil {
		return nil, &sandbox.Error{Kind: sandbox.KindRuntime, Message: err.Error()}
	}
	return json.Marshal(r)
}

const corpusStop = " a an and are as at by do for from how i in is it of on or that the to what when which with "

var (
	corpusWord    = regexp.MustCompile("[a-z0-9]+")
	corpusNotWord = regexp.MustCompile("[^a-z0-9]+")
)

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

func corpusWords(s string) []string {
	return slices.DeleteFunc(corpusWord.FindAllString(asciiLower(s), -1), func(w string) bool {
		return strings.Contains(corpusStop, " "+w+" ")
	})
}

func corpusStems(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range corpusWords(s) {
		m[w[:min(5, len(w))]] = true
	}
	return m
}

// corpusGrams are the strings of three characters of a text.
func corpusGrams(s string) map[string]bool {
	s = strings.TrimSpace(corpusNotWord.ReplaceAllString(asciiLower(s), " "))
	m := map[string]bool{}
	for i := 0; i+3 <= len(s); i++ {
		m[s[i:i+3]] = true
	}
	return m
}

func round6(x float64) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 6, 64), 64) // digits that Go wrote
	return f
}

func common(a, b map[string]bool) (n int) {
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}

func corpusCosine(q, d map[string]bool) float64 {
	if len(q) == 0 || len(d) == 0 {
		return 0
	}
	return round6(float64(common(q, d)) / math.Sqrt(float64(len(q)*len(d))))
}

func (h *corpusHost) chunk(id string) *corpusChunk {
	for i := range h.chunks {
		if h.chunks[i].ID == id {
			return &h.chunks[i]
		}
	}
	return nil
}

// keeper reads a filter; no filter keeps everything.
func keeper(raw json.RawMessage) (func(corpusChunk) bool, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return func(corpusChunk) bool { return true }, nil
	}
	var e filter.Expr
	var text string
	var err error
	if json.Unmarshal(raw, &text) == nil {
		e, err = filter.Parse(text)
	} else {
		e, err = filter.ParseJSON(raw)
	}
	return func(c corpusChunk) bool {
		return filter.Match(e, filter.Document{ID: c.DocumentID, Title: c.Title, Source: c.Source, URI: c.URI, Metadata: c.Metadata})
	}, err
}

func checkTopK(k int) (int, error) {
	if k == 0 {
		k = codeapi.DefaultTopK
	}
	if k < 1 || k > 1000 {
		return 0, fmt.Errorf("top_k must be 1..1000, got %d", k)
	}
	return k, nil
}

func (h *corpusHost) search(method string, a codeapi.SearchArgs) (codeapi.SearchReply, error) {
	if strings.TrimSpace(a.Query) == "" {
		return codeapi.SearchReply{}, fmt.Errorf("query is empty")
	}
	k, err := checkTopK(a.TopK)
	if err != nil {
		return codeapi.SearchReply{}, err
	}
	keep, err := keeper(a.Filter)
	if err != nil {
		return codeapi.SearchReply{}, err
	}
	terms, stems := corpusWords(a.Query), corpusStems(a.Query)
	lexical, vector := map[int]float64{}, map[int]float64{}
	for i, c := range h.chunks {
		if !keep(c) {
			continue
		}
		n := 0
		for _, w := range h.words[i] {
			if slices.Contains(terms, w) {
				n++
			}
		}
		if n > 0 && method != codeapi.MethodVector {
			lexical[i] = float64(n)
		}
		if v := corpusCosine(stems, h.stems[i]); v > 0 && method != codeapi.MethodLexical {
			vector[i] = v
		}
	}
	wb, wv := 0.5, 0.5
	switch {
	case method == codeapi.MethodLexical:
		wb, wv = 1, 0
	case method == codeapi.MethodVector:
		wb, wv = 0, 1
	default:
		if a.BM25Weight != nil {
			wb = *a.BM25Weight
		}
		if a.VectorWeight != nil {
			wv = *a.VectorWeight
		}
	}
	lexicalRanks, vectorRanks := ranks(lexical), ranks(vector)
	var hits []codeapi.Hit
	for i, c := range h.chunks {
		l, v := lexical[i], vector[i]
		if l == 0 && v == 0 {
			continue
		}
		hit := c.hit(round6(max(0, min(1, (wb*min(1, l/10)+wv*min(1, v/0.5))/(wb+wv)))))
		if hit.Score < a.MinScore {
			continue
		}
		if l > 0 {
			hit.LexicalScore, hit.LexicalRank = &l, lexicalRanks[i]
		}
		if v > 0 {
			hit.VectorScore, hit.VectorRank = &v, vectorRanks[i]
		}
		hits = append(hits, hit)
	}
	return corpusReply(hits, k), nil
}

// ranks are the places by score descending; chunks are in the order of their ids.
func ranks(scores map[int]float64) map[int]int {
	var order []int
	for i := range scores {
		order = append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(i, j)) })
	places := map[int]int{}
	for place, i := range order {
		places[i] = place + 1
	}
	return places
}

func corpusReply(hits []codeapi.Hit, k int) codeapi.SearchReply {
	slices.SortFunc(hits, func(a, b codeapi.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return codeapi.SearchReply{Collection: "default", Generation: 1, Hits: append([]codeapi.Hit{}, hits[:min(k, len(hits))]...)}
}

func (c *corpusChunk) hit(score float64) codeapi.Hit {
	runes := []rune(c.Text)
	content := string(runes[:min(len(runes), codeapi.ContentRunes)])
	return codeapi.Hit{ID: c.ID, DocumentID: c.DocumentID, Title: c.Title, Source: c.Source, URI: c.URI, Headings: c.Headings,
		Metadata: c.Metadata, Content: content, Whole: content == c.Text, End: len(c.Text), Score: score}
}

func (h *corpusHost) similar(a codeapi.SimilarArgs) (codeapi.SearchReply, error) {
	start := slices.IndexFunc(h.chunks, func(c corpusChunk) bool { return c.ID == a.ID || c.DocumentID == a.ID })
	if start < 0 {
		return codeapi.SearchReply{}, fmt.Errorf("no chunk or document %s", a.ID)
	}
	k, err := checkTopK(a.TopK)
	if err != nil {
		return codeapi.SearchReply{}, err
	}
	keep, err := keeper(a.Filter)
	if err != nil {
		return codeapi.SearchReply{}, err
	}
	var hits []codeapi.Hit
	for i, c := range h.chunks {
		v := corpusCosine(h.stems[start], h.stems[i])
		if v == 0 || c.DocumentID == h.chunks[start].DocumentID || !keep(c) {
			continue
		}
		hit := c.hit(v)
		hit.VectorScore = &v
		hits = append(hits, hit)
	}
	r := corpusReply(hits, k)
	for i := range r.Hits {
		r.Hits[i].VectorRank = i + 1
	}
	return r, nil
}

func (h *corpusHost) document(a codeapi.DocumentArgs) (*codeapi.Document, error) {
	var d *codeapi.Document
	for _, c := range h.chunks {
		if c.DocumentID != a.ID {
			continue
		}
		if d == nil {
			d = &codeapi.Document{ID: c.DocumentID, Title: c.Title, Source: c.Source, URI: c.URI, Metadata: c.Metadata, Text: c.Text}
		} else {
			d.Text += "\n\n" + c.Text
		}
	}
	if d == nil {
		return nil, fmt.Errorf("no document %s", a.ID)
	}
	return d, nil
}

func (h *corpusHost) rerank(a codeapi.RerankArgs) (codeapi.RerankReply, error) {
	r := codeapi.RerankReply{Weight: 1}
	q := corpusGrams(a.Query)
	for _, p := range a.Passages {
		text := p.Text
		if p.ID != "" {
			c := h.chunk(p.ID)
			if c == nil {
				return r, fmt.Errorf("no chunk %s", p.ID)
			}
			text = c.Text
		}
		score := 0.0
		if len(q) > 0 {
			score = round6(float64(common(q, corpusGrams(text))) / float64(len(q)))
		}
		r.Scores = append(r.Scores, &score)
	}
	return r, nil
}
