package load

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Report is what a run found. Latencies are of accepted calls, in milliseconds: of those
// that got the answer they wanted.
type Report struct {
	Started     time.Time      `json:"started"`
	Users       int            `json:"users"`
	ThinkS      float64        `json:"think_s,omitempty"`
	Rate        float64        `json:"rate_per_s,omitempty"`
	RampS       float64        `json:"ramp_s"`
	DurationS   float64        `json:"duration_s"` // as it came out
	Mix         map[string]int `json:"mix"`
	Cores       int            `json:"cores"`
	LoadBefore  float64        `json:"machine_load_before"`
	LoadAfter   float64        `json:"machine_load_after"`
	Calls       int            `json:"calls"`
	Accepted    int            `json:"accepted"`
	AcceptedPS  float64        `json:"accepted_per_s"`
	Refused     map[string]int `json:"refused"` // told to come back later
	Errors      map[string]int `json:"errors"`  // everything else that went wrong
	ErrorRate   float64        `json:"error_rate"`
	Latency     Latency        `json:"latency_ms"`
	RefusalMS   Latency        `json:"refusal_ms"` // how long a refusal took
	PerScenario []Scenario     `json:"scenarios"`
	Tokens      Tokens         `json:"tokens"`
	Processes   *Processes     `json:"processes,omitempty"`
	Windows     []Window       `json:"windows"`
	Died        *Death         `json:"died,omitempty"`
}

// Latency holds percentiles by the nearest-rank method.
type Latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// Scenario is one kind of call.
type Scenario struct {
	Name    string  `json:"name"`
	Calls   int     `json:"accepted"`
	Latency Latency `json:"latency_ms"`
	Tokens  Tokens  `json:"tokens"`
}

// Tokens that direct tools would have returned, and that the programs returned.
type Tokens struct {
	Touched  int     `json:"touched"`
	Returned int     `json:"returned"`
	Saved    float64 `json:"saved"` // share, 0..1
}

// Processes is what the server needed.
type Processes struct {
	// Host is the server's resident memory: at the start, when a third of the run was
	// over, at the end, and the most.
	HostStart   int64 `json:"host_start_bytes"`
	HostThird   int64 `json:"host_third_bytes"`
	HostEnd     int64 `json:"host_end_bytes"`
	HostMax     int64 `json:"host_max_bytes"`
	ChildMax    int64 `json:"child_max_bytes"`
	ChildrenMax int   `json:"children_max"`
	// Growth is the trend of the server's memory after the first third, in bytes a
	// minute (least squares).
	Growth float64 `json:"growth_bytes_per_min"`
	// Cores busy on the average.
	HostCores  float64 `json:"host_cores"`
	ChildCores float64 `json:"child_cores"`
}

// Window is a part of the run.
type Window struct {
	AtS      float64 `json:"at_s"`
	Accepted int     `json:"accepted"`
	Refused  int     `json:"refused"`
	Errors   int     `json:"errors"`
	P50      float64 `json:"p50"`
	P95      float64 `json:"p95"`
	P99      float64 `json:"p99"`
	HostMiB  float64 `json:"host_mib,omitempty"`
	ChildMiB float64 `json:"child_mib,omitempty"`
}

// Death is the end of a server in the middle of a run.
type Death struct {
	AtSeconds float64 `json:"at_s"`
	Why       string  `json:"why"`
}

func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

func (r *run) report(took time.Duration, loadBefore float64) *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.calls, func(a, b call) int { return cmp.Compare(a.at, b.at) })
	p := &Report{Started: r.begun.UTC().Truncate(time.Second), Users: r.o.Users, ThinkS: r.o.Think.Seconds(), Rate: r.o.Rate,
		RampS: r.o.Ramp.Seconds(), DurationS: seconds(took), Mix: r.o.Mix, Cores: runtime.NumCPU(), LoadBefore: loadBefore, LoadAfter: loadAverage(),
		Calls: len(r.calls), Refused: map[string]int{}, Errors: map[string]int{}, Died: r.died, Processes: processes(r.sample)}
	var accepted, refused []float64
	per := map[string][]call{}
	failed := 0
	for _, c := range r.calls {
		ms := float64(c.took.Microseconds()) / 1000
		switch {
		case c.outcome == outcomeOK:
			accepted = append(accepted, ms)
			per[c.scenario] = append(per[c.scenario], c)
			p.Tokens.add(c)
		case c.refused():
			p.Refused[c.outcome]++
			refused = append(refused, ms)
		default:
			p.Errors[c.outcome]++
			failed++
		}
	}
	p.Accepted, p.Latency, p.RefusalMS = len(accepted), latencyOf(accepted), latencyOf(refused)
	p.AcceptedPS = math.Round(float64(len(accepted))/took.Seconds()*100) / 100
	if len(r.calls) > 0 {
		p.ErrorRate = float64(failed) / float64(len(r.calls))
	}
	for _, s := range scenarios {
		if calls := per[s.name]; calls != nil {
			one := Scenario{Name: s.name, Calls: len(calls)}
			var ms []float64
			for _, c := range calls {
				ms = append(ms, float64(c.took.Microseconds())/1000)
				one.Tokens.add(c)
			}
			one.Latency = latencyOf(ms)
			p.PerScenario = append(p.PerScenario, one)
		}
	}
	p.Windows = r.windows(took)
	return p
}

func (t *Tokens) add(c call) {
	t.Touched += c.touched
	t.Returned += c.returned
	if t.Touched > 0 {
		t.Saved = math.Round((1-float64(t.Returned)/float64(t.Touched))*1e4) / 1e4
	}
}

func latencyOf(ms []float64) (l Latency) {
	if len(ms) == 0 {
		return l
	}
	sorted := slices.Sorted(slices.Values(ms))
	at := func(q float64) float64 { return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)] }
	sum := 0.0
	for _, x := range sorted {
		sum += x
	}
	return Latency{P50: at(0.5), P95: at(0.95), P99: at(0.99), Max: sorted[len(sorted)-1], Mean: math.Round(sum/float64(len(sorted))*1000) / 1000}
}

// windows divides the run into at most 60 parts of whole seconds. A call belongs to the
// part in which it began.
func (r *run) windows(took time.Duration) []Window {
	width := max(1, math.Ceil(took.Seconds()/60))
	out := make([]Window, int(math.Ceil(took.Seconds()/width)))
	each := make([][]float64, len(out))
	for i := range out {
		out[i].AtS = float64(i) * width
	}
	in := func(at float64) int { return min(max(int(at/width), 0), len(out)-1) }
	for _, c := range r.calls {
		i := in(c.at.Seconds())
		switch {
		case c.outcome == outcomeOK:
			out[i].Accepted++
			each[i] = append(each[i], float64(c.took.Microseconds())/1000)
		case c.refused():
			out[i].Refused++
		default:
			out[i].Errors++
		}
	}
	for i := range out {
		l := latencyOf(each[i])
		out[i].P50, out[i].P95, out[i].P99 = l.P50, l.P95, l.P99
	}
	for _, s := range r.sample {
		i := in(s.AtSeconds)
		out[i].HostMiB = math.Round(float64(s.HostBytes)/(1<<20)*10) / 10
		out[i].ChildMiB = max(out[i].ChildMiB, math.Round(float64(s.ChildBytes)/(1<<20)*10)/10)
	}
	return out
}

func processes(samples []Sample) *Processes {
	if len(samples) < 2 {
		return nil
	}
	first, last, third := samples[0], samples[len(samples)-1], samples[len(samples)/3]
	p := &Processes{HostStart: first.HostBytes, HostThird: third.HostBytes, HostEnd: last.HostBytes}
	for _, s := range samples {
		p.HostMax, p.ChildMax, p.ChildrenMax = max(p.HostMax, s.HostBytes), max(p.ChildMax, s.ChildBytes), max(p.ChildrenMax, s.Children)
	}
	wall := last.AtSeconds - first.AtSeconds
	p.HostCores = math.Round((last.HostCPU-first.HostCPU)/wall*100) / 100
	p.ChildCores = math.Round(max(0, last.ChildCPU-first.ChildCPU)/wall*100) / 100
	p.Growth = math.Round(60 * slope(samples[len(samples)/3:]))
	return p
}

// slope is the trend of the host's memory in bytes a second (least squares).
func slope(samples []Sample) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, s := range samples {
		x, y := s.AtSeconds-samples[0].AtSeconds, float64(s.HostBytes)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if d := n*sxx - sx*sx; d > 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}

// String is the report as a table for people.
func (p *Report) String() string {
	var b strings.Builder
	how := fmt.Sprintf("%d users, %.3g s between an answer and the next call", p.Users, p.ThinkS)
	if p.Rate > 0 {
		how = fmt.Sprintf("%.3g calls a second", p.Rate)
	}
	fmt.Fprintf(&b, "%s, %.0f s (ramp %.0f s); %d cores, machine load %.1f before, %.1f after\n", how, p.DurationS, p.RampS, p.Cores, p.LoadBefore, p.LoadAfter)
	if p.Died != nil {
		fmt.Fprintf(&b, "THE SERVER DIED after %.1f s: %s\n", p.Died.AtSeconds, p.Died.Why)
	}
	fmt.Fprintf(&b, "%d calls: %d accepted (%.2f a second), refused %s, errors %s (%.2f %%)\n", p.Calls, p.Accepted, p.AcceptedPS, kinds(p.Refused), kinds(p.Errors), 100*p.ErrorRate)
	fmt.Fprintf(&b, "%-14s %9s %9s %9s %9s %9s %9s\n", "", "accepted", "p50 ms", "p95 ms", "p99 ms", "max ms", "saved")
	row := func(name string, n int, l Latency, t Tokens) {
		fmt.Fprintf(&b, "%-14s %9d %9.0f %9.0f %9.0f %9.0f %8.1f%%\n", name, n, l.P50, l.P95, l.P99, l.Max, 100*t.Saved)
	}
	for _, s := range p.PerScenario {
		row(s.Name, s.Calls, s.Latency, s.Tokens)
	}
	row("all", p.Accepted, p.Latency, p.Tokens)
	if len(p.Refused) > 0 {
		fmt.Fprintf(&b, "a refusal took p50 %.0f ms, p99 %.0f ms\n", p.RefusalMS.P50, p.RefusalMS.P99)
	}
	if q := p.Processes; q != nil {
		fmt.Fprintf(&b, "server: %s at the start, %s after a third, %s at the end, most %s, %+.2f MiB a minute after the first third; %.2f cores\n",
			mib(q.HostStart), mib(q.HostThird), mib(q.HostEnd), mib(q.HostMax), q.Growth/(1<<20), q.HostCores)
		fmt.Fprintf(&b, "children: %d at once at most, %s together at most, %.2f cores\n", q.ChildrenMax, mib(q.ChildMax), q.ChildCores)
	}
	fmt.Fprintf(&b, "tokens: %d that direct tools would have returned, %d returned\n", p.Tokens.Touched, p.Tokens.Returned)
	return b.String()
}

func mib(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }

func kinds(m map[string]int) string {
	if len(m) == 0 {
		return "0"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}
