package main

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/audit"
)

// auditFlags choose runs.
type auditFlags struct {
	audit.Filter
	kind, since, until string
}

func (f *auditFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Identity, "identity", "", "of this identity")
	flags.StringVar(&f.Session, "session", "", "of this session")
	flags.StringVar(&f.kind, "kind", "", "program, tool, gap or prune")
	flags.StringVar(&f.Tool, "tool", "", "of this tool, such as execute_code")
	flags.StringVar(&f.Outcome, "outcome", "", "that ended so: ok, timeout, …, or failed for all but ok")
	flags.StringVar(&f.since, "since", "", "started then or later: 2026-01-31, or a span before now such as 24h")
	flags.StringVar(&f.until, "until", "", "started before then")
	flags.StringVar(&f.Text, "text", "", "with this text in program, description or error")
	flags.StringVar(&f.Method, "method", "", "that called this function or tool of the host")
	flags.BoolVar(&f.Refused, "refused", false, "that a policy refused, in whole or in one of its calls")
}

func (f *auditFlags) filter() (audit.Filter, error) {
	if f.kind != "" {
		if err := oneOf("kind", f.kind, "program", "tool", "gap", "prune"); err != nil {
			return f.Filter, err
		}
		f.Kind = audit.Kind(f.kind)
	}
	now := time.Now()
	for _, m := range []struct {
		flag, text string
		into       *time.Time
	}{{"since", f.since, &f.Since}, {"until", f.until, &f.Until}} {
		if m.text == "" {
			continue
		}
		t, err := parseMoment(m.text, now)
		if err != nil {
			return f.Filter, usagef("--%s %w", m.flag, err)
		}
		*m.into = t
	}
	return f.Filter, nil
}

func newAuditCommand(g *globals) *cobra.Command {
	var f auditFlags
	var limit int
	var before int64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show, export and prune the log of what was run",
		Long: "Every program and direct tool call is in an append-only log: who, when, the text and\n" +
			"digest, every call of the host, how it ended. Without a sub-command the newest runs are\n" +
			"listed.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			if limit < 1 || limit > 1000 {
				return usagef("--limit must be 1 to 1000, got %d; `bmcis audit export` has no limit", limit)
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				runs, more, err := audit.New(pool).List(cmd.Context(), filter, limit, before)
				if err != nil {
					return err
				}
				if asJSON {
					if err := printJSON(cmd, append([]audit.Run{}, runs...)); err != nil {
						return err
					}
				} else if err := printRuns(cmd, runs); err != nil {
					return err
				}
				switch {
				case more:
					g.say("there are older ones: --before %d", runs[len(runs)-1].ID)
				case len(runs) == 0:
					g.say("no run is recorded that fits")
				}
				return nil
			})
		},
	}
	f.register(cmd)
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many, 1 to 1000")
	cmd.Flags().Int64Var(&before, "before", 0, "older than the run of this number")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.AddCommand(newAuditShow(g), newAuditExport(g), newAuditStats(g), newAuditPrune(g))
	return cmd
}

func printRuns(cmd *cobra.Command, runs []audit.Run) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	for _, r := range runs {
		what := r.Description
		if r.Error != "" {
			what = strings.TrimSpace(what + " — " + r.Error)
		}
		tool := r.Tool
		if tool == "" {
			tool = string(r.Kind)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Started.Local().Format(time.DateTime), cell(r.Identity, 24), cell(tool, 32),
			cell(r.Outcome, 12), r.Duration.Round(time.Millisecond), cell(what, 80))
	}
	return w.Flush()
}

func newAuditShow(g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NUMBER",
		Short: "Show one run with its program and calls",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			id, err := strconv.ParseInt(a[0], 10, 64)
			if err != nil {
				return usagef("%q is no number of a run; `bmcis audit` shows them", a[0])
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				r, err := audit.New(pool).Get(cmd.Context(), audit.Filter{}, id)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd, r)
				}
				return printRun(cmd.OutOrStdout(), r)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printRun(out io.Writer, r audit.Run) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, cell(value, 1000))
		}
	}
	line("run", strconv.FormatInt(r.ID, 10))
	line("started", r.Started.Local().Format(time.RFC3339))
	line("took", r.Duration.String())
	line("identity", fmt.Sprintf("%s (%d)", r.Identity, r.IdentityID))
	line("session", r.Session)
	line("transport", r.Transport)
	line("kind", string(r.Kind))
	line("tool", r.Tool)
	line("description", r.Description)
	line("outcome", r.Outcome)
	line("error", r.Error)
	line("digest", r.Digest.String())
	line("limits", string(r.Limits))
	line("usage", string(r.Usage))
	line("ledger", string(r.Ledger))
	for i, c := range r.Calls {
		line(fmt.Sprintf("call %d", i+1), strings.Join(strings.Fields(fmt.Sprintf("at %s for %s: %s %s %s %s %s", c.Start, c.Duration, c.Method, c.Target, c.Outcome, c.Error, c.ArgsDigest)), " "))
	}
	if r.CallsOmitted > 0 {
		line("more calls", strconv.Itoa(r.CallsOmitted))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for text := range strings.Lines(r.Program) {
		if _, err := fmt.Fprintf(out, "    %s\n", cell(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "    "), 10_000)); err != nil {
			return err
		}
	}
	return nil
}

func newAuditExport(g *globals) *cobra.Command {
	var f auditFlags
	var file string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write runs with their programs and calls as JSON lines, the oldest first",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				store := audit.New(pool)
				if file == "" {
					n, err := store.Export(cmd.Context(), cmd.OutOrStdout(), filter)
					if err == nil {
						g.say("exported %d runs", n)
					}
					return err
				}
				// The file appears under its name when it is complete.
				temp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.part")
				if err != nil {
					return fmt.Errorf("export audit log: %w", err)
				}
				defer os.Remove(temp.Name()) // gone when all went well
				n, err := store.Export(cmd.Context(), temp, filter)
				if err == nil {
					err = temp.Sync()
				}
				if err2 := temp.Close(); err == nil {
					err = err2
				}
				if err == nil {
					err = os.Rename(temp.Name(), file)
				}
				if err == nil {
					g.say("exported %d runs into %s", n, file)
				}
				return err
			})
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&file, "out", "", "write into this file, which only its owner may read")
	return cmd
}

func newAuditStats(g *globals) *cobra.Command {
	var f auditFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Add up runs: outcomes, tools, tokens, times",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				s, err := audit.New(pool).Stats(cmd.Context(), filter)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd, s)
				}
				out := cmd.OutOrStdout()
				fmt.Fprintf(out, "%d runs, p50 %.1f ms, p95 %.1f ms; %d host calls\n", s.Runs, s.P50Millis, s.P95Millis, s.HostCalls)
				fmt.Fprintf(out, "tokens: %d touched, %d returned\n", s.TokensTouched, s.TokensReturned)
				for _, m := range []struct {
					name   string
					counts map[string]int64
				}{{"outcomes", s.Outcomes}, {"tools", s.Tools}, {"calls", s.Methods}} {
					if len(m.counts) > 0 {
						fmt.Fprintf(out, "%s: %s\n", m.name, joinCounts(m.counts))
					}
				}
				return nil
			})
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newAuditPrune(g *globals) *cobra.Command {
	var before string
	cmd := &cobra.Command{
		Use:   "prune --before TIME",
		Short: "Delete old runs; that is recorded too",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if before == "" {
				return usagef("say how old: --before 2026-01-31, or a span before now such as --before 365d")
			}
			t, err := parseMoment(before, time.Now())
			if err != nil {
				return usagef("--before %w", err)
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				by := "bmcis audit prune"
				if u, err := user.Current(); err == nil {
					by = u.Username
				}
				n, err := audit.New(pool).Prune(cmd.Context(), t, by)
				if err != nil {
					return err
				}
				g.say("deleted %d runs that started before %s", n, t.Format(time.RFC3339))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "delete runs that started before then")
	return cmd
}
