package route

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestClasses(t *testing.T) {
	for class, queries := range map[Class][]string{
		Identifier: {
			"ERR_CONN_RESET", "CVE-2024-3094", "os.path.join", "550e8400-e29b-41d4-a716-446655440000", "v1.2.3-rc1", "ORA-00942",
			"getUserByID", "get_user_by_id", "std::vector::push_back", "src/main.go", "/etc/hosts", "deadbeef42", "0x80070005",
			"--no-cache", "E0308", "JIRA-1234", "`hnsw.ef_search`", "max_connections", "$HOME", "printf()", "C:\\Windows\\System32",
			"https://example.org/a", "BRCA_1", "42P01", "HttpClientFactory", "error E0308", "+max_connections", "Runner.Run timeout",
		},
		Phrase: {`"to be or not to be"`, `"exact phrase" here`, `"connection reset by peer" linux`},
		Keyword: {
			"postgres", "hnsw memory", "vector index build time", "python asyncio tutorial", "climate change policy", "GitHub actions cache",
			"", "!!!", "データベース", "PostgreSQL backup", "and/or logic", "title:backup postgres", "wing slipstream lift",
		},
		Natural: {
			"how do I back up the database?", "what is the capital of France", "does aspirin reduce the risk of stroke",
			"0-dimensional biomaterials show inductive properties.", "Can I restore a single table?", "why is my query slow",
			"the effect of slipstream on the lift of a wing", "measurement of dielectric constant of liquids by the use of microwave techniques",
			"如何在数据库中创建一个新的索引", "U.S. policy on the export of grain to Russia", "When does the course begin?",
			"which of these is faster", "1,000 genomes project enables mapping of genetic sequence variation consisting of rare variants.",
		},
		Mixed: {
			"what does run_target do", "How do you create a new DiffExecutor instance?", "why does os.path.join drop the first part",
			"difference between http.Client and http.Transport in Go", "how to fix ERR_CONN_RESET in chrome", "upgrade from v1.2.3 to v2 of the library",
		},
	} {
		for _, q := range queries {
			p, err := Route(Input{Query: q})
			if err != nil {
				t.Errorf("Route(%q): %v", q, err)
				continue
			}
			if p.Class != class {
				t.Errorf("%q is %s, want %s (%q)", q, p.Class, class, p.Reasons)
			}
			if len(p.Reasons) < 3 || math.Abs(p.Weights.Lexical+p.Weights.Vector-1) > 1e-12 {
				t.Errorf("%q: weights %v, reasons %q", q, p.Weights, p.Reasons)
			}
		}
	}
}

func TestConstraints(t *testing.T) {
	for query, want := range map[string]bool{
		`plain words`: false, `"one phrase"`: true, `+must have`: true, `web server -django`: true, `title:backup`: true,
		`http://x.org`: false, `12:30 train`: false, `a - b`: false, `state-of-the-art`: false, `"open quote`: false, `--no-cache`: false, `say "word"`: true,
	} {
		p, err := Route(Input{Query: query})
		if err != nil || p.Constrained != want {
			t.Errorf("%q: constrained is %v (%v, %q)", query, p.Constrained, err, p.Reasons)
		}
	}
}

func TestEmbed(t *testing.T) {
	for query, want := range map[string]string{
		"how do I back up?":                   "how do I back up?",
		`web server -django +fast "hot path"`: "web server fast hot path",
		"title:backup postgres":               "backup postgres",
		"-django":                             "-django",
	} {
		if p, err := Route(Input{Query: query}); err != nil || p.Embed != want {
			t.Errorf("%q is embedded as %q, want %q (%v)", query, p.Embed, want, err)
		}
	}
}

func TestOverridesAndStatistics(t *testing.T) {
	rare := []Term{{Text: "err_conn_reset", DF: 3, IDF: 9}, {Text: "err", DF: 300}}
	for name, c := range map[string]struct {
		in      Input
		mode    Mode
		weights Weights
		reason  string
	}{
		"rules":              {Input{Query: "how do I back up?"}, Hybrid, Weights{0.4, 0.6}, "class natural"},
		"weights":            {Input{Query: "how do I back up?", Weights: Weights{1, 3}}, Hybrid, Weights{0.25, 0.75}, "given by the caller"},
		"one weight":         {Input{Query: "x", Weights: Weights{0, 3}}, Vector, Weights{0, 1}, "no weight"},
		"huge weights":       {Input{Query: "x y", Weights: Weights{math.MaxFloat64, math.MaxFloat64}}, Hybrid, Weights{0.5, 0.5}, "given by the caller"},
		"no word":            {Input{Query: "⇒ !"}, Vector, Weights{0, 1}, "no word to look up"},
		"no word, hybrid":    {Input{Query: "⇒ !", Mode: Hybrid}, Hybrid, Weights{0.5, 0.5}, "hybrid asked for"},
		"only a constraint":  {Input{Query: "-x"}, Hybrid, Weights{0.5, 0.5}, "both legs"},
		"mode lexical":       {Input{Query: "how do I back up?", Mode: Lexical}, Lexical, Weights{1, 0}, "mode lexical asked for"},
		"mode vector":        {Input{Query: "ERR_X", Mode: Vector}, Vector, Weights{0, 1}, "mode vector asked for"},
		"rare identifier":    {Input{Query: "ERR_CONN_RESET", Terms: rare, Documents: 1000}, Lexical, Weights{1, 0}, "only 3 chunks"},
		"rare, hybrid asked": {Input{Query: "ERR_CONN_RESET", Terms: rare, Documents: 1000, Mode: Hybrid}, Hybrid, Weights{0.95, 0.05}, "hybrid asked for"},
		"rare, weights":      {Input{Query: "ERR_CONN_RESET", Terms: rare, Documents: 1000, Weights: Weights{1, 1}}, Hybrid, Weights{0.5, 0.5}, "given by the caller"},
		"common identifier":  {Input{Query: "ERR_CONN_RESET", Terms: []Term{{Text: "err_conn_reset", DF: 80}}, Documents: 1000}, Hybrid, Weights{0.95, 0.05}, "both legs"},
		"unknown identifier": {Input{Query: "ERR_CONN_RESET", Terms: []Term{{Text: "err_conn_reset"}}, Documents: 1000}, Hybrid, Weights{0.6, 0.4}, "no chunk holds"},
		"rare in a question": {Input{Query: "what is ERR_CONN_RESET", Terms: rare, Documents: 1000}, Hybrid, Weights{0.6, 0.4}, "class mixed"},
	} {
		p, err := Route(c.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Mode != c.mode || math.Abs(p.Weights.Lexical-c.weights.Lexical) > 1e-12 || math.Abs(p.Weights.Vector-c.weights.Vector) > 1e-12 ||
			!strings.Contains(strings.Join(p.Reasons, "\n"), c.reason) {
			t.Errorf("%s: %+v", name, p)
		}
		if again, _ := Route(c.in); !slices.Equal(p.Reasons, again.Reasons) {
			t.Errorf("%s: not the same twice", name)
		}
	}
}

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		in   Input
		want int
	}{
		{Input{Query: "x"}, 100}, {Input{Query: "how is it?"}, 200}, {Input{Query: "how is it?", Rerank: RerankOff}, 100},
		{Input{Query: "x", Limit: 500}, 500}, {Input{Query: "x", Window: 7}, 7}, {Input{Query: "x", Window: 7, Limit: 9}, 9}, {Input{Query: "x", Limit: 1 << 40}, 2000},
	} {
		if p, err := Route(c.in); err != nil || p.Window != c.want {
			t.Errorf("%+v: window %d, want %d (%v)", c.in, p.Window, c.want, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	for want, in := range map[string]Input{
		"mode \"magic\"":  {Mode: "magic"},
		"rerank":          {Rerank: "sometimes"},
		"weights":         {Weights: Weights{math.NaN(), 1}},
		"lexical -1":      {Weights: Weights{-1, 1}},
		"not be negative": {Window: -1},
		"unknown feature": {Learned: &Model{Version: "7", Coefficients: map[string]float64{"moon": 1}}},
		"bias":            {Learned: &Model{Bias: math.NaN()}},
	} {
		if _, err := Route(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestLearned(t *testing.T) {
	m := &Model{Version: "2026-11", Bias: -0.1, Coefficients: map[string]float64{"question": 0.3, "unknown_terms": -5}}
	p, err := Route(Input{Query: "how is it?", Learned: m})
	if err != nil || math.Abs(p.Weights.Lexical-0.6) > 1e-12 || !strings.Contains(strings.Join(p.Reasons, "\n"), "2026-11") {
		t.Errorf("%+v, %v", p, err)
	}
	in := Input{Query: "how is it?", Learned: m, Documents: 10, Terms: []Term{{Text: "x"}}}
	if p, err = Route(in); err != nil || p.Weights.Lexical != 0.05 {
		t.Errorf("cut to its lowest: %+v, %v", p, err)
	}
	if p, err = Route(Input{Query: "ERR_CONN_RESET", Learned: m}); err != nil || p.Weights.Lexical != 0.95 {
		t.Errorf("an identifier keeps its weight: %+v, %v", p, err)
	}
	for i, f := range Features(Input{Query: `what "is this" ERR_X of the`, Documents: 100, Terms: []Term{{"a", 1, 4}, {"b", 0, 5}}}) {
		if !(f >= 0 && f <= 1) {
			t.Errorf("feature %s is %v", FeatureNames[i], f)
		}
	}
}

func TestGate(t *testing.T) {
	close := []float64{0.8, 0.75, 0.5, 0.4, 0.3, 0.2}
	clear := []float64{0.9, 0.5, 0.5, 0.4, 0.3, 0.2}
	may := Plan{Class: Natural, Rerank: true}
	for name, c := range map[string]struct {
		in   GateInput
		topK int
		why  string
		cut  bool
	}{
		"close":          {GateInput{Plan: may, Scores: close, TopK: 50}, 6, "leads by only 0.05", false},
		"clear":          {GateInput{Plan: may, Scores: clear, TopK: 50}, 0, "leads by 0.40", false},
		"clear, asked":   {GateInput{Policy: RerankOn, Plan: may, Scores: clear, TopK: 5}, 5, "asked for", false},
		"off":            {GateInput{Policy: RerankOff, Plan: may, Scores: close, TopK: 50}, 0, "switched off", false},
		"keyword":        {GateInput{Plan: Plan{Class: Keyword}, Scores: close, TopK: 50}, 0, "keyword", false},
		"one":            {GateInput{Policy: RerankOn, Plan: may, Scores: close[:1], TopK: 50}, 0, "nothing to reorder", false},
		"none":           {GateInput{Plan: may, TopK: 50}, 0, "nothing to reorder", false},
		"little time":    {GateInput{Plan: may, Scores: close, TopK: 50, Budget: 30 * time.Millisecond, PerPassage: 10 * time.Millisecond}, 0, "for 3 passages only", true},
		"time for some":  {GateInput{Plan: may, Scores: close, TopK: 50, Budget: 55 * time.Millisecond, PerPassage: 10 * time.Millisecond}, 5, "of 6", true},
		"time for all":   {GateInput{Plan: may, Scores: close, TopK: 50, Budget: time.Second, PerPassage: 10 * time.Millisecond}, 6, "best 6:", false},
		"clear, no time": {GateInput{Plan: may, Scores: clear, TopK: 50, Budget: time.Millisecond, PerPassage: time.Second}, 0, "leads by 0.40", false},
		"time not known": {GateInput{Plan: may, Scores: close, TopK: 50, Budget: time.Millisecond}, 6, "best 6:", false},
	} {
		if d := Gate(c.in); d.TopK != c.topK || d.Cut != c.cut || !strings.Contains(d.Reason, c.why) {
			t.Errorf("%s: %+v; want %d and %q", name, d, c.topK, c.why)
		}
	}
}

func FuzzRoute(f *testing.F) {
	for _, q := range []string{`"a b" +c -d title:e`, "how?", `"`, "a.b::c()", "\xff\"", "如何?", "`x`", "C:\\x", "::", "+", "-\""} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		p, err := Route(Input{Query: q, Terms: []Term{{"a", 1, 1}}, Documents: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !(p.Weights.Lexical >= 0 && p.Weights.Lexical <= 1) || p.Window < 1 || classWeights[p.Class] == 0 {
			t.Fatalf("%+v", p)
		}
	})
}
