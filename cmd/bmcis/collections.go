package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/search"
)

func newCollectionsCommand(g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "collections",
		Short: "List the collections with their sizes",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine, err := g.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			list, err := engine.Collections(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(list)
			}
			return printCollections(g, cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.AddCommand(newCollectionsSetCommand(g))
	return cmd
}

func newCollectionsSetCommand(g *globals) *cobra.Command {
	var k1, b float64
	var weights, tuning string
	cmd := &cobra.Command{
		Use:   "set NAME [--k1 X] [--b Y] [--fields title=2,body=1] [--tuning FILE]",
		Short: "Change how BM25 counts in a collection",
		Long: `Changes k1 (how soon more of the same word stops counting; 1.2 unless changed), b (how
much long texts are held back; 0.75) and the weights of the fields title, headings, body
and path (1 each); or takes over what ` + "`bmcis eval tune`" + ` learned. The next search uses it;
nothing is indexed anew.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			var s search.Scoring
			if cmd.Flags().Changed("k1") {
				s.K1 = &k1
			}
			if cmd.Flags().Changed("b") {
				s.B = &b
			}
			if s == (search.Scoring{}) && weights == "" && tuning == "" {
				return usagef("nothing to change; give --k1, --b, --fields or --tuning")
			}
			var learned *search.Tuning
			if tuning != "" {
				var err error
				if learned, err = readTuning(tuning); err != nil {
					return err
				}
			}
			engine, err := g.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			now, err := collectionInfo(cmd, engine, names[0])
			if err != nil {
				return err
			}
			if weights != "" {
				w := &now.Weights
				err := parseNumbers("fields", weights, "title=2,body=1", "none of title, headings, body, path",
					map[string]*float64{"title": &w.Title, "headings": &w.Headings, "body": &w.Body, "path": &w.Path})
				if err != nil {
					return err
				}
				s.Weights = w
			}
			if tuning != "" {
				if err := engine.SetTuning(cmd.Context(), names[0], learned); err != nil {
					return err
				}
			}
			if s != (search.Scoring{}) { // after the file's k1 and b: flags win
				if err := engine.SetScoring(cmd.Context(), names[0], s); err != nil {
					return err
				}
			}
			if now, err = collectionInfo(cmd, engine, names[0]); err != nil {
				return err
			}
			w := now.Weights
			g.say("%s: k1 %v, b %v, fields title=%v,headings=%v,body=%v,path=%v", now.Name, now.K1, now.B, w.Title, w.Headings, w.Body, w.Path)
			if t := now.Tuning; t != nil {
				g.say("%s: learned from %d judged queries of %s; correction of weights: %v, calibration: %v", now.Name,
					t.Report.TrainingQueries, t.Collection, t.Weight != nil, t.Calibration != nil)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.Float64Var(&k1, "k1", 1.2, "saturation of term frequency, 0..100")
	f.Float64Var(&b, "b", 0.75, "normalisation by length, 0..1")
	f.StringVar(&tuning, "tuning", "", "file of `bmcis eval tune` to use from now on, or none")
	f.StringVar(&weights, "fields", "", "weights of fields, for example title=2,headings=1.5; others stay")
	return cmd
}

func collectionInfo(cmd *cobra.Command, engine *search.Engine, name string) (search.CollectionInfo, error) {
	if err := engine.CheckCollection(cmd.Context(), name); err != nil {
		return search.CollectionInfo{}, err
	}
	list, err := engine.Collections(cmd.Context())
	for _, c := range list {
		if c.Name == name {
			return c, nil
		}
	}
	return search.CollectionInfo{}, err
}

// printCollections is the list that collections and status share.
func printCollections(g *globals, w io.Writer, list []search.CollectionInfo) error {
	if len(list) == 0 {
		g.say("no collections yet; make one with `bmcis index PATH`")
	}
	var rows [][]any
	for _, c := range list {
		rows = append(rows, []any{c.Name, c.Documents, c.Chunks, c.Language, c.Generation})
	}
	if err := table(w, "COLLECTION DOCUMENTS CHUNKS LANGUAGE GENERATION", rows); err != nil {
		return err
	}
	for _, c := range list {
		if c.StaleEmbeddings > 0 {
			g.say("%s: %d chunks have no vector of the model in use; index again to make them", c.Name, c.StaleEmbeddings)
		}
	}
	return nil
}
