package rerank_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/onnx/onnxtest"
	"github.com/bmcis/bmcis/rerank"
)

var _ rerank.Reranker = (*rerank.CrossEncoder)(nil)

// open opens the bundled model; the caller's cfg says how to run it.
func open(t testing.TB, cfg rerank.Config) *rerank.CrossEncoder {
	t.Helper()
	cfg.LibraryPath = onnxtest.Library(t)
	if cfg.ModelDir == "" && cfg.Model == nil {
		cfg.ModelDir = onnxtest.Reranker(t)
	}
	c, err := rerank.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// The scores of Python's ONNX Runtime; testdata/gen_scores.py makes them.
func TestGolden(t *testing.T) {
	c := open(t, rerank.Config{Windows: 1})
	data, err := os.ReadFile("testdata/scores.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Runtime     string `json:"runtime"`
		ModelSHA256 string `json:"model_sha256"`
		Passages    []string
		Cases       []struct {
			Query  string
			Scores []float64
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if v := onnx.RuntimeVersion(); v != golden.Runtime || !strings.HasSuffix(c.Model(), " "+golden.ModelSHA256[:12]) {
		t.Skipf("made with runtime %s and model %.12s, this is %s and %s", golden.Runtime, golden.ModelSHA256, v, c.Model())
	}
	tolerance := 1e-3 // scores are within about 0 to 20
	if !onnxtest.SameKernels() {
		tolerance = 2
	}
	for _, g := range golden.Cases {
		got, err := c.Rerank(t.Context(), g.Query, golden.Passages)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range g.Scores {
			if g.Query == "" || golden.Passages[i] == "" {
				continue // not shown to the model, see TestNothingToCompare
			}
			if math.Abs(float64(got[i])-want) > tolerance {
				t.Errorf("%.30q, passage %d: %v, want %v", g.Query, i, got[i], want)
			}
		}
	}
}

func TestNothingToCompare(t *testing.T) {
	c := open(t, rerank.Config{})
	for _, query := range []string{"", " \t", "\x00\x07"} {
		got, err := c.Rerank(t.Context(), query, []string{"a", "", "b"})
		if err != nil || !slices.Equal(got, []float32{0, 0, 0}) {
			t.Errorf("query %q: %v, %v", query, got, err)
		}
	}
	for range 2 { // computed, then remembered
		got, err := c.Rerank(t.Context(), "stop a query", []string{"", "bananas", "\u200b \x00", "cancel a running query"})
		if err != nil || got[1] >= got[3] || got[0] != got[1] || got[2] != got[1] {
			t.Errorf("%v, %v", got, err)
		}
	}
	got, err := c.Rerank(t.Context(), "stop", []string{"", ""})
	if err != nil || !slices.Equal(got, []float32{0, 0}) {
		t.Errorf("only empty ones: %v, %v", got, err)
	}
	if got, err := c.Rerank(t.Context(), "stop", nil); err != nil || len(got) != 0 {
		t.Errorf("no passages: %v, %v", got, err)
	}
}

func TestOddTexts(t *testing.T) {
	c := open(t, rerank.Config{})
	odd := []string{"😀😀", "\xff\xfe broken", "[SEP] [CLS] [SEP]", "control \x07 \x1b[31m", strings.Repeat("cancel a query. ", 6250),
		strings.Repeat("x", 100_000), strings.Repeat("é", 100_000)}
	for _, query := range append(odd, "cancel") {
		got, err := c.Rerank(t.Context(), query, odd)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range got {
			if math.IsNaN(float64(s)) || math.IsInf(float64(s), 0) {
				t.Errorf("%.20q, %.20q: %v", query, odd[i], s)
			}
		}
	}
}

// The answer in the middle of a long passage is found by a second window, and
// not by the passage's start.
func TestWindows(t *testing.T) {
	filler := strings.Repeat("The weather on that island was mild and people grew fruit. ", 60)
	long := filler + "To cancel a running query, call pg_cancel_backend with its process id. " + filler
	texts := []string{long, filler + filler}
	const query = "how do I cancel a running query"
	score := func(windows int) []float32 {
		got, err := open(t, rerank.Config{Windows: windows}).Rerank(t.Context(), query, texts)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	start, best, more := score(1), score(2), score(16)
	if start[0] != start[1] {
		t.Errorf("the starts differ: %v", start)
	}
	if best[0] < best[1]+2 {
		t.Errorf("the answer is not found: %v", best)
	}
	for i := range texts {
		if best[i] < start[i] || more[i] < best[i] {
			t.Errorf("passage %d: more windows score less: %v %v %v", i, start[i], best[i], more[i])
		}
	}
}

func TestReproducible(t *testing.T) {
	var texts []string
	for i := range 30 {
		texts = append(texts, strings.Repeat("queries can be canceled ", i%5+1)+string(rune('a'+i)))
	}
	one, four := open(t, rerank.Config{Workers: 1}), open(t, rerank.Config{Workers: 4, CacheEntries: -1})
	want, err := one.Rerank(t.Context(), "cancel", texts)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 {
				if got, err := four.Rerank(t.Context(), "cancel", texts); err != nil || !slices.Equal(got, want) {
					t.Errorf("other scores with more workers: %v", err)
				}
			}
		})
	}
	wg.Wait()
	// From the cache, in another order.
	slices.Reverse(texts)
	got, err := one.Rerank(t.Context(), "cancel", texts)
	slices.Reverse(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("other scores from the cache: %v", err)
	}
}

// Time is up: what is done is done, and the rest is NaN.
func TestPartial(t *testing.T) {
	c := open(t, rerank.Config{Workers: 1})
	texts := make([]string, 400)
	for i := range texts {
		texts[i] = strings.Repeat("a passage of some length about databases ", 20) + strings.Repeat("x", i)
	}
	// The first passages come from the cache, so that some are always done.
	if _, err := c.Rerank(t.Context(), "query", texts[:3]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
	defer cancel()
	scores, err := c.Rerank(ctx, "query", texts)
	var partial *rerank.PartialError
	if !errors.As(err, &partial) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%d scores, %v", len(scores), err)
	}
	done := 0
	for _, s := range scores {
		if !math.IsNaN(float64(s)) {
			done++
		}
	}
	if len(scores) != len(texts) || done != partial.Scored || partial.Total != len(texts) || done < 3 || done == len(texts) {
		t.Errorf("%d of %d scores, the error says %d of %d", done, len(scores), partial.Scored, partial.Total)
	}
	again, err := c.Rerank(ctx, "query", texts[:3])
	if err != nil || !slices.Equal(again, scores[:3]) {
		t.Errorf("remembered scores need no time: %v, %v", again, err)
	}
}

func TestOpenBytes(t *testing.T) {
	dir := onnxtest.Reranker(t)
	model, err := os.ReadFile(filepath.Join(dir, "model_int8.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	fromBytes := open(t, rerank.Config{Model: model, Tokenizer: tokenizer, Name: "reranker"})
	clear(model)
	fromDir := open(t, rerank.Config{})
	if fromBytes.Model() != fromDir.Model() {
		t.Errorf("%q, %q", fromBytes.Model(), fromDir.Model())
	}
	texts := []string{"cancel a query", "eat a banana"}
	a, err1 := fromBytes.Rerank(t.Context(), "stop", texts)
	b, err2 := fromDir.Rerank(t.Context(), "stop", texts)
	if err1 != nil || err2 != nil || !slices.Equal(a, b) {
		t.Errorf("%v %v, %v %v", a, err1, b, err2)
	}
}

func TestClose(t *testing.T) {
	c := open(t, rerank.Config{})
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Rerank(t.Context(), "a", []string{"b"}); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	lib := onnxtest.Library(t)
	tokenizer, err := os.ReadFile(filepath.Join(onnxtest.Reranker(t), "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	tinyTokenizer := []byte(`{"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
		"model": {"type": "WordPiece", "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "b": 5, "c": 6, "d": 7, "e": 8, "f": 9}}}`)
	tiny := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("..", "internal", "onnx", "testdata", name+".onnx"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		name string
		cfg  rerank.Config
		want string
	}{
		{"nothing", rerank.Config{}, "no model given"},
		{"no tokenizer", rerank.Config{Model: tiny("score")}, "no model given"},
		{"missing folder", rerank.Config{ModelDir: filepath.Join(t.TempDir(), "nowhere")}, "no such folder"},
		{"empty folder", rerank.Config{ModelDir: t.TempDir()}, "holds no *.onnx"},
		{"wrong tokenizer", rerank.Config{Model: tiny("score"), Tokenizer: tokenizer}, "do not belong together"},
		{"broken tokenizer", rerank.Config{Model: tiny("score"), Tokenizer: tokenizer[:1000]}, "bad tokenizer"},
		{"sentencepiece", rerank.Config{Model: tiny("score"), Tokenizer: []byte(`{"model": {"type": "Unigram"}}`)}, `model type "Unigram"`},
		{"cut model", rerank.Config{Model: tiny("score")[:300], Tokenizer: tinyTokenizer}, "cut off"},
		{"two labels", rerank.Config{Model: tiny("two_labels"), Tokenizer: tinyTokenizer}, "[batch, 2], want one score"},
		{"embedding model", rerank.Config{Model: tiny("tokens"), Tokenizer: tinyTokenizer}, "[batch, sequence, 4], want one score"},
		{"few tokens", rerank.Config{MaxTokens: 10}, "want 64 to 512"},
		{"negative tokens", rerank.Config{MaxTokens: -1}, "want 64 to 512"},
		{"many windows", rerank.Config{Windows: 100}, "want 1 to 16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.LibraryPath = lib
			r, err := rerank.Open(c.cfg)
			if err == nil {
				r.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			t.Log(err)
		})
	}
	// Models without token_type_ids are fine.
	open(t, rerank.Config{Model: tiny("score"), Tokenizer: tinyTokenizer})
}

// BenchmarkRerank scores 50 passages of about 150 tokens, none of them known.
func BenchmarkRerank(b *testing.B) {
	c := open(b, rerank.Config{CacheEntries: -1})
	const words = "the planner chooses an index scan when a predicate is selective and reads rows in order otherwise because sequential access is cheap on large tables "
	all := strings.Fields(strings.Repeat(words, 10))
	var texts []string
	for i := range 50 {
		texts = append(texts, strings.Join(all[i%7:i%7+130+(i*7)%16], " "))
	}
	n := 0
	for b.Loop() {
		if _, err := c.Rerank(b.Context(), "when does the planner use an index", texts); err != nil {
			b.Fatal(err)
		}
		n += len(texts)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "pairs/s")
}
