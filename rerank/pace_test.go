package rerank

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	var p pace
	now := time.Unix(1000, 0)
	if p.estimate(now) != 0 {
		t.Error("something is known before the first call")
	}
	p.add(0, time.Second, now)
	p.add(10, 100*time.Millisecond, now)
	near := func(want time.Duration, at time.Time) {
		t.Helper()
		if got := p.estimate(at); (got - want).Abs() > time.Microsecond {
			t.Errorf("estimate %v, want %v", got, want)
		}
	}
	near(10*time.Millisecond, now)
	p.add(10, 300*time.Millisecond, now) // 30 ms each: 10 + 0.3 × 20
	near(16*time.Millisecond, now)
	near(8*time.Millisecond, now.Add(30*time.Second))
	near(16*time.Millisecond, now.Add(-time.Second)) // a clock that went back
}
