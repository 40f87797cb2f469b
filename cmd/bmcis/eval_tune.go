package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/search"
)

func newEvalTuneCommand(g *globals) *cobra.Command {
	var judged judgedFlags
	var opts struct {
		out                  string
		queries              int
		noIndex, apply, json bool
	}
	cmd := &cobra.Command{
		Use:   "tune --beir DIR",
		Short: "Learn k1, b, weights and a calibration of scores from judged queries",
		Long: "Learns on one half of the judged queries and measures on the other; what gains\n" +
			"nothing there is left out. The result is a file, which is put to use with\n" +
			"`bmcis collections set NAME --tuning FILE` (or at once with --apply): it is kept with\n" +
			"the collection in the database, so search, serve and exec use it from the next query\n" +
			"on, on every machine. `bmcis collections set NAME --tuning none` takes it away.\n" +
			"With --no-index the collection is asked as it is, and DIR needs only queries.jsonl\n" +
			"and qrels.tsv.",
		Example: "  bmcis eval tune --beir judged --no-index --collection docs --out docs.tuning.json\n" +
			"  bmcis collections set docs --tuning docs.tuning.json",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.queries < 0 {
				return usagef("--queries must be 0 (all) or more, got %d", opts.queries)
			}
			if opts.noIndex && judged.collection == "" {
				return usagef("--no-index asks a collection that is there; name it with --collection")
			}
			engine, set, err := judged.open(cmd.Context(), g, opts.noIndex)
			if err != nil {
				return err
			}
			defer engine.Close()
			bar := newProgress(g, "learning", "queries")
			t, err := engine.Learn(cmd.Context(), judged.collection, set, opts.queries, bar.set)
			bar.done()
			if err != nil {
				return err
			}
			t.Collection = judged.collection
			if opts.out == "" {
				opts.out = judged.collection + ".tuning.json"
			}
			data, err := json.MarshalIndent(t, "", "  ")
			if err != nil {
				return err
			}
			if err := os.WriteFile(opts.out, append(data, '\n'), 0o644); err != nil {
				return fmt.Errorf("write tuning file: %w", err)
			}
			if opts.json {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(t)
			} else {
				err = printTuning(cmd.OutOrStdout(), t)
			}
			if err != nil {
				return err
			}
			g.say("written to %s", opts.out)
			if !opts.apply {
				g.say("to use it: bmcis collections set %s --tuning %s", judged.collection, opts.out)
				return nil
			}
			if err := engine.SetTuning(cmd.Context(), judged.collection, t); err != nil {
				return err
			}
			g.say("collection %s uses it from the next search on", judged.collection)
			return nil
		},
	}
	f := cmd.Flags()
	judged.add(f)
	f.StringVar(&opts.out, "out", "", "file to write (default <collection>.tuning.json)")
	f.IntVar(&opts.queries, "queries", 600, "use at most this many of the judged queries, drawn at random; 0: all")
	f.BoolVar(&opts.noIndex, "no-index", false, "ask --collection as it is")
	f.BoolVar(&opts.apply, "apply", false, "put it to use at once")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	return cmd
}

// printTuning tells a person what was learned and what it gained.
func printTuning(w io.Writer, t *search.Tuning) error {
	r := t.Report
	fmt.Fprintf(w, "learned from %d queries, measured on %d others\n", r.TrainingQueries, r.HeldOutQueries)
	fmt.Fprintf(w, "hybrid, nDCG@10: %.4f before, %.4f after, difference %v\n", r.Before, r.After, r.Gain)
	fmt.Fprintf(w, "BM25: %s (BM25 alone: %v)\n", r.BM25.Why, r.BM25.Gain)
	fmt.Fprintf(w, "weights: %s (%v)\n", r.Weight.Why, r.Weight.Gain)
	_, err := fmt.Fprintf(w, "relevance: mean squared error %.4f, of a constant %.4f: %s\n", r.Brier, r.BrierConstant,
		map[bool]string{true: "kept", false: "left out"}[t.Calibration != nil])
	return err
}

// readTuning reads the file of --tuning.
func readTuning(path string) (*search.Tuning, error) {
	if path == "none" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read tuning file: %w; `bmcis eval tune` writes one", err)
	}
	t, err := search.ParseTuning(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return t, nil
}
