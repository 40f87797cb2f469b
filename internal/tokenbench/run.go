package tokenbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"github.com/bmcis/bmcis/internal/render"
)

// trackerTools is how many tools the tracker has; they count among those of (g).
const trackerTools = 8

// Options say what to run.
type Options struct {
	Bmcis      string   // the program whose servers are started; required
	DSN        string   // database for them; "" is the private one
	Collection string   // of Go's documentation; required
	Scenarios  []string // ids; empty for all
	Runs       int      // of each script; default 20
	Catalogue  string   // file of tool definitions, for (g)
	Small      bool     // a tenth of everything: to see that it works, not to measure
	Prices     Prices   // default DefaultPrices
	// TurnTime is what a turn of the model is assumed to take in the second table of
	// latencies. Default 2 s.
	TurnTime time.Duration
	// Programs stand in for the last program of a scenario, by its id.
	Programs map[string]string
	// Command is told in the report as what made it.
	Command string
	// Progress gets a line now and then; nil for none.
	Progress func(string)
}

// Check reports what is wrong with the choice of scenarios and programs.
func (o Options) Check() error {
	_, err := o.orDefault()
	return err
}

func (o Options) orDefault() (Options, error) {
	if o.Runs == 0 {
		o.Runs = 20
	}
	if o.Prices == (Prices{}) {
		o.Prices = DefaultPrices
	}
	if o.TurnTime == 0 {
		o.TurnTime = 2 * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if len(o.Scenarios) == 0 {
		o.Scenarios = Scenarios()
	}
	for _, id := range o.Scenarios {
		if !slices.Contains(Scenarios(), id) {
			return o, fmt.Errorf("there is no scenario %q; there are %s", id, strings.Join(Scenarios(), ", "))
		}
	}
	for id := range o.Programs {
		if !slices.Contains(o.Scenarios, id) {
			return o, fmt.Errorf("a program is given for scenario %q, which does not run; there are %s", id, strings.Join(o.Scenarios, ", "))
		}
	}
	return o, nil
}

// Run runs the scenarios, every script in every mode, and reports. When answers of a
// scenario differ, it goes on with the others and returns the report of all with a
// [*DifferError] for each; a script or server that fails ends it.
func Run(ctx context.Context, o Options) (*Report, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bmcis-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &Report{
		Date: time.Now().UTC().Format(time.DateOnly), Command: o.Command, Cores: runtime.NumCPU(), Load: []float64{load()},
		Collection: o.Collection, Runs: o.Runs, Small: o.Small, Prices: o.Prices, TurnSeconds: o.TurnTime.Seconds(),
	}
	b := &bench{Options: o, dir: dir, counter: counter{}}
	defer b.stop()
	var differ []error
	for _, s := range scenarios() {
		if !slices.Contains(o.Scenarios, s.id) {
			continue
		}
		sr, err := b.scenario(ctx, s)
		var d *DifferError
		if errors.As(err, &d) {
			differ = append(differ, err)
		} else if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.id, err)
		}
		r.Scenarios = append(r.Scenarios, *sr)
		r.Load = append(r.Load, load())
	}
	return r, errors.Join(differ...)
}

// load is how many processes want to run, on average over the last minute; 0 where the
// system does not tell.
func load() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	var x float64
	_, _ = fmt.Sscan(string(text), &x)
	return x
}

type bench struct {
	Options
	dir     string
	counter counter

	// The servers of the last scenario, which the next one goes on with if it needs the same.
	fleets    map[Mode]*fleet
	tracker   bool
	catalogue int
	endLists  context.CancelFunc
}

func (b *bench) stop() {
	for _, f := range b.fleets {
		f.close()
	}
	b.fleets = nil
	if b.endLists != nil {
		b.endLists()
	}
}

// together lets scenarios that only show that they work share servers: those with a
// catalogue keep theirs, the others go along with one of them.
func (b *bench) together(s scenario) (tracker bool, catalogue int) {
	for _, other := range scenarios() {
		if slices.Contains(b.Scenarios, other.id) {
			s.tracker = s.tracker || other.tracker
			if s.catalogue == 0 {
				s.catalogue = other.catalogue
			}
		}
	}
	return s.tracker, s.catalogue
}

// sample is what one run of a mode has shown.
type sample struct {
	Transcript
	unique map[render.Encoding]Count
	billed map[render.Encoding]Billed
}

func (b *bench) scenario(ctx context.Context, s scenario) (*ScenarioReport, error) {
	if b.Small {
		s.tracker, s.catalogue = b.together(s)
	}
	if b.fleets == nil || b.tracker != s.tracker || b.catalogue != s.catalogue {
		b.Progress(fmt.Sprintf("(%s) %s: starting servers", s.id, s.title))
		b.stop()
		if err := b.start(ctx, s); err != nil {
			return nil, err
		}
	}
	fleets := b.fleets
	scripts := map[Mode]script{Full: s.full, Lean: s.lean, Code: s.code(b.Programs[s.id])}
	report := &ScenarioReport{ID: s.id, Title: s.title, Runs: b.Runs, Task: s.task(b.params(s, 0, Full))}
	samples := map[Mode][]sample{}
	for run := range b.Runs {
		answers := map[Mode]json.RawMessage{}
		for i := range Modes() {
			// The modes take turns at being first.
			mode := Modes()[(i+run)%len(Modes())]
			p := b.params(s, run, mode)
			a := &agent{fleet: fleets[mode], log: Transcript{Catalogue: fleets[mode].catalogue, Task: s.task(p)}}
			answer, err := scripts[mode](ctx, a, p)
			if err != nil {
				return nil, fmt.Errorf("%s, run %d: %w", mode, run+1, err)
			}
			if answers[mode], err = encode(answer); err != nil {
				return nil, err
			}
			a.log.Answer = string(answers[mode])
			one := sample{a.log, map[render.Encoding]Count{}, map[render.Encoding]Billed{}}
			for _, enc := range render.Encodings() {
				one.unique[enc], one.billed[enc] = b.counter.unique(enc, a.log), b.counter.billed(enc, a.log)
			}
			samples[mode] = append(samples[mode], one)
		}
		var lines []string
		for _, direct := range []Mode{Full, Lean} {
			lines = append(lines, Diff(string(direct), answers[direct], string(Code), answers[Code])...)
		}
		if len(lines) > 0 {
			return report, &DifferError{Scenario: s.id, Run: run + 1, Lines: lines}
		}
		report.Same++
		report.Answer = answers[Code]
		if run == 0 || (run+1)%5 == 0 {
			b.Progress(fmt.Sprintf("(%s) %s: %d of %d runs", s.id, s.title, run+1, b.Runs))
		}
	}
	for _, mode := range Modes() {
		report.Modes = append(report.Modes, summarise(mode, fleets[mode].tools, samples[mode], b.Prices, b.TurnTime))
	}
	report.Alone = b.counter.tokens(render.O200k, fleets[Code].program)
	return report, nil
}

func (b *bench) params(s scenario, run int, mode Mode) params {
	q := questions[run%len(questions)]
	p := params{question: q.text, domain: q.domain, repo: fmt.Sprintf("acme/%s-%02d", s.id, run+1), leg: 100, limit: 100, detail: "preview"}
	if mode == Full {
		p.detail = "full"
	}
	if b.Small {
		p.leg, p.limit = 10, 10
		p.question, p.domain = questions[0].text, questions[0].domain // the small corpus answers this one
	}
	return p
}

func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	var tight bytes.Buffer
	if err := json.Compact(&tight, out.Bytes()); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return tight.Bytes(), nil
}

// start starts the servers of a scenario, those of each mode in processes of their own, and
// lets them load their models.
func (b *bench) start(ctx context.Context, s scenario) error {
	trackerArgs := []string{"bench", "tokens-upstream"}
	if b.Small {
		trackerArgs = append(trackerArgs, "--small")
	}
	lists, end := context.WithCancel(ctx)
	b.fleets, b.tracker, b.catalogue, b.endLists = map[Mode]*fleet{}, s.tracker, s.catalogue, end
	urls := map[string]string{}
	if s.catalogue > 0 {
		list, err := drawDefinitions(b.Catalogue, s.catalogue-trackerTools)
		if err != nil {
			return err
		}
		if urls, err = serveDefinitions(lists, list); err != nil {
			return err
		}
	}
	config, err := upstreamConfig(b.Bmcis, trackerArgs, urls)
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "servers.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return err
	}
	failures := make([]error, len(Modes()))
	var wg sync.WaitGroup
	for i, mode := range Modes() {
		f := &fleet{}
		b.fleets[mode] = f
		wg.Go(func() {
			var err error
			if mode == Code {
				err = b.connectCode(ctx, f, s, file)
			} else {
				err = b.connectDirect(ctx, f, s, trackerArgs, urls)
			}
			if err == nil {
				err = warm(ctx, mode, s, f)
			}
			if err != nil {
				failures[i] = fmt.Errorf("servers of mode %s: %w", mode, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

func (b *bench) connectCode(ctx context.Context, f *fleet, s scenario, config string) error {
	args := []string{"serve", "--stdio", "--tools", "code", "--collection", b.Collection}
	if s.tracker {
		args = append(args, "--config", config)
	}
	return b.join(ctx, f, args)
}

func (b *bench) connectDirect(ctx context.Context, f *fleet, s scenario, trackerArgs []string, urls map[string]string) error {
	if err := b.join(ctx, f, []string{"serve", "--stdio", "--tools", "direct", "--collection", b.Collection}); err != nil || !s.tracker {
		return err
	}
	if err := b.join(ctx, f, trackerArgs); err != nil {
		return err
	}
	return b.connectLists(ctx, f, urls)
}

func (b *bench) connectLists(ctx context.Context, f *fleet, urls map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(urls)) {
		c, err := client.NewStreamableHttpClient(urls[name])
		if err == nil {
			err = f.join(ctx, c)
		}
		if err != nil {
			return fmt.Errorf("server %s: %w", name, err)
		}
	}
	return nil
}

func (b *bench) join(ctx context.Context, f *fleet, args []string) error {
	// Through the environment, for other users of this machine can read arguments.
	var env []string
	if b.DSN != "" {
		env = append(env, "BMCIS_DATABASE_URL="+b.DSN)
	}
	c, err := client.NewStdioMCPClient(b.Bmcis, env, args...)
	if err != nil {
		return fmt.Errorf("start %s: %w", b.Bmcis, err)
	}
	return f.join(ctx, c)
}

// warm asks each server something, so that no run pays for loading models or for starting
// servers, and sees to it that programs reach as many tools as direct mode lists.
func warm(ctx context.Context, mode Mode, s scenario, f *fleet) error {
	a := &agent{fleet: f}
	if mode != Code {
		found, err := ask[hits](ctx, a, "hybrid_search", map[string]any{"query": "warm up"})
		if err != nil {
			return err
		}
		if len(found.Hits) == 0 {
			return errors.New("the collection is empty")
		}
		_, err = a.turn(ctx, call{"rerank_results", map[string]any{"query": "warm up", "ids": found.ids()}})
		return err
	}
	// Tools of other servers are ranked by vectors, too, which have to be made once.
	var answer json.RawMessage
	for patience := time.Now().Add(5 * time.Minute); ; {
		var err error
		answer, err = a.execute(ctx, `search.hybrid_search("warm up", rerank=True)
search_tools("warm up")
__result__ = len([t for t in search_tools("", "name_only", limit=1000) if t["name"].startswith("mcp__")])`, rerankTimeout)
		if err == nil {
			break
		}
		if !errors.Is(err, errDegraded) || time.Now().After(patience) {
			return err
		}
		if err := a.pause(ctx, time.Second); err != nil {
			return err
		}
	}
	want := 0
	if s.tracker {
		want = max(s.catalogue, trackerTools)
	}
	if string(answer) != fmt.Sprint(want) {
		return fmt.Errorf("programs reach %s tools of other servers, not %d", answer, want)
	}
	return nil
}
