package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/eval"
	"github.com/bmcis/bmcis/internal/route"
)

// world is a collection of which all is known: questions are answered by vectors alone,
// other queries by words alone, and BM25 is right with one pair of parameters only.
type world struct {
	best  BM25 // the zero value: all parameters are alike
	blind bool // both legs say the same, so weights do not matter
	fail  error
}

func judgedQueries(n int) *eval.Set {
	set := &eval.Set{Name: "world", Qrels: eval.Qrels{}}
	for i := range n {
		text := fmt.Sprintf("word%d engine", i)
		if i%2 == 1 {
			text = fmt.Sprintf("how does thing %d work?", i)
		}
		id := fmt.Sprint("q", i)
		set.Queries = append(set.Queries, eval.Query{ID: id, Text: text})
		set.Qrels[id] = map[string]int{"right": 1}
	}
	return set
}

func (w world) Lexical(_ context.Context, query string, p BM25) ([]eval.Ranked, error) {
	list := []eval.Ranked{{ID: "wrong", Score: 2}, {ID: "right", Score: 1}}
	if p == w.best {
		slices.Reverse(list)
		list[0].Score = 3
	}
	return list, w.fail
}

func (w world) Candidates(_ context.Context, query string, p BM25) (Candidates, error) {
	rng := rand.New(rand.NewPCG(uint64(len(query)), uint64(query[len(query)/2])))
	question := strings.HasSuffix(query, "?")
	plan, err := route.Route(route.Input{Query: query, Mode: route.Hybrid})
	if err != nil {
		return Candidates{}, err
	}
	c := Candidates{Class: plan.Class, Prior: 0.5, Features: route.Features(route.Input{Query: query})}
	for i := range 30 {
		d := Candidate{Document: fmt.Sprint("d", i), Lexical: 0.6 * rng.Float64(), Vector: 0.6 * rng.Float64()}
		c.List = append(c.List, d)
	}
	right := Candidate{Document: "right", Lexical: 0.9, Vector: 0.1}
	wrong := Candidate{Document: "wrong", Lexical: 0.1, Vector: 0.99}
	if question {
		right.Lexical, right.Vector, wrong.Lexical, wrong.Vector = 0.1, 0.9, 0.99, 0.1
	}
	if w.blind {
		right.Lexical = rng.Float64()
	}
	c.List = append(c.List, right, wrong)
	for i := range c.List {
		if w.blind {
			c.List[i].Vector = c.List[i].Lexical
		}
	}
	return c, w.fail
}

func TestLearnsWhatThereIsToLearn(t *testing.T) {
	var last int64
	got, err := Learn(t.Context(), judgedQueries(200), BM25{1.2, 0.75}, world{best: BM25{0.9, 0.4}}, Options{Progress: func(done, total int64) { last = 100 * done / total }})
	if err != nil {
		t.Fatal(err)
	}
	if got.BM25 == nil || *got.BM25 != (BM25{0.9, 0.4}) || !got.Report.BM25.Kept {
		t.Errorf("BM25: %+v, %+v", got.BM25, got.Report.BM25)
	}
	r := got.Report
	if got.Weight == nil || r.After < r.Before+0.2 || r.Gain.Low <= 0 || r.TrainingQueries != 100 || r.HeldOutQueries != 100 {
		t.Fatalf("weight: %+v, %+v", got.Weight, r)
	}
	ask := func(query string) float64 {
		p, err := route.Route(route.Input{Query: query, Learned: got.Weight})
		if err != nil {
			t.Fatal(err)
		}
		return p.Weights.Lexical
	}
	if q, k := ask("how does thing 7 work?"), ask("word7 engine"); q > 0.47 || k < 0.53 { // where right and wrong change places
		t.Errorf("lexical weight of a question %.2f, of keywords %.2f", q, k)
	}
	if c := got.Calibration; c == nil || c.Relevance(0.9) < 0.5 || c.Relevance(0.3) > 0.2 || r.Brier >= r.BrierConstant {
		t.Errorf("calibration: %+v, Brier %v of %v", c, r.Brier, r.BrierConstant)
	}
	if last != 100 {
		t.Errorf("progress ended at %d %%", last)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(again); string(b) != string(data) {
		t.Errorf("read back: %s, want %s", b, data)
	}
	same, err := Learn(t.Context(), judgedQueries(200), BM25{1.2, 0.75}, world{best: BM25{0.9, 0.4}}, Options{})
	if b, _ := json.Marshal(same); err != nil || string(b) != string(data) {
		t.Errorf("learned twice: %s, want %s", b, data)
	}
}

func TestLeavesOutWhatGainsNothing(t *testing.T) {
	got, err := Learn(t.Context(), judgedQueries(200), BM25{1.2, 0.75}, world{blind: true}, Options{Queries: 120})
	if err != nil {
		t.Fatal(err)
	}
	if got.BM25 != nil || got.Weight != nil || got.Report.HeldOutQueries != 60 || got.Report.Gain.Difference != 0 {
		t.Errorf("%+v", got)
	}
	if got.Report.BM25.Why == "" || got.Report.Weight.Why == "" {
		t.Errorf("no reasons: %+v", got.Report)
	}
}

func TestLearnRefuses(t *testing.T) {
	if _, err := Learn(t.Context(), judgedQueries(39), BM25{}, world{}, Options{}); err == nil || !strings.Contains(err.Error(), "39") {
		t.Errorf("too few: %v", err)
	}
	down := errors.New("down")
	if _, err := Learn(t.Context(), judgedQueries(40), BM25{}, world{fail: down}, Options{}); !errors.Is(err, down) {
		t.Errorf("a failed query: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "not a tuning file",
		"[]":                                  "not a tuning file",
		`{"format":2}`:                        "format 2",
		`{"format":1,"weights":3}`:            "weights",
		`{"format":1,"bm25":{"k1":-1,"b":0}}`: "k1",
		`{"format":1,"bm25":{"k1":1,"b":2}}`:  "b 0..1",
		`{"format":1,"calibration":{"slope":0,"intercept":1}}`:                     "slope",
		`{"format":1,"weight":{"version":"v","bias":0,"coefficients":{"moon":1}}}`: "moon",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// The fitted function gives back the probabilities that the labels were drawn with.
func TestPlattFindsTheFunction(t *testing.T) {
	want := Calibration{Slope: 8, Intercept: -5}
	rng := rand.New(rand.NewPCG(3, 4))
	var list []sample
	for range 20_000 {
		s := sample{score: rng.Float64()}
		if rng.Float64() < want.Relevance(s.score) {
			s.label = 1
		}
		list = append(list, s)
	}
	got, _ := platt(list)
	for _, x := range []float64{0.1, 0.5, 0.9} {
		if math.Abs(got.Relevance(x)-want.Relevance(x)) > 0.02 {
			t.Errorf("relevance of %v is %.3f, want %.3f (%+v)", x, got.Relevance(x), want.Relevance(x), got)
		}
	}
	if c, base := platt([]sample{{0.5, 0}, {0.6, 0}}); c != (Calibration{}) || base != 0 {
		t.Errorf("nothing relevant: %+v, %v", c, base)
	}
}
