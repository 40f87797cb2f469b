package tokenbench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/bmcis/bmcis/internal/godoc"
)

// smallCorpus is enough for the first question.
var smallCorpus = []string{"errors", "sync"}

// Index writes the documentation of this machine's Go installation as files below dir and
// has bmcis index them into the collection, as `make demo` does. Files that are already
// indexed cost little.
func Index(ctx context.Context, o Options, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var keep func(string) bool
	if o.Small {
		keep = func(id string) bool { return slices.Contains(smallCorpus, id) }
	}
	if _, err := godoc.New("").WriteFiles(ctx, dir, keep, func(err error) { fmt.Fprintln(os.Stderr, "left out:", err) }); err != nil {
		return fmt.Errorf("documentation of Go: %w", err)
	}
	index := exec.CommandContext(ctx, o.Bmcis, "index", dir, "--collection", o.Collection, "--prune")
	index.Stdout, index.Stderr = os.Stderr, os.Stderr // data goes to our own output only
	if o.DSN != "" {
		index.Env = append(os.Environ(), "BMCIS_DATABASE_URL="+o.DSN)
	}
	if err := index.Run(); err != nil {
		return fmt.Errorf("bmcis index %s: %w", dir, err)
	}
	return nil
}
