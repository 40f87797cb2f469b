package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/bmcis/bmcis/internal/spell"
	"github.com/bmcis/bmcis/search"
)

// globals are the flags that every sub-command shares.
type globals struct {
	dsn      string
	logLevel string
	quiet    bool
	// observer is told of searches; nil but while serving.
	observer search.Observer
}

// setUpLogging sends structured logs to standard error at the level asked for.
func (g *globals) setUpLogging() error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(g.logLevel)); err != nil {
		return usagef("--log-level %q is none of debug, info, warn, error", g.logLevel)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	return nil
}

// say prints words for people on standard error.
func (g *globals) say(format string, args ...any) {
	if !g.quiet {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// showsProgress reports whether progress bars make sense: a person at a terminal.
func (g *globals) showsProgress() bool {
	return !g.quiet && term.IsTerminal(int(os.Stderr.Fd()))
}

// flagHint adds the nearest flag name to an unknown-flag error, and says in words what
// kind of value a flag takes.
func flagHint(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		kind, ok := map[string]string{"int": "a whole number", "float64": "a number", "duration": "a time span such as 30s or 2m"}[value.GetFlag().Value.Type()]
		switch {
		case errors.Is(err, strconv.ErrRange):
			return fmt.Errorf("--%s %s is too large", value.GetFlag().Name, value.GetValue())
		case ok:
			return fmt.Errorf("--%s %q is not %s", value.GetFlag().Name, value.GetValue(), kind)
		}
		return err
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	visit := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	cmd.Flags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	best := spell.Nearest(unknown.GetSpecifiedName(), names)
	if best == "" && cmd.Name() == "search" {
		return fmt.Errorf("%w; a query that begins with - stands after --: bmcis search -- QUERY", err)
	}
	if best == "" {
		return err
	}
	return fmt.Errorf("%w; did you mean --%s", err, best)
}

// oneOf checks a flag whose value is one word of a closed set.
func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return usagef("--%s %q is none of %s", flag, value, strings.Join(allowed, ", "))
}
