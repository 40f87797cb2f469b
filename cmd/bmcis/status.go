package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

func newStatusCommand(g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the database, the collections and the state of their index",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine, err := g.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer engine.Close()
			status, err := engine.Status(cmd.Context())
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(status)
			}
			fmt.Fprintf(out, "database   PostgreSQL %s, pgvector %s, %.1f MiB\n",
				status.Postgres, status.Pgvector, float64(status.DatabaseBytes)/(1<<20))
			for _, c := range status.Collections {
				fmt.Fprintf(out, "collection %s: %d documents, %d chunks, generation %d\n", c.Name, c.Documents, c.Chunks, c.Generation)
				if c.StaleEmbeddings > 0 {
					fmt.Fprintf(out, "           %d chunks have vectors of another model; run `bmcis index` again to renew them\n", c.StaleEmbeddings)
				}
			}
			if len(status.Collections) == 0 {
				fmt.Fprintln(out, "no collections yet; make one with `bmcis index PATH`")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
