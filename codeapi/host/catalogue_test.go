package host

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/internal/upstream"
)

// realTools are definitions of tools as real servers publish them.
func realTools(t testing.TB) []upstream.Tool {
	t.Helper()
	f, err := os.Open("../../internal/upstream/testdata/catalogue/tools.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var tools []upstream.Tool
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var x struct {
			Name, Server, Title, Description string
			InputSchema                      json.RawMessage `json:"input_schema"`
			OutputSchema                     json.RawMessage `json:"output_schema"`
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, upstream.Tool{Server: x.Server, Name: x.Name, QualifiedName: "mcp__" + x.Server + "__" + x.Name, Module: x.Server,
			Function: x.Name, Title: x.Title, Description: x.Description, InputSchema: x.InputSchema, OutputSchema: x.OutputSchema})
	}
	if err := lines.Err(); err != nil || len(tools) < 500 {
		t.Fatal(len(tools), err)
	}
	return tools
}

// What each level of detail costs the model that reads it, per 100 tools. Run with -v for
// the figures.
func TestTokensOfEachLevelOfDetail(t *testing.T) {
	tools := realTools(t)
	for _, level := range []struct {
		name string
		most int
		text int
	}{{codeapi.DetailName, 1500, 500}, {codeapi.DetailDescription, 4000, 1700}, {codeapi.DetailFull, 35_000, 0}} {
		list := codeapi.ToolList{}
		for _, tool := range tools {
			list.Tools = append(list.Tools, upstreamCard(tool).at(level.name))
		}
		raw, err := render.JSON(list)
		if err != nil {
			t.Fatal(err)
		}
		per100 := render.CountTokens(string(raw)) * 100 / len(tools)
		text := render.CountTokens(ToolsAsText(list, level.name)) * 100 / len(tools)
		t.Logf("%s: %d tokens per 100 tools as JSON, %d as text", level.name, per100, text)
		if text > level.text {
			t.Errorf("%s costs %d tokens per 100 tools as text, more than %d", level.name, text, level.text)
		}
		if per100 > level.most {
			t.Errorf("%s costs %d tokens per 100 tools, more than %d", level.name, per100, level.most)
		}
	}
}

func BenchmarkCards(b *testing.B) {
	tools := realTools(b)
	var c cardCache
	for b.Loop() {
		for _, tool := range tools {
			c.get(tool)
		}
	}
}
