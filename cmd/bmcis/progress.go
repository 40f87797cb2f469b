package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/bmcis/bmcis/search"
)

// progress is a bar on standard error for a person at a terminal, and silence for
// everybody else.
type progress struct {
	bar *progressbar.ProgressBar
}

func newProgress(g *globals, what string) *progress {
	if !g.showsProgress() {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions64(-1,
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// set moves the bar; total 0 means not known yet.
func (p *progress) set(done, total int64) {
	if p.bar == nil {
		return
	}
	if total > 0 && p.bar.GetMax64() != total {
		p.bar.ChangeMax64(total)
	}
	_ = p.bar.Set64(done)
}

func (p *progress) index(s search.IndexProgress) { p.set(int64(s.Done), int64(s.Total)) }

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
