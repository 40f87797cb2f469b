package search

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func TestTextsAreRankedByWordsAndMeaning(t *testing.T) {
	e, err := New(pgtest.New(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	dir := t.TempDir()
	r, err := e.NewTexts(dir)
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
	// Another process finds the vectors; a damaged file is made again.
	files, err := filepath.Glob(filepath.Join(dir, "*.vectors"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	written, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []func([]byte) []byte{
		func(b []byte) []byte { return b },
		func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		func(b []byte) []byte { return b[:len(b)-7] },
		func(b []byte) []byte { return nil },
	} {
		if err := os.WriteFile(files[0], damage(slices.Clone(written)), 0o600); err != nil {
			t.Fatal(err)
		}
		other, err := e.NewTexts(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, degraded, err := other.Rank(t.Context(), "report a defect", texts, 1); err != nil || len(degraded) > 0 || got[0].Index != 0 {
			t.Errorf("%+v %v %v", got, degraded, err)
		}
		if again, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(again, written) {
			t.Errorf("the file is not what it was: %d bytes, %v", len(again), err)
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
	bare, err := lost.NewTexts("")
	if err != nil {
		t.Fatal(err)
	}
	got, degraded, err := bare.Rank(t.Context(), "ticket", texts, 5)
	if err != nil || len(got) != 1 || got[0].Index != 0 || len(degraded) != 1 || degraded[0].Stage != "vector" {
		t.Errorf("%+v %v %v", got, degraded, err)
	}
}
