package identity

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/bmcis/bmcis/internal/lru"
)

// Limiter counts requests against rates, one token bucket a key (an identity's name,
// or an address for those who have none yet). Methods may be called concurrently.
type Limiter struct {
	mu      sync.Mutex // one bucket a key, even when two ask at once
	buckets *lru.Cache[string, *rate.Limiter]
}

// NewLimiter returns a limiter that keeps at most keys buckets; beyond that the one
// unused for longest is forgotten. 0 means 10,000.
func NewLimiter(keys int) *Limiter {
	if keys <= 0 {
		keys = 10_000
	}
	return &Limiter{buckets: lru.New[string, *rate.Limiter](keys)}
}

// Allow takes one request from the key's bucket. When there is none left it returns
// false and how long to wait, for the header Retry-After (round it up to seconds).
// A perMinute of 0 or below allows everything; burst is as in [Limits].
func (l *Limiter) Allow(key string, perMinute, burst int) (retryAfter time.Duration, ok bool) {
	if perMinute <= 0 {
		return 0, true
	}
	if burst <= 0 {
		burst = max(1, perMinute/6)
	}
	r := l.bucket(key, rate.Limit(float64(perMinute)/60), burst).Reserve()
	if wait := r.Delay(); wait > 0 {
		r.Cancel()
		return wait, false
	}
	return 0, true
}

func (l *Limiter) bucket(key string, limit rate.Limit, burst int) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets.Get(key)
	if !ok {
		b = rate.NewLimiter(limit, burst)
		l.buckets.Put(key, b)
	}
	if b.Limit() != limit { // its rights were changed
		b.SetLimit(limit)
	}
	if b.Burst() != burst {
		b.SetBurst(burst)
	}
	return b
}

// Gate bounds what one key does at once. Methods may be called concurrently.
type Gate struct {
	mu    sync.Mutex
	taken map[string]int
}

// NewGate returns an empty gate.
func NewGate() *Gate { return &Gate{taken: map[string]int{}} }

// Enter takes one of n places of the key, or reports that all are taken. leave gives
// it back and may be called twice. An n of 0 or below is no bound.
func (g *Gate) Enter(key string, n int) (leave func(), ok bool) {
	if n <= 0 {
		return func() {}, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.taken[key] >= n {
		return func() {}, false
	}
	g.taken[key]++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.taken[key]--; g.taken[key] == 0 {
			delete(g.taken, key)
		}
	}), true
}
