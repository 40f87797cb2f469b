package ingest

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/chunk"
	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/onnx/onnxtest"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func openModel(t *testing.T) *embed.Embedder {
	t.Helper()
	emb, err := embed.Open(embed.Config{ModelDir: onnxtest.EmbeddingModel(t), LibraryPath: onnxtest.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { emb.Close() })
	return emb
}

// Whatever a text is made of, no chunk's passage is cut off by the model: its window
// is 512 tokens with two special ones.
func TestChunksFitTheModelsWindow(t *testing.T) {
	emb := openModel(t)
	rng := rand.New(rand.NewPCG(3, 4))
	alphabets := []string{
		"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJ0123456789", "äöüßéèñçåø", "漢字仮名交文", "абвгдежз", "!?.,;:()[]{}<>/\\|@#$%^&*",
		"🙂🚀🎉", "\u200b\u00ad\u0301\u0308", "ｆｕｌｌｗｉｄｔｈ", "أبتثج", "한국어문장", " \n\t\n\n", "_-_-",
	}
	for range 400 {
		var b strings.Builder
		for range rng.IntN(400) {
			letters := []rune(alphabets[rng.IntN(len(alphabets))])
			for range 1 + rng.IntN([]int{3, 12, 130}[rng.IntN(3)]) {
				b.WriteRune(letters[rng.IntN(len(letters))])
			}
			if rng.IntN(3) > 0 {
				b.WriteByte(" \n"[rng.IntN(2)])
			}
		}
		d, err := chunk.Extract([]string{chunk.Text, chunk.Markdown}[rng.IntN(2)], b.String())
		if err != nil {
			t.Fatal(err)
		}
		title := cutTitle(b.String())
		for _, c := range chunk.Split(d, title, chunk.Options{Count: emb.CountTokens, Whole: rng.IntN(2) == 0}) {
			if n := emb.CountTokens(chunk.Passage(title, c.Headings, c.Text)); n > 510 {
				t.Fatalf("a passage has %d tokens: %q", n, c.Text)
			}
		}
	}
}

// The real model, from file to neighbour: a question finds the text that answers it in
// other words.
func TestRealVectorsFindTheAnswer(t *testing.T) {
	emb := openModel(t)
	pool := pgtest.New(t)
	docs := list{
		{ID: "locks", Title: "Mutual exclusion", Text: "A goroutine that holds the mutex keeps all others waiting until it is released."},
		{ID: "files", Title: "Closing files", Text: "Release the descriptor when you have finished reading, or the process will run out of them."},
		{ID: "soup", Title: "Leek and potato", Text: "Simmer the vegetables for twenty minutes, then blend until smooth."},
	}
	r := mustIndex(t, newIndexer(t, pool, emb), Options{}, docs)
	wantCounts(t, r, 3, 0, 0, 0, 0)
	col, err := catalog.Get(t.Context(), pool, "default")
	if err != nil {
		t.Fatal(err)
	}
	if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(emb.Space())); err != nil {
		t.Error(err)
	}
	for question, want := range map[string]string{
		"too many open handles": "files", "dinner recipe": "soup", "prevent concurrent access": "locks",
	} {
		v, err := emb.Query(context.Background(), question)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := pool.QueryRow(t.Context(), `select d.external_id from chunks k join documents d on d.id = k.document_id
			order by k.embedding <=> $1::text::halfvec limit 1`, vectorText(v)).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%q finds %s, want %s", question, got, want)
		}
	}
}
