package vector

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

const dims = 384

// corpus is random vectors in clusters, one chunk a document.
type corpus struct {
	ids     []int64
	vectors [][]float32
	cluster []int
}

func randomVector(rng *rand.Rand, center []float32, spread float64) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rng.NormFloat64() * spread)
		if center != nil {
			v[i] += center[i]
		}
	}
	return v
}

// fill makes collection name with n chunks; document i has {"n": i, "cluster": c}.
func fill(t *testing.T, pool *pgxpool.Pool, name string, n int, rng *rand.Rand) (collection int64, c corpus) {
	t.Helper()
	ctx := t.Context()
	if err := pool.QueryRow(ctx, `insert into collections (name) values ($1) returning id`, name).Scan(&collection); err != nil {
		t.Fatal(err)
	}
	centers := make([][]float32, 20)
	for i := range centers {
		centers[i] = randomVector(rng, nil, 1)
	}
	documents := make([][]any, n)
	for i := range n {
		cluster := rng.IntN(len(centers))
		c.cluster = append(c.cluster, cluster)
		c.vectors = append(c.vectors, randomVector(rng, centers[cluster], 0.8))
		documents[i] = []any{collection, fmt.Sprint(i), map[string]any{"n": i, "cluster": cluster}, "", []byte{}}
	}
	copyRows(t, pool, "documents", []string{"collection_id", "external_id", "metadata", "body", "content_hash"}, documents)
	rows, err := pool.Query(ctx, `select id from documents where collection_id = $1 order by external_id::int`, collection)
	if err != nil {
		t.Fatal(err)
	}
	docIDs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	var batch pgx.Batch
	for i, id := range docIDs {
		batch.Queue(`insert into chunks (document_id, collection_id, stable_id, ordinal, body, start_offset, end_offset, embedding)
			values ($1, $2, $3, 0, '', 0, 0, $4::halfvec)`, id, collection, fmt.Sprint(i), pgvector.NewHalfVector(c.vectors[i]))
	}
	if err := pool.SendBatch(ctx, &batch).Close(); err != nil {
		t.Fatal(err)
	}
	rows, err = pool.Query(ctx, `select id from chunks where collection_id = $1 order by stable_id::int`, collection)
	if err != nil {
		t.Fatal(err)
	}
	if c.ids, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, "analyze documents, chunks"); err != nil {
		t.Fatal(err)
	}
	return collection, c
}

func copyRows(t *testing.T, pool *pgxpool.Pool, table string, columns []string, rows [][]any) {
	t.Helper()
	if _, err := pool.CopyFrom(t.Context(), pgx.Identifier{table}, columns, pgx.CopyFromRows(rows)); err != nil {
		t.Fatal(err)
	}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

// bruteForce is the nearest chunks by plain arithmetic.
func (c corpus) bruteForce(q []float32, limit int, keep func(i int) bool) []Hit {
	var all []Hit
	for i := range c.ids {
		if keep(i) {
			all = append(all, Hit{c.ids[i], cosine(q, c.vectors[i])})
		}
	}
	slices.SortFunc(all, Hit.compare)
	return all[:min(limit, len(all))]
}

func recall(got, want []Hit) float64 {
	if len(want) == 0 {
		return 1
	}
	found := 0
	for _, w := range want {
		if slices.ContainsFunc(got, func(h Hit) bool { return h.Chunk == w.Chunk }) {
			found++
		}
	}
	return float64(found) / float64(len(want))
}

func TestSearchAgainstBruteForce(t *testing.T) {
	const n, exactRows = 4000, 1000
	pool := pgtest.New(t)
	rng := rand.New(rand.NewPCG(1, 2))
	_, _ = fill(t, pool, "neighbour", 300, rng) // another collection in the same index
	collection, c := fill(t, pool, "large", n, rng)
	cases := []struct {
		name   string
		filter filter.Expr
		keep   func(i int) bool
		exact  bool
		least  float64
	}{
		{"no filter", nil, func(int) bool { return true }, false, 0.9},
		{"90 %", filter.Ge("n", n/10), func(i int) bool { return i >= n/10 }, false, 0.9},
		{"10 %", filter.Lt("n", n/10), func(i int) bool { return i < n/10 }, true, 0.99},
		{"0.1 %", filter.Lt("n", 12), func(i int) bool { return i < 12 }, true, 1},
		{"one cluster", filter.Eq("cluster", 3), func(i int) bool { return c.cluster[i] == 3 }, true, 0.99},
		{"collection", filter.And(filter.Eq("collection", "large"), filter.Eq("cluster", 4)), func(i int) bool { return c.cluster[i] == 4 }, true, 0.99},
		{"nothing", filter.Eq("cluster", "3"), func(int) bool { return false }, true, 1},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			var sum float64
			const queries = 10
			for range queries {
				q := randomVector(rng, c.vectors[rng.IntN(n)], 0.5)
				got, err := search(t.Context(), pool, Query{CollectionID: collection, Embedding: q, Filter: test.filter, Limit: 20}, exactRows)
				if err != nil {
					t.Fatal(err)
				}
				want := c.bruteForce(q, 20, test.keep)
				if got.Exact != test.exact || got.Underfilled || len(got.Hits) != len(want) {
					t.Fatalf("exact %v, underfilled %v, %d hits of %d candidates, want exact %v and %d hits",
						got.Exact, got.Underfilled, len(got.Hits), got.Candidates, test.exact, len(want))
				}
				if !slices.IsSortedFunc(got.Hits, Hit.compare) {
					t.Fatal("hits are not in order")
				}
				for _, h := range got.Hits {
					i := slices.Index(c.ids, h.Chunk)
					if i < 0 || !test.keep(i) {
						t.Fatalf("chunk %d is not of this collection and filter", h.Chunk)
					}
					if d := math.Abs(h.Cosine - cosine(q, c.vectors[i])); d > 0.002 { // halfvec keeps 11 bits
						t.Fatalf("cosine of chunk %d is off by %v", h.Chunk, d)
					}
				}
				sum += recall(got.Hits, want)
			}
			if r := sum / queries; r < test.least {
				t.Errorf("recall@20 is %.3f, want at least %.2f", r, test.least)
			} else {
				t.Logf("recall@20 %.3f", r)
			}
		})
	}
	t.Run("the index is used", func(t *testing.T) {
		// Only so do the cases above tell anything about the approximate search.
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(context.Background()) }()
		from, args, err := candidates(Query{CollectionID: collection, Filter: filter.Ge("n", n/10)})
		if err != nil {
			t.Fatal(err)
		}
		sql := fmt.Sprintf("explain select k.id, k.embedding <=> $%d::halfvec as distance %s order by distance limit 20", len(args)+1, from)
		rows, err := tx.Query(t.Context(), sql, append(args, pgvector.NewHalfVector(c.vectors[0]))...)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "chunks_embedding") {
			t.Errorf("the plan of the approximate search does not use HNSW:\n%s", text)
		}
	})
	t.Run("settings do not leak", func(t *testing.T) {
		var ef string
		if err := pool.QueryRow(t.Context(), "select current_setting('hnsw.ef_search')").Scan(&ef); err != nil || ef != "40" {
			t.Errorf("hnsw.ef_search after a search is %q (%v)", ef, err)
		}
	})
	t.Run("large limit", func(t *testing.T) {
		got, err := search(t.Context(), pool, Query{CollectionID: collection, Embedding: c.vectors[0], Limit: 1500}, exactRows)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Hits) != 1500 && !got.Underfilled {
			t.Errorf("%d hits of 1500, and not said to be underfilled", len(got.Hits))
		}
	})
}

func TestScoreEqualsSearch(t *testing.T) {
	pool := pgtest.New(t)
	rng := rand.New(rand.NewPCG(3, 4))
	collection, c := fill(t, pool, "small", 50, rng)
	// A chunk without a vector, and two equal ones.
	ctx := t.Context()
	if _, err := pool.Exec(ctx, `update chunks set embedding = null where id = $1`, c.ids[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, `update chunks set embedding = (select embedding from chunks where id = $1) where id = $2`, c.ids[1], c.ids[2]); err != nil {
		t.Fatal(err)
	}
	got, err := Search(ctx, pool, Query{CollectionID: collection, Embedding: c.vectors[1], Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Hits) != 49 || !got.Exact || got.Underfilled || got.Candidates != 49 {
		t.Fatalf("%+v", got)
	}
	if got.Hits[0].Chunk != c.ids[1] || got.Hits[1].Chunk != c.ids[2] {
		t.Errorf("equal chunks come as %v, want %d then %d", got.Hits[:2], c.ids[1], c.ids[2])
	}
	scores, err := Score(ctx, pool, c.vectors[1], append(slices.Clone(c.ids), 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != 49 {
		t.Errorf("%d scores, want 49", len(scores))
	}
	for _, h := range got.Hits {
		if scores[h.Chunk] != h.Cosine {
			t.Errorf("chunk %d: Score %v, Search %v", h.Chunk, scores[h.Chunk], h.Cosine)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	pool := pgtest.New(t)
	ctx := t.Context()
	ok := make([]float32, dims)
	ok[0] = 1
	for name, q := range map[string]Query{
		"no vector":   {CollectionID: 1, Limit: 1},
		"zero vector": {CollectionID: 1, Limit: 1, Embedding: make([]float32, dims)},
		"NaN":         {CollectionID: 1, Limit: 1, Embedding: []float32{float32(math.NaN())}},
		"no limit":    {CollectionID: 1, Embedding: ok},
		"bad filter":  {CollectionID: 1, Embedding: ok, Limit: 1, Filter: filter.Eq("source", 5)},
	} {
		if _, err := Search(ctx, pool, q); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got, err := Search(ctx, pool, Query{CollectionID: 1, Embedding: ok, Limit: 5}); err != nil || len(got.Hits) != 0 || !got.Exact {
		t.Errorf("unknown collection: %+v, %v", got, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Search(ended, pool, Query{CollectionID: 1, Embedding: ok, Limit: 5}); err == nil {
		t.Error("no error although the context had ended")
	}
}
