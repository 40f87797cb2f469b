package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bmcis/bmcis/internal/eval"
	"github.com/bmcis/bmcis/search"
)

func newEvalCommand(g *globals) *cobra.Command {
	var judged judgedFlags
	var opts struct {
		mode, run, against, noRegress string
		failUnder, margin             float64
		rerank, noRerank, json        bool
	}
	cmd := &cobra.Command{
		Use:   "eval --beir DIR",
		Short: "Measure ranking quality on a judged collection in BEIR layout",
		Long: "Indexes DIR/corpus.jsonl (only what changed since the last time), asks every judged\n" +
			"query of DIR/queries.jsonl and compares with DIR/qrels.tsv. Metrics have the names\n" +
			"and values of ir_measures. Two configurations are compared by their run files: write\n" +
			"one with --run FILE, then measure the other with --against FILE.",
		Example: "  bmcis eval --beir scifact --mode hybrid --run hybrid.run\n" +
			"  bmcis eval --beir scifact --mode lexical --against hybrid.run\n" +
			"  bmcis eval --beir scifact --no-regress hybrid.run --fail-under 0.70",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
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
			if err := share("fail-under", opts.failUnder); err != nil {
				return err
			}
			if err := share("margin", opts.margin); err != nil {
				return err
			}
			if opts.against != "" && opts.noRegress != "" {
				return usagef("give --against or --no-regress, not both")
			}
			set, err := judged.load()
			if err != nil {
				return err
			}
			var before *eval.TRECRun // read first: what is wrong with it should not cost a whole run
			if path := opts.against + opts.noRegress; path != "" {
				run, err := eval.OpenRun(path, set)
				if err != nil {
					return err
				}
				before = &run
			}
			engine, err := judged.index(cmd.Context(), g, set, opts.mode == string(search.ModeLexical))
			if err != nil {
				return err
			}
			defer engine.Close()
			bar := newProgress(g, "asking", "queries")
			report, run, err := eval.Run(cmd.Context(), set, func(ctx context.Context, query string, k int) ([]eval.Ranked, error) {
				return rankDocuments(ctx, engine, search.Request{
					Query: query, Plain: true, Collection: judged.collection, Mode: search.Mode(opts.mode),
					// Quality is measured, not haste: no passage is left out for lack of time.
					Rerank: search.RerankOptions{Policy: policy, Budget: time.Minute},
				}, k)
			}, bar.set)
			bar.done()
			if err != nil {
				return err
			}
			report.Mode, report.Rerank = opts.mode, policy == search.RerankOn
			if before != nil {
				c := eval.Compare(set, *before, run)
				report.Comparison = &c
			}
			if opts.run != "" {
				if err := writeRun(opts.run, run); err != nil {
					return err
				}
			}
			if err := printMeasured(cmd, report, opts.json); err != nil {
				return err
			}
			if got := report.Metrics.NDCG10; got < opts.failUnder {
				return fmt.Errorf("nDCG@10 is %.4f, below --fail-under %.4f", got, opts.failUnder)
			}
			if opts.noRegress != "" {
				if err := report.Comparison.Regression(opts.margin); err != nil {
					return fmt.Errorf("regression against %s: %w", opts.noRegress, err)
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	judged.add(f)
	f.StringVar(&opts.mode, "mode", "auto", "auto, hybrid, lexical or vector")
	f.BoolVar(&opts.rerank, "rerank", false, "always rerank")
	f.BoolVar(&opts.noRerank, "no-rerank", false, "never rerank")
	f.StringVar(&opts.run, "run", "", "also write the ranking as a TREC run file")
	f.StringVar(&opts.against, "against", "", "compare with this run file, query by query")
	f.StringVar(&opts.noRegress, "no-regress", "", "as --against, and fail when this run is worse")
	f.Float64Var(&opts.margin, "margin", 0.01, "how far nDCG@10 may lie below the run of --no-regress, 0 to 1")
	f.Float64Var(&opts.failUnder, "fail-under", 0, "fail when nDCG@10 is below this, 0 to 1")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	cmd.AddCommand(newEvalCompareCommand(), newEvalTuneCommand(g), newEvalRecallCommand(g), newEvalIdentifiersCommand(g))
	return cmd
}

// share checks a flag whose value is a share.
func share(flag string, value float64) error {
	if !(value >= 0 && value <= 1) {
		return usagef("--%s must be 0..1, got %v", flag, value)
	}
	return nil
}

// judgedFlags name a judged collection.
type judgedFlags struct{ beir, collection string }

func (j *judgedFlags) add(f *pflag.FlagSet) {
	f.StringVar(&j.beir, "beir", "", "folder with corpus.jsonl, queries.jsonl and qrels.tsv")
	f.StringVar(&j.collection, "collection", "", "collection to use (default eval-<folder name>)")
}

// load reads queries and judgements.
func (j *judgedFlags) load() (*eval.Set, error) {
	if j.beir == "" {
		return nil, usagef("name the collection's folder with --beir DIR")
	}
	set, err := eval.LoadBEIR(j.beir)
	if err != nil {
		return nil, err
	}
	if set.Documents == 0 {
		return nil, fmt.Errorf("%s has an empty corpus.jsonl; there is nothing to measure", j.beir)
	}
	if j.collection == "" {
		j.collection = "eval-" + set.Name
	}
	return set, nil
}

// index opens an engine and brings the documents into the collection. The caller closes
// the engine.
func (j *judgedFlags) index(ctx context.Context, g *globals, set *eval.Set, lexicalOnly bool) (*search.Engine, error) {
	engine, err := g.openEngine(ctx)
	if err != nil {
		return nil, err
	}
	bar := newProgress(g, "indexing "+set.Name, "documents")
	indexed, err := engine.Index(ctx, search.IndexOptions{
		Collection: j.collection, Prune: true, Progress: bar.index, LexicalOnly: lexicalOnly,
	}, search.BEIR(j.beir))
	bar.done()
	if n := len(indexed.Failed); err == nil && n > 0 {
		err = fmt.Errorf("%d of %d documents were not indexed, so the scores would mislead; the first: %s: %s",
			n, set.Documents, indexed.Failed[0].ID, indexed.Failed[0].Reason)
	}
	if err != nil {
		engine.Close()
		return nil, err
	}
	return engine, nil
}

// open reads the judged queries and opens an engine on the collection: indexed from DIR,
// or with noIndex as it is. The caller closes the engine.
func (j *judgedFlags) open(ctx context.Context, g *globals, noIndex bool) (*search.Engine, *eval.Set, error) {
	if !noIndex {
		set, err := j.load()
		if err != nil {
			return nil, nil, err
		}
		engine, err := j.index(ctx, g, set, false)
		return engine, set, err
	}
	if j.beir == "" {
		return nil, nil, usagef("name the folder of the judged queries with --beir DIR")
	}
	set, err := eval.LoadQuestions(j.beir)
	if err != nil {
		return nil, nil, err
	}
	engine, err := g.openEngine(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := engine.CheckCollection(ctx, j.collection); err != nil {
		engine.Close()
		return nil, nil, err
	}
	return engine, set, nil
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

func newEvalCompareCommand() *cobra.Command {
	var judged judgedFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare --beir DIR A.run B.run",
		Short: "Compare two TREC run files query by query, with intervals",
		Long: "Measures both run files against DIR/qrels.tsv and says how B differs from A: mean\n" +
			"differences with 95 % intervals from a paired bootstrap, and the queries that lost and\n" +
			"gained most. Needs no database.",
		Args: args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, paths []string) error {
			set, err := judged.load()
			if err != nil {
				return err
			}
			a, err := eval.OpenRun(paths[0], set)
			if err != nil {
				return err
			}
			b, err := eval.OpenRun(paths[1], set)
			if err != nil {
				return err
			}
			c := eval.Compare(set, a, b)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(c)
			}
			fmt.Fprintln(cmd.OutOrStdout(), c.Words(math.MaxInt))
			return nil
		},
	}
	cmd.Flags().StringVar(&judged.beir, "beir", "", "folder with corpus.jsonl, queries.jsonl and qrels.tsv")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
