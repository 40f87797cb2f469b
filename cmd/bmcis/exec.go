package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

func newExecCommand(g *globals) *cobra.Command {
	var opts struct {
		context, memory, collection string
		config                      string
		timeout                     time.Duration
		json, validate              bool
	}
	cmd := &cobra.Command{
		Use:   "exec FILE|-",
		Short: "Run one program in the sandbox, as execute_code does",
		Long: "Runs a program in agents' Python in a throw-away child process with limits. What it\n" +
			"prints comes as it runs; its result (__result__, result or the last expression)\n" +
			"follows. --json prints the whole outcome with error, usage and token ledger instead.",
		Example: "  echo 'search.hybrid_search(\"context cancellation\", top_k=3)' | bmcis exec -\n" +
			"  bmcis exec report.py --context '{\"query\": \"raft\"}' --timeout 10s",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			program, err := readProgram(a[0], opts.context)
			if err != nil {
				return err
			}
			program.ValidateOnly = opts.validate
			memory, err := parseBytes(opts.memory)
			if err != nil {
				return usagef("--memory: %w", err)
			}
			if opts.timeout <= 0 {
				return usagef("--timeout must be above 0, got %s", opts.timeout)
			}
			limits := sandbox.Limits{Wall: opts.timeout, MemoryBytes: memory}
			switch { // the sandbox's own bounds, in the units of the flags
			case limits.Wall < time.Millisecond || limits.Wall > 24*time.Hour:
				return usagef("--timeout must be 1ms to 24h, got %s", opts.timeout)
			case memory < 32<<20 || memory > 1<<40:
				return usagef("--memory must be 32MiB to 1024GiB, got %s", opts.memory)
			}
			cfg, err := loadConfig(opts.config)
			if err != nil {
				return usageError{err}
			}
			ctx, engine, hostConfig := cmd.Context(), host.Searcher(nil), host.Config{Collection: opts.collection, CacheDir: cacheDir("tools")}
			if !opts.validate { // which needs no database
				b, err := g.openBackend(ctx, cfg)
				if err != nil {
					return err
				}
				defer b.Close()
				engine, hostConfig.Services, hostConfig.Privacy = b.engine, b.services, b.privacy
				ctx = host.WithConnection(identity.NewContext(ctx, b.local), host.Connection{Transport: "cli", Tool: "bmcis exec", Description: a[0]})
			}
			runner, err := sandbox.NewRunner(sandbox.Config{Slots: 1, Spares: -1}) // one run needs no spare
			if err != nil {
				return err
			}
			defer runner.Close()
			if !opts.json {
				program.Output = func(line string) { fmt.Fprintln(cmd.OutOrStdout(), line) }
			}
			result, err := host.New(engine, hostConfig).Execute(ctx, runner, program, limits)
			if err != nil {
				return err
			}
			if opts.validate && result.Error == nil {
				return printValidation(cmd, program.Name, result, opts.json)
			}
			return printOutcome(g, cmd, result, opts.json)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.collection, "collection", search.DefaultCollection, "collection that the program searches when it names none")
	f.StringVar(&opts.config, "config", "", "JSON file with other MCP servers (mcpServers) and pii, as for serve")
	f.StringVar(&opts.context, "context", "", "JSON object of variables for the program, or @FILE")
	f.DurationVar(&opts.timeout, "timeout", 30*time.Second, "wall time")
	f.StringVar(&opts.memory, "memory", "512MiB", "memory, such as 256MiB or 1GiB")
	f.BoolVar(&opts.validate, "validate-only", false, "report problems and possible host calls; run nothing")
	f.BoolVar(&opts.json, "json", false, "print the whole outcome as JSON")
	return cmd
}

// readProgram reads the source as bytes, exactly as given, and the context.
func readProgram(path, contextText string) (sandbox.Program, error) {
	var source []byte
	var err error
	if path == "-" {
		source, err = io.ReadAll(os.Stdin)
	} else {
		source, err = os.ReadFile(path)
	}
	if err != nil {
		return sandbox.Program{}, fmt.Errorf("read program: %w", err)
	}
	p := sandbox.Program{Source: string(source), Name: path}
	if path == "-" {
		p.Name = "program"
	}
	if name, isFile := strings.CutPrefix(contextText, "@"); isFile {
		data, err := os.ReadFile(name)
		if err != nil {
			return p, fmt.Errorf("read context: %w", err)
		}
		contextText = string(data)
	}
	if contextText != "" {
		var vars map[string]json.RawMessage // as written: key order and digits
		if err := json.Unmarshal([]byte(contextText), &vars); err != nil {
			return p, usagef("--context must be a JSON object such as {\"query\": \"raft\"}: %w", err)
		}
		p.Context = sandbox.RawContext(vars)
	}
	return p, nil
}

// printValidation prints what --validate-only found out: each problem with its place, as
// compilers do, or what the program may ask the host for.
func printValidation(cmd *cobra.Command, name string, r host.RunResult, asJSON bool) error {
	var report struct {
		Problems []struct {
			Line, Column  int
			Message, Hint string
		}
		Calls     []string
		HostCalls []string `json:"host_calls"`
	}
	if err := json.Unmarshal(r.Report, &report); err != nil {
		return fmt.Errorf("read the report of validation: %w", err)
	}
	out := cmd.OutOrStdout()
	if asJSON {
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	} else {
		for _, p := range report.Problems {
			fmt.Fprintf(out, "%s:%d:%d: %s\n", name, p.Line, p.Column, p.Message)
			if p.Hint != "" {
				fmt.Fprintf(out, "  %s\n", p.Hint)
			}
		}
	}
	if n := len(report.Problems); n > 0 {
		return fmt.Errorf("%s would not run: %d %s", name, n, plural(n, "problem"))
	}
	if !asJSON {
		fmt.Fprintf(out, "%s would run\n", name)
		if len(report.Calls) > 0 {
			fmt.Fprintf(out, "may call    %s\n", strings.Join(report.Calls, ", "))
			fmt.Fprintf(out, "host calls  %s\n", strings.Join(report.HostCalls, ", "))
		}
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// printOutcome prints the result; a program that failed makes the command fail.
func printOutcome(g *globals, cmd *cobra.Command, r host.RunResult, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	} else if len(r.Result) > 0 && string(r.Result) != "null" {
		var text string
		if json.Unmarshal(r.Result, &text) == nil {
			fmt.Fprintln(out, text)
		} else {
			fmt.Fprintln(out, string(r.Result))
		}
	}
	if !asJSON { // there they are part of the outcome
		for _, d := range r.Degraded {
			fmt.Fprintln(os.Stderr, "bmcis: degraded: "+d)
		}
	}
	if r.Error != nil {
		where := ""
		if r.Error.Line > 0 {
			where = fmt.Sprintf(" (line %d, column %d)", r.Error.Line, r.Error.Column)
		}
		hint := ""
		if r.Error.Hint != "" {
			hint = "; " + r.Error.Hint
		}
		return fmt.Errorf("%s: %s%s%s", r.Error.Kind, r.Error.Message, where, hint)
	}
	g.say("%.0f ms, %d tokens touched inside, %d returned", r.ExecutionTime*1000,
		r.Ledger.TokensTouched, r.Ledger.TokensReturned)
	return nil
}

// parseBytes reads 512MiB, 1GiB, 64KiB or a plain number of bytes.
func parseBytes(text string) (int64, error) {
	units := []struct {
		suffix string
		factor int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n <= 0 || n > (1<<62)/u.factor {
			break
		}
		return n * u.factor, nil
	}
	return 0, fmt.Errorf("%q is not a size such as 512MiB", text)
}
