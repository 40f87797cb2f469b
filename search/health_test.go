package search_test

import (
	"math"
	"testing"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/search"
)

func TestHealthCountsWhatThereIs(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	if _, err := e.Index(t.Context(), search.IndexOptions{Collection: "words", LexicalOnly: true}, library()[:2]); err != nil {
		t.Fatal(err)
	}
	if _, err := e.DeleteDocuments(t.Context(), "default", []string{"bread"}); err != nil {
		t.Fatal(err)
	}
	health, err := e.Health(t.Context())
	if err != nil || len(health) != 2 {
		t.Fatal(health, err)
	}
	d, w := health[0], health[1]
	if d.Name != "default" || d.Documents != 5 || d.Chunks != 5 || d.WithoutVector != 0 || d.StaleEmbeddings != 0 {
		t.Errorf("%+v", d)
	}
	// The deleted chunk stays in its segment, with a tombstone, until a merge drops both.
	if held := d.Index.Segments.Chunks + d.Index.Tail.Chunks; held != 5+d.Index.Tombstones || d.Index.Segments.Bytes+d.Index.Tail.Bytes == 0 {
		t.Errorf("%+v", d.Index)
	}
	if w.Name != "words" || w.WithoutVector != 2 || w.StaleEmbeddings != 2 || w.Index.Tail.Count+w.Index.Segments.Count == 0 {
		t.Errorf("%+v", w)
	}
	mine := search.Restrict(t.Context(), func(c string) bool { return c == "words" })
	if health, err = e.Health(mine); err != nil || len(health) != 1 || health[0].Name != "words" {
		t.Error(health, err)
	}
}

// TestStagesAddUp: each stage's number follows from the one before.
func TestStagesAddUp(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	kitchen, err := filter.Parse(`domain = "kitchen"`)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	for _, policy := range []search.RerankPolicy{search.RerankOff, search.RerankOn} {
		results := find(t, e, search.Request{Query: "dough in the oven", Mode: search.ModeHybrid, Explain: true,
			Boosts: []search.Boost{{When: kitchen, Factor: 1.2}}, Rerank: search.RerankOptions{Policy: policy}})
		if len(results.Hits) == 0 {
			t.Fatal("nothing is found")
		}
		for _, h := range results.Hits {
			s := h.Explain.Stages
			factor := 1.0
			if h.Metadata["domain"] == "kitchen" {
				factor = 1.2
			}
			if !near(s.Lexical.Share, s.Lexical.Weight*s.Lexical.Normalized) || !near(s.Vector.Share, s.Vector.Weight*s.Vector.Normalized) ||
				!near(s.Fused, s.Lexical.Share+s.Vector.Share) || !near(s.Boosted, min(1, s.Fused*factor)) || s.Final != h.Score {
				t.Errorf("%s %s: %+v, score %v", policy, h.DocumentID, s, h.Score)
			}
			if (s.Rerank != nil) != (policy == search.RerankOn) || policy == search.RerankOff && s.Final != s.Boosted {
				t.Errorf("%s %s: %+v", policy, h.DocumentID, s)
			}
			if s.Lexical.Known != (h.LexicalScore != nil) || s.Vector.Known != (h.VectorScore != nil) {
				t.Errorf("%s %s: known %+v", policy, h.DocumentID, s)
			}
		}
	}
}
