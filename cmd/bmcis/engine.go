package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bmcis/bmcis/search"
)

// openEngine opens the search engine on the database that the flags name.
func (g *globals) openEngine(ctx context.Context) (*search.Engine, error) {
	return search.Open(ctx, search.Config{
		DSN:  g.dsn,
		Warn: func(text string) { fmt.Fprintln(os.Stderr, "bmcis: warning: "+text) },
	})
}
