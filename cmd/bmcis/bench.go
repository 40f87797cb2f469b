package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/bench"
	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/ingest"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
	"github.com/bmcis/bmcis/search"
)

func newBenchCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure speed on your own documents, and what programs save",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("say what to measure: %s search or tokens", cmd.CommandPath())
		},
	}
	cmd.AddCommand(newBenchSearchCommand(g), newBenchTokensCommand(g), newBenchUpstreamCommand())
	cmd.AddCommand(newBenchLoadCommand(g))
	return cmd
}

func newBenchSearchCommand(g *globals) *cobra.Command {
	var opts struct {
		collection, filter, plot string
		queries                  []string
		limit, rounds, sample    int
		cache                    string
		syntax, json             bool
	}
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Measure keyword search: p50, p95, p99, queries a second, cache, memory",
		Long: "Asks a collection the queries of the given files, a line each: text, or JSON with a\n" +
			"\"query\" or \"text\". Without files it asks two sets drawn from the collection itself:\n" +
			"titles and headings (short), and 9 to 16 consecutive words (long). Each query counts\n" +
			"with its fastest answer; one round before warms the cache.",
		Example: "  bmcis bench search --collection handbook --plot speed.svg\n" +
			"  bmcis bench search --queries asked.txt --filter 'year >= 2024' --json",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if opts.limit < 1 || opts.rounds < 1 || opts.sample < 1 {
				return usagef("--limit, --rounds and --sample must be at least 1")
			}
			var keep filter.Expr
			var err error
			if opts.filter != "" {
				if keep, err = filter.Parse(opts.filter); err != nil {
					return usagef("--filter: %w", err)
				}
			}
			cache, err := parseBytes(opts.cache)
			if err != nil {
				return usagef("--cache %q: write a size such as 256MiB", opts.cache)
			}
			pool, done, err := private.Connect(ctx, pg.Config{DSN: g.dsn, Migrate: true, MaxConns: 8, Warn: g.warn})
			if err != nil {
				return err
			}
			defer done()
			c, err := catalog.Get(ctx, pool, opts.collection)
			if err != nil {
				return err
			}
			sets, err := querySets(ctx, pool, c, opts.queries, opts.sample)
			if err != nil {
				return err
			}
			var reports []*bench.SearchReport
			for _, set := range sets {
				// An index of its own for each set, so that each begins cold.
				ix := lexical.New(pool, lexical.Config{CacheBytes: cache})
				r, err := bench.Search(ctx, ix, bench.SearchOptions{
					Name: set.name, Collection: ingest.LexicalCollection(c), Queries: set.queries,
					Plain: !opts.syntax, Filter: keep, Limit: opts.limit, Rounds: opts.rounds, Texts: pool,
				})
				if err != nil {
					return err
				}
				reports = append(reports, r)
				if !opts.json {
					fmt.Fprintln(cmd.OutOrStdout(), r)
				}
			}
			if opts.plot != "" {
				if err := os.WriteFile(opts.plot, []byte(bench.Plot(reports)), 0o644); err != nil {
					return fmt.Errorf("write the plot: %w", err)
				}
			}
			if opts.json {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(reports)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.collection, "collection", search.DefaultCollection, "collection to search")
	f.StringArrayVar(&opts.queries, "queries", nil, "file of queries; may be repeated")
	f.IntVar(&opts.sample, "sample", 500, "queries to draw from the collection when no file is given")
	f.StringVar(&opts.filter, "filter", "", "filter for all queries")
	f.IntVar(&opts.limit, "limit", 10, "hits per query")
	f.IntVar(&opts.rounds, "rounds", 5, "rounds; the fastest answer of each query counts")
	f.StringVar(&opts.cache, "cache", "256MiB", "memory for the index, such as 64MiB")
	f.BoolVar(&opts.syntax, "syntax", false, "read +must, -not, \"phrases\" and the like in the queries; else all is words")
	f.StringVar(&opts.plot, "plot", "", "also write a plot to this SVG file")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	return cmd
}

type querySet struct {
	name    string
	queries []string
}

func querySets(ctx context.Context, pool *pgxpool.Pool, c catalog.Collection, files []string, sample int) ([]querySet, error) {
	var sets []querySet
	for _, path := range files {
		queries, err := readQueries(path)
		if err != nil {
			return nil, err
		}
		sets = append(sets, querySet{path, queries})
	}
	if len(files) > 0 {
		return sets, nil
	}
	short, long, err := bench.DrawQueries(ctx, pool, c.ID, sample)
	if err != nil {
		return nil, err
	}
	if len(short) == 0 && len(long) == 0 {
		return nil, fmt.Errorf("collection %q holds no text to draw queries from; index something first, or give --queries FILE", c.Name)
	}
	for _, set := range []querySet{{"short, drawn from the collection", short}, {"long, drawn from the collection", long}} {
		if len(set.queries) > 0 {
			sets = append(sets, set)
		}
	}
	return sets, nil
}

// readQueries reads a query a line: text, or JSON with "query" or "text".
func readQueries(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var queries []string
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("%s, line %d: not UTF-8 text", path, n)
		}
		if line[0] != '{' {
			queries = append(queries, line)
			continue
		}
		var q struct{ Query, Text string }
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		if q.Query == "" {
			q.Query = q.Text
		}
		if q.Query == "" {
			return nil, fmt.Errorf(`%s, line %d: no "query" and no "text"`, path, n)
		}
		queries = append(queries, q.Query)
	}
	if len(queries) == 0 {
		return nil, fmt.Errorf("%s holds no query", path)
	}
	return queries, nil
}
