package tracker

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// connect speaks MCP with a new server.
func connect(t *testing.T, sizes Sizes) *client.Client {
	t.Helper()
	c, err := client.NewInProcessClient(New(sizes))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// ask calls a tool and decodes its answer, text and structured content being the same.
func ask[T any](t *testing.T, c *client.Client, tool string, args map[string]any) (v T, failure string) {
	t.Helper()
	r := mcp.CallToolRequest{}
	r.Params.Name, r.Params.Arguments = tool, args
	result, err := c.CallTool(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	text := result.Content[0].(mcp.TextContent).Text
	if result.IsError {
		return v, text
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v in %.200s", tool, err, text)
	}
	return v, ""
}

type found struct{ Issues []Issue }

// Two processes hold the same, of the sizes that the baselines promise.
func TestSizesAndSeed(t *testing.T) {
	c := connect(t, Sizes{})
	list, _ := ask[found](t, c, "search_issues", map[string]any{"repo": "a/b", "query": "timeout", "limit": 100})
	if len(list.Issues) != 100 {
		t.Fatalf("%d issues", len(list.Issues))
	}
	s := Sizes{}.orDefault()
	count := map[string]int{}
	for _, is := range issues(s) {
		count[is.State]++
		if is.State == "open" && strings.Contains(is.Title+is.Body, "timeout") {
			count["timeouts"]++
		}
		if is.Comments > 14 {
			t.Errorf("issue %d has %d comments", is.Number, is.Comments)
		}
	}
	if count["open"] != 140 || count["closed"] != 120 || count["timeouts"] != 120 {
		t.Errorf("%v", count)
	}
	a, _ := json.Marshal(issues(s))
	if b, _ := json.Marshal(issues(s)); string(a) != string(b) {
		t.Error("the same seed draws different issues")
	}
	if files := comparison(s, "1", "2").Files; len(files) != 26 {
		t.Errorf("%d files", len(files))
	}
	sheet, _ := ask[struct{ Rows [][]any }](t, c, "get_sheet", map[string]any{"sheet": "orders-2026"})
	if len(sheet.Rows) != 10_000 || len(sheet.Rows[0]) != len(columns) {
		t.Fatalf("%d rows", len(sheet.Rows))
	}
	// The five largest of the pending orders must be told apart.
	var amounts []float64
	for _, row := range sheet.Rows {
		if row[5] == "pending" {
			amounts = append(amounts, row[7].(float64))
		}
	}
	slices.Sort(amounts)
	if top := amounts[len(amounts)-6:]; len(slices.Compact(slices.Clone(top))) != 6 {
		t.Errorf("the largest amounts are %v", top)
	}
}

func TestWhatIsWrittenStays(t *testing.T) {
	c := connect(t, Small)
	made, failure := ask[Issue](t, c, "create_issue", map[string]any{"repo": "a/b", "title": "Strange noise", "body": "x", "labels": []string{"new"}})
	if failure != "" || made.Number != Small.Issues+1 {
		t.Fatalf("%+v, %s", made, failure)
	}
	if _, failure := ask[any](t, c, "add_comment", map[string]any{"repo": "a/b", "number": made.Number, "body": "heard it"}); failure != "" {
		t.Fatal(failure)
	}
	got, _ := ask[struct {
		Title    string
		Comments []Comment
	}](t, c, "get_issue", map[string]any{"repo": "a/b", "number": made.Number})
	if got.Title != "Strange noise" || len(got.Comments) != 1 || got.Comments[0].Body != "heard it" {
		t.Errorf("%+v", got)
	}
	// In its own repository only.
	for repo, want := range map[string]int{"a/b": 1, "a/c": 0} {
		if list, _ := ask[found](t, c, "search_issues", map[string]any{"repo": repo, "query": "strange NOISE", "detail": "preview"}); len(list.Issues) != want {
			t.Errorf("%s: %d issues", repo, len(list.Issues))
		}
	}
}

func TestPreviewsAreShort(t *testing.T) {
	c := connect(t, Small)
	whole, _ := ask[found](t, c, "search_issues", map[string]any{"repo": "a/b"})
	short, _ := ask[found](t, c, "search_issues", map[string]any{"repo": "a/b", "detail": "preview"})
	for i, is := range short.Issues {
		if len([]rune(is.Body)) > previewRunes || !strings.HasPrefix(whole.Issues[i].Body, is.Body) {
			t.Errorf("issue %d: %q", is.Number, is.Body)
		}
	}
	files, _ := ask[Comparison](t, c, "compare_commits", map[string]any{"repo": "a/b", "base": "1", "head": "2", "detail": "preview"})
	for _, f := range files.Files {
		if len([]rune(f.Patch)) > previewRunes {
			t.Errorf("%s: %d characters", f.Path, len(f.Patch))
		}
	}
}

func TestDeploymentEnds(t *testing.T) {
	c := connect(t, Sizes{Deploy: 40 * time.Millisecond})
	d, _ := ask[deployment](t, c, "start_deployment", map[string]any{"repo": "a/b", "ref": "v2"})
	id, last := d.ID, 0
	for d.State == "running" {
		d, _ = ask[deployment](t, c, "get_deployment", map[string]any{"id": id})
		if d.LogLines < last || d.LogLines != len(d.Log) {
			t.Fatalf("%d lines after %d: %v", d.LogLines, last, d.Log)
		}
		last = d.LogLines
	}
	if d.State != "succeeded" || d.URL != "https://a-b.example/v2" || d.LogLines != deployLines {
		t.Errorf("%+v", d)
	}
	if d, _ = ask[deployment](t, c, "get_deployment", map[string]any{"id": id, "detail": "preview"}); d.LogLines != deployLines || len(strings.Join(d.Log, "")) > previewRunes || len(d.Log) == 0 {
		t.Errorf("preview: %+v", d)
	}
}

func TestWrongArguments(t *testing.T) {
	c := connect(t, Small)
	for _, x := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search_issues", map[string]any{"repo": "ab"}, `repo must be owner/name, got "ab"`},
		{"get_issue", map[string]any{"repo": "a/b", "number": 9999}, "a/b has no issue 9999"},
		{"get_sheet", map[string]any{"sheet": "x"}, `there is no sheet "x"`},
		{"get_sheet", map[string]any{"sheet": "orders-2026", "columns": []string{"sum"}}, `has no column "sum"; it has order, date`},
		{"get_deployment", map[string]any{"id": "x"}, `there is no deployment "x"; start one`},
		{"create_issue", map[string]any{"repo": "a/b"}, "title must not be empty"},
	} {
		if _, failure := ask[any](t, c, x.tool, x.args); !strings.Contains(failure, x.want) {
			t.Errorf("%s %v: %q, want %q", x.tool, x.args, failure, x.want)
		}
	}
}
