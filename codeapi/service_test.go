package codeapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/sandbox"
)

// Validation asks the host nothing, and tells what a program would ask of services.
func TestValidationTellsServiceCalls(t *testing.T) {
	for source, want := range map[string][]string{
		"from servers.github import create_issue\ncreate_issue('x')":       {MethodCallTool, MethodDefinition},
		"import servers.github as gh\ngh.create_issue('x')":                {MethodCallTool, MethodDefinition},
		"from skills import tidy\ntidy([])":                                {MethodLoadSkill},
		"from client import call_mcp_tool\ncall_mcp_tool('mcp__a__b', {})": {MethodCallTool},
		"call_mcp_tool('mcp__a__b')":                                       {MethodCallTool},
		"write_file('a', read_file('b'))":                                  {MethodReadFile, MethodWriteFile},
		"import tools\ntools.search_tools('x')":                            {MethodTools},
		"workspace.read_json('x')\npii.sanitize_pii('y')":                  {MethodSanitize, MethodReadFile},
		"x = 'from servers.a import b'":                                    {},
	} {
		h := newFakeHost()
		res := Engine(t.Context(), sandbox.Program{Source: source, ValidateOnly: true}, sandbox.DefaultLimits(), h)
		var rep report
		if err := json.Unmarshal(res.Report, &rep); err != nil || !rep.OK || len(h.calls) > 0 {
			t.Errorf("%s: %v %s, calls %v", source, err, res.Report, h.calls)
		}
		if !slices.Equal(rep.HostCalls, want) {
			t.Errorf("%s: %v, want %v", source, rep.HostCalls, want)
		}
	}
	// Wrong names are found before anything runs.
	for source, want := range map[string]string{
		"read_fil('x')":                    "name 'read_fil' is not defined",
		"write_file('x', 'y', sesion='z')": "sesion",
		"from tools import serch_tools":    "serch_tools",
		"workspace.read_jso('x')":          "read_jso",
		"save_skill('x')":                  "code",
		"exec(load_skill('tidy'))":         "a saved skill is imported",
	} {
		res := Engine(t.Context(), sandbox.Program{Source: source}, sandbox.DefaultLimits(), newFakeHost())
		if res.Error == nil || res.Error.Kind != sandbox.KindValidation {
			t.Errorf("%s: %+v", source, res.Error)
		} else if !strings.Contains(res.Error.Message+res.Error.Hint, want) {
			t.Errorf("%s: %s; %s, want %q", source, res.Error.Message, res.Error.Hint, want)
		}
	}
}
