package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/eval"
	"github.com/bmcis/bmcis/search"
)

func newEvalCommand(g *globals) *cobra.Command {
	var opts struct {
		beir, mode, run, collection string
		failUnder                   float64
		rerank, noRerank, json      bool
	}
	cmd := &cobra.Command{
		Use:   "eval --beir DIR",
		Short: "Measure ranking quality on a judged collection in BEIR layout",
		Long: "Indexes DIR/corpus.jsonl (only what changed since the last time), asks every judged\n" +
			"query of DIR/queries.jsonl and compares with DIR/qrels.tsv. Metrics have the names\n" +
			"and values of ir_measures.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.beir == "" {
				return usagef("name the collection's folder with --beir DIR")
			}
			if err := oneOf("mode", opts.mode, "auto", "hybrid", "lexical", "vector"); err != nil {
				return err
			}
			policy, err := rerankPolicy(opts.rerank, opts.noRerank)
			if err != nil {
				return err
			}
			if policy == search.RerankAuto && opts.mode != "auto" {
				policy = search.RerankOff // a mode given by name is measured by itself
			}
			set, err := eval.LoadBEIR(opts.beir)
			if err != nil {
				return err
			}
			if set.Documents == 0 {
				return fmt.Errorf("%s has an empty corpus.jsonl; there is nothing to measure", opts.beir)
			}
			if opts.collection == "" {
				opts.collection = "eval-" + set.Name
			}
			engine, err := g.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			bar := newProgress(g, "indexing "+set.Name, "documents")
			indexed, err := engine.Index(cmd.Context(), search.IndexOptions{
				Collection: opts.collection, Prune: true, Progress: bar.index,
				LexicalOnly: opts.mode == string(search.ModeLexical),
			}, search.BEIR(opts.beir))
			bar.done()
			if err != nil {
				return err
			}
			if n := len(indexed.Failed); n > 0 {
				return fmt.Errorf("%d of %d documents were not indexed, so the scores would mislead; the first: %s: %s",
					n, set.Documents, indexed.Failed[0].ID, indexed.Failed[0].Reason)
			}
			bar = newProgress(g, "asking", "queries")
			report, run, err := eval.Run(cmd.Context(), set, func(ctx context.Context, query string, k int) ([]eval.Ranked, error) {
				return rankDocuments(ctx, engine, search.Request{
					Query: query, Plain: true, Collection: opts.collection, Mode: search.Mode(opts.mode),
					// Quality is measured, not haste: no passage is left out for lack of time.
					Rerank: search.RerankOptions{Policy: policy, Budget: time.Minute},
				}, k)
			}, bar.set)
			bar.done()
			if err != nil {
				return err
			}
			report.Mode, report.Rerank = opts.mode, policy == search.RerankOn
			if opts.run != "" {
				if err := writeRun(opts.run, run); err != nil {
					return err
				}
			}
			if opts.json {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
			} else {
				fmt.Fprintln(cmd.OutOrStdout(), report)
			}
			if err != nil {
				return err
			}
			if got := report.Metrics.NDCG10; got < opts.failUnder {
				return fmt.Errorf("nDCG@10 is %.4f, below --fail-under %.4f", got, opts.failUnder)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.beir, "beir", "", "folder with corpus.jsonl, queries.jsonl and qrels.tsv")
	f.StringVar(&opts.collection, "collection", "", "collection to use (default eval-<folder name>)")
	f.StringVar(&opts.mode, "mode", "auto", "auto, hybrid, lexical or vector")
	f.BoolVar(&opts.rerank, "rerank", false, "always rerank")
	f.BoolVar(&opts.noRerank, "no-rerank", false, "never rerank")
	f.StringVar(&opts.run, "run", "", "also write the ranking as a TREC run file")
	f.Float64Var(&opts.failUnder, "fail-under", 0, "fail when nDCG@10 is below this")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	return cmd
}

// rankDocuments asks for k documents: the best chunk stands for its document.
func rankDocuments(ctx context.Context, engine *search.Engine, req search.Request, k int) ([]eval.Ranked, error) {
	req.GroupBy, req.Limit, req.Window = "document", k, 2*k
	results, err := engine.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, d := range results.Degraded {
		return nil, fmt.Errorf("query %q was degraded, so its score would mislead: %s: %s", req.Query, d.Stage, d.Reason)
	}
	ranked := make([]eval.Ranked, len(results.Hits))
	for i, h := range results.Hits {
		ranked[i] = eval.Ranked{ID: h.DocumentID, Score: h.Score}
	}
	return ranked, nil
}

func writeRun(path string, run eval.TRECRun) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write run file: %w", err)
	}
	if err := run.Write(f, "bmcis"); err != nil {
		f.Close()
		return fmt.Errorf("write run file %s: %w", path, err)
	}
	return f.Close()
}
