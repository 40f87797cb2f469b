package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/tokenbench"
	"github.com/bmcis/bmcis/internal/tokenbench/tracker"
)

func newBenchTokensCommand(g *globals) *cobra.Command {
	o := tokenbench.Options{Prices: tokenbench.DefaultPrices}
	var opts struct {
		plot, report, from string
		programs           []string
		json, noIndex      bool
	}
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Measure tokens, cost and latency of direct tools beside programs, on the same tasks",
		Long: "Does nine tasks in three ways: with direct tools and whole texts, with direct tools and\n" +
			"previews, and with programs, and counts all that crosses the model's boundary. Servers are\n" +
			"started as child processes and asked through a real MCP client; a fixed script plays the\n" +
			"agent, no model runs. All three ways must come to the same answer, or the bench fails.\n" +
			"The corpus is the documentation of this machine's Go installation, which is indexed first.\n" +
			"Scenarios: " + strings.Join(tokenbench.Scenarios(), ", ") + "; docs/bench/tokens-baselines.md tells them.",
		Example: "  bmcis bench tokens --plot tokens.svg\n" +
			"  bmcis bench tokens --scenario d,e --runs 5 --json\n" +
			"  bmcis bench tokens --scenario d --program d=mine.py     (your program in the place of ours)",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Runs < 1 {
				return usagef("--runs must be at least 1, got %d", o.Runs)
			}
			if o.TurnTime <= 0 {
				return usagef("--turn-time must be more than 0, got %s", o.TurnTime)
			}
			for _, p := range []float64{o.Prices.Input, o.Prices.Output, o.Prices.CacheWrite, o.Prices.CacheRead} {
				if !(p >= 0) {
					return usagef("prices must be 0 or more, got %g", p)
				}
			}
			if o.Programs, err = readPrograms(opts.programs); err != nil {
				return err
			}
			if err := o.Check(); err != nil {
				return usageError{err}
			}
			var r *tokenbench.Report
			var failed error
			if opts.from != "" {
				r, err = readReport(opts.from)
			} else {
				o.DSN, o.Progress = g.dsn, func(line string) { g.say("%s", line) }
				o.Command = commandLine(cmd)
				r, failed, err = benchTokens(cmd.Context(), o, !opts.noIndex)
			}
			if err != nil {
				return err
			}
			if opts.plot != "" {
				if err := os.WriteFile(opts.plot, []byte(r.Plot()), 0o644); err != nil {
					return fmt.Errorf("write the plot: %w", err)
				}
			}
			if opts.report != "" && failed == nil {
				if err := insertFigures(opts.report, r); err != nil {
					return err
				}
			}
			if opts.json {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", " ")
				if err := enc.Encode(r); err != nil {
					return err
				}
				return failed
			}
			fmt.Fprint(cmd.OutOrStdout(), r)
			return failed
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Scenarios, "scenario", nil, "scenarios to run, by id (default all)")
	f.IntVar(&o.Runs, "runs", 20, "runs of each script")
	f.StringVar(&o.Collection, "collection", "bench-tokens", "collection for the documentation of Go")
	f.BoolVar(&opts.noIndex, "no-index", false, "take the collection as it is")
	f.StringVar(&o.Catalogue, "catalogue", "internal/upstream/testdata/catalogue/tools.jsonl", "file of tool definitions, for (g)")
	f.BoolVar(&o.Small, "small", false, "a tenth of everything, to see that it works")
	f.Float64Var(&o.Prices.Input, "price-input", o.Prices.Input, "US$ for a million tokens of input")
	f.Float64Var(&o.Prices.Output, "price-output", o.Prices.Output, "US$ for a million tokens of output")
	f.Float64Var(&o.Prices.CacheWrite, "price-cache-write", o.Prices.CacheWrite, "US$ for a million tokens written to the prompt cache")
	f.Float64Var(&o.Prices.CacheRead, "price-cache-read", o.Prices.CacheRead, "US$ for a million tokens read from the prompt cache")
	f.DurationVar(&o.TurnTime, "turn-time", 2*time.Second, "what a turn of the model is assumed to take")
	f.StringArrayVar(&opts.programs, "program", nil, "SCENARIO=FILE: run this program in the place of ours; may be repeated")
	f.StringVar(&opts.from, "from", "", "measure nothing, print and draw this file, which --json has written")
	f.StringVar(&opts.plot, "plot", "", "also write a plot to this SVG file")
	f.StringVar(&opts.report, "report", "", "also put the tables between the marks of this Markdown file")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	return cmd
}

// benchTokens indexes the corpus, unless it is to be taken as it is, and runs the bench.
// failed says that answers differ; then there is a report as well.
func benchTokens(ctx context.Context, o tokenbench.Options, index bool) (r *tokenbench.Report, failed, err error) {
	if o.Bmcis, err = os.Executable(); err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	if index {
		dir, err := home.Dir()
		if err != nil {
			return nil, nil, err
		}
		if err := tokenbench.Index(ctx, o, filepath.Join(dir, "cache", "bench-tokens", o.Collection)); err != nil {
			return nil, nil, err
		}
	}
	r, err = tokenbench.Run(ctx, o)
	if r == nil || err == nil {
		return r, nil, err
	}
	fmt.Fprintln(os.Stderr, err) // the differences have lines of their own
	return r, errors.New("the ways of working came to different answers; see above"), nil
}

// readReport reads what --json has printed.
func readReport(file string) (*tokenbench.Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usagef("--from: %w", err)
	}
	r := &tokenbench.Report{}
	if err := json.Unmarshal(text, r); err != nil || len(r.Scenarios) == 0 {
		return nil, usagef("--from %s: not what bench tokens --json prints", file)
	}
	return r, nil
}

// readPrograms reads the files of --program.
func readPrograms(given []string) (map[string]string, error) {
	programs := map[string]string{}
	for _, p := range given {
		id, file, ok := strings.Cut(p, "=")
		if !ok {
			return nil, usagef("--program %q: write SCENARIO=FILE, such as d=mine.py", p)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, usagef("--program: %w", err)
		}
		programs[id] = string(text)
	}
	return programs, nil
}

// insertFigures writes the tables into a document, with the command that made them.
func insertFigures(file string, r *tokenbench.Report) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	changed, err := r.Insert(string(text))
	if err != nil {
		return fmt.Errorf("--report %s: %w", file, err)
	}
	return os.WriteFile(file, []byte(changed), 0o644)
}

// newBenchUpstreamCommand is the other server of `bench tokens`, started by it and by the
// `bmcis serve` that it starts.
func newBenchUpstreamCommand() *cobra.Command {
	var small bool
	cmd := &cobra.Command{
		Use:    "tokens-upstream",
		Short:  "The MCP server with issues, a sheet and deployments that bench tokens talks to",
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			sizes := tracker.Sizes{}
			if small {
				sizes = tracker.Small
			}
			return server.NewStdioServer(tracker.New(sizes)).Listen(cmd.Context(), os.Stdin, os.Stdout)
		},
	}
	cmd.Flags().BoolVar(&small, "small", false, "little of everything")
	return cmd
}

// commandLine is the command as it can be repeated, without the database, whose DSN may
// hold a password.
func commandLine(cmd *cobra.Command) string {
	line := cmd.CommandPath()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "dsn" {
			line += fmt.Sprintf(" --%s=%s", f.Name, f.Value)
		}
	})
	return line
}
