// Package bench measures. In: a system that is set up, and queries. Out: figures, as
// values that print as a table and as JSON. Caller: `bmcis bench`, and the harnesses
// under bench/peers that put other engines beside ours.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/segment"
)

// SearchOptions say what to ask.
type SearchOptions struct {
	// Name of the set of queries, for the report.
	Name       string
	Collection lexical.Collection
	Queries    []string
	// Plain takes the queries as words, without the query language.
	Plain  bool
	Filter filter.Expr
	// Limit is the number of hits. Defaults to 10.
	Limit int
	// Rounds is how often the queries are asked; the fastest answer of each counts.
	// Defaults to 5. One more round before warms the cache.
	Rounds int
	// Texts is where the texts of the hits are read, as a search does that shows them.
	// Nil reads none.
	Texts catalog.DB
}

// Percentiles are in microseconds.
type Percentiles struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Mean float64 `json:"mean"`
}

// SearchReport says how fast BM25 answers on one thread, warm.
type SearchReport struct {
	Name      string `json:"name,omitempty"`
	Documents int64  `json:"documents"`
	Queries   int    `json:"queries"`
	Limit     int    `json:"limit"`
	// Search is a whole lexical.Index.Search, Score its scorer alone, View the statement
	// that reads the manifest, Texts reading the texts of the hits, Adds what a search
	// takes beyond the scorer, with the texts when they were read.
	Search Percentiles `json:"search_us"`
	Score  Percentiles `json:"score_us"`
	View   Percentiles `json:"view_us"`
	Texts  Percentiles `json:"texts_us"`
	Adds   Percentiles `json:"adds_us"`
	// QPS are whole searches a second, ScoreQPS what the scorer alone would reach,
	// ParallelQPS whole searches on Threads threads at once.
	QPS         float64 `json:"qps"`
	ScoreQPS    float64 `json:"score_qps"`
	ParallelQPS float64 `json:"parallel_qps"`
	Threads     int     `json:"threads"`
	// Cold is the first query of all, in milliseconds.
	Cold float64 `json:"cold_ms"`
	// Means per query: blocks of 128 postings in its lists, those that were read and
	// those that were skipped (by whole blocks' worth of postings), postings scored or
	// looked up, windows of documents scored or skipped.
	Blocks         float64 `json:"blocks"`
	BlocksRead     float64 `json:"blocks_read"`
	BlocksSkipped  float64 `json:"blocks_skipped"`
	Postings       float64 `json:"postings"`
	Windows        float64 `json:"windows"`
	WindowsSkipped float64 `json:"windows_skipped"`
	CacheHitRate   float64 `json:"cache_hit_rate"`
	CacheBytes     int64   `json:"cache_bytes"`
	HeapBytes      uint64  `json:"heap_bytes"`
	// EachSearch and EachScore are the best times of each query, in the queries' order.
	EachSearch []time.Duration `json:"-"`
	EachScore  []time.Duration `json:"-"`
}

// Search measures an index on one thread.
func Search(ctx context.Context, ix *lexical.Index, o SearchOptions) (*SearchReport, error) {
	if len(o.Queries) == 0 {
		return nil, fmt.Errorf("bench search: no queries")
	}
	if o.Limit == 0 {
		o.Limit = 10
	}
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	r := &SearchReport{Name: o.Name, Queries: len(o.Queries), Limit: o.Limit}
	var total, score, view, texts []time.Duration
	for round := range o.Rounds + 1 {
		for i, text := range o.Queries {
			begun := time.Now()
			res, err := ix.Search(ctx, lexical.Query{Collection: o.Collection, Text: text, Plain: o.Plain, Filter: o.Filter, Limit: o.Limit})
			if err != nil {
				return nil, fmt.Errorf("bench search: query %d: %w", i, err)
			}
			took := time.Since(begun)
			read, err := readTexts(ctx, o.Texts, res.Hits)
			if err != nil {
				return nil, fmt.Errorf("bench search: query %d: %w", i, err)
			}
			switch round {
			case 0:
				if i == 0 {
					r.Cold = float64(took.Microseconds()) / 1000
				}
				total, score, view, texts = append(total, 1<<62), append(score, 1<<62), append(view, 1<<62), append(texts, 1<<62)
				continue
			case 1:
				n := float64(len(o.Queries))
				r.Documents = res.Documents
				r.Blocks += float64(res.Stats.Blocks) / n
				r.BlocksRead += min(float64(res.Stats.Postings)/segment.BlockSize, float64(res.Stats.Blocks)) / n
				r.Postings += float64(res.Stats.Postings) / n
				r.Windows += float64(res.Stats.Windows) / n
				r.WindowsSkipped += float64(res.Stats.WindowsSkipped) / n
				if all := res.Stats.CacheHits + res.Stats.CacheMisses; all > 0 {
					r.CacheHitRate += float64(res.Stats.CacheHits) / float64(all) / n
				} else {
					r.CacheHitRate += 1 / n
				}
				r.CacheBytes = res.Stats.CacheBytes
			}
			total[i] = min(total[i], took)
			score[i] = min(score[i], res.Stats.Score)
			view[i] = min(view[i], res.Stats.View)
			texts[i] = min(texts[i], read)
		}
	}
	r.BlocksSkipped = r.Blocks - r.BlocksRead
	r.EachSearch, r.EachScore = slices.Clone(total), slices.Clone(score)
	adds := make([]time.Duration, len(total))
	for i := range adds {
		adds[i] = total[i] - score[i] + texts[i]
	}
	r.Search, r.Score, r.View = percentiles(total), percentiles(score), percentiles(view)
	r.Texts, r.Adds = percentiles(texts), percentiles(adds)
	r.QPS, r.ScoreQPS = 1e6/r.Search.Mean, 1e6/r.Score.Mean
	var err error
	if r.Threads, r.ParallelQPS, err = parallel(ctx, ix, o); err != nil {
		return nil, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.HeapBytes = m.HeapAlloc
	return r, nil
}

// readTexts reads the texts of hits, as a search that shows them does.
func readTexts(ctx context.Context, db catalog.DB, hits []lexical.Hit) (time.Duration, error) {
	if db == nil {
		return 0, nil
	}
	begun := time.Now()
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.Chunk
	}
	_, err := catalog.Hydrate(ctx, db, ids)
	return time.Since(begun), err
}

// parallel asks all queries once on each of as many threads as there are processors.
func parallel(ctx context.Context, ix *lexical.Index, o SearchOptions) (threads int, qps float64, err error) {
	threads = runtime.GOMAXPROCS(0)
	group, ctx := errgroup.WithContext(ctx)
	begun := time.Now()
	for t := range threads {
		group.Go(func() error {
			for i := range o.Queries {
				text := o.Queries[(i+t*len(o.Queries)/threads)%len(o.Queries)]
				if _, err := ix.Search(ctx, lexical.Query{Collection: o.Collection, Text: text, Plain: o.Plain, Filter: o.Filter, Limit: o.Limit}); err != nil {
					return fmt.Errorf("bench search, on %d threads: %w", threads, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, 0, err
	}
	return threads, float64(threads*len(o.Queries)) / time.Since(begun).Seconds(), nil
}

func percentiles(d []time.Duration) Percentiles {
	slices.SortFunc(d, cmp.Compare)
	at := func(q float64) float64 { return float64(d[int(q*float64(len(d)-1)+0.5)].Nanoseconds()) / 1000 }
	var sum time.Duration
	for _, x := range d {
		sum += x
	}
	return Percentiles{at(.5), at(.95), at(.99), float64(sum.Nanoseconds()) / 1000 / float64(len(d))}
}

// String is the report as a table.
func (r *SearchReport) String() string {
	var b strings.Builder
	if r.Name != "" {
		fmt.Fprintf(&b, "%s: ", r.Name)
	}
	fmt.Fprintf(&b, "%d documents, %d queries, top %d, one thread, warm; microseconds\n", r.Documents, r.Queries, r.Limit)
	fmt.Fprintf(&b, "%-18s %9s %9s %9s %9s %10s\n", "", "p50", "p95", "p99", "mean", "per second")
	row := func(name string, p Percentiles) {
		fmt.Fprintf(&b, "%-18s %9.1f %9.1f %9.1f %9.1f %10.0f\n", name, p.P50, p.P95, p.P99, p.Mean, 1e6/p.Mean)
	}
	row("whole search", r.Search)
	row("manifest statement", r.View)
	row("scorer", r.Score)
	if r.Texts.Mean > 0 {
		row("texts of the hits", r.Texts)
	}
	row("all but the scorer", r.Adds)
	fmt.Fprintf(&b, "%.0f whole searches a second on %d threads; first query %.1f ms\n", r.ParallelQPS, r.Threads, r.Cold)
	fmt.Fprintf(&b, "per query: %.1f blocks in its lists, %.1f read, %.1f skipped; %.0f postings touched; %.1f windows scored, %.1f skipped\n",
		r.Blocks, r.BlocksRead, r.BlocksSkipped, r.Postings, r.Windows, r.WindowsSkipped)
	fmt.Fprintf(&b, "cache: %.1f %% hits, %.1f MB; heap %.1f MB\n", 100*r.CacheHitRate, float64(r.CacheBytes)/1e6, float64(r.HeapBytes)/1e6)
	return b.String()
}
