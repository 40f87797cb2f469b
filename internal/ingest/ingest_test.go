package ingest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/chunk"
	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// hashEncoder makes a vector from a text's hash: enough to see that the right vector
// reached the right chunk.
type hashEncoder struct {
	space    embed.Space
	embedded atomic.Int64
	fail     atomic.Bool
}

func newHashEncoder(sha string) *hashEncoder {
	return &hashEncoder{space: embed.Space{Model: "hash", ModelSHA256: sha, Runtime: "test", Dimensions: 384}}
}

func (h *hashEncoder) Space() embed.Space       { return h.space }
func (h *hashEncoder) CountTokens(s string) int { return chunk.Estimate(s) }
func (h *hashEncoder) vector(s string) []float32 {
	f := fnv.New64a()
	f.Write([]byte(h.space.ModelSHA256 + s))
	rng := rand.New(rand.NewPCG(f.Sum64(), 0))
	v := make([]float32, 384)
	var sum float64
	for i := range v {
		v[i] = rng.Float32() - 0.5
		sum += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func (h *hashEncoder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if h.fail.Load() {
			return nil, errors.New("the model is broken")
		}
		out[i] = h.vector(t)
		h.embedded.Add(1)
	}
	return out, nil
}

// list is a source of given documents.
type list []Document

func (l list) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, d := range l {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func newIndexer(t *testing.T, pool *pgxpool.Pool, emb Embedder) *Indexer {
	return New(pool, lexical.New(pool, lexical.Config{}), emb)
}

func mustIndex(t *testing.T, ix *Indexer, opts Options, src Source) Report {
	t.Helper()
	r, err := ix.Index(t.Context(), opts, src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantCounts(t *testing.T, r Report, added, changed, unchanged, deleted, failed int) {
	t.Helper()
	got := [5]int{r.Added, r.Changed, r.Unchanged, r.Deleted, len(r.Failed)}
	if want := [5]int{added, changed, unchanged, deleted, failed}; got != want {
		t.Errorf("added, changed, unchanged, deleted, failed = %v, want %v; failures: %v", got, want, r.Failed)
	}
}

// checkStored verifies every stored document against itself: its chunks are exactly
// what its text gives, at exact offsets, with the vector of their own passage.
func checkStored(t *testing.T, pool *pgxpool.Pool, enc *hashEncoder, collection string) (documents int) {
	t.Helper()
	ctx := context.Background()
	col, err := catalog.Get(ctx, pool, collection)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pool.Query(ctx, `select external_id from documents where collection_id = $1 order by 1`, col.ID)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		doc, err := catalog.DocumentByID(ctx, pool, col.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		chunks, err := catalog.ChunksOf(ctx, pool, col.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		covered := 0
		for i, c := range chunks {
			if c.Ordinal != i {
				t.Fatalf("document %s: chunk %d has ordinal %d", id, i, c.Ordinal)
			}
			if doc.Text[c.Start:c.End] != c.Text {
				t.Fatalf("document %s chunk %d: offsets %d-%d are wrong", id, i, c.Start, c.End)
			}
			if gap := doc.Text[min(covered, c.Start):c.Start]; strings.TrimSpace(gap) != "" {
				t.Fatalf("document %s: %q is in no chunk", id, gap)
			}
			covered = c.End
			if enc == nil {
				continue
			}
			var distance float64
			if err := pool.QueryRow(ctx, `select embedding <=> $2::text::halfvec from chunks where id = $1`,
				c.ID, vectorText(enc.vector(c.Passage()))).Scan(&distance); err != nil {
				t.Fatal(err)
			}
			if distance > 0.001 {
				t.Fatalf("document %s chunk %d has another text's vector (distance %.3f)", id, i, distance)
			}
		}
		if strings.TrimSpace(doc.Text[covered:]) != "" {
			t.Fatalf("document %s: the end of the text is in no chunk", id)
		}
	}
	checkLexical(t, pool, col)
	return len(ids)
}

// checkLexical verifies that the lexical index holds exactly the stored chunks: for
// words that occur, the chunks found are those whose text has the word.
func checkLexical(t *testing.T, pool *pgxpool.Pool, col catalog.Collection) {
	t.Helper()
	ctx := context.Background()
	lex := lexical.New(pool, lexical.Config{})
	if report, err := lex.Verify(ctx, LexicalCollection(col)); err != nil || !report.OK() {
		t.Fatalf("the lexical index does not fit the tables: %+v, %v", report, err)
	}
	rows, err := pool.Query(ctx, `select distinct (regexp_matches(body, '\mw\d+\M'))[1] from (select body from chunks where collection_id = $1 order by md5(body) limit 12) x`, col.ID)
	if err != nil {
		t.Fatal(err)
	}
	words, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range append(words, "end") {
		rows, err := pool.Query(ctx, `select id from chunks where collection_id = $1 and body ~ ('\m' || $2 || '\M') order by id`, col.ID, word)
		if err != nil {
			t.Fatal(err)
		}
		want, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			t.Fatal(err)
		}
		result, err := lex.Search(ctx, lexical.Query{Collection: LexicalCollection(col), Text: word, Limit: len(want) + 10})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int64, 0, len(want))
		for _, h := range result.Hits {
			got = append(got, h.Chunk)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("the lexical index finds %d chunks with %q, stored are %d", len(got), word, len(want))
		}
	}
}

func vectorText(v []float32) string {
	return strings.ReplaceAll(fmt.Sprint(v), " ", ",")
}

func prose(words int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%d ", rng.IntN(5000))
		if i%12 == 11 {
			b.WriteString("end. ")
		}
		if i%90 == 89 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyChangesAreDone(t *testing.T) {
	pool := pgtest.New(t)
	enc := newHashEncoder("a")
	ix := newIndexer(t, pool, enc)
	dir := filepath.Join(t.TempDir(), "docs")
	sections := func(n int, mark string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "## Section %d\n\n%s%s\n\n", i, prose(150, uint64(i)), map[bool]string{true: mark}[i == 3])
		}
		return b.String()
	}
	write(t, filepath.Join(dir, "long.md"), "---\ntitle: Long\nyear: 2024\ntags: [a, b]\n---\n"+sections(8, ""))
	write(t, filepath.Join(dir, "sub/short.txt"), "a short text")
	write(t, filepath.Join(dir, "page.html"), "<title>Page</title><main><h1>H</h1><p>text</main>")
	write(t, filepath.Join(dir, ".git/config.txt"), "hidden")
	write(t, filepath.Join(dir, "image.png"), "\x89PNG\x00")

	first := mustIndex(t, ix, Options{Prune: true}, Files(dir))
	wantCounts(t, first, 3, 0, 0, 0, 0)
	embedded := enc.embedded.Load()
	if first.Chunks != int(embedded) || first.Chunks < 8 {
		t.Errorf("%d chunks, %d embedded", first.Chunks, embedded)
	}
	if n := checkStored(t, pool, enc, "default"); n != 3 {
		t.Errorf("%d documents stored", n)
	}

	wantCounts(t, mustIndex(t, ix, Options{Prune: true}, Files(dir)), 0, 0, 3, 0, 0)
	if enc.embedded.Load() != embedded {
		t.Error("a second run embedded again")
	}

	write(t, filepath.Join(dir, "long.md"), "---\ntitle: Long\nyear: 2025\ntags: [a, b]\n---\n"+sections(8, "changed here."))
	if err := os.Remove(filepath.Join(dir, "page.html")); err != nil {
		t.Fatal(err)
	}
	third := mustIndex(t, ix, Options{Prune: true}, Files(dir))
	wantCounts(t, third, 0, 1, 1, 1, 0)
	if again := enc.embedded.Load() - embedded; again != 1 || third.Chunks != 1 {
		t.Errorf("one changed section embedded %d chunks and wrote %d", again, third.Chunks)
	}
	checkStored(t, pool, enc, "default")
	col, _ := catalog.Get(t.Context(), pool, "default")
	doc, err := catalog.DocumentByID(t.Context(), pool, col.ID, "docs/long.md")
	if err != nil {
		t.Fatal(err)
	}
	if doc.Title != "Long" || doc.Metadata["year"] != int64(2025) || doc.Source != "docs" {
		t.Errorf("document %q %v %q", doc.Title, doc.Metadata, doc.Source)
	}
	if col.Generation < 2 {
		t.Errorf("generation %d", col.Generation)
	}
}

func TestEachFailureIsNamedAndTheRestGoesOn(t *testing.T) {
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	dir := filepath.Join(t.TempDir(), "mixed")
	write(t, filepath.Join(dir, "good.md"), "# Good\n\ntext")
	write(t, filepath.Join(dir, "utf16.txt"), "\xff\xfeh\x00i\x00 \x00t\x00h\x00e\x00r\x00e\x00")
	write(t, filepath.Join(dir, "damaged.txt"), "gute Gr\xc3\xbc\xc3\x9fe aus K\xc3\xb6ln \xff")
	write(t, filepath.Join(dir, "nul.txt"), strings.Repeat("long text ", 1000)+"\x00 end")
	write(t, filepath.Join(dir, "latin1.html"), "<meta charset=iso-8859-1><p>caf\xe9")
	write(t, filepath.Join(dir, "empty.txt"), "")
	write(t, filepath.Join(dir, "binary.txt"), "PK\x03\x04\x00\x00")
	write(t, filepath.Join(dir, "latin1.txt"), "caf\xe9 cr\xe8me br\xfbl\xe9e")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "table.xlsx"), "x")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.md")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"mixed/binary.txt": "binary", "mixed/latin1.txt": "UTF-8", "mixed/pipe.txt": "regular",
		"mixed/dangling.md": "no such file", "table.xlsx": "not supported", "missing.md": "no such file",
	}
	if os.Getuid() != 0 { // root reads everything
		write(t, filepath.Join(dir, "secret.md"), "x")
		if err := os.Chmod(filepath.Join(dir, "secret.md"), 0); err != nil {
			t.Fatal(err)
		}
		want["mixed/secret.md"] = "permission denied"
	}
	empty := t.TempDir()
	want[empty] = "nothing to index"
	r := mustIndex(t, ix, Options{}, Files(dir, filepath.Join(dir, "table.xlsx"), "missing.md", empty))
	if r.Added != 6 || r.Replaced != 2 {
		t.Errorf("added %d, replaced %d bytes", r.Added, r.Replaced)
	}
	for _, f := range r.Failed {
		if w, ok := want[f.ID]; !ok || !strings.Contains(f.Reason, w) {
			t.Errorf("failure %s: %s; want %q", f.ID, f.Reason, w)
		}
		delete(want, f.ID)
	}
	if len(want) > 0 {
		t.Errorf("not named: %v", want)
	}
	col, _ := catalog.Get(t.Context(), pool, "default")
	for id, text := range map[string]string{"mixed/utf16.txt": "hi there", "mixed/latin1.html": "café\n", "mixed/damaged.txt": "gute Grüße aus Köln \ufffd"} {
		if d, err := catalog.DocumentByID(t.Context(), pool, col.ID, id); err != nil || d.Text != text {
			t.Errorf("%s: %q %v", id, d.Text, err)
		}
	}
}

func TestUnreadableFilesAreNotPruned(t *testing.T) {
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	dir := filepath.Join(t.TempDir(), "docs")
	for _, name := range []string{"a.md", "b.md", "sub/c.md"} {
		write(t, filepath.Join(dir, name), "text of "+name)
	}
	mustIndex(t, ix, Options{}, Files(dir))
	write(t, filepath.Join(dir, "a.md"), "\x00\x01")
	if err := os.Remove(filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, mustIndex(t, ix, Options{Prune: true}, Files(dir)), 0, 0, 1, 1, 1)
	// A path that is gone altogether is an error of the caller, not a reason to delete.
	wantCounts(t, mustIndex(t, ix, Options{Prune: true}, Files(dir+"-gone", filepath.Join(dir, "sub"))), 0, 1, 0, 0, 1)
	// Nor is a folder with nothing in it, such as a disk that is not mounted.
	empty := t.TempDir()
	if err := os.Rename(dir, filepath.Join(empty, "away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, mustIndex(t, ix, Options{Prune: true}, Files(dir)), 0, 0, 0, 0, 1)
	if n := checkStored(t, pool, nil, "default"); n != 2 {
		t.Errorf("%d documents left", n)
	}
}

func TestFoldersOfOneNameKeepApart(t *testing.T) {
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	base := t.TempDir()
	one, two := filepath.Join(base, "one", "docs"), filepath.Join(base, "two", "docs")
	write(t, filepath.Join(one, "a.md"), "first")
	write(t, filepath.Join(two, "a.md"), "second")
	wantCounts(t, mustIndex(t, ix, Options{}, Files(one)), 1, 0, 0, 0, 0)
	wantCounts(t, mustIndex(t, ix, Options{}, Files(two)), 1, 0, 0, 0, 0)
	wantCounts(t, mustIndex(t, ix, Options{}, Files(one, two)), 0, 0, 2, 0, 0)
	// The first folder moves: its id is free again, and the second keeps its own.
	if err := os.Rename(one, filepath.Join(base, "docs")); err != nil {
		t.Fatal(err)
	}
	r := mustIndex(t, ix, Options{}, Files(filepath.Join(base, "docs"), two))
	wantCounts(t, r, 0, 1, 1, 0, 0)
}

// hookedEncoder runs a hook once, after the documents were looked up and before they
// are written.
type hookedEncoder struct {
	*hashEncoder
	once sync.Once
	hook func()
}

func (h *hookedEncoder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	h.once.Do(h.hook)
	return h.hashEncoder.Passages(ctx, texts)
}

func TestFilesKeepTheirNamesBesideOtherRuns(t *testing.T) {
	base := t.TempDir()
	one, two := filepath.Join(base, "one", "docs"), filepath.Join(base, "two", "docs")
	write(t, filepath.Join(one, "a.md"), "first")
	write(t, filepath.Join(two, "a.md"), "second")
	for name, c := range map[string]struct {
		mine, other string
		documents   int
		report      [3]int // added, changed, unchanged
	}{
		"two folders of one name": {mine: one, other: two, documents: 2, report: [3]int{1, 0, 0}},
		"a folder and its parent": {mine: filepath.Dir(one), other: one, documents: 1, report: [3]int{0, 1, 0}},
		"the same folder":         {mine: one, other: one, documents: 1, report: [3]int{0, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			pool := pgtest.New(t)
			enc := newHashEncoder("a")
			mustIndex(t, newIndexer(t, pool, enc), Options{}, list{{ID: "makes the collection", Text: "x", Source: "s"}})
			hooked := &hookedEncoder{hashEncoder: enc, hook: func() {
				wantCounts(t, mustIndex(t, newIndexer(t, pool, enc), Options{}, Files(c.other)), 1, 0, 0, 0, 0)
			}}
			r := mustIndex(t, newIndexer(t, pool, hooked), Options{Prune: true}, Files(c.mine))
			wantCounts(t, r, c.report[0], c.report[1], c.report[2], 0, 0)
			if n := checkStored(t, pool, enc, "default"); n != 1+c.documents {
				t.Errorf("%d documents of files, want %d", n-1, c.documents)
			}
		})
	}
}

func TestOneFileIsOneDocument(t *testing.T) {
	base := t.TempDir()
	at := func(path ...string) string { return filepath.Join(append([]string{base}, path...)...) }
	write(t, at("docs", "a.md"), "one")
	write(t, at("docs", "sub", "b.md"), "two")
	write(t, at("docs", ".hidden", "c.md"), "three")
	for link, target := range map[string]string{
		at("link"): at("docs"), at("docs", "z.md"): "a.md", at("docs", "out.md"): at("other.md"), at("docs", "too.md"): at("other.md"),
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	write(t, at("other.md"), "four")
	t.Chdir(base)
	inDocs := []string{"docs/a.md", "docs/out.md", "docs/sub/b.md"}
	for _, c := range []struct{ paths, want []string }{
		{[]string{at("docs")}, inDocs},
		{[]string{at("docs", "a.md"), at("docs")}, inDocs},
		{[]string{at("docs"), at("docs", "sub"), at("docs", "sub", "b.md")}, inDocs},
		{[]string{at("docs"), "docs", at("link")}, inDocs},
		{[]string{at("link"), at("docs")}, []string{"link/a.md", "link/out.md", "link/sub/b.md"}},
		{[]string{at("link", "a.md"), "docs/z.md", at("docs", "a.md")}, []string{"a.md"}},
		{[]string{at("docs"), at("docs", ".hidden")}, append([]string{".hidden/c.md"}, inDocs...)},
		{[]string{at("docs"), at("other.md")}, []string{"docs/a.md", "docs/sub/b.md", "other.md"}},
	} {
		src := Files(c.paths...)
		var got []string
		for d, err := range src.Documents(t.Context()) {
			if err != nil {
				t.Errorf("%q: %v", c.paths, err)
			}
			got = append(got, d.ID)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
		if n := src.(counted).Count(t.Context()); n != len(c.want) {
			t.Errorf("%q: %d counted, want %d", c.paths, n, len(c.want))
		}
	}

	// Across runs too: a folder of the same name that is the same folder, and what was
	// stored twice is mended.
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	if err := os.MkdirAll(at("elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("docs"), at("elsewhere", "docs")); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, mustIndex(t, ix, Options{}, Files(at("docs"))), 3, 0, 0, 0, 0)
	wantCounts(t, mustIndex(t, ix, Options{}, Files(at("elsewhere", "docs"))), 0, 3, 0, 0, 0)
	wantCounts(t, mustIndex(t, ix, Options{}, Files(at("link"))), 3, 0, 0, 0, 0)
	wantCounts(t, mustIndex(t, ix, Options{Prune: true}, Files(at("elsewhere", "docs"), at("link"))), 0, 0, 3, 3, 0)
}

func TestJSONLines(t *testing.T) {
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	path := filepath.Join(t.TempDir(), "export.jsonl")
	write(t, path, `{"id": "a", "title": "A", "text": "alpha", "source": "wiki", "uri": "https://example.org/a", "metadata": {"year": 2024, "big": 9007199254740993}, "domain": "db"}
{"id": 7, "text": "seven\u0000 with nul", "tags": ["x\u0000"]}

{"id": "broken"
{"text": "no id"}
[1]
{"id": "a", "text": "again"}
{"id": "title only", "title": "Just a title"}
{"id": "bad", "text": 5}
{"_id": "beir", "text": "last line without newline"}`)
	r := mustIndex(t, ix, Options{Prune: true}, JSONL(path))
	wantCounts(t, r, 4, 0, 0, 0, 5)
	named := ""
	for _, f := range r.Failed {
		named += f.ID + " "
	}
	if want := "export.jsonl:4 export.jsonl:5 export.jsonl:6 export.jsonl:9 a "; named != want {
		t.Errorf("failures %q, want %q", named, want)
	}
	for _, f := range r.Failed {
		if strings.Contains(f.Reason, "Go value") {
			t.Errorf("%s: %s", f.ID, f.Reason)
		}
	}
	if r.PruneSkipped == "" {
		t.Error("pruned although lines could not be read")
	}
	col, _ := catalog.Get(t.Context(), pool, "default")
	a, err := catalog.DocumentByID(t.Context(), pool, col.ID, "a")
	if err != nil {
		t.Fatal(err)
	}
	if a.Text != "alpha" || a.Source != "wiki" || a.Metadata["domain"] != "db" || a.Metadata["year"] != int64(2024) {
		t.Errorf("%+v", a)
	}
	var big string
	if err := pool.QueryRow(t.Context(), `select metadata->>'big' from documents where external_id = 'a'`).Scan(&big); err != nil || big != "9007199254740993" {
		t.Errorf("a large number became %s, %v", big, err)
	}
	seven, err := catalog.DocumentByID(t.Context(), pool, col.ID, "7")
	if err != nil || seven.Source != "export" || seven.Text != "seven with nul" {
		t.Errorf("%+v %v", seven, err)
	}
	title, err := catalog.ChunksOf(t.Context(), pool, col.ID, "title only")
	if err != nil || len(title) != 1 || title[0].Text != "Just a title" {
		t.Errorf("%+v %v", title, err)
	}
	write(t, path, "\ufeff"+`{"id": "a", "text": "alone", "source": "wiki", "huge": 1e400, "list": [-1e999999, 1e-999999, 0.5]}`)
	wantCounts(t, mustIndex(t, ix, Options{Prune: true}, JSONL(path)), 0, 1, 0, 0, 0)
	a, err = catalog.DocumentByID(t.Context(), pool, col.ID, "a") // numbers that no float64 holds are texts
	if got, want := fmt.Sprint(a.Metadata), "map[huge:1e400 list:[-1e999999 1e-999999 0.5]]"; err != nil || got != want {
		t.Errorf("metadata %s, %v, want %s", got, err, want)
	}
}

func TestWhatIsNoJSONLinesIsNamedOnce(t *testing.T) {
	ix := newIndexer(t, pgtest.New(t), nil)
	dir := t.TempDir()
	broken := filepath.Join(dir, "x.jsonl.gz")
	write(t, broken, "no gzip file")
	for path, want := range map[string]string{
		dir:                              "is a folder",
		broken:                           "is not a gzip file",
		filepath.Join(dir, "gone.jsonl"): "no such file",
	} {
		_, err := ix.Index(t.Context(), Options{}, JSONL(path))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: error %v, want one that says %q and the path once", path, err, want)
		}
	}
}

func corpus(n int, version uint64) list {
	docs := make(list, n)
	for i := range docs {
		docs[i] = Document{
			ID: fmt.Sprintf("doc-%03d", i), Title: fmt.Sprintf("Title %d", i), Source: "test", Format: chunk.Markdown,
			Text: prose(40+(i*37)%900, uint64(i)) + fmt.Sprintf("\n\nversion %d of it.", version*uint64(i%3)),
		}
	}
	return docs
}

// One long document shows how far it is before it is written, and a text that comes
// again and again is embedded once.
func TestProgressWithinADocument(t *testing.T) {
	enc := newHashEncoder("a")
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, enc)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "# Part\n\n%s\n\n# Part\n\n%s\n\n", strings.Repeat("This stands here each time. ", 40), strings.Repeat(fmt.Sprintf("This is number %d. ", i), 40))
	}
	var seen []Progress
	r := mustIndex(t, ix, Options{Progress: func(p Progress) { seen = append(seen, p) }},
		list{{ID: "long", Text: b.String(), Format: chunk.Markdown}})
	between := 0
	for i, p := range seen {
		if p.Embedded > p.Cut || i > 0 && (p.Embedded < seen[i-1].Embedded || p.Cut < seen[i-1].Cut) {
			t.Fatalf("%+v after %+v", p, seen[max(0, i-1)])
		}
		if p.Chunks == 0 && p.Embedded > 0 && p.Embedded < p.Cut {
			between++
		}
	}
	last := seen[len(seen)-1]
	if between == 0 || last.Cut != r.Chunks || last.Embedded != r.Chunks || last.Chunks != r.Chunks {
		t.Errorf("%d chunks; progress between: %d times, at the end: %+v", r.Chunks, between, last)
	}
	var distinct int
	if err := pool.QueryRow(t.Context(), "select count(distinct (headings, body)) from chunks").Scan(&distinct); err != nil {
		t.Fatal(err)
	}
	if n := int(enc.embedded.Load()); n != distinct || distinct == r.Chunks {
		t.Errorf("%d texts embedded for %d chunks with %d different texts", n, r.Chunks, distinct)
	}
	checkStored(t, pool, enc, "default")
}

// The vectors of a document that takes long to embed come after it, and a run that is cut
// off between leaves them to the next.
func TestLongDocumentsGetTheirVectorsLater(t *testing.T) {
	enc := newHashEncoder("a")
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, enc)
	var b strings.Builder
	for i := range lateChunks + 100 {
		fmt.Fprintf(&b, "# Part %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("This is number %d. ", i), 40))
	}
	docs := list{{ID: "short", Text: "a few words"}, {ID: "long", Text: b.String(), Format: chunk.Markdown}}
	ctx, cancel := context.WithCancel(t.Context())
	first, err := ix.Index(ctx, Options{Progress: func(p Progress) {
		if p.Stage == "embedding" && p.Done > embedTexts {
			cancel()
		}
	}}, docs)
	if !errors.Is(err, context.Canceled) || first.Added != 2 || first.Reembedded == 0 || first.Reembedded >= lateChunks {
		t.Fatalf("%+v, %v", first, err)
	}
	col, err := catalog.Get(t.Context(), pool, "default")
	if err != nil {
		t.Fatal(err)
	}
	var wrong *catalog.SpaceError
	if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(enc.Space())); !errors.As(err, &wrong) || !wrong.Usable {
		t.Errorf("chunks without vectors: %v", err)
	}
	second := mustIndex(t, ix, Options{}, docs)
	if second.Unchanged != 2 || first.Reembedded+second.Reembedded < lateChunks {
		t.Errorf("%+v after %+v", second, first)
	}
	checkStored(t, pool, enc, "default")
	if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(enc.Space())); err != nil {
		t.Error(err)
	}
}

// An interrupt is heeded while a long document is cut, which asks no database.
func TestInterruptWhileCutting(t *testing.T) {
	enc := &countingEncoder{hashEncoder: newHashEncoder("a")}
	for name, text := range map[string]string{
		"words": strings.Repeat("word ", 1<<20), "one word": strings.Repeat("x", 2<<20), "lines": strings.Repeat("a\n", 1<<20),
		"headings": strings.Repeat("# a\n\nb\n\n", 1<<16),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		enc.counts.Store(0)
		enc.after, enc.then = 100, cancel
		_, err := New(pgtest.New(t), nil, enc).Index(ctx, Options{}, list{{ID: "long", Text: text, Format: chunk.Markdown}})
		if n := enc.counts.Load(); !errors.Is(err, context.Canceled) || n > 101 {
			t.Errorf("%s: %v after %d counts", name, err, n)
		}
		cancel()
	}
}

// countingEncoder calls then once it has counted the tokens of some texts.
type countingEncoder struct {
	*hashEncoder
	counts atomic.Int64
	after  int64
	then   func()
}

func (c *countingEncoder) CountTokens(s string) int {
	if c.counts.Add(1) == c.after {
		c.then()
	}
	return c.hashEncoder.CountTokens(s)
}

// A run that is cut off anywhere leaves only whole documents, and the next run
// completes.
func TestInterruptedRunsLoseNothing(t *testing.T) {
	pool := pgtest.New(t)
	enc := newHashEncoder("a")
	ix := newIndexer(t, pool, enc)
	docs := corpus(300, 1)
	committed := 0
	for round := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		r, err := ix.Index(ctx, Options{Progress: func(p Progress) {
			if p.Chunks > 0 { // the collection is there
				calls++
			}
			if calls > 20*round {
				cancel()
			}
		}}, docs)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		n := checkStored(t, pool, enc, "default")
		if n < committed+r.Added {
			t.Fatalf("round %d: %d documents stored after %d and %d added", round, n, committed, r.Added)
		}
		committed = n
	}
	r := mustIndex(t, ix, Options{}, docs)
	if r.Added+r.Unchanged != len(docs) || checkStored(t, pool, enc, "default") != len(docs) {
		t.Errorf("after the last run: %+v", r)
	}

	// Cut off by the model, the database and the source.
	enc.fail.Store(true)
	if _, err := ix.Index(t.Context(), Options{}, corpus(300, 2)); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a broken model: %v", err)
	}
	enc.fail.Store(false)
	for range 6 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = pool.Exec(context.Background(), `select pg_sleep(0.05)`)
			_, _ = pool.Exec(context.Background(), `select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and pid <> pg_backend_pid()`)
		}()
		_, _ = ix.Index(t.Context(), Options{}, corpus(300, 2))
		<-done
		pool.Reset()
		checkStored(t, pool, enc, "default")
	}
	mustIndex(t, ix, Options{}, corpus(300, 2))
	if n := checkStored(t, pool, enc, "default"); n != 300 {
		t.Errorf("%d documents", n)
	}
}

func TestConcurrentRunsOnOneCollection(t *testing.T) {
	pool := pgtest.New(t)
	enc := newHashEncoder("a")
	var group sync.WaitGroup
	for k := range 6 {
		group.Go(func() {
			docs := corpus(120, uint64(k%3))
			rand.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
			if _, err := newIndexer(t, pool, enc).Index(context.Background(), Options{Prune: k%2 == 0}, docs); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := checkStored(t, pool, enc, "default"); n != 120 {
		t.Errorf("%d documents", n)
	}
}

func TestVectorsOfAnotherModelAreMadeAnew(t *testing.T) {
	pool := pgtest.New(t)
	old, fresh := newHashEncoder("old"), newHashEncoder("new")
	docs := corpus(150, 1)
	mustIndex(t, newIndexer(t, pool, old), Options{LexicalOnly: true}, docs)
	col, _ := catalog.Get(t.Context(), pool, "default")
	var wrong *catalog.SpaceError
	if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(old.Space())); !errors.As(err, &wrong) || wrong.Have != (catalog.Space{}) {
		t.Errorf("chunks without vectors: %v", err)
	}
	r := mustIndex(t, newIndexer(t, pool, old), Options{}, docs)
	if r.Unchanged != 150 || r.Reembedded == 0 {
		t.Errorf("%+v", r)
	}
	checkStored(t, pool, old, "default")
	if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(old.Space())); err != nil {
		t.Error(err)
	}
	if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(fresh.Space())); !errors.As(err, &wrong) || wrong.Have.ModelSHA256 != "old" {
		t.Errorf("another model: %v", err)
	}

	// Interrupted, the collection is mixed and says so; the next run ends it.
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newIndexer(t, pool, fresh).Index(ctx, Options{Progress: func(p Progress) {
		if p.Stage == "embedding" && p.Done > embedTexts {
			cancel()
		}
	}}, docs)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	spaces, err := catalog.Spaces(t.Context(), pool, col.ID)
	if err != nil || len(spaces) != 2 {
		t.Fatalf("%v %v", spaces, err)
	}
	for _, e := range []*hashEncoder{old, fresh} {
		if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(e.Space())); !errors.As(err, &wrong) {
			t.Errorf("a mixed collection passes for %s: %v", e.space.ModelSHA256, err)
		}
	}
	mustIndex(t, newIndexer(t, pool, fresh), Options{}, docs)
	checkStored(t, pool, fresh, "default")
	if err := catalog.CheckSpace(t.Context(), pool, col, catalog.Space(fresh.Space())); err != nil {
		t.Error(err)
	}
}

func TestTheFirstDocumentMakesTheCollection(t *testing.T) {
	pool := pgtest.New(t)
	enc := newHashEncoder("a")
	ix := newIndexer(t, pool, enc)
	none := func(after string) {
		t.Helper()
		if list, err := catalog.List(t.Context(), pool); err != nil || len(list) > 0 {
			t.Errorf("after %s: %+v, %v", after, list, err)
		}
	}
	mustIndex(t, ix, Options{Prune: true}, list{})
	none("an empty source")
	mustIndex(t, ix, Options{Prune: true}, list{{Text: "no id"}})
	none("a document that cannot be stored")
	if _, err := ix.Index(t.Context(), Options{Language: "klingon"}, corpus(3, 1)); !errors.Is(err, catalog.ErrInvalid) {
		t.Error(err)
	}
	none("a language that there is not")
	enc.fail.Store(true)
	if _, err := ix.Index(t.Context(), Options{}, corpus(3, 1)); err == nil {
		t.Error("indexed without vectors")
	}
	none("a broken model")
	enc.fail.Store(false)
	if _, err := pool.Exec(t.Context(), `alter table documents add check (title <> 'refused')`); err != nil {
		t.Fatal(err)
	}
	refused := list{{ID: "a", Title: "refused", Text: "x"}}
	wantCounts(t, mustIndex(t, ix, Options{}, refused), 0, 0, 0, 0, 1)
	none("a document that the database refuses")

	// Two first runs at once, and documents in several batches.
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := ix.Index(t.Context(), Options{}, append(slices.Clone(refused), corpus(150, 1)...)); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if n := checkStored(t, pool, enc, "default"); n != 150 {
		t.Errorf("%d documents", n)
	}
}

func TestWithoutAModel(t *testing.T) {
	pool := pgtest.New(t)
	r := mustIndex(t, newIndexer(t, pool, nil), Options{}, corpus(5, 1))
	wantCounts(t, r, 5, 0, 0, 0, 0)
	checkStored(t, pool, nil, "default")
}

func TestRefusedDocumentsDoNotStopTheBatch(t *testing.T) {
	pool := pgtest.New(t)
	enc := newHashEncoder("a")
	// A constraint stands for whatever a database may refuse.
	if _, err := pool.Exec(t.Context(), `alter table documents add check (title <> 'refused')`); err != nil {
		t.Fatal(err)
	}
	docs := corpus(40, 1)
	docs[7].Title, docs[31].Title = "refused", "refused"
	docs[9].Metadata = map[string]any{"f": math.NaN()}
	docs[10].ID = ""
	docs[11].ID = strings.Repeat("x", 1001)
	docs[12].Format = "pdf"
	docs[13].Metadata = map[string]any{"a\x00b": []any{"\xff", map[string]any{"n": "\x00"}}}
	r := mustIndex(t, newIndexer(t, pool, enc), Options{}, docs)
	wantCounts(t, r, 34, 0, 0, 0, 6)
	if n := checkStored(t, pool, enc, "default"); n != 34 {
		t.Errorf("%d documents", n)
	}
}

func TestDeleteDocuments(t *testing.T) {
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	mustIndex(t, ix, Options{Collection: "c"}, corpus(5, 1))
	missing, err := DeleteDocuments(t.Context(), pool, ix.lex, "c", []string{"doc-001", "nope", "doc-001", "doc-004"})
	if err != nil || !slices.Equal(missing, []string{"nope"}) {
		t.Errorf("missing %q, %v", missing, err)
	}
	if n := checkStored(t, pool, nil, "c"); n != 3 {
		t.Errorf("%d documents", n)
	}
	if _, err := DeleteDocuments(t.Context(), pool, ix.lex, "other", nil); !errors.Is(err, catalog.ErrNotFound) {
		t.Error(err)
	}
}

func TestWaitingForInputEndsWithTheContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	src := &jsonl{name: "stdin", source: "stdin", open: func() (io.ReadCloser, error) { return interruptible(in), nil }}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		fmt.Fprintln(out, `{"id": "a", "text": "first"}`)
		cancel()
	}()
	n := 0
	var last error
	for _, err := range src.Documents(ctx) {
		n++
		last = err
	}
	if !errors.Is(last, context.Canceled) || n > 2 {
		t.Errorf("%d documents, then %v", n, last)
	}
}
