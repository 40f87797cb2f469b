// Command engine measures our own BM25 for the comparison with its peers: it loads
// passages into a collection of an empty database and asks two sets of queries.
//
//	engine -dsn DSN -corpus corpus.jsonl -queries queries.jsonl -queries queries_long.jsonl
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/bench"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/text"
	"github.com/bmcis/bmcis/migrations"
)

type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	var queries list
	dsn := flag.String("dsn", "", "database; it is migrated, and loaded unless it already is")
	corpus := flag.String("corpus", "", "corpus.jsonl: {\"id\", \"text\"} a line")
	limit := flag.Int("limit", 10, "hits")
	rounds := flag.Int("rounds", 5, "rounds; the best of each query counts")
	out := flag.String("json", "", "file for the results, a JSON object a line")
	profile := flag.String("cpuprofile", "", "file for a CPU profile of the queries")
	tokens := flag.String("tokens", "", "tokens.txt: build segments of these, too, as the peers do, and report that time")
	expr := flag.String("filter", "", `filter, such as "p < 10": p is 0..99, one for each passage`)
	flag.Var(&queries, "queries", "queries.jsonl: {\"query\"} a line; may be repeated")
	flag.Parse()
	if err := run(context.Background(), *dsn, *corpus, *tokens, *expr, queries, *limit, *rounds, *out, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dsn, corpus, tokens, expr string, sets []string, limit, rounds int, out, profile string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := migrations.Up(ctx, pool); err != nil {
		return err
	}
	c := lexical.Collection{Language: "english"}
	var built float64
	err = pool.QueryRow(ctx, "select id from collections where name = 'bench'").Scan(&c.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		if err := pool.QueryRow(ctx, "insert into collections (name) values ('bench') returning id").Scan(&c.ID); err != nil {
			return err
		}
		if built, err = load(ctx, pool, c, corpus); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if tokens != "" {
		if built, err = build(ctx, tokens); err != nil {
			return err
		}
	}
	var keep filter.Expr
	if expr != "" {
		if keep, err = filter.Parse(expr); err != nil {
			return err
		}
	}
	var size int64
	if err := pool.QueryRow(ctx, "select sum(size)::bigint from lex_segments").Scan(&size); err != nil {
		return err
	}
	fmt.Printf("index: %.1f MB with positions\n", float64(size)/1e6)
	ix := lexical.New(pool, lexical.Config{CacheBytes: 1 << 30})
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	file := io.Discard
	if out != "" {
		f, err := os.Create(out)
		if err != nil {
			return err
		}
		defer f.Close()
		file = f
	}
	for _, set := range sets {
		var texts []string
		err := each(set, func(line []byte) error {
			var q struct{ Query string }
			err := json.Unmarshal(line, &q)
			texts = append(texts, q.Query)
			return err
		})
		if err != nil {
			return err
		}
		r, err := bench.Search(ctx, ix, bench.SearchOptions{Collection: c, Queries: texts, Plain: true, Filter: keep, Limit: limit, Rounds: rounds})
		if err != nil {
			return err
		}
		fmt.Printf("\n%s\n%s", filepath.Base(set), r)
		for _, of := range []struct {
			name string
			each []time.Duration
		}{{"BMCIS, scorer", r.EachScore}, {"BMCIS, whole search", r.EachSearch}} {
			line := result{Engine: of.name, Set: setName(set), Build: built, Index: float64(size) / 1e6, Documents: r.Documents}
			for _, d := range of.each {
				line.Micros = append(line.Micros, float64(d.Nanoseconds())/1e3)
			}
			if err := json.NewEncoder(file).Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// result is what all harnesses print.
type result struct {
	Engine    string    `json:"engine"`
	Set       string    `json:"set"`
	Build     float64   `json:"build_s"`
	Index     float64   `json:"index_mb"`
	Documents int64     `json:"documents"`
	Micros    []float64 `json:"us"`
}

// setName is the name of a query set whatever the file's ending.
func setName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".txt"
}

// load appends the passages and merges them into one segment, on one thread.
func load(ctx context.Context, pool *pgxpool.Pool, c lexical.Collection, corpus string) (seconds float64, err error) {
	ix := lexical.New(pool, lexical.Config{})
	var batch []lexical.Document
	n := 0
	begun := time.Now()
	flush := func() error {
		// Rows for the filter to look at. They are not what is measured.
		paused := time.Now()
		_, err := pool.Exec(ctx, `
			with d as (insert into documents (id, collection_id, external_id, body, content_hash, metadata) overriding system value
				select n, $1, n::text, '', '', jsonb_build_object('p', n::bigint * 7919 % 100) from generate_series($2::int, $3::int) n returning id)
			insert into chunks (id, document_id, collection_id, stable_id, ordinal, body, start_offset, end_offset) overriding system value
			select id, id, $1, id::text, 0, '', 0, 0 from d`, c.ID, n+1, n+len(batch))
		if err != nil {
			return err
		}
		begun = begun.Add(time.Since(paused))
		n += len(batch)
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return ix.Append(ctx, tx, c, batch) })
		batch = batch[:0]
		return err
	}
	err = each(corpus, func(line []byte) error {
		var d struct {
			ID   int64
			Text string
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		batch = append(batch, lexical.Document{Chunk: d.ID + 1, Body: d.Text})
		if len(batch) == 10_000 {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return 0, err
	}
	appended := time.Since(begun)
	if _, err := ix.Optimize(ctx, c); err != nil {
		return 0, err
	}
	fmt.Printf("loaded %d passages: %.1f s to analyse and append, %.1f s to merge\n", n, appended.Seconds(), (time.Since(begun) - appended).Seconds())
	return time.Since(begun).Seconds(), nil
}

// build makes one segment of the tokens in a file, a passage a line, on one processor: what
// the peers' build times measure. It ends with the bytes of the segment in a file.
func build(ctx context.Context, path string) (seconds float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	file, err := os.CreateTemp("", "segment")
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	begun := time.Now()
	var b segment.Builder
	var sources []segment.Source
	n := int64(0)
	flush := func() error {
		data, _, err := b.Finish()
		if err != nil {
			return err
		}
		f, err := segment.OpenFile(data)
		sources = append(sources, segment.Source{File: f})
		return err
	}
	var list []text.Token
	err = each(path, func(line []byte) error {
		n++
		list = list[:0]
		for term := range strings.FieldsSeq(string(line)) {
			list = append(list, text.Token{Term: term, Position: len(list)})
		}
		b.Add(n, 1, [segment.NumFields][]text.Token{segment.Body: list})
		if b.Docs() == 20_000 {
			return flush()
		}
		return nil
	})
	if err == nil && b.Docs() > 0 {
		err = flush()
	}
	if err != nil {
		return 0, err
	}
	data, _, err := segment.Merge(ctx, sources)
	if err != nil {
		return 0, err
	}
	if _, err := file.Write(data); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	seconds = time.Since(begun).Seconds()
	fmt.Printf("built %d passages from tokens on one processor in %.1f s, %.0f a second\n", n, seconds, float64(n)/seconds)
	return seconds, nil
}

func each(path string, f func([]byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		if err := f(s.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return s.Err()
}
