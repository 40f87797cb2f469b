package embed_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/onnx/onnxtest"
)

func open(t testing.TB, workers int) *embed.Embedder {
	t.Helper()
	e, err := embed.Open(embed.Config{ModelDir: onnxtest.EmbeddingModel(t), LibraryPath: onnxtest.Library(t), Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// The vectors of Python's ONNX Runtime; testdata/gen_vectors.py makes them.
func TestGolden(t *testing.T) {
	e := open(t, 0)
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Runtime     string `json:"runtime"`
		ModelSHA256 string `json:"model_sha256"`
		Cases       []struct{ Kind, Text, Vector string }
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if s := e.Space(); s.Runtime != golden.Runtime || s.ModelSHA256 != golden.ModelSHA256 {
		t.Skipf("made with runtime %s and model %.12s, this is %s and %.12s", golden.Runtime, golden.ModelSHA256, s.Runtime, s.ModelSHA256)
	}
	tolerance := 1e-4
	if !onnxtest.SameKernels() {
		tolerance = 0.02
	}
	for _, c := range golden.Cases {
		raw, err := base64.StdEncoding.DecodeString(c.Vector)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float32, len(raw)/4)
		if _, err := binary.Decode(raw, binary.LittleEndian, want); err != nil {
			t.Fatal(err)
		}
		var got []float32
		if c.Kind == "query" {
			got, err = e.Query(t.Context(), c.Text)
		} else {
			var all [][]float32
			if all, err = e.Passages(t.Context(), []string{c.Text}); err == nil {
				got = all[0]
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := 1 - cosine(got, want); d > tolerance {
			t.Errorf("%s %.40q: cosine distance %g", c.Kind, c.Text, d)
		}
	}
}

func TestMeaning(t *testing.T) {
	e := open(t, 0)
	texts := []string{
		"Bananas are rich in potassium.",
		"To stop a running statement, cancel it from another connection.",
		"The committee met on Tuesday.",
	}
	vs, err := e.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "how can I abort a query")
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := cosine(q, vs[1]), cosine(q, vs[0]), cosine(q, vs[2]); a < b+0.1 || a < c+0.1 {
		t.Errorf("cosines %.3f (right), %.3f, %.3f", a, b, c)
	}
}

// A text's vector does not depend on its company, on the number of workers or
// on what ran before.
func TestReproducible(t *testing.T) {
	var texts []string
	for i := range 24 {
		texts = append(texts, strings.Repeat("alternating lengths of text ", i%7+1)+string(rune('a'+i)))
	}
	one, four := open(t, 1), open(t, 4)
	want, err := one.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(texts)
	got, err := four.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(got)
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("text %d differs", i)
		}
	}
}

func TestOddTexts(t *testing.T) {
	e := open(t, 0)
	texts := []string{"", " ", "\x00\x07\x1b", "😀", "\xff\xfe broken", "漢字", "[SEP] [CLS]",
		strings.Repeat("word ", 20_000), strings.Repeat("x", 100_000), strings.Repeat("\u0301", 10_000)}
	vs, err := e.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if len(v) != e.Space().Dimensions || math.Abs(sum-1) > 1e-5 {
			t.Errorf("%.20q: %d numbers, length %v", texts[i], len(v), math.Sqrt(sum))
		}
		if q, err := e.Query(t.Context(), texts[i]); err != nil || len(q) != len(v) {
			t.Errorf("query %.20q: %v", texts[i], err)
		}
	}
	if vs, err := e.Passages(t.Context(), nil); err != nil || len(vs) != 0 {
		t.Errorf("no texts: %v, %v", vs, err)
	}
}

// The caller may scribble on a vector without spoiling the remembered one.
func TestQueryIsOwned(t *testing.T) {
	e := open(t, 0)
	a, err := e.Query(t.Context(), "same words")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(a)
	for range 2 {
		clear(a)
		if a, err = e.Query(t.Context(), "same words"); err != nil || !slices.Equal(a, want) {
			t.Fatalf("another vector the second time: %v", err)
		}
	}
	p, err := e.Passages(t.Context(), []string{"same words"})
	if err != nil || slices.Equal(p[0], want) {
		t.Errorf("a passage has the query's vector: %v", err)
	}
}

func TestKnows(t *testing.T) {
	e := open(t, 0)
	for text, want := range map[string]bool{"": false, " ": false, "🔥 🐘": false, "🔥 fire": true, "⇒": true, "!": true, "qxzzyj": true} {
		if got := e.Knows(text); got != want {
			t.Errorf("Knows(%q) = %v", text, got)
		}
	}
}

func TestCountTokens(t *testing.T) {
	e := open(t, 0)
	for text, want := range map[string]int{"": 0, "hello world": 2, "hello, world!": 4, "tokenization": 2} {
		if got := e.CountTokens(text); got != want {
			t.Errorf("CountTokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestEnds(t *testing.T) {
	e := open(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	texts := slices.Repeat([]string{strings.Repeat("a long enough text ", 60)}, 500)
	var wg sync.WaitGroup
	wg.Go(func() {
		if vs, err := e.Passages(ctx, texts); !errors.Is(err, context.Canceled) || vs != nil {
			t.Errorf("after cancel: %d vectors, %v", len(vs), err)
		}
	})
	cancel()
	wg.Wait()
	if _, err := e.Query(ctx, "never seen before"); !errors.Is(err, context.Canceled) {
		t.Errorf("query after cancel: %v", err)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := e.Query(t.Context(), "never seen either"); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	if _, err := e.Passages(t.Context(), []string{"x"}); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	lib, dir := onnxtest.Library(t), onnxtest.EmbeddingModel(t)
	model, tokenizer, err := onnx.FindModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	// Each case has a folder with a model and a tokenizer, one of them bad.
	folder := func(model, tokenizer string, cutModel, cutTokenizer int64) string {
		d := t.TempDir()
		for name, src := range map[string]struct {
			path string
			cut  int64
		}{"model.onnx": {model, cutModel}, "tokenizer.json": {tokenizer, cutTokenizer}} {
			data, err := os.ReadFile(src.path)
			if err != nil {
				t.Fatal(err)
			}
			if src.cut > 0 {
				data = data[:src.cut]
			}
			if err := os.WriteFile(filepath.Join(d, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	tiny := filepath.Join("..", "onnx", "testdata")
	for _, c := range []struct{ name, dir, lib, want string }{
		{"missing folder", filepath.Join(t.TempDir(), "nowhere"), lib, "no such folder"},
		{"empty folder", t.TempDir(), lib, "holds no *.onnx"},
		{"cut model", folder(model, tokenizer, 20<<20, 0), lib, "cut off"},
		{"cut tokenizer", folder(model, tokenizer, 0, 10_000), lib, "bad tokenizer"},
		{"another model's tokenizer", folder(filepath.Join(tiny, "tokens.onnx"), tokenizer, 0, 0), lib, "do not belong together"},
		{"a reranker", onnxtest.Reranker(t), lib, "not an embedding model"},
		{"two libraries", dir, os.Args[0], "already loaded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onnxtest.Init(t)
			e, err := embed.Open(embed.Config{ModelDir: c.dir, LibraryPath: c.lib})
			if err == nil {
				e.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			t.Log(err)
		})
	}
	t.Setenv(embed.EnvModelDir, "")
	if _, err := embed.Open(embed.Config{}); err == nil || !strings.Contains(err.Error(), "bmcis setup") {
		t.Errorf("no folder: %v", err)
	}
}

// passages are 64 texts of 60 to 200 tokens.
func passages() (texts []string) {
	const words = "the planner chooses an index scan when a predicate is selective and reads rows in order otherwise because sequential access is cheap on large tables "
	all := strings.Fields(strings.Repeat(words, 10))
	for i := range 64 {
		texts = append(texts, strings.Join(all[i%7:i%7+60+(i*37)%140], " "))
	}
	return texts
}

// BenchmarkEmbed embeds passages on all cores.
func BenchmarkEmbed(b *testing.B) {
	e := open(b, 0)
	texts := passages()
	tokens := 0
	for _, t := range texts {
		tokens += e.CountTokens(t)
	}
	n := 0
	for b.Loop() {
		if _, err := e.Passages(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
		n += len(texts)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "texts/s")
	b.ReportMetric(float64(tokens)/float64(len(texts)), "tokens/text")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkEmbedQuery embeds short queries that were not seen before.
func BenchmarkEmbedQuery(b *testing.B) {
	e := open(b, 0)
	i := 0
	for b.Loop() {
		i++
		if _, err := e.Query(b.Context(), "how to cancel query number "+string(rune(0x4e00+i%20000))); err != nil {
			b.Fatal(err)
		}
	}
}
