package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/ingest"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
)

// verified is what was found in one collection.
type verified struct {
	Collection string `json:"collection"`
	OK         bool   `json:"ok"`
	lexical.VerifyReport
}

func newDBVerifyCommand(g *globals) *cobra.Command {
	var repair, asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [COLLECTION…]",
		Short: "Read every byte of the keyword index and compare it with the documents",
		Long: "Checks all checksums of the keyword index, and that it holds each chunk once with the\n" +
			"attributes of its document. --repair drops what is damaged and indexes the missing\n" +
			"chunks again from their stored texts; searches go on meanwhile, writers wait. Without\n" +
			"COLLECTION all are looked at. Fails when something is wrong and was not repaired.",
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			pool, done, err := private.Connect(ctx, pg.Config{DSN: g.dsn, Migrate: true, MaxConns: 4, Warn: g.warn})
			if err != nil {
				return err
			}
			defer done()
			var collections []catalog.Collection
			for _, name := range names {
				c, err := catalog.Get(ctx, pool, name)
				if err != nil {
					return err
				}
				collections = append(collections, c)
			}
			if len(names) == 0 {
				all, err := catalog.List(ctx, pool)
				if err != nil {
					return err
				}
				for _, c := range all {
					collections = append(collections, c.Collection)
				}
			}
			lex := lexical.New(pool, lexical.Config{})
			look := lex.Verify
			if repair {
				look = func(ctx context.Context, c lexical.Collection) (lexical.VerifyReport, error) {
					return repaired(ctx, lex, c)
				}
			}
			bad := 0
			found := make([]verified, 0, len(collections))
			for _, c := range collections {
				r, err := look(ctx, ingest.LexicalCollection(c))
				if err != nil {
					return err
				}
				found = append(found, verified{c.Name, r.OK(), r})
				if !r.OK() && !r.Repaired {
					bad++
				}
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(found)
			} else {
				printVerified(cmd.OutOrStdout(), found)
			}
			if err == nil && bad > 0 {
				err = fmt.Errorf("the keyword index of %d of %d collections is damaged; `bmcis db verify --repair` rebuilds it from the texts", bad, len(found))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "mend what is wrong, from the stored texts")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// repaired mends a collection's index, brings it into as few segments as after a load, and
// looks again: its size is that of the index as it is now, the rest is what was mended.
func repaired(ctx context.Context, lex *lexical.Index, c lexical.Collection) (lexical.VerifyReport, error) {
	was, err := lex.Repair(ctx, c)
	if err != nil || !was.Repaired {
		return was, err
	}
	if _, err := lex.AfterLoad(ctx, c, was.Missing+was.Double+was.Stale); err != nil {
		return was, err
	}
	is, err := lex.Verify(ctx, c)
	if err != nil {
		return was, err
	}
	was.Segments, was.Bytes, was.Repaired = is.Segments, is.Bytes, is.OK()
	return was, nil
}

func printVerified(w io.Writer, found []verified) {
	for _, v := range found {
		state := "in order"
		switch {
		case v.Repaired:
			state = "repaired"
		case !v.OK:
			state = "damaged"
		}
		fmt.Fprintf(w, "%s: %s; %d segments, %.1f MB\n", v.Collection, state, v.Segments, float64(v.Bytes)/1e6)
		for _, d := range v.Damaged {
			fmt.Fprintf(w, "  %s\n", d)
		}
		for _, n := range []struct {
			count int
			what  string
		}{
			{v.Missing, "are in no segment"}, {v.Extra, "are in a segment but not among the documents"},
			{v.Double, "are in several segments"}, {v.Stale, "have other attributes than their document"},
		} {
			if n.count > 0 {
				fmt.Fprintf(w, "  %d chunks %s\n", n.count, n.what)
			}
		}
	}
}
