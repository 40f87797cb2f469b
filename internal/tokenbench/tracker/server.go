package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// previewRunes is where detail=preview cuts.
const previewRunes = 200

// state is all that the tools read and write.
type state struct {
	sizes Sizes
	fresh []Issue // a repository as it begins
	sheet [][]any

	mu      sync.Mutex
	repos   map[string][]Issue
	deploys map[string]*deployment
}

// New returns a server with nothing written yet.
func New(sizes Sizes) *server.MCPServer {
	s := &state{sizes: sizes.orDefault(), repos: map[string][]Issue{}, deploys: map[string]*deployment{}}
	s.fresh, s.sheet = issues(s.sizes), rows(s.sizes)
	m := server.NewMCPServer("tracker", "1", server.WithToolCapabilities(false), server.WithRecovery())
	for _, t := range s.tools() {
		tool := mcp.NewToolWithRawSchema(t.name, t.description, json.RawMessage(t.input))
		for _, option := range []mcp.ToolOption{
			mcp.WithRawOutputSchema(json.RawMessage(t.output)), mcp.WithReadOnlyHintAnnotation(!t.writes),
			mcp.WithDestructiveHintAnnotation(false), mcp.WithIdempotentHintAnnotation(!t.writes), mcp.WithOpenWorldHintAnnotation(false),
		} {
			option(&tool)
		}
		m.AddTool(tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a arguments
			if err := r.BindArguments(&a); err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			answer, err := t.do(a)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			text, err := json.Marshal(answer)
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultStructured(json.RawMessage(text), string(text)), nil
		})
	}
	return m
}

// arguments are those of all tools; each heeds its own.
type arguments struct {
	Repo, Query, State, Label, Detail string
	Number, Limit                     int
	Base, Head, Title, Body           string
	Labels, Columns                   []string
	Sheet, Ref, ID                    string
}

type tool struct {
	name, description, input, output string
	writes                           bool
	do                               func(arguments) (any, error)
}

const (
	repoIn   = `"repo":{"type":"string","description":"owner/name"}`
	detailIn = `"detail":{"type":"string","enum":["full","preview"],"description":"whole texts (default) or their first 200 characters"}`
	issueOut = `"number":{"type":"integer"},"title":{"type":"string"},"state":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}},"author":{"type":"string"},"created":{"type":"string"},"body":{"type":"string"}`
)

func object(properties string, required ...string) string {
	list, _ := json.Marshal(required) // strings
	if len(required) == 0 {
		list = []byte("[]")
	}
	return `{"type":"object","properties":{` + properties + `},"required":` + string(list) + `}`
}

func (s *state) tools() []tool {
	listOf := func(item string) string { return `{"type":"array","items":` + item + `}` }
	return []tool{
		{"search_issues", "Search the issues of a repository by a text in title or body, the newest first.",
			object(repoIn+`,"query":{"type":"string"},"state":{"type":"string","enum":["open","closed","all"],"description":"default open"},"label":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100,"description":"default 30"},`+detailIn, "repo"),
			object(`"issues":` + listOf(object(issueOut+`,"comments":{"type":"integer"}`))), false, s.searchIssues},
		{"get_issue", "Read one issue with all its comments.",
			object(repoIn+`,"number":{"type":"integer"}`, "repo", "number"),
			object(issueOut + `,"comments":` + listOf(object(`"author":{"type":"string"},"created":{"type":"string"},"body":{"type":"string"}`))), false, s.getIssue},
		{"compare_commits", "Compare two versions of a repository: commits and changed files with their patches.",
			object(repoIn+`,"base":{"type":"string"},"head":{"type":"string"},`+detailIn, "repo", "base", "head"),
			object(`"commits":` + listOf(object(`"sha":{"type":"string"},"author":{"type":"string"},"message":{"type":"string"}`)) +
				`,"files":` + listOf(object(`"path":{"type":"string"},"additions":{"type":"integer"},"deletions":{"type":"integer"},"patch":{"type":"string"}`))), false, s.compare},
		{"create_issue", "Open an issue in a repository.",
			object(repoIn+`,"title":{"type":"string"},"body":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}}`, "repo", "title"),
			object(`"number":{"type":"integer"},"url":{"type":"string"}`), true, s.createIssue},
		{"add_comment", "Comment on an issue.",
			object(repoIn+`,"number":{"type":"integer"},"body":{"type":"string"}`, "repo", "number", "body"),
			object(`"id":{"type":"integer"},"url":{"type":"string"}`), true, s.addComment},
		{"get_sheet", "Read the rows of a spreadsheet, all columns or those named. Sheet orders-2026: order, date, customer, city, region, status (pending, shipped, delivered, cancelled, returned), items, amount (cents), note.",
			object(`"sheet":{"type":"string"},"columns":{"type":"array","items":{"type":"string"}}`, "sheet"),
			object(`"columns":{"type":"array","items":{"type":"string"}},"rows":{"type":"array","items":{"type":"array"}}`), false, s.getSheet},
		{"start_deployment", "Deploy a ref of a repository. It takes a while; look with get_deployment.",
			object(repoIn+`,"ref":{"type":"string"}`, "repo", "ref"),
			object(`"id":{"type":"string"},"state":{"type":"string"}`), true, s.startDeployment},
		{"get_deployment", "A deployment: its state (running, succeeded), step, and log.",
			object(`"id":{"type":"string"},`+detailIn, "id"),
			object(`"id":{"type":"string"},"state":{"type":"string"},"ref":{"type":"string"},"step":{"type":"string"},"url":{"type":"string"},"log":{"type":"array","items":{"type":"string"}},"log_lines":{"type":"integer"}`), false, s.getDeployment},
	}
}

// repo returns the issues of a repository, which begins with its first use. The caller
// holds the lock.
func (s *state) repo(name string) ([]Issue, error) {
	if owner, rest, ok := strings.Cut(name, "/"); !ok || owner == "" || rest == "" {
		return nil, fmt.Errorf("repo must be owner/name, got %q", name)
	}
	if _, ok := s.repos[name]; !ok {
		s.repos[name] = slices.Clone(s.fresh)
	}
	return s.repos[name], nil
}

func (s *state) issue(repo string, number int) (*Issue, error) {
	all, err := s.repo(repo)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(is Issue) bool { return is.Number == number })
	if i < 0 {
		return nil, fmt.Errorf("%s has no issue %d", repo, number)
	}
	return &all[i], nil
}

func cut(text, detail string) string {
	if runes := []rune(text); detail == "preview" && len(runes) > previewRunes {
		return string(runes[:previewRunes])
	}
	return text
}

func (s *state) searchIssues(a arguments) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.repo(a.Repo)
	if err != nil {
		return nil, err
	}
	limit, query := min(cmp.Or(a.Limit, 30), 100), strings.ToLower(a.Query)
	found := []Issue{}
	for _, is := range all {
		if want := cmp.Or(a.State, "open"); want != "all" && is.State != want ||
			a.Label != "" && !slices.Contains(is.Labels, a.Label) ||
			!strings.Contains(strings.ToLower(is.Title+"\n"+is.Body), query) {
			continue
		}
		if len(found) == limit {
			break
		}
		is.Body = cut(is.Body, a.Detail)
		found = append(found, is)
	}
	return map[string]any{"issues": found}, nil
}

func (s *state) getIssue(a arguments) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is, err := s.issue(a.Repo, a.Number)
	if err != nil {
		return nil, err
	}
	return struct {
		Issue
		Comments []Comment `json:"comments"`
	}{*is, append([]Comment{}, is.thread...)}, nil
}

func (s *state) compare(a arguments) (any, error) {
	if a.Base == "" || a.Head == "" {
		return nil, errors.New("base and head must name two versions")
	}
	c := comparison(s.sizes, a.Base, a.Head)
	for i := range c.Files {
		c.Files[i].Patch = cut(c.Files[i].Patch, a.Detail)
	}
	return c, nil
}

func (s *state) createIssue(a arguments) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.repo(a.Repo)
	if err != nil {
		return nil, err
	}
	if a.Title == "" {
		return nil, errors.New("title must not be empty")
	}
	is := Issue{Number: 1, Title: a.Title, State: "open", Labels: append([]string{}, a.Labels...), Author: "agent",
		Created: time.Now().UTC().Format(time.RFC3339), Body: a.Body}
	if len(all) > 0 {
		is.Number = all[0].Number + 1
	}
	s.repos[a.Repo] = slices.Insert(all, 0, is)
	return map[string]any{"number": is.Number, "url": fmt.Sprintf("https://tracker.example/%s/issues/%d", a.Repo, is.Number)}, nil
}

func (s *state) addComment(a arguments) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is, err := s.issue(a.Repo, a.Number)
	if err != nil {
		return nil, err
	}
	is.thread = append(slices.Clip(is.thread), Comment{"agent", time.Now().UTC().Format(time.RFC3339), a.Body})
	is.Comments = len(is.thread)
	return map[string]any{"id": is.Comments, "url": fmt.Sprintf("https://tracker.example/%s/issues/%d#comment-%d", a.Repo, is.Number, is.Comments)}, nil
}

func (s *state) getSheet(a arguments) (any, error) {
	if a.Sheet != "orders-2026" {
		return nil, fmt.Errorf("there is no sheet %q; there is orders-2026", a.Sheet)
	}
	if len(a.Columns) == 0 {
		return map[string]any{"columns": columns, "rows": s.sheet}, nil
	}
	var at []int
	for _, name := range a.Columns {
		i := slices.Index(columns, name)
		if i < 0 {
			return nil, fmt.Errorf("sheet orders-2026 has no column %q; it has %s", name, strings.Join(columns, ", "))
		}
		at = append(at, i)
	}
	part := make([][]any, len(s.sheet))
	for n, row := range s.sheet {
		part[n] = make([]any, len(at))
		for k, i := range at {
			part[n][k] = row[i]
		}
	}
	return map[string]any{"columns": a.Columns, "rows": part}, nil
}

// deployment is a job that goes on by itself.
type deployment struct {
	ID       string   `json:"id"`
	State    string   `json:"state"`
	Ref      string   `json:"ref"`
	Step     string   `json:"step"`
	URL      string   `json:"url"`
	Log      []string `json:"log"`
	LogLines int      `json:"log_lines"`
}

const deployLines = 40

func (s *state) startDeployment(a arguments) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.repo(a.Repo); err != nil {
		return nil, err
	}
	if a.Ref == "" {
		return nil, errors.New("ref must name a branch, tag or commit")
	}
	n := 1
	for s.deploys[fmt.Sprintf("%s@%s-%d", a.Repo, a.Ref, n)] != nil {
		n++
	}
	d := &deployment{ID: fmt.Sprintf("%s@%s-%d", a.Repo, a.Ref, n), State: "running", Ref: a.Ref, Step: "build", Log: []string{}}
	s.deploys[d.ID] = d
	go s.deploy(d, a.Repo)
	return map[string]any{"id": d.ID, "state": d.State}, nil
}

// deploy writes a log line at a time until the deployment is done.
func (s *state) deploy(d *deployment, repo string) {
	steps := []string{"build", "test", "push", "roll out"}
	tick := time.NewTicker(s.sizes.Deploy / deployLines)
	defer tick.Stop()
	for i := range deployLines {
		<-tick.C
		s.mu.Lock()
		d.Step = steps[i*len(steps)/deployLines]
		d.LogLines++
		d.Log = append(d.Log, fmt.Sprintf("%02d %s: %s %s finished without a warning", d.LogLines, d.Step, parts[i%len(parts)], things[i%len(things)]))
		if d.LogLines == deployLines {
			d.State, d.URL = "succeeded", "https://"+strings.ReplaceAll(repo, "/", "-")+".example/"+d.Ref
		}
		s.mu.Unlock()
	}
}

func (s *state) getDeployment(a arguments) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.deploys[a.ID]
	if d == nil {
		return nil, fmt.Errorf("there is no deployment %q; start one with start_deployment", a.ID)
	}
	now := *d
	now.Log = slices.Clone(d.Log)
	if a.Detail == "preview" { // the end of a log is what one wants to see
		n := len(now.Log)
		for left := previewRunes; n > 0 && left >= len(now.Log[n-1]); n-- {
			left -= len(now.Log[n-1])
		}
		now.Log = now.Log[n:]
	}
	return now, nil
}
