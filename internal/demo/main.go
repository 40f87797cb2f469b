// Command demo is `make demo`: it indexes the documentation of the Go installation on
// this machine with the built bmcis, then runs three programs through a real MCP
// client against `bmcis serve`, and prints each answer with its token ledger beside
// what the same work costs with direct tools.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmcis/bmcis/internal/godoc"
	"github.com/bmcis/bmcis/internal/home"
)

// collection is where the demo's documents go.
const collection = "go"

func main() {
	bmcis := flag.String("bmcis", "bin/bmcis", "the program to demonstrate")
	docs := flag.String("docs", "", "folder for the documents made from the Go installation (default cache/go-docs below BMCIS_HOME)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *bmcis, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bmcis, docs string) error {
	if _, err := os.Stat(bmcis); err != nil {
		return fmt.Errorf("%w; run `make build` first", err)
	}
	bmcis, err := filepath.Abs(bmcis)
	if err != nil {
		return err
	}
	start := time.Now()
	if docs == "" { // the same for every checkout: documents are known by their paths
		data, err := home.Dir()
		if err != nil {
			return err
		}
		docs = filepath.Join(data, "cache", "go-docs")
	}
	goroot, err := goRoot(ctx)
	if err != nil {
		return err
	}
	heading("1. Documents: the Go installation at %s", goroot)
	source := godoc.New(goroot)
	n, err := source.WriteFiles(ctx, docs, nil, func(err error) { fmt.Fprintln(os.Stderr, "demo: left out:", err) })
	if err != nil {
		return err
	}
	for _, name := range source.Missing() {
		fmt.Fprintln(os.Stderr, "demo: this Go installation comes without", name)
	}
	fmt.Printf("%d documents in %s: the public packages of the standard library and the language specification\n", n, docs)

	heading("2. Index: bmcis index %s --collection %s --prune", docs, collection)
	index := exec.CommandContext(ctx, bmcis, "index", docs, "--collection", collection, "--prune")
	index.Stdout, index.Stderr = os.Stdout, os.Stderr
	if err := index.Run(); err != nil {
		return fmt.Errorf("bmcis index: %w", err)
	}
	if err := runPrograms(ctx, bmcis); err != nil {
		return err
	}
	heading("What to try next  (this took %s)", time.Since(start).Round(time.Second))
	fmt.Print(nextSteps)
	return nil
}

const nextSteps = `  bin/bmcis search "close an http response body" --collection go --explain
  bin/bmcis exec examples/rerank_filter.py --collection go --json
  bin/bmcis index ~/your/notes --collection notes
  claude mcp add bmcis -- "$PWD/bin/bmcis" serve --collection go   (more clients: README.md)
`

func heading(format string, args ...any) {
	title := fmt.Sprintf(format, args...)
	fmt.Printf("\n%s\n%s\n", title, strings.Repeat("─", min(len([]rune(title)), 78)))
}

// goRoot asks the go command, which knows best.
func goRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
