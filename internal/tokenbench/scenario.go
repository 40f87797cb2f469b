package tokenbench

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bmcis/bmcis/internal/render"
)

// Mode is a way of doing a task.
type Mode string

// The modes.
const (
	Full Mode = "full" // direct tools, whole texts, as the original system did
	Lean Mode = "lean" // direct tools, previews where they are enough
	Code Mode = "code" // programs
)

// Modes lists all modes, the baselines first.
func Modes() []Mode { return []Mode{Full, Lean, Code} }

// params are what changes from run to run.
type params struct {
	question, domain string
	repo             string
	leg              int // results of each leg
	detail           string
	limit            int // issues that are looked through
}

// A script plays the agent in one run and returns its answer.
type script func(ctx context.Context, a *agent, p params) (any, error)

// A scenario is one task with the scripts of the direct modes. Those of code mode are files
// in programs/: first those whose answers the agent only reads, then the one whose answer is
// the answer to the task.
type scenario struct {
	id, title  string
	task       func(p params) string
	full, lean script
	programs   []string // of code mode, by file
	needs      []string // tools that the first program must have found
	reranks    bool     // some two hundred passages, which can take a busy machine longer than the server's 30 s
	tracker    bool     // the agent is connected with the tracker, too
	catalogue  int      // and with servers that have so many tools in all; 0: with none
}

// questions are asked in turns. Domain is the part of the standard library that (b), (c) and
// (g) look for.
var questions = []struct{ text, domain string }{
	{"start several goroutines and wait until all of them have finished", "sync"},
	{"serve files with http.FileServer", "net"},
	{"how do I cancel a long running operation?", "context"},
	{"which reader stops after a given number of bytes have been read", "io"},
	{"parse a URL and read its query parameters", "net"},
	{"sort a slice of structs by several keys while equal elements keep their order", "sort"},
	{"read a file line by line", "bufio"},
	{"turn a struct into JSON with other field names", "encoding"},
	{"run a command and read what it writes to standard output", "os"},
	{"compare two times in different time zones", "time"},
}

func scenarios() []scenario {
	list := []scenario{
		{id: "a", title: "Simple search", full: searchFull, lean: searchLean, programs: []string{"a.py"}, task: func(p params) string {
			return fmt.Sprintf("Which three passages answer best, by keyword and meaning together: %q? Give id, title and score.", p.question)
		}},
		{id: "b", title: "Search, rerank, filter", full: rerankScript, lean: rerankScript, programs: []string{"b.py"}, reranks: true, task: func(p params) string {
			return fmt.Sprintf("Take the %d best passages by keyword and the %d best by meaning for %q, rerank them together, and of the best 20 give the first three of domain %s: id, title and rerank score.", p.leg, p.leg, p.question, p.domain)
		}},
		{id: "c", title: "Conditional search", full: conditionalScript, lean: conditionalScript, programs: []string{"c.py"}, task: func(p params) string {
			return fmt.Sprintf("For %q: if it has more than ten words search by meaning, else by both; of the ten best keep domain %s; if fewer than three are left, add the best by meaning in that domain that are not there yet, up to three. Give id, title, and high or medium as the score is above 0.5 or not.", p.question, p.domain)
		}},
		{id: "d", title: "10,000 rows to a summary", tracker: true, full: sheetScript, lean: sheetScript, programs: []string{"find_sheet.py", "d.py"}, needs: []string{"get_sheet"},
			task: func(params) string {
				return "Of the pending orders in sheet orders-2026 of the server tracker: how many are there, what is the sum of their amounts, the sum by region, and which are the five largest (order and amount)?"
			}},
		{id: "e", title: "Five steps over another server", tracker: true, full: workflowScript, lean: workflowScript, programs: []string{"find_issues.py", "e.py"},
			needs: []string{"search_issues", "get_issue", "compare_commits", "create_issue", "add_comment"}, task: func(p params) string {
				return fmt.Sprintf("In repository %s of the server tracker find the open issues that mention timeout (the first %d), read the five with the most comments (of equal ones the lower number), compare v1.4.0 with v1.5.0, create an issue that lists the changed files that those five issues name in body or comments with the number of issues that name each, and report its number in a comment on the most commented one. Give the new number, the five numbers and the files with their counts.", p.repo, p.limit)
			}},
		{id: "f", title: "Polling until a state changes", tracker: true, full: pollScript, lean: pollScript, programs: []string{"find_deployment.py", "f.py"},
			needs: []string{"start_deployment", "get_deployment"}, task: func(p params) string {
				return fmt.Sprintf("Deploy v1.5.0 of repository %s of the server tracker, wait until it is no longer running, looking every 0.2 s, and give state, url and the number of log lines.", p.repo)
			}},
	}
	for _, n := range []int{47, 100, 500} {
		list = append(list, scenario{id: fmt.Sprintf("g-%d", n), title: fmt.Sprintf("From document to issue, %d tools", n), tracker: true, catalogue: n,
			full: documentScript, lean: documentScript, programs: []string{"find_create.py", "g.py"}, reranks: true, needs: []string{"search_issues", "create_issue"},
			task: func(p params) string {
				return fmt.Sprintf("Take the %d best passages by keyword and the %d best by meaning for %q, rerank them together, keep domain %s of the best 20. If no open issue of repository %s of the server tracker has the title \"Docs: \" and the title of the first, create it, with label docs and the ids of the first three as its body, a line each. Give number and ids.", p.leg, p.leg, p.question, p.domain, p.repo)
			}})
	}
	return list
}

// rerankTimeout is asked for by the programs that rerank.
const rerankTimeout = 2 * time.Minute

// Scenarios lists the ids of all scenarios.
func Scenarios() []string {
	var ids []string
	for _, s := range scenarios() {
		ids = append(ids, s.id)
	}
	return ids
}

//go:embed programs/*.py
var programs embed.FS

// program fills the gaps of a program: $QUESTION, $DOMAIN, $REPO as Python strings, $LEG and
// $LIMIT as numbers.
func program(text string, p params) string {
	quoted := func(s string) string {
		q, _ := json.Marshal(s) // a string
		return string(q)
	}
	return strings.TrimSpace(strings.NewReplacer("$QUESTION", quoted(p.question), "$DOMAIN", quoted(p.domain), "$REPO", quoted(p.repo),
		"$LEG", fmt.Sprint(p.leg), "$LIMIT", fmt.Sprint(p.limit)).Replace(text))
}

// code runs the programs of a scenario. own, if not empty, stands in for the last one.
func (s scenario) code(own string) script {
	return func(ctx context.Context, a *agent, p params) (any, error) {
		var answer json.RawMessage
		for i, name := range s.programs {
			text, err := programs.ReadFile("programs/" + name)
			if err != nil {
				return nil, err
			}
			last := i == len(s.programs)-1
			if last && own != "" {
				text = []byte(own)
			}
			var timeout time.Duration
			if last && s.reranks {
				timeout = rerankTimeout
			}
			if answer, err = a.execute(ctx, program(string(text), p), timeout); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if last {
				break
			}
			// The agent writes the next program from what it has read, so it must be there.
			for _, tool := range s.needs {
				if !strings.Contains(string(answer), `"`+tool+`(`) {
					return nil, fmt.Errorf("%s did not find the tool %q: %s", name, tool, answer)
				}
			}
		}
		return answer, nil
	}
}

// hit is what the scripts read of a passage that a direct tool prints.
type hit struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	Score    float64 `json:"score"`
	Metadata struct {
		Domain string `json:"domain"`
	} `json:"metadata"`
}

type hits struct {
	Hits []hit `json:"hits"`
}

func (h hits) ids() []string {
	ids := make([]string, len(h.Hits))
	for i, x := range h.Hits {
		ids[i] = x.ID
	}
	return ids
}

func (h hits) inDomain(domain string) []hit {
	var kept []hit
	for _, x := range h.Hits {
		if x.Metadata.Domain == domain {
			kept = append(kept, x)
		}
	}
	return kept
}

func firstThree[T any](list []T) []T { return list[:min(3, len(list))] }

// scored is a passage in an answer.
type scored struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Score float64 `json:"score"`
}

func answerOf(list []hit) []scored {
	out := []scored{}
	for _, h := range firstThree(list) {
		out = append(out, scored{h.ID, h.Title, render.Round(h.Score, 3)})
	}
	return out
}

func (p params) args(extra map[string]any) map[string]any {
	args := map[string]any{"query": p.question}
	if p.detail == "full" {
		args["text"] = "full"
	}
	for k, v := range extra {
		args[k] = v
	}
	return args
}

// legs is a turn that asks both legs for so many results.
func legs(ctx context.Context, a *agent, p params) (lexical, vector hits, err error) {
	args := p.args(map[string]any{"limit": p.leg})
	results, err := a.turn(ctx, call{"bm25_search", args}, call{"vector_search", args})
	if err != nil {
		return lexical, vector, err
	}
	if lexical, err = read[hits](results[0]); err == nil {
		vector, err = read[hits](results[1])
	}
	return lexical, vector, err
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, id := range b {
		if !slices.Contains(a, id) {
			all = append(all, id)
		}
	}
	return all
}

func searchFull(ctx context.Context, a *agent, p params) (any, error) {
	if _, _, err := legs(ctx, a, p); err != nil {
		return nil, err
	}
	return searchLean(ctx, a, p)
}

func searchLean(ctx context.Context, a *agent, p params) (any, error) {
	found, err := ask[hits](ctx, a, "hybrid_search", p.args(map[string]any{"limit": 3}))
	return answerOf(found.Hits), err
}

// best asks both legs, reranks what they found and keeps the domain of the best 20.
func best(ctx context.Context, a *agent, p params) ([]hit, error) {
	lexical, vector, err := legs(ctx, a, p)
	if err != nil {
		return nil, err
	}
	reranked, err := ask[hits](ctx, a, "rerank_results", p.args(map[string]any{"ids": union(lexical.ids(), vector.ids()), "limit": 20}))
	if err != nil || p.detail != "full" {
		return reranked.inDomain(p.domain), err
	}
	kept, err := ask[hits](ctx, a, "filter_results", map[string]any{"ids": reranked.ids(), "filter": fmt.Sprintf("domain = %q", p.domain), "text": "full"})
	if err != nil {
		return nil, err
	}
	score := map[string]float64{}
	for _, h := range reranked.Hits {
		score[h.ID] = h.Score
	}
	for i, h := range kept.Hits {
		kept.Hits[i].Score = score[h.ID]
	}
	return kept.Hits, nil
}

func rerankScript(ctx context.Context, a *agent, p params) (any, error) {
	list, err := best(ctx, a, p)
	return answerOf(list), err
}

func conditionalScript(ctx context.Context, a *agent, p params) (any, error) {
	long, full := len(strings.Fields(p.question)) > 10, p.detail == "full"
	var found hits
	var err error
	if full {
		if _, found, err = legs(ctx, a, p); err != nil {
			return nil, err
		}
		found.Hits = found.Hits[:min(10, len(found.Hits))]
	}
	switch {
	case long && !full:
		found, err = ask[hits](ctx, a, "vector_search", p.args(map[string]any{"limit": 10}))
	case !long:
		found, err = ask[hits](ctx, a, "hybrid_search", p.args(map[string]any{"limit": 10}))
	}
	if err != nil {
		return nil, err
	}
	where := fmt.Sprintf("domain = %q", p.domain)
	kept := found.inDomain(p.domain)
	if full {
		filtered, err := ask[hits](ctx, a, "filter_results", map[string]any{"ids": found.ids(), "filter": where, "text": "full"})
		if err != nil {
			return nil, err
		}
		if len(filtered.Hits) != len(kept) {
			return nil, fmt.Errorf("filter_results keeps %d passages, %d have the domain", len(filtered.Hits), len(kept))
		}
	}
	if len(kept) < 3 {
		more, err := ask[hits](ctx, a, "vector_search", p.args(map[string]any{"limit": 3, "filter": where}))
		if err != nil {
			return nil, err
		}
		for _, h := range more.Hits {
			if !slices.ContainsFunc(kept, func(k hit) bool { return k.ID == h.ID }) {
				kept = append(kept, h)
			}
		}
	}
	type judged struct {
		ID        string `json:"id"`
		Title     string `json:"title"`
		Relevance string `json:"relevance"`
	}
	out := []judged{}
	for _, h := range firstThree(kept) {
		relevance := "medium"
		if h.Score > 0.5 {
			relevance = "high"
		}
		out = append(out, judged{h.ID, h.Title, relevance})
	}
	return out, nil
}
