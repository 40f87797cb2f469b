package ingest

import (
	"testing"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// TestFiltersSeeChangesOfAttributes changes everything about a document that a filter can
// look at, one after the other, while its text stays: searches must see each change, and
// the chunk must keep its vector.
func TestFiltersSeeChangesOfAttributes(t *testing.T) {
	pool := pgtest.New(t)
	enc := newHashEncoder("a")
	ix := newIndexer(t, pool, enc)
	doc := Document{ID: "a", Title: "Title", Text: "the text stays", Source: "s", URI: "file:///one", Metadata: map[string]any{"n": 1}}
	mustIndex(t, ix, Options{Collection: "c"}, list{doc})
	col, err := catalog.Get(t.Context(), pool, "c")
	if err != nil {
		t.Fatal(err)
	}
	found := func(f string) bool {
		t.Helper()
		e, err := filter.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ix.lex.Search(t.Context(), lexical.Query{Collection: LexicalCollection(col), Text: "stays", Filter: e})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Hits) == 1
	}
	var before string
	if err := pool.QueryRow(t.Context(), `select to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`).Scan(&before); err != nil {
		t.Fatal(err)
	}
	if found(`updated > "`+before+`"`) || !found(`created < "`+before+`"`) {
		t.Error("created and updated are not what they were")
	}
	embedded := enc.embedded.Load()
	for _, c := range []struct {
		change      func()
		gone, there string
	}{
		{func() { doc.Metadata = map[string]any{"n": 2} }, `n = 1`, `n = 2`},
		{func() { doc.Source = "other" }, `source = "s"`, `source = "other"`},
		{func() { doc.URI = "file:///two" }, `uri contains "one"`, `uri contains "two"`},
		{func() { doc.Metadata = nil }, `exists n`, `updated > "` + before + `" and created < "` + before + `"`},
	} {
		if !found(c.gone) && c.gone != `exists n` {
			t.Errorf("before the change nothing matches %s", c.gone)
		}
		c.change()
		r := mustIndex(t, ix, Options{Collection: "c"}, list{doc})
		wantCounts(t, r, 0, 1, 0, 0, 0)
		if found(c.gone) || !found(c.there) {
			t.Errorf("after the change %s: %v, %s: %v", c.gone, found(c.gone), c.there, found(c.there))
		}
	}
	if enc.embedded.Load() != embedded {
		t.Error("a text that stayed was embedded again")
	}
	checkStored(t, pool, enc, "c")
}
