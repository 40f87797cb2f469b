package search

import (
	"testing"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func TestTextsAreRankedByWordsAndMeaning(t *testing.T) {
	e, err := New(pgtest.New(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r, err := e.NewTexts()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"create issue: opens a ticket about a bug", "read file: returns what a file holds",
		"send mail: writes to people", "list branches of a repository", "",
	}
	if err := r.Prepare(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{"create_issue": 0, "report a defect": 0, "contact a person by letter": 2, "branches": 3} {
		got, degraded, err := r.Rank(t.Context(), query, texts, 2)
		if err != nil || len(degraded) > 0 || len(got) == 0 || len(got) > 2 || got[0].Index != want {
			t.Errorf("%q: %+v %v %v, want %d first", query, got, degraded, err, want)
		}
		for i, s := range got {
			if s.Score <= 0 || s.Score > 1 || i > 0 && s.Score > got[i-1].Score {
				t.Errorf("%q: scores %+v", query, got)
			}
		}
	}
	// Only the texts given count: what others hold changes no score.
	alone, _, err := r.Rank(t.Context(), "bug", texts[:2], 5)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := r.Rank(t.Context(), "bug", texts[:2], 5)
	if len(alone) == 0 || len(again) != len(alone) || alone[0].Score != again[0].Score {
		t.Errorf("%+v %+v", alone, again)
	}
	if _, _, err := r.Rank(t.Context(), " ", texts, 5); !IsInvalidRequest(err) {
		t.Error(err)
	}
	// Without a model, words alone answer, and that is said.
	lost, err := New(pgtest.New(t), Config{EmbeddingModelDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := lost.NewTexts()
	if err != nil {
		t.Fatal(err)
	}
	got, degraded, err := bare.Rank(t.Context(), "ticket", texts, 5)
	if err != nil || len(got) != 1 || got[0].Index != 0 || len(degraded) != 1 || degraded[0].Stage != "vector" {
		t.Errorf("%+v %v %v", got, degraded, err)
	}
}
