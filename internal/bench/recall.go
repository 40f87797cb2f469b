package bench

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/vector"
)

// RecallOptions say what to ask of vector search.
type RecallOptions struct {
	// Collection's id and name.
	Collection int64
	Name       string
	// Queries are texts, Embed makes their vectors.
	Queries []string
	Embed   func(ctx context.Context, text string) ([]float32, error)
	// K is how many neighbours are compared, Window how many are asked for (at least K), as
	// searches ask for a window of candidates; EfSearch is vector.Query's.
	K, Window, EfSearch int
	// Shares are the filters to try, each by the share of documents that it keeps; 1 is
	// no filter.
	Shares []float64
	// Progress may be nil.
	Progress func(done, total int64)
}

// RecallReport compares vector search with exact distances over the same candidates.
type RecallReport struct {
	Collection string      `json:"collection"`
	Chunks     int64       `json:"chunks"`
	Queries    int         `json:"queries"`
	K          int         `json:"k"`
	Window     int         `json:"window"`
	EfSearch   int         `json:"ef_search"` // 0: the default
	Rows       []RecallRow `json:"rows"`
}

// RecallRow is one filter.
type RecallRow struct {
	// Share of the documents that the filter keeps; 1: no filter.
	Share float64 `json:"share"`
	// Candidates is the mean number of chunks that the filter leaves.
	Candidates float64 `json:"candidates"`
	// Recall is the mean share of the exact K nearest that were found; neighbours as near
	// as the last of them count as well.
	Recall float64 `json:"recall"`
	// Exact counts the queries for which every candidate was compared, Underfilled those
	// with fewer hits than there are.
	Exact       int `json:"exact"`
	Underfilled int `json:"underfilled"`
	// Milliseconds of a search, its count of candidates included, and of an exact one.
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	ExactP50 float64 `json:"exact_p50_ms"`
}

// String is the report as a table.
func (r *RecallReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d chunks, %d queries, window %d, recall@%d against exact distances\n", r.Collection, r.Chunks, r.Queries, r.Window, r.K)
	fmt.Fprintf(&b, "%-10s %12s %8s %8s %9s %9s %13s %12s", "filter", "candidates", "recall", "exact", "p50 ms", "p95 ms", "exact p50 ms", "underfilled")
	for _, row := range r.Rows {
		name := fmt.Sprintf("%g %%", 100*row.Share)
		if row.Share == 1 {
			name = "none"
		}
		fmt.Fprintf(&b, "\n%-10s %12.0f %8.4f %8s %9.2f %9.2f %13.2f %12d", name, row.Candidates, row.Recall,
			fmt.Sprintf("%d/%d", row.Exact, r.Queries), row.P50, row.P95, row.ExactP50, row.Underfilled)
	}
	return b.String()
}

// Recall measures what the vector index finds of the true neighbours, with and without
// filters. A filter keeps a run of documents by their ids, another for each query.
func Recall(ctx context.Context, pool *pgxpool.Pool, o RecallOptions) (*RecallReport, error) {
	if len(o.Queries) == 0 {
		return nil, errors.New("measure recall: there is no query; the collection has no titles or headings to make some of")
	}
	ids, err := documentIDs(ctx, pool, o.Collection)
	if err != nil {
		return nil, err
	}
	r := &RecallReport{Collection: o.Name, Queries: len(o.Queries), K: o.K, Window: max(o.K, o.Window), EfSearch: o.EfSearch}
	err = pool.QueryRow(ctx, `select count(*) from chunks where collection_id = $1 and embedding is not null`, o.Collection).Scan(&r.Chunks)
	if err != nil {
		return nil, fmt.Errorf("measure recall: %w", err)
	}
	if r.Chunks == 0 {
		return nil, fmt.Errorf("measure recall: collection %s has no vectors; index it with the embedding model", o.Name)
	}
	vectors := make([][]float32, len(o.Queries))
	for i, text := range o.Queries {
		if vectors[i], err = o.Embed(ctx, text); err != nil {
			return nil, fmt.Errorf("measure recall: %w", err)
		}
	}
	total := int64(len(o.Shares) * len(vectors))
	for s, share := range o.Shares {
		row := RecallRow{Share: share}
		var took, exact []time.Duration
		for i, v := range vectors {
			q := vector.Query{CollectionID: o.Collection, Embedding: v, Limit: r.Window, EfSearch: o.EfSearch, Filter: keep(ids, share, o.Queries[i])}
			begun := time.Now()
			got, err := vector.Search(ctx, pool, q)
			if err != nil {
				return nil, fmt.Errorf("measure recall: %w", err)
			}
			took = append(took, time.Since(begun))
			q.Exact, q.Limit = true, o.K
			begun = time.Now()
			want, err := vector.Search(ctx, pool, q)
			if err != nil {
				return nil, fmt.Errorf("measure recall: %w", err)
			}
			exact = append(exact, time.Since(begun))
			row.Candidates += float64(want.Candidates) / float64(len(vectors))
			row.Recall += recallOf(got.Hits, want.Hits) / float64(len(vectors))
			if got.Exact {
				row.Exact++
			}
			if got.Underfilled {
				row.Underfilled++
			}
			if o.Progress != nil {
				o.Progress(int64(s*len(vectors)+i+1), total)
			}
		}
		row.P50, row.P95, row.ExactP50 = quantile(took, 0.5), quantile(took, 0.95), quantile(exact, 0.5)
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

func documentIDs(ctx context.Context, pool *pgxpool.Pool, collection int64) (ids []string, err error) {
	rows, err := pool.Query(ctx, `select external_id from documents where collection_id = $1 order by external_id collate "C"`, collection)
	if err != nil {
		return nil, fmt.Errorf("measure recall: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("measure recall: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// keep is a filter for a share of the documents, drawn by the query; nil for all.
func keep(ids []string, share float64, query string) filter.Expr {
	if share >= 1 {
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(query))
	n := min(len(ids), max(1, int(share*float64(len(ids)))))
	at := rand.New(rand.NewPCG(h.Sum64(), 0)).IntN(len(ids) - n + 1)
	if n > listed {
		return filter.Between("id", ids[at], ids[at+n-1]) // reads the ids of all documents
	}
	values := make([]any, n)
	for i := range values {
		values[i] = ids[at+i]
	}
	return filter.In("id", values...) // by the index
}

// listed is up to how many documents a filter names one by one.
const listed = 2500

func recallOf(got, want []vector.Hit) float64 {
	if len(want) == 0 {
		return 1
	}
	last := want[len(want)-1].Cosine
	found := 0
	for _, h := range got[:min(len(got), len(want))] {
		if h.Cosine >= last {
			found++
		}
	}
	return float64(found) / float64(len(want))
}

// quantile in milliseconds, by nearest rank.
func quantile(list []time.Duration, p float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	i := min(len(sorted)-1, int(p*float64(len(sorted))))
	return float64(sorted[i].Microseconds()) / 1000
}
