package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
)

func newDBCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "db",
		Short: "Start, stop, back up, restore, migrate or verify the database",
		Long: "The private database lies below BMCIS_HOME, starts by itself when a command needs\n" +
			"it, and stops after ten minutes without use (BMCIS_DB_IDLE: another duration, or\n" +
			"never). backup, restore, migrate and verify also work on a database given by --dsn.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("say what to do: %s start|stop|backup|restore|migrate|verify", cmd.CommandPath())
		},
	}
	var replace bool
	start := &cobra.Command{
		Use:   "start",
		Short: "Start the private database and print its DSN",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := g.onlyPrivate("start"); err != nil {
				return err
			}
			dsn, release, err := g.database(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			fmt.Fprintln(cmd.OutOrStdout(), dsn)
			return nil
		},
	}
	stop := &cobra.Command{
		Use:   "stop",
		Short: "Stop the private database; what was committed is safe",
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return g.stopDatabase(cmd.Context()) },
	}
	migrate := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema to this program's version",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, done, err := private.Connect(cmd.Context(), pg.Config{DSN: g.dsn, Migrate: true, MaxConns: 2, Warn: g.warn})
			if err != nil {
				return err
			}
			defer done()
			g.say("the schema is current")
			return nil
		},
	}
	backup := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the whole database into one file, while others use it",
		Args:  args(cobra.ExactArgs(1)),
		RunE:  func(cmd *cobra.Command, a []string) error { return g.backup(cmd.Context(), a[0]) },
	}
	restore := &cobra.Command{
		Use:   "restore FILE",
		Short: "Bring a backup back, all of it or nothing",
		Args:  args(cobra.ExactArgs(1)),
		RunE:  func(cmd *cobra.Command, a []string) error { return g.restore(cmd.Context(), a[0], replace) },
	}
	restore.Flags().BoolVar(&replace, "replace", false, "replace the documents that are in the database")
	cmd.AddCommand(start, stop, backup, restore, migrate, newDBVerifyCommand(g))
	return cmd
}

func (g *globals) warn(text string) { g.say("bmcis: warning: %s", text) }

func (g *globals) onlyPrivate(what string) error {
	if g.dsn != "" {
		return usagef("db %s is for the private database, and --dsn or BMCIS_DATABASE_URL names one of your own; use its own tools", what)
	}
	return nil
}

// database returns the DSN of the database in use, started if it is the private one.
func (g *globals) database(ctx context.Context) (dsn string, release func(), err error) {
	if g.dsn != "" {
		return g.dsn, func() {}, nil
	}
	c, err := private.New(private.Config{Progress: func(text string) { g.say("%s", text) }})
	if err != nil {
		return "", nil, err
	}
	return c.Ensure(ctx)
}

func (g *globals) stopDatabase(ctx context.Context) error {
	if err := g.onlyPrivate("stop"); err != nil {
		return err
	}
	c, err := private.New(private.Config{})
	if err != nil {
		return err
	}
	was, err := c.Stop(ctx)
	if err != nil {
		return err
	}
	if was {
		g.say("stopped")
	} else {
		g.say("it was not running")
	}
	return nil
}

func (g *globals) backup(ctx context.Context, file string) error {
	dsn, release, err := g.database(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := pg.Dump(ctx, toolFolder(), dsn, file); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	g.say("wrote %s, %.1f MB", file, float64(info.Size())/1e6)
	return nil
}

func (g *globals) restore(ctx context.Context, file string, replace bool) error {
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	dsn, release, err := g.database(ctx)
	if err != nil {
		return err
	}
	defer release()
	err = pg.Restore(ctx, toolFolder(), dsn, file, replace)
	if errors.Is(err, pg.ErrNotEmpty) {
		return fmt.Errorf("%w; to do that: bmcis db restore --replace %s", err, file)
	}
	if err != nil {
		return err
	}
	// The backup may be of an older program.
	_, done, err := private.Connect(ctx, pg.Config{DSN: g.dsn, Migrate: true, MaxConns: 2, Warn: g.warn})
	if err != nil {
		return err
	}
	defer done()
	g.say("restored %s", file)
	return nil
}

// toolFolder is where setup's pg_dump lies; empty when there is none.
func toolFolder() string {
	dir, err := home.PostgresBin()
	if err != nil {
		return ""
	}
	return dir
}
