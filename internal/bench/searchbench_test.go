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
	if _, err := Search(t.Context(), ix, SearchOptions{Collection: c}); err == nil {
		t.Error("no queries: no error")
	}
}
