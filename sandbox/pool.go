package sandbox

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// A pool keeps spare children ready. Each is given out once.
type pool struct {
	log    *slog.Logger
	limits Limits
	spares chan *child
	want   chan struct{} // one token for each spare to start
	coming atomic.Int32  // spares being started
	taking atomic.Int32  // takers that wait for one of these
	done   chan struct{}
	once   sync.Once
	wg     sync.WaitGroup
}

func newPool(n int, l Limits, log *slog.Logger) *pool {
	p := &pool{log: log, limits: l, spares: make(chan *child, n), want: make(chan struct{}, n), done: make(chan struct{})}
	for range n {
		p.want <- struct{}{}
	}
	p.wg.Add(1)
	go p.fill()
	return p
}

// fill starts a spare for each token, one at a time: under load the runs that
// wait start their own.
func (p *pool) fill() {
	defer p.wg.Done()
	wait := 100 * time.Millisecond
	for {
		select {
		case <-p.done:
			return
		case <-p.want:
		}
		p.coming.Add(1)
		c, err := startChild(p.limits)
		p.coming.Add(-1)
		if err != nil {
			p.log.Error("sandbox: spare child", "error", err)
			select {
			case <-p.done:
				return
			case <-time.After(wait):
			}
			wait = min(2*wait, 30*time.Second)
			p.want <- struct{}{}
			continue
		}
		wait = 100 * time.Millisecond
		p.spares <- c
	}
}

// take returns a child that has said hello and can run within l. A spare's hard
// limits are those of the runner; who asks for more gets a new child.
func (p *pool) take(ctx context.Context, l Limits) (*child, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.MemoryBytes > p.limits.MemoryBytes || l.CPU > p.limits.CPU {
		return startChild(l)
	}
	wait := time.Duration(0)
	if p.taking.Add(1) <= p.coming.Load() {
		wait = spareWait
	}
	defer p.taking.Add(-1)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-p.done:
			return nil, ErrClosed
		case c := <-p.spares:
			p.want <- struct{}{}
			return c, nil
		default:
		}
		if wait == 0 {
			return startChild(l)
		}
		select {
		case c := <-p.spares:
			p.want <- struct{}{}
			return c, nil
		case <-timer.C:
			wait = 0
		case <-p.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// spareWait is how long a run waits for a spare that is being started, before it
// starts a child of its own.
const spareWait = 30 * time.Millisecond

// close ends the spares.
func (p *pool) close() {
	p.once.Do(func() { close(p.done) })
	p.wg.Wait()
	for {
		select {
		case c := <-p.spares:
			c.end()
		default:
			return
		}
	}
}
