package main

import (
	"bufio"
	"io"
	"testing"
	"time"

	"github.com/bmcis/bmcis/search"
)

func TestLinesWithoutATerminal(t *testing.T) {
	read, write := io.Pipe()
	lines := bufio.NewScanner(read)
	tick := make(chan time.Time)
	p := &progress{lines: newProgressLines(write, "indexing", "documents", tick, func() { write.Close() })}
	begun := p.lines.begun
	next := func(after time.Duration, want string) {
		t.Helper()
		tick <- begun.Add(after)
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("%q, want %q", lines.Text(), want)
		}
	}
	next(10*time.Second, "indexing: 0 documents after 10s")
	p.index(search.IndexProgress{Stage: "indexing", Done: 64, Total: 5260})
	next(20*time.Second, "indexing: 64 of 5260 documents after 20s")
	next(100*time.Second, "indexing: 64 of 5260 documents after 1m40s")
	p.index(search.IndexProgress{Stage: "indexing", Done: 64, Total: 5260, Cut: 900})
	next(101*time.Second, "indexing: 64 of 5260 documents, 900 chunks cut, after 1m41s")
	p.index(search.IndexProgress{Stage: "indexing", Done: 64, Total: 5260, Cut: 900, Embedded: 128})
	next(102*time.Second, "indexing: 64 of 5260 documents, 128 of 900 chunks embedded, after 1m42s")
	p.index(search.IndexProgress{Stage: "embedding", Done: 128, Total: 300})
	next(110*time.Second, "indexing: 128 of 300 chunks embedded after 1m50s")
	p.done()
	p.done()
	p.set(1, 2) // a late word is no harm
	if lines.Scan() {
		t.Errorf("%q after the end", lines.Text())
	}

	bytes := &progressLines{what: "postgres", unit: "bytes"}
	bytes.set(1_250_000, 24_700_000, "", "")
	if got := bytes.line(10 * time.Second); got != "postgres: 1.2 of 24.7 MB after 10s" {
		t.Error(got)
	}
	if p := newProgress(&globals{quiet: true}, "x", "y"); p.bar != nil || p.lines != nil {
		t.Error("--quiet is not quiet")
	}
}
