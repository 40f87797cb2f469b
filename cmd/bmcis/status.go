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
			fmt.Fprintf(out, "database: PostgreSQL %s, pgvector %s, %.1f MiB\n",
				status.Postgres, status.Pgvector, float64(status.DatabaseBytes)/(1<<20))
			return printCollections(g, out, status.Collections)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
