package admit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitsForAPlaceAndRefusesBeyondTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Config{Slots: 1, Queue: 1, Wait: time.Minute})
		leave, _, err := g.Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			out, waited, err := g.Enter(t.Context())
			if err != nil || waited != 3*time.Second {
				t.Errorf("the second waited %v: %v", waited, err)
				return
			}
			out()
		})
		synctest.Wait()
		var busy *Busy
		if _, _, err := g.Enter(t.Context()); !errors.As(err, &busy) || busy.Running != 1 || busy.Waiting != 1 || busy.Seconds() < 1 {
			t.Errorf("the third got %v, %+v", err, busy)
		}
		time.Sleep(3 * time.Second)
		leave()
		leave() // again: no second place
		wg.Wait()
		if s := g.Stats(); s.Running != 0 || s.Waiting != 0 || s.Refused != 1 {
			t.Errorf("at the end %+v", s)
		}
	})
}

// TestRefusesAtOnceWhoWouldWaitTooLong: when places are taken for 4 s each, the second in
// a queue of many would wait 8 s.
func TestRefusesAtOnceWhoWouldWaitTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Config{Slots: 1, Queue: 100, Wait: 5 * time.Second})
		for range 60 { // learn the pace
			leave, _, err := g.Enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * time.Second)
			leave()
		}
		leave, _, err := g.Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		var wg sync.WaitGroup
		wg.Go(func() {
			var busy *Busy
			if _, waited, err := g.Enter(t.Context()); !errors.As(err, &busy) || busy.Waited != 5*time.Second || waited != 5*time.Second {
				t.Errorf("who may wait got %v after %v", err, waited)
			}
		})
		synctest.Wait()
		begun := time.Now()
		var busy *Busy
		if _, _, err := g.Enter(t.Context()); !errors.As(err, &busy) || time.Since(begun) != 0 || busy.Seconds() != 8 {
			t.Errorf("the second in the queue got %v after %v, retry after %d s, want a refusal at once and 8", err, time.Since(begun), busy.Seconds())
		}
		wg.Wait()
	})
}

func TestWaitingEndsWithItsContextAndTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		g := New(Config{Slots: 1, Queue: 10, Wait: time.Hour, Done: done})
		leave, _, err := g.Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, _, err := g.Enter(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled one got %v", err)
			}
		})
		wg.Go(func() {
			if _, _, err := g.Enter(t.Context()); !errors.Is(err, ErrDone) {
				t.Errorf("at the end one got %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(done)
		wg.Wait()
		if s := g.Stats(); s.Waiting != 0 || s.Refused != 0 {
			t.Errorf("at the end %+v", s)
		}
	})
}
