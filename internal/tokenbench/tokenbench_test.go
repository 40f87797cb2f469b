package tokenbench

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/render"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{`[{"id":"x","score":0.587}]`, `[{"score":0.588, "id":"x"}]`, nil},
		{`[{"id":"x","score":0.587}]`, `[{"id":"x","score":0.589}]`, []string{`$[0].score: 0.587 in full, 0.589 in code`}},
		{`1`, `1.0004`, nil},
		{`2497013284`, `2497013285`, []string{`$: 2497013284 in full, 2497013285 in code`}}, // sums are exact
		{`"a"`, `"b"`, []string{`$: "a" in full, "b" in code`}},
		{`["a"]`, `["a","b"]`, []string{`$[1]: nothing in full, "b" in code`}},
		{`{"n":1}`, `{"m":1}`, []string{`$.m: nothing in full, 1 in code`, `$.n: 1 in full, nothing in code`}},
		{`{"a":[1,2]}`, `{"a":{"b":1}}`, []string{`$.a: [1,2] in full, {"b":1} in code`}},
		{`"1"`, `1`, []string{`$: "1" in full, 1 in code`}},
		{`true`, `false`, []string{`$: true in full, false in code`}},
		{`[]`, ``, []string{`not JSON: full "[]", code ""`}},
	} {
		if got := Diff("full", json.RawMessage(c.a), "code", json.RawMessage(c.b)); !slices.Equal(got, c.want) {
			t.Errorf("%s and %s: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// Each turn is billed for what came before it: reckoned by hand on three turns.
func TestBilled(t *testing.T) {
	ten := strings.Repeat(" hello", 10)
	c := counter{render.O200k: map[string]int{}}
	if n := c.tokens(render.O200k, ten); n != 10 {
		t.Fatalf("the text has %d tokens", n)
	}
	log := Transcript{Catalogue: ten, Task: ten, Answer: ten, Turns: []Turn{
		{Calls: []string{ten}, Results: []string{ten + ten}},
		{Calls: []string{ten, ten}, Results: []string{ten, ten}},
	}}
	if got, want := c.unique(render.O200k, log), (Count{Catalogue: 10, Task: 10, Calls: 30, Results: 40, Answer: 10}); got != want || got.With() != 100 || got.Without() != 90 {
		t.Errorf("unique %+v, want %+v", got, want)
	}
	// Inputs are 20, then 20+10+20 = 50, then 50+20+20 = 90. What is seen of the second is 20,
	// of the third 50; the rest is written.
	got := c.billed(render.O200k, log)
	if want := (Billed{Input: 160, Output: 40, CacheRead: 70, CacheWrite: 90}); got != want {
		t.Errorf("billed %+v, want %+v", got, want)
	}
	plain, cached := Prices{Input: 1, Output: 10, CacheWrite: 2, CacheRead: 0.5}.Cost(got)
	if math.Abs(plain-560e-6) > 1e-9 || math.Abs(cached-615e-6) > 1e-9 {
		t.Errorf("costs %g and %g", plain, cached)
	}
}

func TestPercentiles(t *testing.T) {
	var list []time.Duration
	for i := range 100 {
		list = append(list, time.Duration(100-i)*time.Millisecond)
	}
	if got, want := percentiles(list), (Latency{50, 95, 99}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := percentiles(list[:1]), (Latency{1, 1, 1}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

const realCatalogue = "../upstream/testdata/catalogue/tools.jsonl"

func TestSmallerDrawsArePartsOfLarger(t *testing.T) {
	many, err := drawDefinitions(realCatalogue, 500)
	if err != nil {
		t.Fatal(err)
	}
	few, err := drawDefinitions(realCatalogue, 39)
	if err != nil {
		t.Fatal(err)
	}
	for i := range few {
		if few[i].Name != many[i].Name || few[i].Server != many[i].Server {
			t.Fatalf("tool %d is %s in one draw and %s in the other", i, few[i].Name, many[i].Name)
		}
	}
	if _, err := drawDefinitions(realCatalogue, 5000); err == nil || !strings.Contains(err.Error(), "has 592 tools, (g) needs 5000") {
		t.Error(err)
	}
	if _, err := drawDefinitions("nowhere.jsonl", 5); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "--catalogue") {
		t.Error(err)
	}
}

// What is served over MCP is what was drawn, and a client counts all of it.
func TestDefinitionsAreServed(t *testing.T) {
	list, err := drawDefinitions(realCatalogue, 60)
	if err != nil {
		t.Fatal(err)
	}
	urls, err := serveDefinitions(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{}
	defer f.close()
	if err := (&bench{}).connectLists(t.Context(), f, urls); err != nil {
		t.Fatal(err)
	}
	if f.tools != 60 {
		t.Errorf("%d tools", f.tools)
	}
	for _, d := range list {
		if !strings.Contains(f.catalogue, d.Name+"\n"+d.Description+"\n{") {
			t.Errorf("%s of %s is not in the catalogue", d.Name, d.Server)
		}
	}
	if _, err := f.call(t.Context(), call{tool: list[0].Name}); err == nil || !strings.Contains(err.Error(), "does not run it") {
		t.Error(err)
	}
	if _, err := f.call(t.Context(), call{tool: "nothing"}); err == nil || !strings.Contains(err.Error(), `no server has the tool "nothing"`) {
		t.Error(err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Scenarios: []string{"z"}}, `there is no scenario "z"; there are a, b, c, d, e, f, g-47`},
		{Options{Scenarios: []string{"a"}, Programs: map[string]string{"d": "1"}}, `scenario "d", which does not run`},
	} {
		if err := c.o.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
}

func TestProgramsAreFilled(t *testing.T) {
	for _, s := range scenarios() {
		for _, name := range s.programs {
			text, err := programs.ReadFile("programs/" + name)
			if err != nil {
				t.Fatal(err)
			}
			got := program(string(text), params{question: `say "hi"`, domain: "d", repo: "r/r", leg: 7, limit: 8})
			if strings.Contains(got, "$") || !strings.Contains(got, "__result__") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// report is a made-up one with round figures.
func report() *Report {
	r := &Report{Date: "2026-01-02", Command: "bmcis bench tokens", Runs: 3, Cores: 2, Load: []float64{1}, Prices: DefaultPrices, TurnSeconds: 2}
	s := ScenarioReport{ID: "a", Title: "Search & find", Runs: 3, Same: 3, Alone: 50}
	for i, mode := range Modes() {
		n := []int{100_000, 10_000, 1000}[i]
		s.Modes = append(s.Modes, ModeReport{Mode: mode, Turns: 2, Tokenized: map[render.Encoding]Tokens{
			render.O200k: {Without: n, With: n + 1000, Billed: Billed{Input: 2 * n}}, render.CL100k: {Without: n, With: n + 1000}}})
	}
	r.Scenarios = []ScenarioReport{s, {ID: "b", Title: "Failed", Runs: 3}}
	return r
}

func TestReportSaysWhatIsSaved(t *testing.T) {
	r := report()
	s := r.Scenarios[0]
	if got := s.Saved(Full, false); got != 99 {
		t.Errorf("saved %g", got)
	}
	if got := s.Saved(Lean, true); got < 81.81 || got > 81.82 {
		t.Errorf("saved %g", got)
	}
	if got := s.SavedBilled(Full); got != 99 {
		t.Errorf("saved of the bill %g", got)
	}
	for _, text := range []string{r.String(), r.Markdown()} {
		for _, want := range []string{"(a) Search & find", "100,000", "99.00 %", "3 of 3", "(b) Failed", "the answers differ"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
}

func TestPlotIsXML(t *testing.T) {
	dec := xml.NewDecoder(strings.NewReader(report().Plot()))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestInsertReplacesFiguresOnly(t *testing.T) {
	doc := "# Title\n" + figuresBegin + "\nold\n" + figuresEnd + "\nmore\n"
	got, err := report().Insert(doc)
	if err != nil || !strings.HasPrefix(got, "# Title\n"+figuresBegin) || !strings.HasSuffix(got, figuresEnd+"\nmore\n") || strings.Contains(got, "old") ||
		!strings.Contains(got, "Measured on 2026-01-02 with `bmcis bench tokens`") {
		t.Errorf("%v\n%s", err, got)
	}
	if again, err := report().Insert(got); err != nil || again != got {
		t.Errorf("a second time it is different: %v", err)
	}
	if _, err := report().Insert("# Title\n"); err == nil {
		t.Error("a document without marks is taken")
	}
}

// The servers that the config names must be those that the catalogue lists.
func TestUpstreamConfig(t *testing.T) {
	raw, err := upstreamConfig("/bin/bmcis", []string{"bench", "tokens-upstream"}, map[string]string{"github": "http://127.0.0.1:1/github/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Servers map[string]map[string]any `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &got); err != nil || len(got.Servers) != 2 || got.Servers["github"]["type"] != "http" || got.Servers["tracker"]["command"] != "/bin/bmcis" {
		t.Errorf("%s, %v", raw, err)
	}
	if _, err := upstreamConfig("x", nil, map[string]string{"Tracker": "y"}); err == nil {
		t.Error("a second tracker is taken")
	}
}

// A server that does not start is told with its last words.
func TestServerThatDoesNotStart(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "bmcis")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho no database here >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), Options{Bmcis: broken, Collection: "c", Scenarios: []string{"a"}, Runs: 1})
	if err == nil || !strings.Contains(err.Error(), "scenario a: ") || !strings.Contains(err.Error(), "no database here") {
		t.Error(err)
	}
}
