package search_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/search"
)

// judged is a folder with 48 questions, each answered by one document of farm.
func judged(t *testing.T) *search.Judged {
	t.Helper()
	dir := t.TempDir()
	var queries, qrels strings.Builder
	for i := range 48 {
		fmt.Fprintf(&queries, "{\"_id\": \"q%d\", \"text\": \"how deep is crop%d sown?\"}\n", i, i)
		fmt.Fprintf(&qrels, "q%d\tcrop%d\t1\n", i, i)
	}
	for name, text := range map[string]string{"queries.jsonl": queries.String(), "qrels.tsv": qrels.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set, err := search.LoadJudged(dir)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func farm() (docs notes) {
	for i := range 48 {
		docs = append(docs, search.SourceDocument{ID: fmt.Sprint("crop", i), Title: fmt.Sprint("crop", i),
			Text: fmt.Sprintf("The seeds of crop%d go %d mm into the soil in spring.", i, i+5)})
	}
	return docs
}

func TestLearnAndUse(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, farm())
	before := find(t, e, search.Request{Query: "how deep is crop7 sown?"})
	if before.Hits[0].Relevance != nil {
		t.Error("relevance without a calibration")
	}
	got, err := e.Learn(t.Context(), "default", judged(t), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Calibration == nil || got.Report.Before < 0.9 || got.Report.TrainingQueries != 24 {
		t.Fatalf("%+v", got)
	}
	if c, _ := e.Collections(t.Context()); c[0].Tuning != nil || c[0].K1 != 1.2 {
		t.Errorf("learning changed the collection: %+v", c[0])
	}
	// A file as it would be written, with parts that cannot be learned here.
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = search.ParseTuning(data); err != nil {
		t.Fatal(err)
	}
	k1 := json.RawMessage(`{"k1": 0.9, "b": 0.4}`)
	if err := json.Unmarshal(k1, &got.BM25); err != nil {
		t.Fatal(err)
	}
	weight := json.RawMessage(`{"version": "made here", "bias": 0.2, "coefficients": {}}`)
	if err := json.Unmarshal(weight, &got.Weight); err != nil {
		t.Fatal(err)
	}
	if err := e.SetTuning(t.Context(), "default", got); err != nil {
		t.Fatal(err)
	}
	r := find(t, e, search.Request{Query: "how deep is crop7 sown?"})
	if math.Abs(r.Plan.Weights.Lexical-before.Plan.Weights.Lexical-0.2) > 1e-9 || !strings.Contains(strings.Join(r.Plan.Reasons, "\n"), "made here") {
		t.Errorf("weights %v, before %v (%q)", r.Plan.Weights, before.Plan.Weights, r.Plan.Reasons)
	}
	h := r.Hits[0]
	if h.Relevance == nil || h.DocumentID != "crop7" || *h.Relevance < 0.5 || *r.Hits[9].Relevance > 0.5 {
		t.Errorf("relevance of the right hit and the tenth: %v %v", h.Relevance, r.Hits[9].Relevance)
	}
	if only := find(t, e, search.Request{Query: "how deep is crop7 sown?", MinScore: 0.5}); !slices.Equal(ids(only), []string{"crop7"}) {
		t.Errorf("min_score acts on relevance: %v", ids(only))
	}
	if lexical := find(t, e, search.Request{Query: "crop7", Mode: search.ModeLexical}); lexical.Hits[0].Relevance != nil {
		t.Error("relevance for scores that it was not learned on")
	}
	c, err := e.Collections(t.Context())
	if err != nil || c[0].K1 != 0.9 || c[0].B != 0.4 || c[0].Tuning == nil || c[0].Tuning.Weight.Bias != 0.2 {
		t.Errorf("%+v %v", c[0], err)
	}
	if err := e.SetTuning(t.Context(), "default", nil); err != nil {
		t.Fatal(err)
	}
	if r := find(t, e, search.Request{Query: "how deep is crop7 sown?"}); r.Hits[0].Relevance != nil || r.Plan.Weights != before.Plan.Weights {
		t.Errorf("taken away, and still used: %+v", r.Plan)
	}
	if err := e.SetTuning(t.Context(), "nowhere", got); !errors.Is(err, search.ErrNotFound) {
		t.Errorf("no such collection: %v", err)
	}
	got.Weight.Bias = math.Inf(1)
	if err := e.SetTuning(t.Context(), "default", got); err == nil {
		t.Error("an infinite bias was stored")
	}
}
