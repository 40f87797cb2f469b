package tokenbench

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bmcis/bmcis/internal/render"
)

// A Report is what a bench has measured. Token figures are means over the runs.
type Report struct {
	Date        string           `json:"date"`    // YYYY-MM-DD
	Command     string           `json:"command"` // that made it
	Cores       int              `json:"cores"`
	Load        []float64        `json:"load"` // average of a minute: before, and after each scenario
	Collection  string           `json:"collection"`
	Runs        int              `json:"runs"`
	Small       bool             `json:"small,omitempty"`
	Prices      Prices           `json:"prices_per_million"`
	TurnSeconds float64          `json:"turn_seconds"` // that a turn of the model is assumed to take
	Scenarios   []ScenarioReport `json:"scenarios"`
}

// A ScenarioReport is one task in all modes.
type ScenarioReport struct {
	ID     string          `json:"id"`
	Title  string          `json:"title"`
	Task   string          `json:"task"` // of the first run
	Runs   int             `json:"runs"`
	Same   int             `json:"same"`   // runs in which all modes came to the same answer
	Answer json.RawMessage `json:"answer"` // of the last such run
	Modes  []ModeReport    `json:"modes"`
	// Alone are the o200k tokens of code mode's catalogue when it is execute_code and nothing
	// else, as an identity sees it that may call nothing else.
	Alone int `json:"execute_code_alone"`
}

// A ModeReport is one task done in one way.
type ModeReport struct {
	Mode  Mode `json:"mode"`
	Tools int  `json:"tools"` // in the catalogue
	// Turns of the model, the answer included.
	Turns     float64                    `json:"turns"`
	Tokenized map[render.Encoding]Tokens `json:"tokens"`
	Latency   Latency                    `json:"latency_ms"`       // without the model
	Finding   float64                    `json:"finding_ms"`       // of it, before the last program of code mode: the median
	WithModel Latency                    `json:"latency_model_ms"` // and TurnSeconds a turn
	Cost      Cost                       `json:"cost_usd"`         // of one run, o200k tokens, catalogue included
}

// A Cost is in dollars, without and with prompt caching.
type Cost struct {
	Plain  float64 `json:"plain"`
	Cached float64 `json:"cached"`
}

// Tokens are counted with one tokenizer.
type Tokens struct {
	Unique  Count  `json:"unique"`
	Without int    `json:"unique_without_catalogue"`
	With    int    `json:"unique_with_catalogue"`
	Billed  Billed `json:"billed"` // catalogue included
}

// Latency are percentiles in milliseconds, by nearest rank: of fewer than a hundred runs
// P99 is the slowest.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

func percentiles(list []time.Duration) Latency {
	slices.Sort(list)
	at := func(q float64) float64 {
		i := max(int(math.Ceil(q*float64(len(list))))-1, 0)
		return render.Round(list[i].Seconds()*1000, 1)
	}
	return Latency{at(0.50), at(0.95), at(0.99)}
}

func summarise(mode Mode, tools int, samples []sample, prices Prices, turn time.Duration) ModeReport {
	m := ModeReport{Mode: mode, Tools: tools, Tokenized: map[render.Encoding]Tokens{}}
	n := len(samples)
	mean := func(of func(sample) int) int {
		sum := 0
		for _, s := range samples {
			sum += of(s)
		}
		return int(math.Round(float64(sum) / float64(n)))
	}
	var plain, model, finding []time.Duration
	for _, s := range samples {
		turns := len(s.Turns) + 1
		m.Turns += float64(turns) / float64(n)
		plain = append(plain, s.Elapsed)
		var before time.Duration
		for _, t := range s.Turns[:max(len(s.Turns)-1, 0)] {
			before += t.Elapsed
		}
		finding = append(finding, before)
		model = append(model, s.Elapsed+time.Duration(turns)*turn)
		without, with := prices.Cost(s.billed[render.O200k])
		m.Cost.Plain += without / float64(n)
		m.Cost.Cached += with / float64(n)
	}
	m.Turns = render.Round(m.Turns, 1)
	m.Latency, m.WithModel = percentiles(plain), percentiles(model)
	if mode == Code {
		m.Finding = percentiles(finding).P50
	}
	for _, enc := range render.Encodings() {
		var t Tokens
		for _, part := range []struct {
			into *int
			of   func(sample) int
		}{
			{&t.Unique.Catalogue, func(s sample) int { return s.unique[enc].Catalogue }},
			{&t.Unique.Task, func(s sample) int { return s.unique[enc].Task }},
			{&t.Unique.Calls, func(s sample) int { return s.unique[enc].Calls }},
			{&t.Unique.Results, func(s sample) int { return s.unique[enc].Results }},
			{&t.Unique.Answer, func(s sample) int { return s.unique[enc].Answer }},
			{&t.Without, func(s sample) int { return s.unique[enc].Without() }},
			{&t.With, func(s sample) int { return s.unique[enc].With() }},
			{&t.Billed.Input, func(s sample) int { return s.billed[enc].Input }},
			{&t.Billed.Output, func(s sample) int { return s.billed[enc].Output }},
			{&t.Billed.CacheWrite, func(s sample) int { return s.billed[enc].CacheWrite }},
			{&t.Billed.CacheRead, func(s sample) int { return s.billed[enc].CacheRead }},
		} {
			*part.into = mean(part.of)
		}
		m.Tokenized[enc] = t
	}
	return m
}

// Mode is the report of a mode; the zero value when the scenario has failed.
func (s ScenarioReport) Mode(m Mode) ModeReport {
	if i := slices.IndexFunc(s.Modes, func(r ModeReport) bool { return r.Mode == m }); i >= 0 {
		return s.Modes[i]
	}
	return ModeReport{}
}

// Saved is the share of a direct mode's unique o200k tokens that code mode does without, in
// per cent.
func (s ScenarioReport) Saved(direct Mode, withCatalogue bool) float64 {
	d, c := s.Mode(direct).Tokenized[render.O200k], s.Mode(Code).Tokenized[render.O200k]
	if withCatalogue {
		return saved(d.With, c.With)
	}
	return saved(d.Without, c.Without)
}

// SavedBilled is the same of billed tokens, input and output, without caching.
func (s ScenarioReport) SavedBilled(direct Mode) float64 {
	d, c := s.Mode(direct).Tokenized[render.O200k].Billed, s.Mode(Code).Tokenized[render.O200k].Billed
	return saved(d.Input+d.Output, c.Input+c.Output)
}

func saved(direct, code int) float64 {
	if direct == 0 {
		return 0
	}
	return 100 * (1 - float64(code)/float64(direct))
}

// A table is rows under a heading.
type table struct {
	title string
	head  []string
	rows  [][]string
}

func (r *Report) tables() []table {
	unique := table{title: "Unique tokens (o200k), means over the runs",
		head: []string{"scenario", "full", "lean", "code", "saved: full", "lean", "with catalogue: full", "lean", "code", "saved: full", "lean", "same answer"}}
	cl := table{title: "The same with cl100k", head: unique.head[:11]}
	parts := table{title: "What the tokens are (o200k)", head: []string{"scenario", "mode", "tools", "catalogue", "task", "calls", "results", "answer"}}
	billed := table{title: fmt.Sprintf("Billed over turns, catalogue included (o200k); US$ for 1,000 tasks at %s a million in, %s out, %s written to and %s read from the cache",
		dollars(r.Prices.Input), dollars(r.Prices.Output), dollars(r.Prices.CacheWrite), dollars(r.Prices.CacheRead)),
		head: []string{"scenario", "mode", "turns", "input", "output", "saved by code", "cache: written", "read", "US$", "US$ with caching"}}
	latency := table{title: "Latency without the model, ms",
		head: []string{"scenario", "full p50", "p95", "p99", "lean p50", "p95", "p99", "code p50", "p95", "p99", "of p50 finding tools"}}
	model := table{title: fmt.Sprintf("Latency with %g s for each turn of the model, s", r.TurnSeconds), head: latency.head[:10]}
	alone := table{title: "Unique tokens (o200k) when the code catalogue is execute_code alone, for an identity that may call nothing else",
		head: []string{"scenario", "catalogue", "code with it", "saved: full", "lean"}}
	for _, s := range r.Scenarios {
		name := "(" + s.ID + ") " + s.Title
		if len(s.Modes) == 0 {
			unique.rows = append(unique.rows, []string{name, "the answers differ"})
			continue
		}
		for _, x := range []struct {
			t   *table
			enc render.Encoding
		}{{&unique, render.O200k}, {&cl, render.CL100k}} {
			f, l, c := s.Mode(Full).Tokenized[x.enc], s.Mode(Lean).Tokenized[x.enc], s.Mode(Code).Tokenized[x.enc]
			row := []string{name, thousands(f.Without), thousands(l.Without), thousands(c.Without), percent(saved(f.Without, c.Without)), percent(saved(l.Without, c.Without)),
				thousands(f.With), thousands(l.With), thousands(c.With), percent(saved(f.With, c.With)), percent(saved(l.With, c.With)), fmt.Sprintf("%d of %d", s.Same, s.Runs)}
			x.t.rows = append(x.t.rows, row[:len(x.t.head)])
		}
		times := []string{name}
		slow := []string{name}
		for _, mode := range Modes() {
			m := s.Mode(mode)
			t := m.Tokenized[render.O200k]
			parts.rows = append(parts.rows, []string{name, string(mode), fmt.Sprint(m.Tools), thousands(t.Unique.Catalogue), thousands(t.Unique.Task),
				thousands(t.Unique.Calls), thousands(t.Unique.Results), thousands(t.Unique.Answer)})
			less := ""
			if mode != Code {
				less = percent(s.SavedBilled(mode))
			}
			billed.rows = append(billed.rows, []string{name, string(mode), fmt.Sprintf("%.1f", m.Turns), thousands(t.Billed.Input), thousands(t.Billed.Output), less,
				thousands(t.Billed.CacheWrite), thousands(t.Billed.CacheRead), fmt.Sprintf("%.2f", 1000*m.Cost.Plain), fmt.Sprintf("%.2f", 1000*m.Cost.Cached)})
			for _, v := range []float64{m.Latency.P50, m.Latency.P95, m.Latency.P99} {
				times = append(times, fmt.Sprintf("%.0f", v))
			}
			for _, v := range []float64{m.WithModel.P50, m.WithModel.P95, m.WithModel.P99} {
				slow = append(slow, fmt.Sprintf("%.1f", v/1000))
			}
		}
		latency.rows = append(latency.rows, append(times, fmt.Sprintf("%.0f", s.Mode(Code).Finding)))
		only := s.Mode(Code).Tokenized[render.O200k].Without + s.Alone
		alone.rows = append(alone.rows, []string{name, thousands(s.Alone), thousands(only), percent(saved(s.Mode(Full).Tokenized[render.O200k].With, only)),
			percent(saved(s.Mode(Lean).Tokenized[render.O200k].With, only))})
		model.rows = append(model.rows, slow)
	}
	return []table{unique, billed, latency, model, alone, parts, cl}
}

// String prints the report for a terminal.
func (r *Report) String() string {
	var b strings.Builder
	for _, t := range r.tables() {
		b.WriteString("\n" + t.title + "\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, strings.Join(t.head, "\t"))
		for _, row := range t.rows {
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
		w.Flush()
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// Markdown prints the tables for a document.
func (r *Report) Markdown() string {
	var b strings.Builder
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n### %s\n\n| %s |\n|", t.title, strings.Join(t.head, " | "))
		text := 1
		if slices.Contains(t.head, "mode") {
			text = 2
		}
		for i := range t.head {
			if i < text {
				b.WriteString("---|")
			} else {
				b.WriteString("--:|")
			}
		}
		b.WriteByte('\n')
		for _, row := range t.rows {
			for len(row) < len(t.head) {
				row = append(row, "")
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	return b.String()
}

const (
	figuresBegin = "<!-- figures: written by bmcis bench tokens --report -->"
	figuresEnd   = "<!-- end of figures -->"
)

// Insert puts the tables between the marks of a document, with the command that made them.
func (r *Report) Insert(document string) (string, error) {
	before, rest, ok := strings.Cut(document, figuresBegin)
	_, after, closed := strings.Cut(rest, figuresEnd)
	if !ok || !closed {
		return "", fmt.Errorf("the document lacks the lines %q and %q, between which the figures go", figuresBegin, figuresEnd)
	}
	return fmt.Sprintf("%s%s\n\nMeasured on %s with `%s` on a machine with %d cores at a load of %.0f to %.0f. The last column of the first table has the runs of each script.\n%s\n%s%s",
		before, figuresBegin, r.Date, r.Command, r.Cores, slices.Min(r.Load), slices.Max(r.Load), r.Markdown(), figuresEnd, after), nil
}

func percent(x float64) string { return fmt.Sprintf("%.2f %%", x) }

func dollars(x float64) string { return "$" + strings.TrimSuffix(fmt.Sprintf("%.2f", x), ".00") }

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
