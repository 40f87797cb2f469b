package bench

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/bmcis/bmcis/internal/eval"
	"github.com/bmcis/bmcis/internal/godoc"
	"github.com/bmcis/bmcis/internal/ingest"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/search"
)

// golden are the values of nDCG@10 measured when this test was written (2026-11-21,
// bge-small-en-v1.5 int8, ONNX Runtime 1.31.1, Go 1.26's documentation). A change that
// lowers one by more than margin has to say why it is worth it, and records the new one.
// The margin leaves room for other processors, whose kernels round differently, and for
// other versions of Go's documentation.
const margin = 0.03

var configurations = []struct {
	name string
	req  search.Request
}{
	{"lexical", search.Request{Mode: search.ModeLexical, Rerank: search.RerankOptions{Policy: search.RerankOff}}},
	{"vector", search.Request{Mode: search.ModeVector, Rerank: search.RerankOptions{Policy: search.RerankOff}}},
	{"hybrid", search.Request{Mode: search.ModeHybrid, Rerank: search.RerankOptions{Policy: search.RerankOff}}},
	{"hybrid and reranker", search.Request{Mode: search.ModeHybrid, Rerank: search.RerankOptions{Policy: search.RerankOn, TopK: 20, Budget: time.Minute}}},
}

// A hand-written collection whose questions share few words with their answers.
func TestQualityOfHarbour(t *testing.T) {
	set, err := eval.LoadBEIR("testdata/harbour")
	if err != nil {
		t.Fatal(err)
	}
	quality(t, set, search.BEIR("testdata/harbour"), map[string]float64{
		"lexical": 0.5987, "vector": 0.8761, "hybrid": 0.8612, "hybrid and reranker": 0.8825,
	})
}

// Sections of Go's documentation, asked for by their headings, which are taken out.
func TestQualityOfGoDocumentation(t *testing.T) {
	source, set := goSections(t)
	quality(t, set, source, map[string]float64{
		"lexical": 0.8365, "vector": 0.8050, "hybrid": 0.8807, "hybrid and reranker": 0.8913,
	})
}

func quality(t *testing.T, set *eval.Set, source search.Source, golden map[string]float64) {
	engine, err := search.New(pgtest.New(t), search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	report, err := engine.Index(t.Context(), search.IndexOptions{}, source)
	if err != nil || len(report.Failed) > 0 {
		t.Fatalf("index: %v, %v", report.Failed, err)
	}
	runs := map[string]eval.TRECRun{}
	for _, c := range configurations {
		measured, run, err := eval.Run(t.Context(), set, func(ctx context.Context, query string, k int) ([]eval.Ranked, error) {
			req := c.req
			req.Query, req.Plain, req.GroupBy, req.Limit = query, true, "document", 20
			res, err := engine.Search(ctx, req)
			if err != nil {
				return nil, err
			}
			if len(res.Degraded) > 0 {
				return nil, fmt.Errorf("degraded: %v", res.Degraded)
			}
			var list []eval.Ranked
			for _, h := range res.Hits {
				list = append(list, eval.Ranked{ID: h.DocumentID, Score: h.Score})
			}
			return list, nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		runs[c.name] = run
		got := measured.Metrics.NDCG10
		t.Logf("%s: nDCG@10 %.4f, recorded %.4f", c.name, got, golden[c.name])
		if got < golden[c.name]-margin {
			t.Errorf("%s: nDCG@10 is %.4f, recorded were %.4f", c.name, got, golden[c.name])
		}
	}
	t.Log("hybrid against lexical: ", eval.Compare(set, runs["lexical"], runs["hybrid"]).NDCG10)
	t.Log("hybrid against vector:  ", eval.Compare(set, runs["vector"], runs["hybrid"]).NDCG10)
	t.Log("reranker against hybrid:", eval.Compare(set, runs["hybrid"], runs["hybrid and reranker"]).NDCG10)
}

// goPackages are few, so that the test stays short.
var goPackages = []string{"bufio", "errors", "net/url", "path/filepath", "strings", "sync"}

const goQuestions = 50

// sections is a source of documents that are at hand.
type sections []search.SourceDocument

func (s sections) Documents(context.Context) iter.Seq2[search.SourceDocument, error] {
	return func(yield func(search.SourceDocument, error) bool) {
		for _, d := range s {
			if !yield(d, nil) {
				return
			}
		}
	}
}

var (
	sectionHeading = regexp.MustCompile(`(?m)^#{2,4} (.+)$`)
	codeBlock      = regexp.MustCompile("(?s)```.*?```")
)

// goSections makes a document of each section, without its heading and declaration, and
// a question of each heading: "func (*Buffer) ReadFrom" of bytes asks "bytes buffer read
// from".
func goSections(t *testing.T) (sections, *eval.Set) {
	t.Helper()
	var docs sections
	set := &eval.Set{Name: "go", Qrels: eval.Qrels{}}
	for d, err := range godoc.New("").Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(goPackages, d.Title) {
			continue
		}
		at := sectionHeading.FindAllStringSubmatchIndex(d.Text, -1)
		for i, m := range at {
			end := len(d.Text)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			heading, text := d.Text[m[2]:m[3]], strings.TrimSpace(codeBlock.ReplaceAllString(d.Text[m[1]:end], ""))
			words := headingWords(heading)
			if len(text) < 80 || len(words) < 2 || strings.HasPrefix(heading, "Example") {
				continue
			}
			id := d.Title + "/" + heading
			docs = append(docs, ingest.Document{ID: id, Title: d.Title, Text: text, Format: "markdown", Whole: true})
			set.Queries = append(set.Queries, eval.Query{ID: id, Text: d.Title + " " + strings.Join(words, " ")})
			set.Qrels[id] = map[string]int{id: 1}
		}
	}
	if len(docs) < 2*goQuestions {
		t.Fatalf("only %d sections of %v: has the documentation another form?", len(docs), goPackages)
	}
	slices.SortFunc(set.Queries, func(a, b eval.Query) int { return cmp.Compare(shuffle(a.ID), shuffle(b.ID)) })
	set.Queries = set.Queries[:goQuestions]
	return docs, set
}

// headingWords are the words of a heading as people say them, without the kind.
func headingWords(heading string) (words []string) {
	for _, name := range strings.FieldsFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if slices.Contains([]string{"func", "type", "package", "var", "const"}, name) {
			continue
		}
		start := 0
		for i, r := range name {
			if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
				words, start = append(words, strings.ToLower(name[start:i])), i
			}
		}
		words = append(words, strings.ToLower(name[start:]))
	}
	return words
}
