package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/examples"
	"github.com/bmcis/bmcis/internal/render"
)

// A step is one direct tool call; its arguments may use ids of an earlier answer.
type step struct {
	tool string
	args func(earlier [][]string) map[string]any
}

// A scenario is one task done both ways.
type scenario struct {
	title   string
	program string // file in examples/
	context map[string]any
	direct  []step // the same work with one tool a stage, full texts, 100 results a leg
}

var scenarios = []scenario{
	{
		title: "Search", program: "search.py",
		direct: legs("how do I cancel a long running operation?", 100),
	},
	{
		title: "Search + rerank + filter", program: "rerank_filter.py",
		direct: append(legs("start several goroutines and wait until all of them have finished", 100),
			step{"rerank_results", func(earlier [][]string) map[string]any {
				return map[string]any{"query": "start several goroutines and wait until all of them have finished",
					"ids": union(earlier[0], earlier[1]), "limit": 20, "text": "full"}
			}},
			step{"filter_results", func(earlier [][]string) map[string]any {
				return map[string]any{"ids": earlier[2], "filter": `domain = "sync"`, "text": "full"}
			}}),
	},
	{
		title: "Conditional search", program: "conditional.py",
		context: map[string]any{"query": "serve files with http.FileServer"},
		direct: append(legs("serve files with http.FileServer", 100),
			step{"filter_results", func(earlier [][]string) map[string]any {
				return map[string]any{"ids": union(earlier[0], earlier[1]), "filter": `domain = "net"`, "text": "full"}
			}}),
	},
}

// legs asks both legs for n results with their full texts, as the system did that
// this one replaces.
func legs(query string, n int) []step {
	args := func([][]string) map[string]any {
		return map[string]any{"query": query, "limit": n, "text": "full"}
	}
	return []step{{"bm25_search", args}, {"vector_search", args}}
}

// runPrograms runs every scenario in code and with direct tools and prints both.
func runPrograms(ctx context.Context, bmcis string) error {
	heading("3. Three programs over MCP: bmcis serve --stdio --collection %s", collection)
	code, err := connect(ctx, bmcis, "code")
	if err != nil {
		return err
	}
	defer code.Close()
	direct, err := connect(ctx, bmcis, "direct")
	if err != nil {
		return err
	}
	defer direct.Close()
	codeCatalogue, err := catalogueTokens(ctx, code)
	if err != nil {
		return err
	}
	directCatalogue, err := catalogueTokens(ctx, direct)
	if err != nil {
		return err
	}
	// Both servers load their models before the clock runs.
	for _, c := range []struct {
		client *client.Client
		tool   string
		args   map[string]any
	}{
		{code, "execute_code", map[string]any{"code": `search.hybrid_search("warm up", rerank=True)`}},
		{direct, "hybrid_search", map[string]any{"query": "warm up"}},
	} {
		if _, _, err := call(ctx, c.client, c.tool, c.args); err != nil {
			return err
		}
	}
	for _, s := range scenarios {
		if err := runScenario(ctx, code, direct, s, codeCatalogue, directCatalogue); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	fmt.Println("\nTokens are counted with o200k: what the model writes (program or tool calls) and what it\nreads back. The same question each in its usual way: direct tools return 100 full texts per\nleg, as the system did that this one replaces; a program keeps them in the sandbox.")
	return nil
}

func runScenario(ctx context.Context, code, direct *client.Client, s scenario, codeCatalogue, directCatalogue int) error {
	source, err := examples.Programs.ReadFile(s.program)
	if err != nil {
		return err
	}
	args := map[string]any{"code": string(source)}
	if s.context != nil {
		args["context"] = s.context
	}
	start := time.Now()
	answer, codeTokens, err := call(ctx, code, "execute_code", args)
	if err != nil {
		return err
	}
	codeTime := time.Since(start)
	var outcome struct {
		Result json.RawMessage `json:"result"`
		Ledger struct {
			Touched  int `json:"tokens_touched"`
			Returned int `json:"tokens_returned"`
		} `json:"ledger"`
	}
	if err := json.Unmarshal([]byte(answer), &outcome); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	start = time.Now()
	directTokens, err := runDirect(ctx, direct, s.direct)
	if err != nil {
		return err
	}
	directTime := time.Since(start)

	fmt.Printf("\n%s  (examples/%s)\n\n%s\n\n", s.title, s.program, indent(readable(outcome.Result), "  "))
	fmt.Printf("  ledger: %s tokens touched in the sandbox, %s returned\n", thousands(outcome.Ledger.Touched), thousands(outcome.Ledger.Returned))
	fmt.Printf("  %-24s %12s %12s %9s\n", "", "direct tools", "one program", "saved")
	fmt.Printf("  %-24s %12s %12s %8.1f%%\n", "tokens", thousands(directTokens), thousands(codeTokens), saved(directTokens, codeTokens))
	fmt.Printf("  %-24s %12s %12s %8.1f%%\n", "with the tool catalogue", thousands(directTokens+directCatalogue), thousands(codeTokens+codeCatalogue),
		saved(directTokens+directCatalogue, codeTokens+codeCatalogue))
	fmt.Printf("  %-24s %12s %12s\n", "time, without the model", directTime.Round(time.Millisecond), codeTime.Round(time.Millisecond))
	return nil
}

func runDirect(ctx context.Context, c *client.Client, steps []step) (int, error) {
	var earlier [][]string
	total := 0
	for _, s := range steps {
		text, tokens, err := call(ctx, c, s.tool, s.args(earlier))
		if err != nil {
			return 0, err
		}
		total += tokens
		var answer struct {
			Hits []struct {
				ID string `json:"id"`
			} `json:"hits"`
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			return 0, fmt.Errorf("read answer of %s: %w", s.tool, err)
		}
		ids := make([]string, len(answer.Hits))
		for i, h := range answer.Hits {
			ids[i] = h.ID
		}
		earlier = append(earlier, ids)
	}
	return total, nil
}

// connect starts `bmcis serve` and speaks MCP with it over standard input and output.
func connect(ctx context.Context, bmcis, tools string) (*client.Client, error) {
	c, err := client.NewStdioMCPClient(bmcis, nil, "serve", "--stdio", "--tools", tools, "--collection", collection)
	if err != nil {
		return nil, fmt.Errorf("start bmcis serve: %w", err)
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "bmcis-demo", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		c.Close()
		return nil, fmt.Errorf("initialize MCP session: %w", err)
	}
	return c, nil
}

// call makes one tool call and counts what crosses the model's boundary: the call as
// the model writes it, and the text that it reads back.
func call(ctx context.Context, c *client.Client, tool string, args map[string]any) (text string, tokens int, err error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, args
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	for _, part := range result.Content {
		if t, ok := part.(mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	if result.IsError {
		return "", 0, fmt.Errorf("%s: %s", tool, b.String())
	}
	written, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return "", 0, err
	}
	return b.String(), render.CountTokens(string(written)) + render.CountTokens(b.String()), nil
}

// catalogueTokens counts a tool table as a model reads it: names, descriptions, input
// schemas.
func catalogueTokens(ctx context.Context, c *client.Client) (int, error) {
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	total := 0
	for _, t := range list.Tools {
		schema := t.RawInputSchema
		if schema == nil {
			if schema, err = json.Marshal(t.InputSchema); err != nil {
				return 0, err
			}
		}
		total += render.CountTokens(t.Name) + render.CountTokens(t.Description) + render.CountTokens(string(schema))
	}
	return total, nil
}

// union keeps the order of first appearance.
func union(a, b []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, id := range append(append([]string{}, a...), b...) {
		if !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	return all
}

func saved(direct, code int) float64 { return 100 * (1 - float64(code)/float64(direct)) }

// readable prints text as text and everything else as indented JSON.
func readable(result json.RawMessage) string {
	var text string
	if json.Unmarshal(result, &text) == nil {
		return strings.TrimSpace(text)
	}
	var v any
	if json.Unmarshal(result, &v) != nil {
		return string(result)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(v) != nil { // v came from JSON
		return string(result)
	}
	return strings.TrimSpace(b.String())
}

func indent(text, by string) string { return by + strings.ReplaceAll(text, "\n", "\n"+by) }

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
