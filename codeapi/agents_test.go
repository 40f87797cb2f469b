package codeapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/sandbox"
)

// agentsPass is the share of the programs that must run unchanged.
const agentsPass = 0.98

// firstLater is the first program whose author had seen the front end.
const firstLater = "145"

// TestAgentPrograms runs programs as agents write them, unchanged, over the corpus of
// testdata/agents and compares what they return and print with what CPython made of
// them; see the README there. The share counts for the programs of those who had not
// seen the front end; the later ones must all be correct.
func TestAgentPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/agents/[0-9]*.py")
	if err != nil || len(files) < 120 {
		t.Fatalf("%d programs in testdata/agents, want at least 120 (%v)", len(files), err)
	}
	host := newCorpusHost(agentsCorpus(t))
	failures := map[string]error{}
	var names []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".py")
		names = append(names, name)
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			vars := map[string]any{}
			first, _, _ := strings.Cut(string(source), "\n")
			if text, ok := strings.CutPrefix(first, "# context: "); ok {
				var raw map[string]json.RawMessage // keeps the order of keys
				if err := json.Unmarshal([]byte(text), &raw); err != nil {
					t.Fatal(err)
				}
				for k, v := range raw {
					vars[k] = v
				}
			}
			err = runAgent(t, host, string(source), vars, strings.TrimSuffix(f, ".py")+".golden.json")
			if err == nil {
				return
			}
			failures[name] = err
			t.Log(err) // the share decides, below
		})
	}
	t.Logf("%d of %d agent programs correct", len(names)-len(failures), len(names))
	unseen, passed := 0, 0
	for _, name := range names {
		err := failures[name]
		if err != nil {
			t.Logf("%s: %v", name, err)
		}
		if name < firstLater {
			unseen++
			if err == nil {
				passed++
			}
		} else if err != nil {
			t.Errorf("%s differs from CPython", name)
		}
	}
	if float64(passed) < agentsPass*float64(unseen) {
		t.Errorf("%d of %d programs correct, want at least %.0f %%", passed, unseen, 100*agentsPass)
	}
}

// guideCorpus is what the programs of the agents' guide ask about.
func guideCorpus() []corpusChunk {
	var chunks []corpusChunk
	for i, c := range []struct{ title, domain, text string }{
		{"BMCIS overview", "bmcis_architecture", "An overview of BMCIS: words and meaning are searched at once and fused. " + strings.Repeat("The overview goes on. ", 20)},
		{"Advanced features", "bmcis_architecture", "Advanced BMCIS features are reranking, filters and code execution."},
		{"Cooking eggs", "cooking", "Ten minutes make a hard egg; advanced cooks time six."},
		{"Release notes", "news", "BMCIS features an overview page since spring."},
	} {
		chunks = append(chunks, corpusChunk{ID: fmt.Sprintf("g%d", i+1), DocumentID: fmt.Sprintf("doc-%d", i+1), Title: c.title,
			Source: "guide", Metadata: map[string]any{"domain": c.domain}, Text: c.text})
	}
	return chunks
}

// TestGuidePatterns runs the three programs of the agents' guide as they stand there.
func TestGuidePatterns(t *testing.T) {
	host := newCorpusHost(guideCorpus())
	for name, c := range map[string]struct {
		query string
		calls string // of the host, by method
		want  string // of objects the keys of interest, of texts the beginning
	}{
		"pattern1": {"", "map[search.hybrid:1]",
			`[{"id": "g1", "title": "BMCIS overview", "score": 1}, {"id": "g4", "title": "Release notes"}, {"id": "g2", "document_id": "doc-2"}]`},
		"pattern2": {"", "map[rerank:1 search.hybrid:1]",
			`"1. Advanced features\n   Score: 1.00\n   Advanced BMCIS features are reranking, filters and code execution.\n\n2. Release notes\n   Score: 0.62\n   BMCIS"`},
		"pattern3": {"advanced BMCIS features", "map[search.hybrid:1]",
			`[{"id": "g2", "title": "Advanced features", "score": 0.75, "relevance": "medium"}, {"id": "g1", "title": "BMCIS overview", "score": 0.304124, "relevance": "medium"}]`},
		"pattern3 with many words": {"what are all of the features of BMCIS that one calls advanced", "map[search.vector:1]",
			`[{"id": "g2", "title": "Advanced features", "score": 0.92582, "relevance": "high"}, {"id": "g1", "title": "BMCIS overview", "score": 0.288676, "relevance": "medium"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			file, _, _ := strings.Cut(name, " ")
			source, err := os.ReadFile("testdata/spec/" + file + ".py")
			if err != nil {
				t.Fatal(err)
			}
			run := &corpusRun{corpusHost: host, calls: map[string]int{}}
			res := codeapi.Engine(t.Context(), sandbox.Program{Source: string(source), Context: map[string]any{"query": c.query}}, sandbox.DefaultLimits(), run)
			if res.Error != nil {
				t.Fatalf("%+v", *res.Error)
			}
			if got := fmt.Sprint(run.calls); got != c.calls {
				t.Errorf("calls %s, want %s", got, c.calls)
			}
			got, want := mustJSON(t, res.Result), mustJSON(t, []byte(c.want))
			if text, ok := want.(string); ok {
				if s, _ := got.(string); !strings.HasPrefix(s, text) {
					t.Errorf("answer %q, want %q and more", s, text)
				}
				return
			}
			list, _ := got.([]any)
			for i := range list {
				if i >= len(want.([]any)) {
					break
				}
				for k := range list[i].(map[string]any) {
					if _, ok := want.([]any)[i].(map[string]any)[k]; !ok {
						delete(list[i].(map[string]any), k)
					}
				}
			}
			if where := differ("answer", got, want); where != "" {
				t.Error(where)
			}
		})
	}
}

// golden is what CPython made of a program.
type golden struct {
	Answer string          `json:"answer"`
	Result json.RawMessage `json:"result"`
	Output string          `json:"output"`
}

// runAgent runs a program and says how its outcome differs from the golden file's.
func runAgent(t *testing.T, corpus *corpusHost, source string, vars map[string]any, goldenFile string) (err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine panicked: %v", p)
		}
	}()
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var want golden
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatalf("%s: %v", goldenFile, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	host := &corpusRun{corpusHost: corpus, calls: map[string]int{}}
	res := codeapi.Engine(ctx, sandbox.Program{Source: source, Context: vars}, sandbox.DefaultLimits(), host)
	if e := res.Error; e != nil {
		return fmt.Errorf("%s: %s at line %d, column %d (hint: %s)", e.Kind, e.Message, e.Line, e.Column, e.Hint)
	}
	if got := host.output.String(); got != want.Output {
		return fmt.Errorf("output: %s", firstDifference(got, want.Output))
	}
	if want.Answer == "output" {
		return nil
	}
	if len(res.Result) == 0 {
		return fmt.Errorf("no result, want %s", want.Result)
	}
	if where := differ("result", mustJSON(t, res.Result), mustJSON(t, want.Result)); where != "" {
		return fmt.Errorf("%s", where)
	}
	return nil
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d of %d is %q, want %q of %d", i+1, len(g), at(g, i), at(w, i), len(w))
		}
	}
	return "same"
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

func mustJSON(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// differ names the first place where two JSON values differ, "" if there is none.
// Numbers are compared by value, exactly.
func differ(path string, got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for k, v := range w {
			if _, ok := g[k]; !ok {
				return fmt.Sprintf("%s misses key %q", path, k)
			}
			if where := differ(fmt.Sprintf("%s[%q]", path, k), g[k], v); where != "" {
				return where
			}
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				return fmt.Sprintf("%s has a key %q too many", path, k)
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if where := differ(fmt.Sprintf("%s[%d]", path, i), g[i], w[i]); where != "" {
				return where
			}
		}
		return ""
	case json.Number:
		g, ok := got.(json.Number)
		if !ok {
			break
		}
		x, okx := new(big.Rat).SetString(g.String())
		y, oky := new(big.Rat).SetString(w.String())
		if okx && oky && x.Cmp(y) == 0 {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	return fmt.Sprintf("%s is %s, want %s", path, g, w)
}

// corpusChunk is one entry of corpus.json.
type corpusChunk struct {
	ID         string         `json:"id"`
	DocumentID string         `json:"document_id"`
	Title      string         `json:"title"`
	Source     string         `json:"source"`
	URI        string         `json:"uri"`
	Headings   []string       `json:"headings"`
	Metadata   map[string]any `json:"metadata"`
	Text       string         `json:"text"`
}

// agentsCorpus reads corpus.json.
func agentsCorpus(t *testing.T) []corpusChunk {
	t.Helper()
	data, err := os.ReadFile("testdata/agents/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	var chunks []corpusChunk
	if err := json.Unmarshal(data, &chunks); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(chunks, func(a, b corpusChunk) int { return strings.Compare(a.ID, b.ID) }) {
		t.Fatal("corpus.json is not in the order of its ids")
	}
	return chunks
}

func newCorpusHost(chunks []corpusChunk) *corpusHost {
	h := &corpusHost{chunks: chunks}
	for _, c := range h.chunks {
		h.words = append(h.words, corpusWords(c.whole()))
		h.stems = append(h.stems, corpusStems(c.whole()))
	}
	return h
}

func (c *corpusChunk) whole() string { return c.Title + " " + c.Text }
