// Package admit keeps a server useful when more is asked of it than it can do: a bounded
// number of things run at once, a bounded number waits for a short time, and the rest is
// refused at once with the time after which to try again.
//
// In: who wants to begin. Out: a place, or a [Busy]. Callers: sandbox for programs,
// internal/mcpserver for direct tools and requests.
package admit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// A Gate lets a bounded number through at once. Its methods may be called concurrently.
type Gate struct {
	slots chan struct{}
	queue int
	wait  time.Duration
	done  <-chan struct{}

	mu      sync.Mutex
	waiting int
	refused int64
	pace    time.Duration // how long a place is taken, lately
}

// Config says how much room there is.
type Config struct {
	// Slots is how many may be inside at once; at least 1.
	Slots int
	// Queue is how many may wait for a place; 0: none.
	Queue int
	// Wait is how long one waits at most. Who would probably wait longer than three
	// quarters of that, as far as the pace of the latest tells, is refused at once: waiting
	// in vain is worse than an early no. As many as there are slots may always wait: the
	// pace of yesterday's slow ones says little about a few quick ones of today.
	Wait time.Duration
	// Done, when closed, ends all waiting. May be nil.
	Done <-chan struct{}
}

// New returns an empty gate.
func New(c Config) *Gate {
	return &Gate{slots: make(chan struct{}, max(c.Slots, 1)), queue: c.Queue, wait: c.Wait, done: c.Done}
}

// Busy says that there is no room.
type Busy struct {
	Running, Waiting int
	// Waited is how long the refused one had waited already; 0: it was refused at once.
	Waited time.Duration
	// RetryAfter is when there is probably room, at least a second.
	RetryAfter time.Duration
}

// Error implements error.
func (b *Busy) Error() string {
	if b.Waited > 0 {
		return fmt.Sprintf("no room within %v", b.Waited.Round(time.Millisecond))
	}
	return fmt.Sprintf("%d are running and %d are waiting", b.Running, b.Waiting)
}

// Seconds is RetryAfter in whole seconds, as the header Retry-After has it.
func (b *Busy) Seconds() int { return int(math.Ceil(b.RetryAfter.Seconds())) }

// ErrDone is returned by Enter when Config.Done was closed.
var ErrDone = errors.New("the server is shutting down")

// Enter waits for a place. leave gives it back and may be called twice; waited is how long
// it took, also with an error, which is a *[Busy], [ErrDone] or that of ctx.
func (g *Gate) Enter(ctx context.Context) (leave func(), waited time.Duration, err error) {
	select {
	case g.slots <- struct{}{}:
		return g.inside(), 0, nil
	default:
	}
	g.mu.Lock()
	if expected := g.expected(); g.waiting >= g.queue || g.waiting >= cap(g.slots) && expected > g.wait*3/4 {
		g.refused++
		busy := &Busy{Running: cap(g.slots), Waiting: g.waiting, RetryAfter: max(expected, time.Second)}
		g.mu.Unlock()
		return nil, 0, busy
	}
	g.waiting++
	g.mu.Unlock()
	begun := time.Now()
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		g.leaveQueue()
		return g.inside(), time.Since(begun), nil
	case <-timer.C:
		err = &Busy{Running: cap(g.slots), Waited: g.wait}
	case <-ctx.Done():
		err = ctx.Err()
	case <-g.done:
		err = ErrDone
	}
	g.leaveQueue()
	if busy, ok := err.(*Busy); ok {
		g.mu.Lock()
		g.refused++
		busy.Waiting, busy.RetryAfter = g.waiting, max(g.expected(), time.Second)
		g.mu.Unlock()
	}
	return nil, time.Since(begun), err
}

// expected is how long the next to queue will wait; mu is held.
func (g *Gate) expected() time.Duration {
	return g.pace * time.Duration(g.waiting+1) / time.Duration(cap(g.slots))
}

func (g *Gate) leaveQueue() {
	g.mu.Lock()
	g.waiting--
	g.mu.Unlock()
}

// inside is the way out of a place that was just taken.
func (g *Gate) inside() func() {
	begun := time.Now()
	return sync.OnceFunc(func() {
		<-g.slots
		g.mu.Lock()
		defer g.mu.Unlock()
		g.pace += (time.Since(begun) - g.pace) / 8
	})
}

// Stats is the state of a gate.
type Stats struct {
	Slots, Running, Waiting int
	Refused                 int64         // so far
	Pace                    time.Duration // how long a place is taken, lately
}

// Stats returns the state of the gate.
func (g *Gate) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Stats{Slots: cap(g.slots), Running: len(g.slots), Waiting: g.waiting, Refused: g.refused, Pace: g.pace}
}
