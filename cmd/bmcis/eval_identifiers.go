package main

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/bench"
	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/search"
)

func newEvalIdentifiersCommand(g *globals) *cobra.Command {
	var opts struct {
		collection string
		count      int
		failUnder  float64
		json       bool
	}
	cmd := &cobra.Command{
		Use:   "identifiers --collection C",
		Short: "Ask for function names, error codes, versions and paths of a collection's own texts",
		Long: "Draws identifiers that stand in one document of the collection only, asks for each,\n" +
			"and says how often its document is the first hit.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.count < 1 || opts.count > 10_000 {
				return usagef("--identifiers must be 1..10000, got %d", opts.count)
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
				list, err := bench.DrawIdentifiers(ctx, pool, c.ID, opts.count)
				if err != nil {
					return err
				}
				engine, err := search.New(pool, search.Config{Warn: g.warn})
				if err != nil {
					return err
				}
				defer engine.Close()
				bar := newProgress(g, "asking", "queries")
				report, err := bench.Identifiers(ctx, engine, c.Name, list, bar.set)
				bar.done()
				if err != nil {
					return err
				}
				if err := printMeasured(cmd, report, opts.json); err != nil {
					return err
				}
				if report.Recall1 < opts.failUnder {
					return fmt.Errorf("recall@1 is %.4f, below --fail-under %.4f", report.Recall1, opts.failUnder)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.collection, "collection", "default", "collection to ask")
	f.IntVar(&opts.count, "identifiers", 500, "number of identifiers to draw, 1 to 10000")
	f.Float64Var(&opts.failUnder, "fail-under", 0, "fail when recall@1 is below this, 0 to 1")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	return cmd
}
