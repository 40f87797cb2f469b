package render

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

func sampleHits(n int) []Hit {
	r := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("raft leader \"quoted\" naïve 日本語 {json} 3.14159 \\back\\slash <tag> über-lang 🎉 a, b; c.")
	out := make([]Hit, n)
	for i := range out {
		var text strings.Builder
		for range r.IntN(200) {
			text.WriteString(words[r.IntN(len(words))])
			text.WriteString([]string{" ", "\n", "  ", "\n\n", "\t"}[r.IntN(5)])
		}
		score := r.Float64() * 20
		out[i] = Hit{ID: fmt.Sprintf("%x", r.Uint64()), DocumentID: fmt.Sprintf("net/http#%d", i), Title: "Title " + words[r.IntN(len(words))],
			Source: "go", URI: "file:///usr/share/doc.md", Text: text.String(), Score: r.Float64(), LexicalScore: &score}
		if i%2 == 0 {
			out[i].Headings, out[i].Metadata = []string{"Top", "Sub"}, map[string]any{"domain": "net", "year": 2024}
			out[i].VectorScore = &score
		}
	}
	return out
}

func TestHitsAreJSON(t *testing.T) {
	in := sampleHits(5)
	for _, style := range []Style{Full, Lean} {
		var out struct {
			Hits []map[string]any `json:"hits"`
		}
		if err := json.Unmarshal(Hits(in, style), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Hits) != 5 {
			t.Fatalf("%d hits", len(out.Hits))
		}
		for i, h := range out.Hits {
			if h["id"] != in[i].ID || h["title"] != in[i].Title {
				t.Errorf("hit %d: %v", i, h)
			}
			if style == Full && h["text"] != in[i].Text {
				t.Errorf("hit %d: text %q", i, h["text"])
			}
			if _, whole := h["text"]; style == Lean && (whole || len([]rune(h["content"].(string))) > PreviewRunes) {
				t.Errorf("hit %d is not lean: %v", i, h)
			}
		}
	}
	if got := string(Hits(nil, Full)); got != "{\"hits\":[\n]}\n" {
		t.Errorf("no hits: %q", got)
	}
}

// What HitTokens adds up to is what the whole print has, up to one token a hit
// where two parts meet.
func TestHitTokensAddUp(t *testing.T) {
	var cache TokenCache
	for n := range 12 {
		hits := sampleHits(n)
		sum := HitsOverhead()
		for _, h := range hits {
			sum += HitTokens(&cache, h)
		}
		whole := CountTokens(string(Hits(hits, Full)))
		if sum < whole-n || sum > whole+n {
			t.Errorf("%d hits: parts have %d tokens, the print has %d", n, sum, whole)
		}
	}
}

func TestCountTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "hello world": 2, "Hello, world!": 4, "<|endoftext|>": 7} {
		if got := CountTokens(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
	if CountTokensIn(CL100k, "日本語") == CountTokensIn(O200k, "日本語") {
		t.Error("the encodings do not differ")
	}
	if CountTokensIn("nonsense", "hello world") != 2 {
		t.Error("an unknown encoding must count as o200k")
	}
	// Long stretches without a break must not take quadratic time.
	start := time.Now()
	for _, long := range []string{strings.Repeat("a", 1<<20), strings.Repeat("-=", 1<<19), strings.Repeat(" ", 1<<20), strings.Repeat("日", 1<<18)} {
		if n := CountTokens(long); n < 1000 || n > len(long) {
			t.Errorf("%.10q...: %d tokens", long, n)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("long stretches took %v", took)
	}
}

func TestCountTokensConcurrently(t *testing.T) {
	var cache TokenCache
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				text := fmt.Sprintf("passage %d about rafts", (i+j)%50)
				if a, b := cache.Count(text), CountTokens(text); a != b {
					t.Errorf("%q: %d and %d", text, a, b)
				}
			}
		})
	}
	wg.Wait()
}

func TestTokenCacheForgets(t *testing.T) {
	var cache TokenCache
	for i := range 3*cacheGeneration + 10 {
		cache.mu.Lock()
		if cache.gens[0] == nil {
			cache.gens[0] = map[tokenKey]int32{}
		}
		cache.put(tokenKey{uint64(i), 1}, 1)
		cache.mu.Unlock()
	}
	if n := len(cache.gens[0]) + len(cache.gens[1]); n > 2*cacheGeneration {
		t.Errorf("%d counts are kept", n)
	}
}

func TestPreviewAndCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"}, {"  a \n\n b\t c ", 10, "a b c"}, {"one two three", 9, "one two…"},
		{"naïve café über", 12, "naïve café…"}, {"", 5, ""}, {strings.Repeat("x", 50), 10, "xxxxxxxxx…"},
	} {
		if got := Preview(c.in, c.n); got != c.want {
			t.Errorf("Preview(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
	if got := Cut("日本語", 2); got != "日本" {
		t.Errorf("Cut = %q", got)
	}
	if got := Cut("ab", 5); got != "ab" {
		t.Errorf("Cut = %q", got)
	}
}

func TestScoresAreShort(t *testing.T) {
	for x, want := range map[float64]string{0.123456: "0.1235", 12: "12", 1e-9: "0", -3.5: "-3.5"} {
		if got := string(AppendScore(nil, x)); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestDocumentJSON(t *testing.T) {
	d := Document{ID: "d", Title: "T", Source: "s", Text: strings.Repeat("ü", 300), Metadata: map[string]any{"k": 1}, Updated: time.Unix(0, 0)}
	var out map[string]any
	if err := json.Unmarshal(DocumentJSON(d, Full), &out); err != nil || out["text"] != d.Text || out["updated"] != "1970-01-01T00:00:00Z" {
		t.Errorf("%v %v", out, err)
	}
	out = nil
	if err := json.Unmarshal(DocumentJSON(d, Lean), &out); err != nil || len([]rune(out["content"].(string))) != PreviewRunes {
		t.Errorf("%v %v", out, err)
	}
}

func BenchmarkCountTokens(b *testing.B) {
	text := strings.Repeat("The leader sends heartbeats to its followers; a candidate that wins becomes leader.\n", 100)
	b.SetBytes(int64(len(text)))
	CountTokens(text)
	for b.Loop() {
		CountTokens(text)
	}
}
