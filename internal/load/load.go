// Package load asks much of a running server: many virtual users over HTTP, each an MCP
// client with a session of its own, run programs against one server, and what they wait,
// get and do not get is measured, with the server's memory and processor time beside it.
//
// In: the address of a server, how many users, and how they behave. Out: a [Report].
// Callers: `bmcis bench load`, and deploy/verify for traffic.
//
// Two ways to load exist. In a closed loop each user calls, waits for the answer, thinks,
// and calls again; so a slow server is asked less. At an arrival rate, calls come whether
// or not earlier ones have been answered, and a call's time counts from when it should
// have begun (no coordinated omission; Tene, "How NOT to Measure Latency").
package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Options say what a run is.
type Options struct {
	// URL of the server, with or without /mcp at the end.
	URL string
	// Token is sent as a bearer token; "" sends none.
	Token string
	// Users, each with a session. Defaults to 50.
	Users int
	// Think is the mean time between an answer and the same user's next call, evenly
	// spread over 0.5 to 1.5 times it. Only without Rate.
	Think time.Duration
	// Rate is calls a second, arriving at random (Poisson). 0: a closed loop.
	Rate float64
	// Ramp is the time in which users start, evenly. Duration is the whole run, ramp
	// included. Defaults to a minute.
	Ramp, Duration time.Duration
	// Mix are the scenarios and how often each is chosen. Defaults to DefaultMix.
	Mix map[string]int
	// Queries that the scenarios ask; empty: drawn from the collection, through the server.
	Queries []string
	// Collection that is asked; "" is the server's default.
	Collection string
	// Timeout of one call. Defaults to 60 s.
	Timeout time.Duration
	// PID is the server's process, whose memory and processor time are read (Linux only);
	// 0: not measured. Exited, if not nil, is closed when that process has ended.
	PID    int
	Exited <-chan struct{}
	// Seed of all random choices. Defaults to 1.
	Seed uint64
	// Progress gets a line now and then. May be nil.
	Progress func(string)
}

// call is one call of one user, as it ended.
type call struct {
	scenario string
	at       time.Duration // since the start of the run
	took     time.Duration
	outcome  string // ok, refused 429, refused busy, or a kind of error
	retry    time.Duration
	touched  int
	returned int
}

const outcomeOK = "ok"

func (c call) refused() bool { return c.outcome == refused429 || c.outcome == refusedBusy }

// The outcomes by which a server says that it is full, with the time to try again.
const (
	refused429  = "refused 429"
	refusedBusy = "refused busy"
)

type run struct {
	o       Options
	client  *http.Client
	begun   time.Time
	mix     []string // a name as often as it is chosen
	queries []string

	mu     sync.Mutex
	calls  []call
	lost   int // failed connections since the last answer
	died   *Death
	stop   context.CancelFunc
	sample []Sample
}

// Run loads the server until the duration is over or ctx is done. A server that dies in
// the middle ends the run; then Report.Died says when, and no error is returned. Errors:
// options that make no sense, a server that does not answer from the start.
func Run(ctx context.Context, o Options) (*Report, error) {
	r, err := newRun(ctx, &o)
	if err != nil {
		return nil, err
	}
	before := loadAverage()
	ctx, r.stop = context.WithTimeout(ctx, o.Duration)
	defer r.stop()
	r.begun = time.Now()
	var wg, watching sync.WaitGroup
	watch, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	watching.Go(func() { r.watch(watch) })
	if o.Exited != nil {
		watching.Go(func() {
			select {
			case <-o.Exited:
				r.declareDead("its process has ended")
			case <-watch.Done():
			}
		})
	}
	if o.Rate > 0 {
		r.arrivals(ctx, &wg)
	} else {
		for i := range o.Users {
			wg.Go(func() { r.user(ctx, i) })
		}
	}
	wg.Wait()
	took := time.Since(r.begun)
	unwatch()
	watching.Wait()
	return r.report(took, before), nil
}

func newRun(ctx context.Context, o *Options) (*run, error) {
	if o.Users == 0 {
		o.Users = 50
	}
	if o.Duration == 0 {
		o.Duration = time.Minute
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Mix == nil {
		o.Mix = DefaultMix()
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Users < 1 || o.Rate < 0 || o.Think < 0 || o.Ramp < 0 || o.Ramp >= o.Duration {
		return nil, fmt.Errorf("load: users must be 1 or more, rate and think 0 or more, and the ramp shorter than the duration; got %d users, rate %v, think %v, ramp %v of %v", o.Users, o.Rate, o.Think, o.Ramp, o.Duration)
	}
	r := &run{o: *o, client: &http.Client{Timeout: o.Timeout, Transport: &http.Transport{
		MaxIdleConnsPerHost: 2 * o.Users, MaxIdleConns: 2 * o.Users, IdleConnTimeout: 2 * time.Minute}}}
	for _, s := range scenarios {
		for range o.Mix[s.name] {
			r.mix = append(r.mix, s.name)
		}
	}
	if err := CheckMix(o.Mix); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	r.queries = o.Queries
	first := &session{r: r}
	if err := first.open(ctx); err != nil {
		return nil, fmt.Errorf("load: %s does not answer as an MCP server: %w", o.URL, err)
	}
	if len(r.queries) == 0 {
		var err error
		if r.queries, err = first.drawQueries(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// user is one user of a closed loop.
func (r *run) user(ctx context.Context, i int) {
	rng := rand.New(rand.NewPCG(r.o.Seed, uint64(i)))
	if !sleep(ctx, r.o.Ramp*time.Duration(i)/time.Duration(r.o.Users)) {
		return
	}
	s := &session{r: r}
	for ctx.Err() == nil {
		c := r.once(ctx, s, rng, time.Now())
		pause := time.Duration(float64(r.o.Think) * (0.5 + rng.Float64()))
		if c.refused() { // as it was told, and not all at once
			pause = max(pause, time.Duration(float64(c.retry)*(1+rng.Float64()/2)))
		} else if c.outcome != outcomeOK {
			pause = max(pause, 100*time.Millisecond) // a broken server is not hammered
		}
		if !sleep(ctx, pause) {
			return
		}
	}
}

// arrivals makes calls come at the rate, on the sessions in turn.
func (r *run) arrivals(ctx context.Context, wg *sync.WaitGroup) {
	rng := rand.New(rand.NewPCG(r.o.Seed, 1<<40))
	sessions := make([]*session, r.o.Users)
	for i := range sessions {
		sessions[i] = &session{r: r}
	}
	due := time.Now()
	for n := 0; ; n++ {
		rate := r.o.Rate
		if since := time.Since(r.begun); since < r.o.Ramp {
			rate *= max(0.05, since.Seconds()/r.o.Ramp.Seconds())
		}
		due = due.Add(time.Duration(rng.ExpFloat64() / rate * float64(time.Second)))
		if !sleep(ctx, time.Until(due)) {
			return
		}
		s, own, begun := sessions[n%len(sessions)], rand.New(rand.NewPCG(r.o.Seed, uint64(n))), due
		wg.Go(func() { r.once(ctx, s, own, begun) })
	}
}

// once makes one call, whose time counts from begun, and notes it. A call that the end of
// the run cut off is not noted: nobody knows how it would have ended.
func (r *run) once(ctx context.Context, s *session, rng *rand.Rand, begun time.Time) call {
	c := call{scenario: r.mix[rng.IntN(len(r.mix))], at: begun.Sub(r.begun)}
	err := s.ready(ctx)
	if err == nil {
		err = s.do(ctx, rng, &c)
	}
	c.took = time.Since(begun)
	if err != nil {
		c.outcome = outcomeOf(err)
		var full *full
		if errors.As(err, &full) {
			c.retry = full.retry
		}
	}
	if err != nil && ctx.Err() != nil {
		return c
	}
	r.mu.Lock()
	r.calls = append(r.calls, c)
	lost := 0
	if c.outcome == connectionLost {
		r.lost++
		lost = r.lost
	} else {
		r.lost = 0
	}
	r.mu.Unlock()
	if lost > 0 && lost%5 == 0 && !r.alive(ctx) {
		r.declareDead(fmt.Sprintf("%d connections in a row failed, the last with %v, and /healthz does not answer", lost, err))
	}
	return c
}

// alive asks /healthz three times within two seconds.
func (r *run) alive(ctx context.Context) bool {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base()+"/healthz", nil)
		if err != nil {
			return false
		}
		if resp, err := r.client.Do(req); err == nil {
			resp.Body.Close()
			return true
		}
		if !sleep(ctx, time.Second) {
			return true // the run is over, nothing is known
		}
	}
	return false
}

// declareDead ends the run, once.
func (r *run) declareDead(why string) {
	r.mu.Lock()
	if r.died == nil {
		r.died = &Death{AtSeconds: seconds(time.Since(r.begun)), Why: why}
	}
	r.mu.Unlock()
	r.stop()
}

// sleep waits, and reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
