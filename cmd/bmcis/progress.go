package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/bmcis/bmcis/search"
)

// progress shows on standard error how far long work is: a bar for a person at a
// terminal, a plain line now and then where there is none (a log, a pipe), nothing
// with --quiet.
type progress struct {
	bar   *progressbar.ProgressBar
	lines *progressLines
}

// progressPause is the time between two plain lines. Work that ends sooner prints none.
const progressPause = 10 * time.Second

// newProgress begins to show what; unit is what is counted, "bytes" or a plural.
func newProgress(g *globals, what, unit string) *progress {
	if g.quiet {
		return &progress{}
	}
	if !g.showsProgress() {
		ticker := time.NewTicker(progressPause)
		return &progress{lines: newProgressLines(os.Stderr, what, unit, ticker.C, ticker.Stop)}
	}
	return &progress{bar: progressbar.NewOptions64(-1,
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// set says how far it is; total 0 means not known yet.
func (p *progress) set(done, total int64) {
	switch {
	case p.lines != nil:
		p.lines.set(done, total, "", "")
	case p.bar != nil:
		if total > 0 && p.bar.GetMax64() != total {
			p.bar.ChangeMax64(total)
		}
		_ = p.bar.Set64(done)
	}
}

// index is set for a run of the indexer, which may turn to chunks at its end. Before, it
// tells of chunks beside documents: a single long one may take minutes.
func (p *progress) index(s search.IndexProgress) {
	p.set(int64(s.Done), int64(s.Total))
	other, more := "", ""
	switch {
	case s.Stage == "embedding":
		other = "chunks embedded"
	case s.Embedded > 0:
		more = fmt.Sprintf(", %d of %d chunks embedded,", s.Embedded, s.Cut)
	case s.Cut > 0:
		more = fmt.Sprintf(", %d chunks cut,", s.Cut)
	}
	if p.lines != nil {
		p.lines.set(int64(s.Done), int64(s.Total), other, more)
	}
	if p.bar != nil {
		p.bar.Describe("indexing" + more)
	}
}

func (p *progress) done() {
	if p.lines != nil {
		p.lines.close()
	}
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// progressLines prints a line at each tick, whether something has moved or not: a
// silent program looks like a dead one.
type progressLines struct {
	out          io.Writer
	what, unit   string
	begun        time.Time
	mu           sync.Mutex
	count, total int64
	other, more  string
	quit         chan struct{}
	close        func() // may be called twice
}

func newProgressLines(out io.Writer, what, unit string, tick <-chan time.Time, stop func()) *progressLines {
	l := &progressLines{out: out, what: what, unit: unit, begun: time.Now(), quit: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-l.quit:
				return
			case now := <-tick:
				fmt.Fprintln(out, l.line(now.Sub(l.begun)))
			}
		}
	}()
	l.close = sync.OnceFunc(func() {
		close(l.quit)
		<-ended
		stop()
	})
	return l
}

// set takes the counts; other replaces the unit when it is not empty, more follows it.
func (l *progressLines) set(done, total int64, other, more string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count, l.total, l.other, l.more = done, total, other, more
}

func (l *progressLines) line(after time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	unit := l.unit
	if l.other != "" {
		unit = l.other
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	if unit == "bytes" {
		unit = "MB"
		number = func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }
	}
	of := ""
	if l.total > 0 {
		of = " of " + number(l.total)
	}
	return fmt.Sprintf("%s: %s%s %s%s after %s", l.what, number(l.count), of, unit, l.more, after.Round(time.Second))
}
