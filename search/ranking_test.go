package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmcis/bmcis/search"
)

// reference are pages as a program's documentation has them: one defines a name, others
// mention it more often than that.
func reference() notes {
	docs := notes{
		{ID: "strings", Title: "strings", Text: "# strings\n\n## type Builder\n\nA Builder is used to efficiently build a string using Write methods.\n\n## func (*Builder) Cap\n\nCap returns the capacity of the builder's buffer.\n"},
		{ID: "bytes", Title: "bytes", Text: "# bytes\n\n## func (*Buffer) String\n\nTo build strings more efficiently, see the strings.Builder type. The builder builds strings; strings.Builder is for strings.\n"},
		{ID: "crypto/rand", Title: "crypto/rand", Text: "# crypto/rand\n\n## package rand\n\nPackage rand implements a cryptographically secure random number generator.\n\n## func Int\n\nInt of crypto/rand returns a uniform random value of crypto/rand.\n"},
		{ID: "math/rand", Title: "math/rand", Text: "# math/rand\n\n## package rand\n\nFor random numbers suitable for security-sensitive work, see the crypto/rand package; crypto/rand.\n"},
		{ID: "flags", Title: "Flags", Text: "Give --format to choose the format of the output.\n"},
		{ID: "formats", Title: "Formats", Text: "The format of the format file: a format names formats. Format by format, the format is formatted.\n"},
		{ID: "old", Title: "Release 2.1.40", Text: "Version 2.1.40 and 12.1.4 and 2.1.4.7 mend version checks of a version.\n"},
		{ID: "new", Title: "Changes", Text: "Since the release of the year before, 2.1.4 is the one that most people run in production, with long support.\n"},
		{ID: "reset", Title: "Networking", Text: "Code ERR_LINK_RESET means that the peer went away.\n"},
	}
	for i := range 30 { // texts that are near the question in meaning and have no code
		docs = append(docs, search.SourceDocument{ID: fmt.Sprint("peer", i), Title: "Lost connections",
			Text: fmt.Sprintf("What to do when the connection to a peer is lost or reset by the network, part %d: reconnect, then retry what it means.\n", i)})
	}
	return docs
}

func TestNamesAreFoundAsWritten(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, reference())
	for query, want := range map[string]string{
		"strings.Builder": "strings", "crypto/rand": "crypto/rand", "math/rand": "math/rand",
		"2.1.4": "new", "2.1.40": "old", "ERR_LINK_RESET": "reset", "--format": "flags",
	} {
		for _, plain := range []bool{false, true} {
			r := find(t, e, search.Request{Query: query, Plain: plain, Limit: 3})
			if got := ids(r); len(got) == 0 || got[0] != want {
				t.Errorf("%s (plain %v): %v, want %s first (%q)", query, plain, got, want, r.Plan.Reasons)
			}
			if !slices.IsSortedFunc(r.Hits, func(a, b search.Hit) int {
				if a.Score > b.Score {
					return -1
				}
				return 0
			}) {
				t.Errorf("%s: scores do not fall", query)
			}
		}
	}
	// Pages of a name fit together.
	all := find(t, e, search.Request{Query: "strings.Builder", Limit: 4})
	var paged []string
	cursor := ""
	for range 2 {
		r := find(t, e, search.Request{Query: "strings.Builder", Limit: 2, Cursor: cursor})
		for _, h := range r.Hits {
			paged = append(paged, h.ChunkID)
		}
		cursor = r.Cursor
	}
	for i, h := range all.Hits {
		if paged[i] != h.ChunkID {
			t.Errorf("hit %d is another on pages", i)
		}
	}
}

// A rare identifier in a longer query: the document that has it is on the page whatever
// the weights.
func TestRareIdentifierIsNotLost(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, reference())
	r := find(t, e, search.Request{Query: "what does ERR_LINK_RESET mean when the connection to a peer is lost?", Limit: 3,
		Weights: search.Weights{Lexical: 0.01, Vector: 0.99}, Rerank: search.RerankOptions{Policy: search.RerankOff}})
	if got := ids(r); !slices.Contains(got, "reset") {
		t.Errorf("%v lacks reset (%q)", got, r.Plan.Reasons)
	}
}

// slow scores all alike and says how long a passage takes.
type slow struct{ per time.Duration }

func (s slow) PerPassage() time.Duration { return s.per }

func (s slow) Rerank(_ context.Context, _ string, passages []string) ([]float32, error) {
	return make([]float32, len(passages)), nil
}

func TestRerankingIsCutToItsTime(t *testing.T) {
	model := &slow{}
	e := newEngine(t, search.Config{Reranker: model})
	index(t, e, reference())
	for _, c := range []struct {
		per      time.Duration
		reranked int
		degraded string
	}{
		{0, 20, ""}, {time.Millisecond, 20, ""}, {100 * time.Millisecond, 10, "of 20"}, {300 * time.Millisecond, 0, "3 passages only"},
	} {
		model.per = c.per
		r := find(t, e, search.Request{Query: "what to do when a connection is lost?", Mode: search.ModeHybrid,
			Rerank: search.RerankOptions{Policy: search.RerankOn, TopK: 20, Budget: time.Second}})
		if r.Stats.Reranked != c.reranked || len(r.Hits) != 10 {
			t.Errorf("%v a passage: %d reranked, want %d", c.per, r.Stats.Reranked, c.reranked)
		}
		if said := fmt.Sprint(r.Degraded); (len(r.Degraded) > 0) != (c.degraded != "") || !strings.Contains(said, c.degraded) {
			t.Errorf("%v a passage: degraded %s, want %q", c.per, said, c.degraded)
		}
	}
}

// A cross-encoder of one's own that cannot be used is named, and search goes on.
func TestOwnReranker(t *testing.T) {
	bundled, err := filepath.Abs("../models/reranker")
	if err != nil {
		t.Fatal(err)
	}
	folder := func(model, tokenizer string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"model.onnx": model, "tokenizer.json": tokenizer} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	model, err := os.ReadFile(filepath.Join(bundled, "model_int8.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := os.ReadFile(filepath.Join(bundled, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ dir, want string }{
		"works":     {bundled, ""},
		"missing":   {filepath.Join(t.TempDir(), "nowhere"), "nowhere: no such folder"},
		"cut":       {folder(string(model[:1<<20]), string(tokenizer)), "not a complete ONNX file"},
		"unigram":   {folder(string(model), `{"model": {"type": "Unigram", "vocab": []}}`), `model type "Unigram"`},
		"no scores": {"../internal/onnx/testdata", ""},
	} {
		if name == "no scores" {
			dir := t.TempDir()
			data, err := os.ReadFile(filepath.Join(c.dir, "tokens.onnx"))
			if err != nil {
				t.Fatal(err)
			}
			c.dir, c.want = dir, "do not belong together"
			for file, content := range map[string][]byte{"model.onnx": data, "tokenizer.json": tokenizer} {
				if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Setenv("BMCIS_RERANKER_DIR", c.dir)
			e := newEngine(t, search.Config{})
			index(t, e, notes{{ID: "a", Text: "one apple"}, {ID: "b", Text: "two apples and a pear"}, {ID: "c", Text: "apple cake"}})
			r := find(t, e, search.Request{Query: "apple", Mode: search.ModeLexical, Rerank: search.RerankOptions{Policy: search.RerankOn}})
			if len(r.Hits) != 3 || (r.Stats.Reranked > 0) != (c.want == "") {
				t.Errorf("%d hits, %d reranked", len(r.Hits), r.Stats.Reranked)
			}
			if said := fmt.Sprint(r.Degraded); (len(r.Degraded) == 0) != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("degraded: %s, want %q", said, c.want)
			}
		})
	}
}
