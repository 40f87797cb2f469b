package main

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/bench"
	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/home"
)

func newEvalRecallCommand(g *globals) *cobra.Command {
	var opts struct {
		collection     string
		queries, k, ef int
		window         int
		failUnder      float64
		json           bool
	}
	cmd := &cobra.Command{
		Use:   "recall --collection C",
		Short: "Compare vector search with exact distances, with and without filters",
		Long: "Asks a collection's own titles and headings as queries and says which share of the\n" +
			"true nearest neighbours vector search finds: without a filter, and with filters that\n" +
			"keep 10 %, 1 % and 0.1 % of the documents. Where a filter leaves up to 10,000 chunks,\n" +
			"search compares them all by itself; the column exact counts that.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for name, n := range map[string]int{"queries": opts.queries, "k": opts.k, "window": opts.window} {
				if n < 1 || n > 2000 {
					return usagef("--%s must be 1..2000, got %d", name, n)
				}
			}
			if opts.ef < 0 || opts.ef > 1000 {
				return usagef("--ef-search must be 0..1000, got %d", opts.ef)
			}
			if err := share("fail-under", opts.failUnder); err != nil {
				return err
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				ctx := cmd.Context()
				c, err := catalog.Get(ctx, pool, opts.collection)
				if err != nil {
					return err
				}
				queries, _, err := bench.DrawQueries(ctx, pool, c.ID, opts.queries)
				if err != nil {
					return err
				}
				model, err := openEmbedder()
				if err != nil {
					return err
				}
				defer model.Close()
				if err := catalog.CheckSpace(ctx, pool, c, catalog.Space(model.Space())); err != nil {
					return err
				}
				bar := newProgress(g, "asking", "queries")
				report, err := bench.Recall(ctx, pool, bench.RecallOptions{
					Collection: c.ID, Name: c.Name, Queries: queries, Embed: model.Query, K: opts.k, Window: opts.window, EfSearch: opts.ef,
					Shares: []float64{1, 0.1, 0.01, 0.001}, Progress: bar.set,
				})
				bar.done()
				if err != nil {
					return err
				}
				if err := printMeasured(cmd, report, opts.json); err != nil {
					return err
				}
				for _, row := range report.Rows {
					if row.Recall < opts.failUnder {
						return fmt.Errorf("recall@%d with a filter that keeps %g %% is %.4f, below --fail-under %.4f", opts.k, 100*row.Share, row.Recall, opts.failUnder)
					}
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.collection, "collection", "default", "collection to ask")
	f.IntVar(&opts.queries, "queries", 100, "number of queries to draw, 1 to 2000")
	f.IntVar(&opts.k, "k", 20, "number of neighbours, 1 to 2000")
	f.IntVar(&opts.window, "window", 100, "number of neighbours to ask for, as searches do; at least k")
	f.IntVar(&opts.ef, "ef-search", 0, "size of HNSW's candidate list, 1 to 1000; 0: as searches do")
	f.Float64Var(&opts.failUnder, "fail-under", 0, "fail when a recall is below this, 0 to 1")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	return cmd
}

// openEmbedder opens the embedding model by itself, for measurements of one stage.
func openEmbedder() (*embed.Embedder, error) {
	library, err := home.ONNXRuntime()
	if err != nil {
		return nil, err
	}
	dir, _, _, err := home.EmbeddingModel()
	if err != nil {
		return nil, err
	}
	return embed.Open(embed.Config{ModelDir: dir, LibraryPath: library})
}
