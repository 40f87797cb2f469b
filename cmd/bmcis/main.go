// Command bmcis is the whole product in one file: it sets itself up, indexes
// documents, answers queries, runs agents' programs in a sandbox, serves them over
// MCP, and measures itself. `bmcis help` lists the sub-commands, one file each in
// this folder; testdata/script tells them as stories.
//
// Data goes to standard output, words for people to standard error. Exit codes:
// 0 done, 1 failed, 2 wrong usage, 3 partly done (what is missing is named on
// standard error).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	_ "github.com/bmcis/bmcis/codeapi/child" // makes this program answer as a sandbox child
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run executes one command line and returns its exit code.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bmcis: interrupted; what was committed stays")
		return exitFailed
	}
	if code := exitCode(err); code != exitPartly || err.Error() != "" {
		fmt.Fprintln(os.Stderr, "bmcis: "+oneLine(err))
	}
	return exitCode(err)
}

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitPartly = 3
)

// usageError is a command line that cannot be carried out as written.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// partlyError is work that was done in part; its text names the rest.
type partlyError struct{ err error }

func (e partlyError) Error() string { return e.err.Error() }
func (e partlyError) Unwrap() error { return e.err }

func exitCode(err error) int {
	var usage usageError
	var partly partlyError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &partly):
		return exitPartly
	default:
		return exitFailed
	}
}

// oneLine keeps an error to the one line that the terminal promises.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}

func newRootCommand() *cobra.Command {
	g := &globals{}
	root := &cobra.Command{
		Use:     "bmcis",
		Short:   "Hybrid search that agents call as code",
		Version: version(),
		Long: "bmcis indexes documents into PostgreSQL, searches them by keyword (BM25) and by\n" +
			"meaning (vectors), reranks, and lets an agent run the whole pipeline as one\n" +
			"sandboxed program over MCP.",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if g.dsn == "" { // not the flag's default, which --help prints, password and all
				g.dsn = os.Getenv("BMCIS_DATABASE_URL")
			}
			return g.setUpLogging()
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see `%s --help`", flagHint(cmd, err), cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVar(&g.dsn, "dsn", "",
		"PostgreSQL to use (default $BMCIS_DATABASE_URL, else the private database)")
	flags.StringVar(&g.logLevel, "log-level", "warn", "debug, info, warn or error, on standard error")
	flags.BoolVar(&g.quiet, "quiet", false, "no progress and no words, only errors")
	root.AddCommand(
		newSetupCommand(g), newDoctorCommand(g), newStatusCommand(g),
		newIndexCommand(g), newSearchCommand(g), newExecCommand(g), newServeCommand(g),
		newEvalCommand(g), newCollectionsCommand(g), newDeleteCommand(g),
		newModelsCommand(g), newDBCommand(g), newBenchCommand(g),
		newTokensCommand(g), newAuditCommand(g), newSkillsCommand(g), newVaultCommand(g),
	)
	refuseUnknownCommands(root)
	return root
}

// args wraps a positional-argument check so that its failure is a usage error
// which shows the right form.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, a []string) error {
		err := check(cmd, a)
		if err != nil && check(cmd, nil) == nil && check(cmd, a[:1]) != nil {
			return usagef("%s takes no argument, got %q; see `%s --help`", cmd.CommandPath(), a[0], cmd.CommandPath())
		}
		if err != nil && len(a) == 0 {
			return usagef("an argument is missing; usage: %s", cmd.UseLine())
		}
		if err != nil {
			return usagef("wrong number of arguments, %d; usage: %s", len(a), cmd.UseLine())
		}
		return nil
	}
}
