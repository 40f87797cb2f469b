package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/vault"
)

func newVaultCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vault",
		Short: "Tell what the vaults of personal data hold, and make them forget",
		Long: "Each identity has a vault that remembers which personal data stands behind tokens such\n" +
			"as [EMAIL_ab12cd]. Values are sealed with a key that is not in the database: the file\n" +
			"vault.key under BMCIS_HOME, or BMCIS_VAULT_KEY. None of these commands shows a value.",
	}
	cmd.AddCommand(newVaultStatus(g), newVaultForget(g), newVaultReset(g))
	return cmd
}

func newVaultStatus(g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether the key fits, and how many values of which kinds each identity has",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				s, err := vault.ReadStatus(cmd.Context(), pool)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd, s)
				}
				return printVaults(cmd, s)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printVaults(cmd *cobra.Command, s vault.Status) error {
	since := ""
	if s.Since != nil {
		since = " since " + s.Since.Format(time.DateOnly)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "key: %s\n", map[string]string{
		"fits":       s.Key + " is the database's" + since,
		"unused":     s.Key + "; the database has none yet and takes the first that is used",
		"missing":    s.Key + " is not there; it is made when it is first needed",
		"unreadable": s.Problem,
		"other":      s.Key + " is not the one that the values are sealed with" + since + "; put back that one, or give the values up with `bmcis vault reset`",
	}[s.State])
	if s.State == "missing" && s.Since != nil {
		fmt.Fprintf(cmd.OutOrStdout(), "The database has values sealed with another one%s: put it back, or give the values up with `bmcis vault reset`.\n", since)
	}
	var rows [][]any
	for _, h := range s.Identities {
		var kinds []string
		for _, k := range slices.Sorted(maps.Keys(h.Kinds)) {
			kinds = append(kinds, fmt.Sprintf("%s %d", k, h.Kinds[k]))
		}
		rows = append(rows, []any{h.Identity, h.Values, h.First.Format(time.DateOnly), h.Last.Format(time.DateOnly), strings.Join(kinds, ", ")})
	}
	if len(rows) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no identity has values")
	}
	return table(cmd.OutOrStdout(), "IDENTITY VALUES OLDEST NEWEST KINDS", rows)
}

func newVaultForget(g *globals) *cobra.Command {
	var before string
	var all bool
	cmd := &cobra.Command{
		Use:     "forget NAME",
		Short:   "Delete values of an identity for ever; their tokens mean nothing any more",
		Example: "  bmcis vault forget ann --before 90d\n  bmcis vault forget ann --all",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if all == (before != "") {
				return usagef("say which values of %s to delete: --before TIME or --all", a[0])
			}
			now := time.Now()
			moment := now.Add(time.Hour) // later than any clock of a database
			if !all {
				var err error
				if moment, err = parseMoment(before, now); err != nil {
					return usagef("--before %w", err)
				}
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				id, err := identity.New(pool).Get(cmd.Context(), a[0])
				if err != nil {
					return err
				}
				n, err := vault.Forget(cmd.Context(), pool, id.ID, moment)
				if err != nil {
					return err
				}
				g.say("%s: deleted %d values; their tokens cannot be restored any more", id.Name, n)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "values first kept before then: 2026-01-31, or a span before now such as 90d")
	cmd.Flags().BoolVar(&all, "all", false, "all values")
	return cmd
}

func newVaultReset(g *globals) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Delete the values of all identities and take this machine's key: when the old one is lost",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				if !yes {
					s, err := vault.ReadStatus(cmd.Context(), pool)
					if err != nil {
						return err
					}
					n := int64(0)
					for _, h := range s.Identities {
						n += h.Values
					}
					return usagef("this deletes %d values of %d identities for ever; say --yes if that is meant", n, len(s.Identities))
				}
				key, err := vault.LoadKey()
				if err != nil {
					return err
				}
				n, err := vault.Reset(cmd.Context(), pool, key)
				if err != nil {
					return err
				}
				g.say("deleted %d values; the key is this machine's now. Start servers that run on this database anew: with the old key they keep no values", n)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "delete without asking")
	return cmd
}
