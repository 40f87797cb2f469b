package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/render"
)

// TestTranscripts plays testdata/*.txtar over both transports. The comment tells the
// story; each file is named after a tool table and holds requests ("> ") and what
// their answers must contain ("< "): objects may hold more, a text that begins with
// ~ is a part of the answer's.
func TestTranscripts(t *testing.T) {
	base := newServer(t, ToolsBoth, notes())
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		story, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range story.Files {
			s, err := New(Config{Engine: base.engine, Runner: base.runner, Tools: Tools(file.Name), Collection: "notes"})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
				bothWires(t, s, func(t *testing.T, w wire) { play(t, w, string(file.Data)) })
			})
		}
	}
}

func play(t *testing.T, w wire, script string) {
	var request string
	var answer map[string]any
	for n, line := range strings.Split(strings.TrimSpace(script), "\n") {
		switch {
		case strings.HasPrefix(line, "> "):
			request = line[2:]
			answer = last(w.call(t, request))
		case strings.HasPrefix(line, "< "):
			var want any
			if err := unmarshal([]byte(line[2:]), &want); err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
			if at := differs(want, any(answer), ""); at != "" {
				text, _ := json.Marshal(answer)
				t.Errorf("%s\n at %s\n got %.1500s", request, at, text)
			}
		case !strings.HasPrefix(line, "# "):
			t.Fatalf("line %d is neither request, answer nor comment: %q", n+1, line)
		}
	}
}

// differs names the first place where got lacks what want asks for.
func differs(want, got any, at string) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return at + ": not an object"
		}
		for k, v := range w {
			x, ok := g[k]
			if !ok {
				return at + "/" + k + ": missing"
			}
			if d := differs(v, x, at+"/"+k); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: want %d items", at, len(w))
		}
		for i := range w {
			if d := differs(w[i], g[i], fmt.Sprintf("%s/%d", at, i)); d != "" {
				return d
			}
		}
		return ""
	case string:
		g, ok := got.(string)
		if part, some := strings.CutPrefix(w, "~"); ok && some && strings.Contains(g, part) {
			return ""
		}
	}
	if want != got {
		return fmt.Sprintf("%s: want %v", at, want)
	}
	return ""
}

// The tables as a client sees them: every argument published, annotations true, output
// schemas there, and few tokens.
func TestToolTables(t *testing.T) {
	pool := pgtest.New(t)
	base := newServerOn(t, pool, ToolsBoth, nil)
	arguments := map[string][]string{
		"execute_code":     {"code", "context", "description", "timeout", "validate_only"},
		"bm25_search":      {"collection", "filter", "limit", "query", "text"},
		"vector_search":    {"collection", "filter", "limit", "query", "text"},
		"hybrid_search":    {"collection", "filter", "limit", "query", "text", "weights"},
		"rerank_results":   {"collection", "ids", "limit", "query", "text"},
		"filter_results":   {"collection", "filter", "ids", "limit", "text"},
		"get_document":     {"collection", "id"},
		"list_collections": {},

		"search_tools":         {"category", "detail_level", "limit", "query"},
		"get_tool_definition":  {"category", "name"},
		"save_skill":           {"code", "description", "name"},
		"load_skill":           {"name", "version"},
		"list_skills":          {"after", "limit", "own", "query"},
		"sanitize_pii":         {"kinds", "value"},
		"restore_pii":          {"value"},
		"write_workspace_file": {"append", "content", "if_match", "name", "session"},
		"read_workspace_file":  {"max_bytes", "name", "offset", "session"},
		"list_workspace_files": {"after", "limit", "prefix", "session"},
		"get_execution_stats":  {"days", "limit"},
	}
	// What a tool does besides reading the same again.
	does := map[string]map[string]any{
		"execute_code": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true},
		"save_skill":   {"readOnlyHint": false}, "sanitize_pii": {"readOnlyHint": false},
		"write_workspace_file": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false},
	}
	for _, c := range []struct {
		tools    Tools
		services bool
		count    int
	}{{ToolsCode, false, 3}, {ToolsDirect, false, 7}, {ToolsBoth, false, 10}, {ToolsCode, true, 12}, {ToolsBoth, true, 19}} {
		tools, count := c.tools, c.count
		cfg := Config{Engine: base.engine, Runner: base.runner, Tools: tools}
		if c.services {
			withServices(t, pool, &cfg)
		}
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		bothWires(t, s, func(t *testing.T, w wire) {
			result := last(w.call(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))["result"].(map[string]any)
			list := result["tools"].([]any)
			if len(list) != count {
				t.Fatalf("%s: %d tools, want %d", tools, len(list), count)
			}
			tokens := 0
			for _, x := range list {
				tool := x.(map[string]any)
				name := tool["name"].(string)
				input := tool["inputSchema"].(map[string]any)
				properties, _ := input["properties"].(map[string]any)
				var names []string
				for k := range properties {
					names = append(names, k)
				}
				slices.Sort(names)
				if !slices.Equal(names, arguments[name]) {
					t.Errorf("%s publishes the arguments %v, want %v", name, names, arguments[name])
				}
				if tool["outputSchema"] == nil || tool["title"] == nil || input["additionalProperties"] != false {
					t.Errorf("%s: no output schema, no title, or arguments left open", name)
				}
				if drawings, _ := tool["icons"].([]any); len(drawings) != 1 || icons[iconOf[name]] == "" {
					t.Errorf("%s: no icon", name)
				}
				want := map[string]any{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
				if c.services {
					maps.Copy(want, does[name])
				}
				if at := differs(want, tool["annotations"], ""); at != "" {
					t.Errorf("%s: annotations %v: %s", name, tool["annotations"], at)
				}
				schema, _ := json.Marshal(input)
				tokens += render.CountTokens(name) + render.CountTokens(tool["description"].(string)) + render.CountTokens(string(schema))
			}
			if len(iconOf) != 19 {
				t.Errorf("%d tools have icons", len(iconOf))
			}
			t.Logf("%s, services %v: %d tokens", tools, c.services, tokens)
			if tools == ToolsCode && tokens > 2000 {
				t.Errorf("the code table has %d tokens, more than 2,000", tokens)
			}
		})
	}
}

// Every function that the description names exists and works as it is written there.
func TestDescriptionTellsTheTruth(t *testing.T) {
	s := newServer(t, ToolsCode, notes())
	w := overStdio(t, s)
	greet(t, w)
	run := func(code string, want any) {
		t.Helper()
		answer := last(w.call(t, executeCall(1, map[string]any{"code": code}, nil)))
		if at := differs(map[string]any{"result": map[string]any{"structuredContent": map[string]any{"success": true, "result": want}}}, any(answer), ""); at != "" {
			t.Errorf("%s\n at %s\n got %v", code, at, answer)
		}
	}
	const setUp = "query = 'who becomes leader'\nhits = search.hybrid_search(query)\nqueries = [query, 'bread']\ndocument_id = 'raft'\ndomain = 'consensus'\nsource = 'consensus'\nmin_score = 0.0\nmax_tokens = 500\n"
	calls := regexp.MustCompile(`\b(?:search|reranker|filter|results)\.\w+\([^()]*\)`).FindAllString(executeDescription, -1)
	if len(calls) < 10 {
		t.Fatalf("the description has only these calls: %v", calls)
	}
	for _, call := range calls {
		run(setUp+"__result__ = len("+call+") > 0", true)
	}
	run(setUp+"search.bm25_search(query, top_k=2, filters={\"domain\": \"consensus\", \"year\": {\"gte\": 2010}})[0].id == search.vector_search(query, filters='domain = \"consensus\" and year >= 2010')[0][\"id\"]", true)
	run(setUp+"h = hits[0]\n__result__ = [h.document_id, h.title, h.content == h['text'], 0 < h.score <= 1, h['score'] == h.score, h.source, h.metadata['year'], h.to_dict()['id'] == h.id]",
		[]any{"raft", "Raft", true, true, true, "consensus", json.Number("2014"), true})
	run("import json, re, math, datetime, statistics, itertools, collections\n1", json.Number("1"))
	_, example, _ := strings.Cut(executeDescription, "Example:\n")
	run(example, "~Raft")
}
