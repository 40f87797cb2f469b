// Command tsvector measures PostgreSQL's own text search for the comparison: a tsvector
// column with a GIN index, OR queries ranked by ts_rank_cd, over the tokens that all
// engines get. Prints a JSON object a query set.
//
//	tsvector -dsn DSN -tokens tokens.txt -sample 100 queries.txt queries_long.txt
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

type result struct {
	Engine    string    `json:"engine"`
	Set       string    `json:"set"`
	Build     float64   `json:"build_s"`
	Index     float64   `json:"index_mb"`
	Documents int64     `json:"documents"`
	Sample    int       `json:"sample"`
	Micros    []float64 `json:"us"`
}

func main() {
	dsn := flag.String("dsn", "", "database; a table bench_tsvector is made in it")
	tokens := flag.String("tokens", "", "tokens.txt")
	sample := flag.Int("sample", 100, "ask only that many queries of each set, evenly chosen: they take seconds")
	flag.Parse()
	if err := run(context.Background(), *dsn, *tokens, *sample, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "tsvector:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dsn, tokens string, sample int, sets []string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var r result
	if err := load(ctx, conn, tokens, &r); err != nil {
		return err
	}
	for _, set := range sets {
		lines, err := readLines(set)
		if err != nil {
			return err
		}
		r.Set, r.Micros = filepath.Base(set), nil
		step := max(1, len(lines)/sample)
		for i := 0; i < len(lines); i += step {
			query := strings.Join(quoted(strings.Fields(lines[i])), " | ")
			if query == "" {
				continue
			}
			best := time.Duration(1 << 62)
			for range 2 {
				begun := time.Now()
				rows, err := conn.Query(ctx, `select id, ts_rank_cd(body, q) as rank from bench_tsvector, to_tsquery('simple', $1) q
					where body @@ q order by rank desc limit 10`, query)
				if err != nil {
					return err
				}
				rows.Close()
				if rows.Err() != nil {
					return rows.Err()
				}
				best = min(best, time.Since(begun))
			}
			r.Micros = append(r.Micros, float64(best.Microseconds()))
		}
		r.Sample = len(r.Micros)
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func load(ctx context.Context, conn *pgx.Conn, tokens string, r *result) error {
	lines, err := readLines(tokens)
	if err != nil {
		return err
	}
	begun := time.Now()
	if _, err := conn.Exec(ctx, "drop table if exists bench_tsvector; create unlogged table bench_tsvector (id int, body tsvector)"); err != nil {
		return err
	}
	for from := 0; from < len(lines); from += 5000 {
		batch := lines[from:min(from+5000, len(lines))]
		for i, l := range batch {
			words := quoted(strings.Fields(l))
			for k := range words {
				words[k] += fmt.Sprintf(":%d", min(k+1, 16383))
			}
			batch[i] = strings.Join(words, " ")
		}
		_, err := conn.Exec(ctx, `insert into bench_tsvector
			select $1 + n, t::tsvector from unnest($2::text[]) with ordinality as x(t, n)`, from, batch)
		if err != nil {
			return err
		}
	}
	if _, err := conn.Exec(ctx, "create index on bench_tsvector using gin (body); analyze bench_tsvector"); err != nil {
		return err
	}
	r.Engine, r.Build, r.Documents = "PostgreSQL tsvector, OR, ts_rank_cd", time.Since(begun).Seconds(), int64(len(lines))
	return conn.QueryRow(ctx, "select pg_indexes_size('bench_tsvector') / 1e6").Scan(&r.Index)
}

// quoted makes tokens that to_tsquery takes as they are.
func quoted(tokens []string) []string {
	out := tokens[:0]
	for _, t := range tokens {
		if t = strings.NewReplacer("'", "", `\`, "").Replace(t); t != "" && len(t) < 2000 {
			out = append(out, "'"+t+"'")
		}
	}
	return out
}

func readLines(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	var lines []string
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	return lines, s.Err()
}
