package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Whatever the arguments are, the checker ends with a verdict: JSON that fits the
// schema a second time and unchanged, or problems on one short line.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"code":"1"}`, `{"query":"a","limit":"10","weights":{"lexical":1e999}}`, `{"ids":["a",1],"filter":{"a":[]}}`,
		`{"timeout":"1e-5","context":"{}"}`, `[1]`, `"x"`, `{"limit":" 10.0 ","text":"FULL","query":null}`, `{"timeout":"-0"}`} {
		f.Add(seed)
	}
	all := schema(`"code"`, `"code": {"type": "string"}`, `"timeout": {"type": "number", "exclusiveMinimum": 0, "maximum": 300}`,
		`"context": {"type": "object"}`, `"validate_only": {"type": "boolean"}`, propQuery, propLimit, propFilter, propText, propWeights, propIDs)
	schemas, err := readSchemas(map[string]*server.ServerTool{"t": {Tool: mcp.NewToolWithRawSchema("t", "", all)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		c := checker{tool: "t"}
		fixed := c.value("", schemas["t"], json.RawMessage(raw))
		if len(c.problems) > 0 {
			if line := strings.Join(c.problems, "; "); strings.Contains(line, "\n") || len(line) > 6000 {
				t.Fatalf("%s: %q", raw, line)
			}
			return
		}
		again := checker{tool: "t"}
		if twice := again.value("", schemas["t"], fixed); len(again.problems) > 0 || string(twice) != string(fixed) {
			t.Fatalf("%s became %s, which became %s %v", raw, fixed, twice, again.problems)
		}
		var a struct {
			executeArgs
			idsArgs
			Weights any
		}
		if err := json.Unmarshal(fixed, &a); err != nil {
			t.Fatalf("%s became %s: %v", raw, fixed, err)
		}
	})
}

// A tool whose schema says what nobody checks is found when the server is made.
func TestSchemasAreUnderstood(t *testing.T) {
	_, err := readSchemas(map[string]*server.ServerTool{"t": {Tool: mcp.NewToolWithRawSchema("t", "", json.RawMessage(`{"type": "object", "patternProperties": {}}`))}})
	if err == nil || !strings.Contains(err.Error(), "input schema of t") {
		t.Errorf("got %v", err)
	}
}
