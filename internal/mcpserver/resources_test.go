package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/workspace"
)

// Every file and document is listed once, over as many pages as it takes, and each can be
// read by the address in the list.
func TestResourcesAreListedInPages(t *testing.T) {
	a := newAgency(t)
	ann, _ := a.create(t, "ann", identity.DefaultPolicy(), 0)
	ann.open()
	ann.ok("execute_code", map[string]any{"code": "for i in range(230):\n    write_file(f'f/ü {i:03}?.txt', f'text {i}')"})
	type page struct {
		Result struct {
			Resources []struct {
				URI, Name, MIMEType string
				Size                int
			}
			NextCursor string
		}
		Error any
	}
	var uris []string
	cursor := ""
	for n := 0; n < 10; n++ {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var p page
		text := ann.rpc("resources/list", params)
		if err := json.Unmarshal([]byte(text), &p); err != nil || p.Error != nil || len(p.Result.Resources) > resourcePage {
			t.Fatalf("%v %.300s", err, text)
		}
		for _, r := range p.Result.Resources {
			uris = append(uris, r.URI)
		}
		if cursor = p.Result.NextCursor; cursor == "" {
			break
		}
	}
	if len(uris) != 232 || len(slices.Compact(slices.Sorted(slices.Values(uris)))) != 232 {
		t.Fatalf("%d resources", len(uris))
	}
	for i, want := range map[int]string{0: "text 0", 117: "text 117", 229: "text 229", 230: "majority", 231: "Zyxcorp"} {
		if got := ann.rpc("resources/read", map[string]any{"uri": uris[i]}); !strings.Contains(got, want) {
			t.Errorf("%s: %.300s", uris[i], got)
		}
	}
	for _, uri := range []string{"bmcis://workspace/nothing", "bmcis://documents/open-notes/nothing", "bmcis://documents/nothing/x", "bmcis://elsewhere/x", "bmcis://workspace/%2e%2e/x"} {
		if got := ann.rpc("resources/read", map[string]any{"uri": uri}); !strings.Contains(got, `"code":-32002`) || !strings.Contains(got, "not found") {
			t.Errorf("%s: %.300s", uri, got)
		}
	}
	if got := ann.rpc("resources/templates/list", map[string]any{}); !strings.Contains(got, filesURI) || !strings.Contains(got, documentsURI) {
		t.Error(got)
	}
	// A file comes in parts, cut between characters, and says where it goes on.
	ann.ok("execute_code", map[string]any{"code": "write_file('long.txt', 'ä' * 30000)"})
	var whole strings.Builder
	for offset := 0; ; {
		part := ann.ok("read_workspace_file", map[string]any{"name": "long.txt", "offset": offset, "max_bytes": 9999})
		whole.WriteString(part["content"].(string))
		next, more := part["next_offset"].(float64)
		if !more {
			break
		}
		offset = int(next)
	}
	if whole.String() != strings.Repeat("ä", 30000) {
		t.Errorf("%d bytes came back", whole.Len())
	}
}

// The three patterns of the prompt are programs that run.
func TestPromptTeachesProgramsThatRun(t *testing.T) {
	a := newAgency(t)
	ann, _ := a.create(t, "ann", identity.DefaultPolicy(), 0)
	ann.open()
	var got struct {
		Result struct {
			Messages []struct{ Content struct{ Text string } }
		}
	}
	const question = `who becomes "leader"?`
	text := ann.rpc("prompts/get", map[string]any{"name": "search_patterns", "arguments": map[string]string{"question": question}})
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Result.Messages) != 1 {
		t.Fatalf("%v %s", err, text)
	}
	taught := got.Result.Messages[0].Content.Text
	_, first, _ := strings.Cut(taught, "starts with: ")
	var programs []string
	for _, block := range strings.Split(taught, "\n\n") {
		if head, program, ok := strings.Cut(block, "\n"); ok && head[1] == '.' {
			programs = append(programs, program)
		}
	}
	if len(programs) != 3 {
		t.Fatalf("%d programs in %s", len(programs), taught)
	}
	for _, p := range programs {
		if out := ann.ok("execute_code", map[string]any{"code": first + "\n" + p}); !strings.Contains(fmt.Sprint(out["result"]), "Raft") {
			t.Errorf("%s\n%v", p, out)
		}
	}
}

// TestRightsOnToolsHoldForResources: whoever may call no tool that reads documents or
// files gets none of them as resources.
func TestRightsOnToolsHoldForResources(t *testing.T) {
	s := &Server{services: host.Services{Workspace: new(workspace.Store)}}
	for _, c := range []struct {
		policy           identity.Policy
		documents, files bool
	}{
		{identity.DefaultPolicy(), true, true},
		{identity.Policy{DenyTools: []string{"*"}}, false, false},
		{identity.Policy{AllowTools: []string{"hybrid_search"}}, false, false},
		{identity.Policy{AllowTools: []string{"get_document"}}, true, false},
		{identity.Policy{AllowTools: []string{"read_workspace_file"}}, false, true},
		{identity.Policy{AllowTools: []string{"execute_code"}}, true, true},
	} {
		id := identity.Identity{Policy: c.policy}
		if mayReadDocuments(id) != c.documents || s.mayReadFiles(id) != c.files {
			t.Errorf("%+v: documents %v, files %v", c.policy, mayReadDocuments(id), s.mayReadFiles(id))
		}
	}
	var result mcp.ListResourcesResult
	next, err := s.page(t.Context(), identity.Identity{Policy: identity.Policy{DenyTools: []string{"*"}}}, resourceCursor{Files: true}, &result)
	if err != nil || next != (resourceCursor{}) || len(result.Resources) != 0 {
		t.Errorf("%d resources, next %+v, %v", len(result.Resources), next, err)
	}
}
