package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/search"
)

func newIndexCommand(g *globals) *cobra.Command {
	var opts struct {
		collection, language, beir, jsonl string
		prune, watch, json                bool
	}
	cmd := &cobra.Command{
		Use:   "index PATH|URL…",
		Short: "Read documents into a collection; a second run does only what changed",
		Long: "Reads Markdown, HTML and text files, folders and web pages, a BEIR folder, or JSON\n" +
			"lines ({\"id\", \"title\", \"text\", \"source\"?, \"uri\"?, \"metadata\"?}; other keys go into\n" +
			"metadata). A document that cannot be read is named and the rest goes on (exit code 3).",
		Example: "  bmcis index ./docs --collection handbook --prune\n" +
			"  bmcis index --jsonl export.jsonl",
		RunE: func(cmd *cobra.Command, paths []string) error {
			source, err := indexSource(paths, opts.beir, opts.jsonl)
			if err != nil {
				return err
			}
			if opts.watch && len(paths) == 0 {
				return usagef("--watch needs at least one PATH to watch")
			}
			engine, err := g.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			bar := newProgress(g, "indexing", "documents")
			options := search.IndexOptions{
				Collection: opts.collection, Language: opts.language, Prune: opts.prune,
				Progress: bar.index,
			}
			report, err := engine.Index(cmd.Context(), options, source)
			bar.done()
			if err != nil {
				return err
			}
			if err := printReport(g, cmd, report, opts.json); err != nil && !opts.watch {
				return err
			}
			if opts.watch {
				g.say("watching for changes; stop with Ctrl-C")
				return engine.Watch(cmd.Context(), options, paths, func(r search.IndexReport) {
					_ = printReport(g, cmd, r, opts.json) // failures were named; watching goes on
				})
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.collection, "collection", search.DefaultCollection, "collection to read into; its first document makes it")
	f.StringVar(&opts.language, "language", "", "language of a new collection's texts: a Snowball language or none (default english)")
	f.StringVar(&opts.beir, "beir", "", "folder with corpus.jsonl in BEIR layout")
	f.StringVar(&opts.jsonl, "jsonl", "", "file with one JSON document a line; - reads standard input")
	f.BoolVar(&opts.prune, "prune", false, "delete documents of this source that are gone")
	f.BoolVar(&opts.watch, "watch", false, "stay and index files as they change")
	f.BoolVar(&opts.json, "json", false, "print the report as JSON")
	return cmd
}

// indexSource turns the command line into the one source that it names.
func indexSource(paths []string, beir, jsonl string) (search.Source, error) {
	given := 0
	for _, is := range []bool{len(paths) > 0, beir != "", jsonl != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return nil, usagef("nothing to index: give a PATH or URL, --beir DIR or --jsonl FILE")
	case given > 1:
		return nil, usagef("give only one of PATH, --beir and --jsonl")
	case beir != "":
		return search.BEIR(beir), nil
	case jsonl != "":
		return search.JSONL(jsonl), nil
	default:
		return search.Files(paths...), nil
	}
}

// printReport tells what changed; documents that failed make the command partly done.
func printReport(g *globals, cmd *cobra.Command, r search.IndexReport, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(cmd.OutOrStdout()).Encode(r); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "%d added, %d changed, %d unchanged, %d deleted, %d failed; %d chunks written in %s\n",
			r.Added, r.Changed, r.Unchanged, r.Deleted, len(r.Failed), r.Chunks, r.Took.Round(10*time.Millisecond))
		if r.Reembedded > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "%d chunks got vectors of the model in use\n", r.Reembedded)
		}
		if r.Replaced > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "%d bytes that were not UTF-8, or NUL, were replaced\n", r.Replaced)
		}
	}
	for _, f := range r.Failed {
		fmt.Fprintf(os.Stderr, "bmcis: not indexed: %s: %s\n", cell(f.ID, 1000), cell(f.Reason, 1000))
	}
	if r.PruneSkipped != "" {
		fmt.Fprintf(os.Stderr, "bmcis: nothing was pruned: %s\n", r.PruneSkipped)
	}
	done := r.Added + r.Changed + r.Unchanged
	switch {
	case done+r.Deleted+len(r.Failed) == 0:
		return errors.New("nothing was indexed: the source holds no document")
	case len(r.Failed) > 0 && done == 0:
		return fmt.Errorf("nothing was indexed: %d of %d documents failed, each named above", len(r.Failed), len(r.Failed))
	case len(r.Failed) > 0:
		return partlyError{fmt.Errorf("%d of %d documents were not indexed, each named above; the rest is committed", len(r.Failed), len(r.Failed)+done)}
	}
	return nil
}

func newDeleteCommand(g *globals) *cobra.Command {
	var collection string
	var all bool
	cmd := &cobra.Command{
		Use:   "delete DOCUMENT-ID… --collection C",
		Short: "Delete documents by id, or with --all the whole collection",
		RunE: func(cmd *cobra.Command, ids []string) error {
			if collection == "" {
				return usagef("name the collection with --collection")
			}
			if (len(ids) == 0) != all {
				return usagef("give the ids of documents, or --all for the whole collection %s", collection)
			}
			engine, err := g.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			return deleteDocuments(cmd.Context(), g, engine, collection, ids)
		},
	}
	cmd.Flags().StringVar(&collection, "collection", "", "collection to delete from")
	cmd.Flags().BoolVar(&all, "all", false, "delete the collection with all its documents")
	return cmd
}

func deleteDocuments(ctx context.Context, g *globals, engine *search.Engine, collection string, ids []string) error {
	if len(ids) == 0 {
		if err := engine.DeleteCollection(ctx, collection); err != nil {
			return err
		}
		g.say("deleted collection %s", collection)
		return nil
	}
	missing, err := engine.DeleteDocuments(ctx, collection, ids)
	if err != nil {
		return err
	}
	g.say("deleted %d documents from %s", len(ids)-len(missing), collection)
	if len(missing) > 0 {
		return partlyError{fmt.Errorf("not in collection %s: %q", collection, missing)}
	}
	return nil
}
