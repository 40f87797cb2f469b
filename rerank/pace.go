package rerank

import (
	"math"
	"sync"
	"time"
)

const (
	// paceShare is how much the newest call counts in the running estimate.
	paceShare = 0.3
	// paceHalfLife is how fast the estimate fades when nothing is measured, so that a
	// reranker that was too slow under load is tried again.
	paceHalfLife = 30 * time.Second
)

// pace is a running estimate of the wall time for a passage. The zero value knows
// nothing yet.
type pace struct {
	mu  sync.Mutex
	per float64 // seconds
	at  time.Time
}

// add counts a call that scored n passages anew.
func (p *pace) add(n int, took time.Duration, now time.Time) {
	if n <= 0 || took <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	per := took.Seconds() / float64(n)
	if p.per == 0 {
		p.per = per
	}
	p.per += paceShare * (per - p.per)
	p.at = now
}

// estimate is the time for a passage; 0 when nothing was measured.
func (p *pace) estimate(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	faded := p.per * math.Exp2(-max(0, now.Sub(p.at).Seconds())/paceHalfLife.Seconds())
	return time.Duration(faded * float64(time.Second))
}

// PerPassage is the wall time that a passage lately took, with as many at once as there
// are workers and beside whatever else ran; remembered scores are not counted. 0 before
// the first; it halves with every 30 s in which nothing is scored.
func (c *CrossEncoder) PerPassage() time.Duration { return c.pace.estimate(time.Now()) }
