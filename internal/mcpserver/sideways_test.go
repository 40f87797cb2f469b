package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/identity"
)

// What one identity has does not come out sideways either: through cursors that were
// forged, completions, prompts, progress, error texts, the search for tools, the numbers
// of totals, or the words in which a thing that is not there is refused.
func TestNothingComesOutSideways(t *testing.T) {
	a := newAgency(t)
	ann, _ := a.create(t, "ann", identity.Policy{AllCollections: true}, 0)
	bob, _ := a.create(t, "bob", identity.Policy{Collections: []string{"open*"}, DenyTools: []string{"mcp__box__*"}}, 0)
	ann.open()
	bob.open()
	secrets := []string{"Zyx", "zyx", "vaultroom", "Takeover", "drop_table", `"ann"`, "ann/"}
	leaks := func(what, got string) {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(got, secret) {
				t.Errorf("%s shows %s: %.600s", what, secret, got)
			}
		}
	}
	if err := a.server.host.Warm(t.Context()); err != nil { // else the first search goes by words alone
		t.Fatal(err)
	}
	before := bob.tool("search_tools", map[string]any{"query": "report", "limit": 1000})
	ann.ok("save_skill", map[string]any{"name": "zyx_report", "code": "def zyx_report():\n    return 1\n", "description": "Reports on Zyxcorp"})
	ann.ok("write_workspace_file", map[string]any{"name": "plans/zyx.txt", "content": "Zyxcorp"})
	opened := ann.ok("execute_code", map[string]any{"code": "s = workspace.new_session()\nwrite_file('zyx.txt', 'Zyxcorp', session=s)\ns.handle"})
	handle, _ := opened["result"].(string)

	// Cursors that bob writes himself.
	for _, c := range []resourceCursor{{Collection: "vaultroom"}, {Collection: "vaultroom", After: "a"}, {Collection: "u"}, {Files: true, After: "plans"}, {Files: true, After: handle + "/"}} {
		raw, _ := json.Marshal(c)
		leaks(fmt.Sprintf("resources/list after %s", raw), bob.rpc("resources/list", map[string]any{"cursor": base64.StdEncoding.EncodeToString(raw)}))
	}
	for _, tool := range []string{"list_skills", "list_workspace_files"} {
		for _, after := range []string{"", "a", "ann/", "ann/zyx", "plans/"} {
			leaks(tool+" after "+after, strings.ReplaceAll(bob.tool(tool, map[string]any{"after": after}), after, ""))
		}
	}
	leaks("files of ann's session", bob.tool("list_workspace_files", map[string]any{"session": "ws_" + strings.Repeat("a", 26)}))
	if got := bob.tool("list_workspace_files", map[string]any{"session": handle}); strings.Contains(got, "zyx.txt") || !strings.Contains(got, "not found") {
		t.Errorf("ann's session: %s", got)
	}

	// Completions.
	complete := func(b *bearer, template, argument, value string, given map[string]string) string {
		t.Helper()
		return b.rpc("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": template},
			"argument": map[string]any{"name": argument, "value": value}, "context": map[string]any{"arguments": given}})
	}
	in := map[string]string{"collection": "vaultroom"}
	if got := complete(ann, documentTemplate, "collection", "va", nil); !strings.Contains(got, `["vaultroom"]`) {
		t.Errorf("ann: %s", got)
	}
	if got := complete(ann, documentTemplate, "id", "p", in); !strings.Contains(got, `["plan"]`) {
		t.Errorf("ann: %s", got)
	}
	if got := complete(ann, fileTemplate, "name", "plans/", nil); !strings.Contains(got, "plans/zyx.txt") {
		t.Errorf("ann: %s", got)
	}
	for _, value := range []string{"", "v", "vault", "vaultroom"} {
		leaks("completion of a collection", complete(bob, documentTemplate, "collection", value, nil))
	}
	for _, value := range []string{"", "p", "plan"} {
		if got := complete(bob, documentTemplate, "id", value, in); !strings.Contains(got, `"values":[]`) {
			t.Errorf("bob completes ids of vaultroom: %s", got)
		}
	}
	for _, value := range []string{"", "plans/", handle, handle + "/", "../ann/"} {
		if got := complete(bob, fileTemplate, "name", value, nil); strings.Contains(got, "zyx") {
			t.Errorf("bob completes files: %s", got)
		}
	}

	// The search for tools: what ann has saved changes neither bob's answers nor his totals,
	// and tools that he may not call are not found, over either door.
	if after := bob.tool("search_tools", map[string]any{"query": "report", "limit": 1000}); after != before {
		t.Errorf("bob's search for tools changes with ann's skills:\n%s\n%s", before, after)
	}
	for _, query := range []string{"delete+a+table", "report+on+Zyxcorp", ""} {
		_, _, got := bob.do("GET", "/v1/tools/search?detail_level=full&limit=1000&query="+query, "")
		leaks("/v1/tools/search of "+query, strings.ReplaceAll(got, "Zyxcorp", ""))
	}
	leaks("a category", bob.tool("search_tools", map[string]any{"category": "boxx"}))
	leaks("a definition", strings.ReplaceAll(bob.tool("get_tool_definition", map[string]any{"name": "zyx_repor"}), "zyx_repor", ""))

	// Prompts and what they are made of.
	leaks("prompts/list", bob.rpc("prompts/list", map[string]any{}))
	leaks("a prompt", bob.rpc("prompts/get", map[string]any{"name": "search_patterns", "arguments": map[string]string{"question": "what is planned"}}))

	// Progress, errors and hints of programs that look where they may not.
	for _, code := range []string{
		"attempt(lambda: search.hybrid_search('takeover', collection='%s'))\nprint('done')",
		"search.similar('plan', collection='%s')", "list(search.hybrid_search_streaming('takeover', collection='%s'))",
	} {
		got := func(collection string) string {
			text := bob.rpc("tools/call", map[string]any{"name": "execute_code", "arguments": map[string]any{"code": fmt.Sprintf(code, collection)}, "_meta": map[string]any{"progressToken": "t"}})
			return strings.ReplaceAll(text, collection, "C")
		}
		leaks(code, got("vaultroom"))
	}

	// One cannot be told from the other by its words.
	for name, pair := range map[string][2]any{
		"get_document":         {map[string]any{"id": "plan", "collection": "vaultroom"}, map[string]any{"id": "plan", "collection": "vaultroon"}},
		"hybrid_search":        {map[string]any{"query": "x", "collection": "vaultroom"}, map[string]any{"query": "x", "collection": "vaultroon"}},
		"read_workspace_file":  {map[string]any{"name": "plans/zyx.txt"}, map[string]any{"name": "plans/zyy.txt"}},
		"load_skill":           {map[string]any{"name": "ann/zyx_report"}, map[string]any{"name": "ann/zyy_report"}},
		"list_workspace_files": {map[string]any{"session": handle}, map[string]any{"session": handle[:len(handle)-1] + "q"}},
	} {
		plain := strings.NewReplacer("vaultroon", "vaultroom", "zyy", "zyx", handle[:len(handle)-1]+"q", handle)
		there, none := bob.tool(name, pair[0]), plain.Replace(bob.tool(name, pair[1]))
		if there != none {
			t.Errorf("%s tells what is there from what is not:\n%s\n%s", name, there, none)
		}
	}
	for _, uri := range []string{"bmcis://documents/vaultroom/plan", "bmcis://workspace/plans/zyx.txt"} {
		there := bob.rpc("resources/read", map[string]any{"uri": uri})
		none := strings.ReplaceAll(bob.rpc("resources/read", map[string]any{"uri": uri + "x"}), uri+"x", uri)
		if there != none {
			t.Errorf("%s is told from what is not there:\n%s\n%s", uri, there, none)
		}
	}
}
