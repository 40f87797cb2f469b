package host

import (
	"maps"
	"sync"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/render"
)

// ledger counts what one run touches. Tokens are counted behind the run's back:
// a call only queues what a direct tool would have printed, and one goroutine
// counts it while the program goes on, with the host's cache of counts by text.
// final waits for what is left.
type ledger struct {
	cache *render.TokenCache

	mu     sync.Mutex
	idle   *sync.Cond // nothing queued and nothing being counted
	sum    codeapi.Ledger
	spent  time.Duration
	queue  []func() int
	busy   bool
	closed bool
}

func newLedger(cache *render.TokenCache) *ledger {
	l := &ledger{cache: cache, sum: codeapi.Ledger{Calls: map[string]int{}}}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// called notes a call and the time that it took.
func (l *ledger) called(method string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum.Calls[method]++
	l.spent += took
}

// printedHits queues hits as a direct tool would print them, in full.
func (l *ledger) printedHits(hits []render.Hit) {
	l.count(func() { l.sum.Hits += len(hits) }, func() int {
		n := render.HitsOverhead()
		for _, h := range hits {
			n += render.HitTokens(l.cache, h)
		}
		return n
	})
}

func (l *ledger) printedDocument(d render.Document) {
	l.count(func() { l.sum.Documents++ }, func() int { return l.cache.Count(string(render.DocumentJSON(d, render.Full))) })
}

func (l *ledger) printedTexts(texts []string) {
	l.count(func() {}, func() int {
		n := 0
		for _, t := range texts {
			n += l.cache.Count(t)
		}
		return n
	})
}

// count runs note under the lock and queues the counting.
func (l *ledger) count(note func(), job func() int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	note()
	l.queue = append(l.queue, job)
	if !l.busy {
		l.busy = true
		go l.work()
	}
}

func (l *ledger) work() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) > 0 && !l.closed {
		job := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		n := job()
		l.mu.Lock()
		l.sum.TokensTouched += n
	}
	l.busy = false
	l.idle.Broadcast()
}

// soFar is the ledger of a run that goes on; it waits until all is counted that
// was queued before.
func (l *ledger) soFar() codeapi.Ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy && !l.closed {
		l.idle.Wait()
	}
	sum := l.sum
	sum.Calls = maps.Clone(l.sum.Calls)
	sum.HostMillis = render.Round(l.spent.Seconds()*1000, 2)
	return sum
}

// final is the ledger of a run that has ended with this answer.
func (l *ledger) final(result, output string) codeapi.Ledger {
	returned := 0
	if result != "null" {
		returned = render.CountTokens(result)
	}
	if output != "" {
		returned += render.CountTokens(output)
	}
	sum := l.soFar()
	sum.TokensReturned = returned
	return sum
}

// close drops what has not been counted.
func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.queue = nil
	l.idle.Broadcast()
}
