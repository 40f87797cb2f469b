package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func openTest[T any](t *testing.T, path string, read func(f *os.File) (T, error)) T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// testdata/irmeasures holds random judgements and rankings with many ties, and what
// ir_measures 0.4.3 makes of them; generate.py there wrote it.
func TestMetricsAgreeWithIRMeasures(t *testing.T) {
	dir := "testdata/irmeasures/"
	qrels := openTest(t, dir+"qrels.txt", func(f *os.File) (Qrels, error) { return ReadQrels(f) })
	run := openTest(t, dir+"run.txt", func(f *os.File) (TRECRun, error) { return ReadRun(f) })
	var want struct {
		Mean    Metrics
		Queries map[string]Metrics
	}
	data, err := os.ReadFile(dir + "want.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Queries) < 50 {
		t.Fatalf("%d queries", len(want.Queries))
	}
	answers := map[string][]Ranked{}
	for _, a := range run.Answers {
		answers[a.Query] = a.Ranking
	}
	var list []Metrics
	for q, grades := range qrels {
		got := Judge(answers[q], grades)
		same(t, q, got, want.Queries[q])
		list = append(list, got)
	}
	same(t, "mean", mean(list), want.Mean)

	// What we write, we and they read back to the same values.
	var text bytes.Buffer
	if err := run.Write(&text, "bmcis"); err != nil {
		t.Fatal(err)
	}
	again, err := ReadRun(&text)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range again.Answers {
		same(t, a.Query+" read back", Judge(a.Ranking, qrels[a.Query]), want.Queries[a.Query])
	}
}

func same(t *testing.T, what string, got, want Metrics) {
	t.Helper()
	for name, d := range map[string]float64{
		"nDCG@10": got.NDCG10 - want.NDCG10, "R@100": got.R100 - want.R100,
		"RR@10": got.RR10 - want.RR10, "AP": got.AP - want.AP,
	} {
		if math.Abs(d) > 5e-7 {
			t.Errorf("%s: %s differs by %g: %+v, want %+v", what, name, d, got, want)
		}
	}
}

func writeSet(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tinySet(t *testing.T) *Set {
	set, err := LoadBEIR(writeSet(t, map[string]string{
		"corpus.jsonl":  "{\"_id\":\"a\"}\n{\"_id\":\"b\"}\n{\"_id\":\"c\"}\n",
		"queries.jsonl": "{\"_id\":\"2\",\"text\":\"two\"}\n{\"_id\":\"1\",\"text\":\"one\"}\n{\"_id\":\"9\",\"text\":\"unjudged\"}\n",
		"qrels.tsv":     "query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t2\n2\tc\t1\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestRunAsksJudgedQueriesInOrder(t *testing.T) {
	set := tinySet(t)
	if set.Name != "tiny" || set.Documents != 3 {
		t.Errorf("set %q with %d documents", set.Name, set.Documents)
	}
	var asked []string
	var last int64
	report, run, err := Run(t.Context(), set, func(_ context.Context, query string, k int) ([]Ranked, error) {
		asked = append(asked, query)
		return []Ranked{{"a", 3}, {"b", 2}, {"a", 9}, {"c", 1}}, nil
	}, func(done, total int64) { last = done*10 + total })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(asked, []string{"two", "one"}) || last != 22 {
		t.Errorf("asked %q, progress %d", asked, last)
	}
	if got := run.Answers[0].Ranking; len(got) != 3 || got[0] != (Ranked{"a", 9}) {
		t.Errorf("a document counts once, with its best chunk: %v", got)
	}
	if report.Metrics.RR10 != (1+1.0/3)/2 || report.Queries != 2 {
		t.Errorf("%+v", report)
	}
	report.Mode = "hybrid"
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"collection", "documents", "queries", "mode", "rerank", "metrics", "latency_ms"} {
		if keys[k] == nil {
			t.Errorf("report has no %q: %s", k, data)
		}
	}
	failing := errors.New("down")
	if _, _, err := Run(t.Context(), set, func(context.Context, string, int) ([]Ranked, error) { return nil, failing }, nil); !errors.Is(err, failing) {
		t.Errorf("a failed query is an error: %v", err)
	}
}

func TestLoadBEIRNamesWhatIsWrong(t *testing.T) {
	good := map[string]string{
		"corpus.jsonl": "{}\n", "queries.jsonl": "{\"_id\":\"1\",\"text\":\"x\"}\n", "qrels/test.tsv": "1\ta\t1\n",
	}
	if set, err := LoadBEIR(writeSet(t, good)); err != nil || len(set.Queries) != 1 {
		t.Fatalf("%+v %v", set, err)
	}
	for _, test := range []struct{ file, text, want string }{
		{"corpus.jsonl", "", "corpus.jsonl"},
		{"queries.jsonl", "{\n", "line 1"},
		{"queries.jsonl", "{\"text\":\"x\"}\n", "_id"},
		{"queries.jsonl", "{\"_id\":\"1\"}\n{\"_id\":\"1\"}\n", "twice"},
		{"queries.jsonl", "{\"_id\":\"2\",\"text\":\"x\"}\n", "not in queries.jsonl"},
		{"qrels/test.tsv", "1\ta\t1\n1\tb\tgood\n", "line 2"},
		{"qrels/test.tsv", "1\ta\n", "columns"},
		{"qrels/test.tsv", "", "no query"},
	} {
		files := map[string]string{}
		for k, v := range good {
			files[k] = v
		}
		files[test.file] = test.text
		dir := writeSet(t, files)
		if test.want == "corpus.jsonl" {
			os.Remove(filepath.Join(dir, "corpus.jsonl"))
		}
		if _, err := LoadBEIR(dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s = %q: error %v, want %q", test.file, test.text, err, test.want)
		}
	}
}

func TestRunFileRefusesWhatItCannotHold(t *testing.T) {
	run := TRECRun{Answers: []Answer{{"q", []Ranked{{"two words", 1}}}}}
	if err := run.Write(&bytes.Buffer{}, "t"); err == nil {
		t.Error("an id with a space was written")
	}
	if err := (TRECRun{}).Write(&bytes.Buffer{}, "two words"); err == nil {
		t.Error("a tag with a space was written")
	}
}

func TestCompareFindsTheDirection(t *testing.T) {
	set := &Set{Qrels: Qrels{}}
	var a, b TRECRun
	for i := range 200 {
		id := string(rune('A'+i/26)) + string(rune('a'+i%26))
		set.Queries = append(set.Queries, Query{ID: id})
		set.Qrels[id] = map[string]int{"x": 1}
		first, second := []Ranked{{"x", 2}, {"y", 1}}, []Ranked{{"y", 2}, {"x", 1}}
		if i%4 == 0 {
			first, second = second, first
		}
		a.Answers = append(a.Answers, Answer{id, second})
		b.Answers = append(b.Answers, Answer{id, first})
	}
	c := Compare(set, a, b)
	if c.Better != 150 || c.Worse != 50 || c.Equal != 0 {
		t.Errorf("%d better, %d worse, %d equal", c.Better, c.Worse, c.Equal)
	}
	// Per query ±(1 − 1/log2(3)); mean half of it; standard error by hand.
	d := 1 - 1/math.Log2(3)
	se := d * math.Sqrt(0.75) / math.Sqrt(200)
	if i := c.NDCG10; math.Abs(i.Difference-d/2) > 1e-12 || math.Abs(i.Low-(d/2-1.96*se)) > 0.005 || math.Abs(i.High-(d/2+1.96*se)) > 0.005 {
		t.Errorf("interval %v, want about %.4f ± %.4f", i, d/2, 1.96*se)
	}
	if again := Compare(set, a, b); again.NDCG10 != c.NDCG10 {
		t.Error("two comparisons of the same runs differ")
	}
	z := Compare(set, a, a)
	if z.NDCG10 != (Interval{}) || z.Regression(0) != nil {
		t.Errorf("a run against itself: %v, %v", z.NDCG10, z.Regression(0))
	}
	if err := Compare(set, b, a).Regression(1); err == nil || !strings.Contains(err.Error(), "interval") {
		t.Errorf("a clear loss within the margin: %v", err)
	}
	one := Comparison{NDCG10: Interval{-0.02, -0.05, 0.01}}
	if one.Regression(0.03) != nil || one.Regression(0.01) == nil {
		t.Error("a mean below the margin is a regression, one within it is none")
	}
	if c.Regression(0) != nil {
		t.Error("a gain is no regression")
	}
	words := c.Words(2)
	for _, want := range []string{"150 better, 50 worse, 0 equal", "-0.3691  1.0000 → 0.6309", "+0.3691  0.6309 → 1.0000"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, words)
		}
	}
}

func TestOpenRun(t *testing.T) {
	set := tinySet(t)
	path := filepath.Join(t.TempDir(), "run")
	for text, want := range map[string]string{
		"1 Q0 a 1 0.5 x\n": "", "7 Q0 a 1 0.5 x\n": "none of the 2 judged queries of tiny", "": "none of", "1 Q0 a 1 NaN x\n": "not a number",
		"1 Q0 a 1\n": "4 columns",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenRun(path, set); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := OpenRun(path+"x", set); err == nil || !strings.Contains(err.Error(), "--run") {
		t.Errorf("no file: %v", err)
	}
}
