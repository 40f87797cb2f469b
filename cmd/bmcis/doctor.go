package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/setup"
)

func newDoctorCommand(g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that bmcis needs, and say how to mend what fails",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			checks := []setup.Check{}
			failed := 0
			setup.Doctor(cmd.Context(), setup.DoctorOptions{DSN: g.dsn, Extra: doctorExtras}, func(c setup.Check) {
				checks = append(checks, c)
				if c.Verdict == setup.Fail {
					failed++
				}
				if asJSON {
					return
				}
				fmt.Fprintf(out, "%-4s  %-20s %s\n", c.Verdict, c.Name, c.Value)
				if c.Remedy != "" {
					fmt.Fprintf(out, "      %-20s → %s\n", "", c.Remedy)
				}
			})
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(out)
				enc.SetIndent("", "  ")
				if err := enc.Encode(map[string]any{"ok": failed == 0, "checks": checks}); err != nil {
					return err
				}
			}
			if failed > 0 {
				return fmt.Errorf("%d of %d checks failed", failed, len(checks))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
