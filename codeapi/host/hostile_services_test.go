package host

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/skills"
	"github.com/bmcis/bmcis/internal/workspace"
	"github.com/bmcis/bmcis/sandbox"
)

// A child that lies about its arguments gets an error in words, from every service, and
// nothing breaks.
func TestServicesRefuseWhatAHostileChildSends(t *testing.T) {
	pool := pgtest.New(t)
	h := New(&fakeEngine{}, Config{Services: Services{Workspace: workspace.New(pool, workspace.Config{}), Skills: skills.New(pool)}})
	people := identity.New(pool)
	local, err := people.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := h.newSession(identity.NewContext(t.Context(), local), 0)
	defer s.ledger.close()
	refused := func(method, args string) string {
		t.Helper()
		reply, err := s.Call(t.Context(), method, json.RawMessage(args))
		var e *sandbox.Error
		if errors.As(err, &e) {
			if e.Kind == sandbox.KindHost {
				t.Errorf("%s %.80s: our fault: %s", method, args, e.Message)
			}
			return e.Message
		}
		if err != nil {
			t.Errorf("%s %.80s: %v", method, args, err)
			return ""
		}
		var a codeapi.Answer
		if err := json.Unmarshal(reply, &a); err != nil || a.Failure == nil {
			t.Errorf("%s %.80s was taken: %s", method, args, reply)
			return ""
		}
		return a.Failure.Class + ": " + a.Failure.Message
	}
	for method := range services {
		for _, args := range []string{``, `[]`, `"x"`, `7`, `{"nosuch": 1}`, `{} {}`, `{"name": 5, "query": 5, "session": {}, "value": 1e999}`} {
			if message := refused(method, args); message != "" && strings.Contains(message, "\n") {
				t.Errorf("%s %s: %q", method, args, message)
			}
		}
	}
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct{ method, args, want string }{
		{codeapi.MethodWriteFile, `{"name": "../x", "data": ""}`, "ValueError"},
		{codeapi.MethodWriteFile, `{"name": "a\u0000b", "data": ""}`, "ValueError"},
		{codeapi.MethodWriteFile, `{"name": "` + long + `", "data": ""}`, "ValueError"},
		{codeapi.MethodWriteFile, `{"name": "x", "data": "no base64!"}`, "arguments"},
		{codeapi.MethodWriteFile, `{"name": "ws_abcdefghijklmnopqrstuvwxyz/x", "session": "ws_zbcdefghijklmnopqrstuvwxyz", "data": ""}`, "ValueError"},
		{codeapi.MethodReadFile, `{"name": "x", "offset": -5}`, "Error"},
		{codeapi.MethodReadFile, `{"name": "ws_abcdefghijklmnopqrstuvwxyz/x"}`, "FileNotFoundError"},
		{codeapi.MethodReadFile, `{"name": "x", "session": "' or 1=1 --"}`, "FileNotFoundError"},
		{codeapi.MethodListFiles, `{"limit": -1}`, "limit must be"},
		{codeapi.MethodListSkills, `{"limit": 5000}`, "limit must be"},
		{codeapi.MethodListFiles, `{"prefix": "` + long + `"}`, "ValueError"},
		{codeapi.MethodSession, `{"hours": -1}`, "hours"},
		{codeapi.MethodSession, `{"hours": 8000}`, "ValueError"},
		{codeapi.MethodGrant, `{"session": "", "to": "local"}`, "ValueError"},
		{codeapi.MethodSaveSkill, `{"name": "import", "code": "x = 1", "description": "d"}`, "ValueError"},
		{codeapi.MethodSaveSkill, `{"name": "x", "code": "` + long + long + long + `", "description": "d"}`, "ValueError"},
		{codeapi.MethodLoadSkill, `{"name": "x/y/z"}`, "Error"},
		{codeapi.MethodLoadSkill, `{"name": "x", "version": -3}`, "Error"},
		{codeapi.MethodShareSkill, `{"name": "x", "with": ["nobody"]}`, "Error"},
		{codeapi.MethodTools, `{"query": "` + long + `"}`, "query must be at most"},
		{codeapi.MethodTools, `{"query": "x", "limit": 100000}`, "limit must be"},
		{codeapi.MethodTools, `{"query": "x", "detail_level": "everything"}`, "detail_level"},
		{codeapi.MethodDefinition, `{"name": ""}`, "LookupError"},
		{codeapi.MethodDefinition, `{"module": "box", "function": "x"}`, "not available here"},
		{codeapi.MethodCallTool, `{"name": "mcp__box__x", "input": [1]}`, "not available here"},
		{codeapi.MethodSanitize, `{"value": "x"}`, "not available here"},
	} {
		if message := refused(c.method, c.args); !strings.Contains(message, c.want) {
			t.Errorf("%s %.100s: %.200q, want %q", c.method, c.args, message, c.want)
		}
	}
	// There is no method beside those that are listed.
	for _, method := range []string{"workspace.sweep", "audit.list", "identity.create", "vault.values", "tools.close"} {
		if message := refused(method, `{}`); !strings.Contains(message, "no method") {
			t.Errorf("%s: %s", method, message)
		}
	}
}
