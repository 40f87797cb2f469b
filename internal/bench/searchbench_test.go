package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func TestSearch(t *testing.T) {
	pool := pgtest.New(t)
	ix := lexical.New(pool, lexical.Config{})
	var c lexical.Collection
	if err := pool.QueryRow(t.Context(), "insert into collections (name) values ('bench') returning id").Scan(&c.ID); err != nil {
		t.Fatal(err)
	}
	var docs []lexical.Document
	for i := range 500 {
		docs = append(docs, lexical.Document{Chunk: int64(i + 1), Body: fmt.Sprintf("passage number%d of many words word%d", i, i%7)})
	}
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return ix.Append(t.Context(), tx, c, docs) })
	if err != nil {
		t.Fatal(err)
	}
	r, err := Search(t.Context(), ix, SearchOptions{Collection: c, Queries: []string{"passage word3", "number44"}, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Documents != 500 || r.Queries != 2 || len(r.EachScore) != 2 || r.Score.P50 <= 0 || r.Search.P99 < r.Score.P50 || r.Postings == 0 || r.CacheHitRate != 1 {
		t.Errorf("%+v", r)
	}
	if s := r.String(); !strings.Contains(s, "scorer") || !strings.Contains(s, "500 documents") {
		t.Error(s)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if r.ParallelQPS <= 0 || r.BlocksRead+r.BlocksSkipped != r.Blocks || r.Adds.P50 > r.Search.P99 {
		t.Errorf("%+v", r)
	}
	r.Name = "<named>"
	if svg := Plot([]*SearchReport{r, r}); strings.Count(svg, "<polyline") != 4 || !strings.Contains(svg, "&lt;named&gt;") {
		t.Error(svg)
	}
	if _, err := Search(t.Context(), ix, SearchOptions{Collection: c}); err == nil {
		t.Error("no queries: no error")
	}
}

func TestDrawQueries(t *testing.T) {
	pool := pgtest.New(t)
	var c int64
	if err := pool.QueryRow(t.Context(), "insert into collections (name) values ('bench') returning id").Scan(&c); err != nil {
		t.Fatal(err)
	}
	_, err := pool.Exec(t.Context(), `
		with d as (insert into documents (collection_id, external_id, title, body, content_hash)
			select $1, n::text, 'Title ' || n, '', '' from generate_series(1, 40) n returning id, title)
		insert into chunks (document_id, collection_id, stable_id, ordinal, headings, body, start_offset, end_offset)
		select id, $1, md5(title), 0, case when id % 2 = 0 then array['Heading ' || id] else '{}' end, repeat('some words of ' || title || ' ', 1 + (id % 5)::int), 0, 0 from d`, c)
	if err != nil {
		t.Fatal(err)
	}
	short, long, err := DrawQueries(t.Context(), pool, c, 12)
	if err != nil || len(short) != 12 || len(long) != 12 {
		t.Fatalf("%q, %q, %v", short, long, err)
	}
	for _, q := range long {
		if n := len(strings.Fields(q)); n < 9 || n > 16 {
			t.Errorf("%d words: %q", n, q)
		}
	}
	again, _, err := DrawQueries(t.Context(), pool, c, 12)
	if err != nil || strings.Join(again, "|") != strings.Join(short, "|") {
		t.Errorf("drawn again: %q, before %q, %v", again, short, err)
	}
}
