package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/search"
)

func newSearchCommand(g *globals) *cobra.Command {
	var opts struct {
		collection, mode, weights, filter, fusion, groupBy, cursor string
		limit                                                      int
		minScore                                                   float64
		rerank, noRerank, explain, json                            bool
	}
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Search a collection and print the hits with every stage's score",
		Long: "QUERY may hold words, \"exact phrases\", +must, -not, field:word and prefix*.\n" +
			"Words after the first are added to it, so quotes around a question are optional.",
		Example: "  bmcis search \"how do I close a response body\"\n" +
			"  bmcis search ErrClosed --filter 'package = \"os\"' --explain",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			req := search.Request{
				Query: strings.Join(words, " "), Collection: opts.collection,
				Mode: search.Mode(opts.mode), Fusion: search.Fusion(opts.fusion),
				Limit: opts.limit, MinScore: opts.minScore, GroupBy: opts.groupBy,
				Cursor: opts.cursor, Explain: opts.explain,
			}
			if opts.limit < 1 {
				return usagef("--limit must be at least 1, got %d", opts.limit)
			}
			var err error
			if req.Weights, err = parseWeights(opts.weights); err != nil {
				return err
			}
			if opts.filter != "" {
				if req.Filter, err = filter.Parse(opts.filter); err != nil {
					return usagef("--filter: %w", err)
				}
			}
			if req.Rerank.Policy, err = rerankPolicy(opts.rerank, opts.noRerank); err != nil {
				return err
			}
			engine, err := g.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			results, err := engine.Search(cmd.Context(), req)
			if err != nil {
				return asUsage(err)
			}
			if opts.json {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(results)
			}
			printResults(g, cmd.OutOrStdout(), results, opts.explain)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.collection, "collection", search.DefaultCollection, "collection to search")
	f.StringVar(&opts.mode, "mode", "auto", "auto, hybrid, lexical or vector")
	f.StringVar(&opts.weights, "weights", "", "share of each leg, for example lexical=0.4,vector=0.6")
	f.StringVar(&opts.fusion, "fusion", "linear", "linear, rrf, relative_score or dbsf")
	f.IntVar(&opts.limit, "limit", 10, "number of hits, 1 to 1000")
	f.StringVar(&opts.filter, "filter", "", "keep what matches, for example 'domain = \"db\" and year >= 2024'")
	f.Float64Var(&opts.minScore, "min-score", 0, "drop hits that score less, 0 to 1")
	f.StringVar(&opts.groupBy, "group-by", "", "best hit per document, source or metadata field")
	f.StringVar(&opts.cursor, "cursor", "", "continue after an earlier page")
	f.BoolVar(&opts.rerank, "rerank", false, "always rerank with the cross-encoder")
	f.BoolVar(&opts.noRerank, "no-rerank", false, "never rerank")
	f.BoolVar(&opts.explain, "explain", false, "show how each score came about")
	f.BoolVar(&opts.json, "json", false, "print the whole answer as JSON")
	return cmd
}

// asUsage turns a refused request into a wrong use of the command line.
func asUsage(err error) error {
	if search.IsInvalidRequest(err) {
		return usageError{err}
	}
	return err
}

// parseWeights reads lexical=0.4,vector=0.6.
func parseWeights(text string) (search.Weights, error) {
	var w search.Weights
	if text == "" {
		return w, nil
	}
	err := parseNumbers("weights", text, "lexical=0.4,vector=0.6", "neither lexical nor vector",
		map[string]*float64{"lexical": &w.Lexical, "vector": &w.Vector})
	if err == nil && w.Lexical == 0 && w.Vector == 0 {
		err = usagef("--weights %q: at least one weight must be above 0", text)
	}
	return w, err
}

// parseNumbers reads the value of a flag such as lexical=0.4,vector=0.6 into the fields
// of those names. unknown is said of a name that is not among them.
func parseNumbers(flag, text, example, unknown string, into map[string]*float64) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		number, err := strconv.ParseFloat(value, 64)
		if !found || err != nil {
			return usagef("--%s %q: %q is not name=number; write %s", flag, text, part, example)
		}
		field, ok := into[name]
		if !ok {
			return usagef("--%s %q: %q is %s", flag, text, name, unknown)
		}
		*field = number
	}
	return nil
}

func rerankPolicy(on, off bool) (search.RerankPolicy, error) {
	switch {
	case on && off:
		return "", usagef("give --rerank or --no-rerank, not both")
	case on:
		return search.RerankOn, nil
	case off:
		return search.RerankOff, nil
	}
	return search.RerankAuto, nil
}

// printResults writes hits for a person, and what is missing for honesty.
func printResults(g *globals, w io.Writer, r *search.Results, explain bool) {
	for i, h := range r.Hits {
		fmt.Fprintf(w, "%d. %s  %.3f\n", i+1, cell(hitTitle(h), 300), h.Score)
		fmt.Fprintf(w, "   %s%s\n", cell(h.DocumentID, 1000), scoreColumns(h))
		fmt.Fprintf(w, "   %s\n", preview(h.Text, 200))
		if explain && h.Explain != nil {
			for _, line := range h.Explain.Fusion {
				fmt.Fprintf(w, "   | %s\n", line)
			}
			if l := h.Explain.Lexical; l != nil {
				for _, t := range l.Terms {
					fmt.Fprintf(w, "   |   %-20s in %d chunks, idf %.2f: %.3f\n", t.Term, t.DocumentFrequency, t.IDF, t.Score)
				}
			}
		}
	}
	if len(r.Hits) == 0 {
		g.say("no hits")
	}
	if explain {
		fmt.Fprintf(w, "plan: %s query, %s, weights lexical %.2f vector %.2f, rerank %v\n",
			r.Plan.Class, r.Plan.Mode, r.Plan.Weights.Lexical, r.Plan.Weights.Vector, r.Plan.Rerank)
		for _, reason := range r.Plan.Reasons {
			fmt.Fprintf(w, "  - %s\n", reason)
		}
	}
	for _, d := range r.Degraded {
		fmt.Fprintf(os.Stderr, "bmcis: degraded: %s: %s\n", d.Stage, d.Reason)
	}
	t := r.Stats.Times
	g.say("%d hits of %s%d in %.1f ms (loading models %.1f, lexical %.1f, embed %.1f, vector %.1f, rerank %.1f)",
		len(r.Hits), map[string]string{"ge": "at least "}[r.Total.Relation], r.Total.Value,
		t.Total, t.Load, t.Lexical, t.Embed, t.Vector, t.Rerank)
	if r.Cursor != "" {
		g.say("next page: --cursor %s", r.Cursor)
	}
}

func hitTitle(h search.Hit) string {
	title := h.Title
	if title == "" {
		title = h.DocumentID
	}
	if len(h.Headings) > 0 && h.Headings[len(h.Headings)-1] != title {
		title += " › " + h.Headings[len(h.Headings)-1]
	}
	return title
}

func scoreColumns(h search.Hit) string {
	var b strings.Builder
	for _, s := range []struct {
		name  string
		value *float64
	}{{"bm25", h.LexicalScore}, {"cosine", h.VectorScore}, {"rerank", h.RerankScore}} {
		if s.value != nil {
			fmt.Fprintf(&b, "  %s %.3f", s.name, *s.value)
		}
	}
	return b.String()
}

// preview is the text on one line of at most n characters.
func preview(text string, n int) string { return cell(strings.Join(strings.Fields(text), " "), n) }
