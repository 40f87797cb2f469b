package pylang

import (
	"slices"
	"time"
)

// eventLoop is the event loop of a run: asyncio's, step by step, so that tasks take
// turns in CPython's order. Callbacks wait in a queue; timers join it when they
// are due; when neither has work, the oldest pending host call is waited for.
// Host calls have been started when they were made, so that waiting for one
// lets the others go on as well.
type eventLoop struct {
	rt      *runtime
	ready   []func()
	timers  []timer // by time, then by age
	calls   []*future
	fatal   error // a limit was met in a task
	current *future
	busy    int // turns since the timers were looked at
	tasks   int // made so far, for their names
	all     []*future
}

type timer struct {
	at time.Time
	f  func()
}

func (l *eventLoop) soon(f func()) { l.ready = append(l.ready, f) }

func (l *eventLoop) later(seconds float64, f func()) {
	t := timer{time.Now().Add(time.Duration(min(max(seconds, 0), 1e9) * float64(time.Second))), f}
	i, _ := slices.BinarySearchFunc(l.timers, t, func(a, b timer) int {
		if a.at.After(b.at) {
			return 1
		}
		return -1
	})
	l.timers = slices.Insert(l.timers, i, t)
}

// until runs the loop until f is done.
func (l *eventLoop) until(f *future) error {
	for !f.done {
		if err := l.turn(); err != nil {
			return err
		}
	}
	return l.fatal
}

// turn runs the callbacks that are ready now.
func (l *eventLoop) turn() error {
	if l.busy++; len(l.ready) == 0 || l.busy > maxBusy {
		l.busy = 0
		l.wake()
	}
	if len(l.ready) == 0 {
		return l.block()
	}
	batch := l.ready
	l.ready = nil
	for _, f := range batch {
		f()
		if l.fatal != nil {
			return l.fatal
		}
	}
	return l.rt.poll()
}

// maxBusy is how many turns ready callbacks may keep the timers waiting.
const maxBusy = 64

// wake readies the earliest timers, if they are due: those of one millisecond,
// as CPython's clock has it. The next ones wait until all that these lead to has
// been done, so that a busy machine does not change the order of things.
func (l *eventLoop) wake() {
	if len(l.timers) == 0 || l.timers[0].at.After(time.Now()) {
		return
	}
	end := l.timers[0].at.Add(time.Millisecond)
	for len(l.timers) > 0 && l.timers[0].at.Before(end) {
		l.soon(l.timers[0].f)
		l.timers = l.timers[1:]
	}
}

// block waits for one thing when nothing is ready.
func (l *eventLoop) block() error {
	for len(l.calls) > 0 {
		c := l.calls[0]
		l.calls = l.calls[1:]
		if !c.done { // it may have been cancelled
			c.finish(c.call.Await(l.rt.cur))
			return nil
		}
	}
	if len(l.timers) > 0 {
		return l.rt.sleep(time.Until(l.timers[0].at).Seconds())
	}
	return Raise("RuntimeError", "await would wait for ever: no task can go on")
}

func (rt *runtime) sleep(seconds float64) error {
	if seconds <= 0 {
		return nil
	}
	if rt.cfg.Sleep != nil {
		return rt.cfg.Sleep(rt.cur, seconds)
	}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	for {
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		if err := rt.poll(); err != nil {
			return err
		}
		time.Sleep(min(left, 20*time.Millisecond))
	}
}

// finishAll cancels the tasks that are left after asyncio.run and lets them end.
func (l *eventLoop) finishAll() error {
	left := l.all
	l.all = nil
	for _, t := range left {
		if !t.done {
			t.cancel()
		}
	}
	for _, t := range left {
		if err := l.until(t); err != nil {
			return err
		}
	}
	return nil
}
