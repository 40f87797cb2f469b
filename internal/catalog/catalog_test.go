package catalog

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// addDocument stores a document with one chunk per text.
func addDocument(t *testing.T, pool *pgxpool.Pool, c Collection, id string, space *int64, texts ...string) (chunks []int64) {
	t.Helper()
	var document int64
	body := strings.Join(texts, "\n")
	err := pool.QueryRow(t.Context(), `insert into documents (collection_id, external_id, title, source, uri, metadata, body, content_hash)
		values ($1, $2, 'Title', 'src', 'u', '{"year": 2024, "a": {"b": [1]}}', $3, '') returning id`, c.ID, id, body).Scan(&document)
	if err != nil {
		t.Fatal(err)
	}
	start := 0
	for i, text := range texts {
		var chunk int64
		err := pool.QueryRow(t.Context(), `insert into chunks (document_id, collection_id, stable_id, ordinal, headings, body, start_offset, end_offset, space_id)
			values ($1, $2, $3, $4, '{H,"I, J"}', $5, $6, $7, $8) returning id`,
			document, c.ID, id+"/"+text, i, text, start, start+len(text), space).Scan(&chunk)
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, chunk)
		start += len(text) + 1
	}
	return chunks
}

func create(t *testing.T, pool *pgxpool.Pool, name string) Collection {
	t.Helper()
	c, err := Create(t.Context(), pool, name, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCollections(t *testing.T) {
	pool := pgtest.New(t)
	ctx := t.Context()
	if _, err := Get(ctx, pool, "docs"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "bmcis index") {
		t.Errorf("no collection at all: %v", err)
	}
	c := create(t, pool, "docs")
	if c.Language != "english" || c.K1 != 1.2 || c.B != 0.75 || c.ID == 0 {
		t.Errorf("defaults: %+v", c)
	}
	again, err := Create(ctx, pool, "docs", Settings{Language: "english"})
	if err != nil || again.ID != c.ID {
		t.Errorf("made twice: %+v %v", again, err)
	}
	if _, err := Create(ctx, pool, "docs", Settings{Language: "german"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("another language: %v", err)
	}
	k1, b := 0.9, 0.4
	if _, err := Create(ctx, pool, "docs", Settings{K1: &k1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("another k1: %v", err)
	}
	if c.Weights != (FieldWeights{1, 1, 1, 1}) {
		t.Errorf("weights of a new collection: %+v", c.Weights)
	}
	if err := SetScoring(ctx, pool, "docs", Scoring{K1: &k1, B: &b}); err != nil {
		t.Fatal(err)
	}
	weights := FieldWeights{Title: 2, Body: 1}
	if err := SetScoring(ctx, pool, "docs", Scoring{Weights: &weights}); err != nil {
		t.Fatal(err)
	}
	if c, err = Get(ctx, pool, "docs"); err != nil || c.K1 != 0.9 || c.B != 0.4 || c.Weights != weights || c.Generation != 2 {
		t.Errorf("%+v %v", c, err)
	}
	for _, wrong := range []FieldWeights{{}, {Title: -1}, {Body: math.NaN()}, {Path: 1001}} {
		if err := SetScoring(ctx, pool, "docs", Scoring{Weights: &wrong}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	if _, err := Get(ctx, pool, "dosc"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "docs") {
		t.Errorf("the error names what there is: %v", err)
	}
	for _, tuning := range []string{`{"format": 1}`, ""} {
		var data []byte
		if tuning != "" {
			data = []byte(tuning)
		}
		if err := SetTuning(ctx, pool, "docs", data); err != nil {
			t.Fatal(err)
		}
		if c, err = Get(ctx, pool, "docs"); err != nil || string(c.Tuning) != tuning || c.Weights != weights {
			t.Errorf("tuning %q: %+v %v", tuning, c, err)
		}
	}
	if err := SetTuning(ctx, pool, "dosc", nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("tuning of no collection: %v", err)
	}
	german, err := Create(ctx, pool, "handbuch", Settings{Language: "german", K1: &k1, B: &b})
	if err != nil || german.Language != "german" {
		t.Errorf("%+v %v", german, err)
	}
	addDocument(t, pool, c, "x", nil, "one", "two")
	addDocument(t, pool, c, "y", nil)
	list, err := List(ctx, pool)
	if err != nil || len(list) != 2 || list[0].Documents != 2 || list[0].Chunks != 2 || list[0].Embedded != 0 || list[1].Chunks != 0 {
		t.Errorf("%+v %v", list, err)
	}
	if err := Delete(ctx, pool, "docs"); err != nil {
		t.Fatal(err)
	}
	if err := Delete(ctx, pool, "docs"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	var left int
	if err := pool.QueryRow(ctx, `select count(*) from chunks`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d chunks of a deleted collection, %v", left, err)
	}
}

func TestSettingsThatCannotBeCarriedOut(t *testing.T) {
	pool := pgtest.New(t)
	nan, low, high := math.NaN(), -0.1, 1.1
	for name, s := range map[string]Settings{
		"klingon": {Language: "klingon"}, "nan": {K1: &nan}, "low": {K1: &low}, "b": {B: &high}, "nan b": {B: &nan},
	} {
		if _, err := Create(t.Context(), pool, "x", s); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", " x", "x\n", strings.Repeat("x", 201), "a\x00b", "\xff"} {
		if _, err := Create(t.Context(), pool, name, Settings{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

func TestHydrateKeepsOrderAndDropsWhatIsGone(t *testing.T) {
	pool := pgtest.New(t)
	ctx := t.Context()
	c := create(t, pool, "docs")
	a := addDocument(t, pool, c, "a", nil, "one", "two", "three")
	b := addDocument(t, pool, c, "b", nil, "four")
	if _, err := pool.Exec(ctx, `delete from chunks where id = $1`, a[1]); err != nil {
		t.Fatal(err)
	}
	got, err := Hydrate(ctx, pool, []int64{b[0], 987654, a[2], a[1], a[0]})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, k := range got {
		texts = append(texts, k.Text)
	}
	if !slices.Equal(texts, []string{"four", "three", "one"}) {
		t.Errorf("%q", texts)
	}
	k := got[1]
	if k.ID != a[2] || k.DocumentID != "a" || k.Title != "Title" || k.Source != "src" || k.Ordinal != 2 || k.Start != 8 || k.End != 13 ||
		!slices.Equal(k.Headings, []string{"H", "I, J"}) || k.Metadata["year"] != int64(2024) || k.Created.IsZero() {
		t.Errorf("%+v", k)
	}
	if p := k.Passage(); p != "Title > H > I, J\nthree" {
		t.Errorf("passage %q", p)
	}
	if none, err := Hydrate(ctx, pool, nil); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}

	one, err := ChunkByStableID(ctx, pool, c.ID, "a/three")
	if err != nil || one.ID != a[2] {
		t.Errorf("%+v %v", one, err)
	}
	if _, err := ChunkByStableID(ctx, pool, c.ID, "a/two"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	doc, err := DocumentByID(ctx, pool, c.ID, "a")
	if err != nil || doc.Text != "one\ntwo\nthree" || doc.Chunks != 2 {
		t.Errorf("%+v %v", doc, err)
	}
	if _, err := DocumentByID(ctx, pool, c.ID, "c"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	other := create(t, pool, "other")
	if _, err := DocumentByID(ctx, pool, other.ID, "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a document of another collection: %v", err)
	}
}

func TestSpaces(t *testing.T) {
	pool := pgtest.New(t)
	ctx := t.Context()
	c := create(t, pool, "docs")
	one := Space{Model: "m", ModelSHA256: "aaaa", Runtime: "1.31.1", Dimensions: 384}
	two := Space{Model: "m", ModelSHA256: "aaaa", Runtime: "1.30.0", Dimensions: 384}
	id := func(s Space) *int64 {
		n, err := SpaceID(ctx, pool, s)
		if err != nil {
			t.Fatal(err)
		}
		return &n
	}
	if first, again := *id(one), *id(one); first != again || first == *id(two) {
		t.Error("a space is its model file and runtime")
	}
	check := func(want Space) error { return CheckSpace(ctx, pool, c, want) }
	if err := check(one); err != nil {
		t.Errorf("an empty collection fits any model: %v", err)
	}
	addDocument(t, pool, c, "a", id(one), "x", "y")
	if err := check(one); err != nil {
		t.Error(err)
	}
	var wrong *SpaceError
	if err := check(two); !errors.As(err, &wrong) || wrong.Have != one || !strings.Contains(err.Error(), "1.31.1") {
		t.Errorf("another runtime: %v", err)
	}
	addDocument(t, pool, c, "b", id(two), "z")
	for _, s := range []Space{one, two} {
		if err := check(s); !errors.As(err, &wrong) {
			t.Errorf("a mixed collection: %v", err)
		}
	}
	addDocument(t, pool, c, "c", nil, "no vector")
	counts, err := Spaces(ctx, pool, c.ID)
	if err != nil || len(counts) != 3 || counts[0] != (SpaceCount{one, 2}) {
		t.Errorf("%+v %v", counts, err)
	}
	if _, err := pool.Exec(ctx, `delete from documents where external_id = 'b'`); err != nil {
		t.Fatal(err)
	}
	if err := check(one); !errors.As(err, &wrong) || wrong.Have != (Space{}) || !wrong.Usable || !strings.Contains(err.Error(), "without vectors") {
		t.Errorf("a chunk without a vector: %v", err)
	}
	if _, err := pool.Exec(ctx, `update chunks set space_id = null`); err != nil {
		t.Fatal(err)
	}
	if err := check(one); !errors.As(err, &wrong) || wrong.Usable {
		t.Errorf("no vector at all: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := CheckSpace(canceled, pool, c, one); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLookups(t *testing.T) {
	pool := pgtest.New(t)
	ctx := t.Context()
	c := create(t, pool, "docs")
	ids := addDocument(t, pool, c, "a", nil, "one", "two", "three")
	got, err := ChunkIDs(ctx, pool, c.ID, []string{"a/three", "nope", "a/one"})
	if err != nil || !slices.Equal(got, []int64{ids[2], ids[0]}) {
		t.Errorf("%v %v, want %v", got, err, ids)
	}
	v := make([]string, 384)
	for i := range v {
		v[i] = "0"
	}
	v[3] = "1"
	if _, err := pool.Exec(ctx, `update chunks set embedding = $2::text::halfvec where id = $1`, ids[1], "["+strings.Join(v, ",")+"]"); err != nil {
		t.Fatal(err)
	}
	one, err := Embedding(ctx, pool, ids[1])
	if err != nil || len(one) != 384 || one[3] != 1 {
		t.Errorf("%v %v", one, err)
	}
	many, err := Embeddings(ctx, pool, ids)
	if err != nil || len(many) != 1 || !slices.Equal(many[ids[1]], one) {
		t.Errorf("%d vectors, %v", len(many), err)
	}
	if _, err := Embedding(ctx, pool, 987654); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
