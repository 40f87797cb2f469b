package codeapi

import (
	"encoding/json"
	"regexp"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const toolsText = `
"""Tools of other MCP servers, and how to find them, the functions of these modules and
saved skills. A tool is also imported: from servers.SERVER import TOOL; then it is called
with its arguments by name, in the order of its signature, or with one dict of them."""

def search_tools(query="", detail_level="with_description", category=None, limit=20):
    """The tools that fit a request in words, the best first; without a query all, by name.
    Each is {name} at detail_level name_only; with server, category and description at
    with_description (or summary); with import, signature and input_schema at full.
    category is a server's name, skills, or a module such as search."""

def get_tool_definition(name, category=None):
    """One tool with all that is known of it: name, server, category, description, import,
    signature, input_schema, output_schema, destructive."""

def call_mcp_tool(name, input=None, type=None):
    """Calls the tool mcp__SERVER__TOOL with a dict of arguments and returns its answer: the
    structured one where there is one, JSON in its text as values, else the text. Integers
    keep all their digits. With a type (dict, list, str, a dataclass) the answer must be
    one. Failures can be caught: PermissionError where a policy forbids it, LookupError,
    ValueError for arguments, ConnectionError, TimeoutError, RuntimeError with the tool's
    own words."""
`

var (
	toolsDoc   = guest.Lazy(toolsText)
	loadsSkill = regexp.MustCompile(`load_skill\(\s*["'](\w+)["']`)
)

func (r *run) toolsModule() *pylang.Module {
	return &pylang.Module{
		Name: "tools", Doc: toolsDoc().Doc,
		Members: toolsDoc().Bind("tools", map[string]guest.Impl{
			"search_tools": r.searchTools, "get_tool_definition": r.toolDefinition, "call_mcp_tool": r.callTool,
		}),
	}
}

func (r *run) searchTools(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var args SearchToolsArgs
	var err error
	if args.Query, err = a.Str(0, ""); err != nil {
		return nil, err
	}
	if args.Detail, err = oneOf(a, 1, DetailDescription, DetailName, DetailFull, "summary"); err != nil {
		return nil, err
	}
	if args.Category, err = a.Str(2, ""); err != nil {
		return nil, err
	}
	if args.Limit, err = a.Int(3, DefaultTools, 1, MaxToolHits); err != nil {
		return nil, err
	}
	return r.serve(MethodTools, args, func(raw json.RawMessage) (starlark.Value, error) {
		var list struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if err := decodeReply(MethodTools, raw, &list); err != nil {
			return nil, err
		}
		return r.recordList("Tool", list.Tools)
	})
}

func (r *run) toolDefinition(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var args DefinitionArgs
	var err error
	if args.Name, err = a.Str(0, ""); err != nil {
		return nil, err
	}
	if args.Category, err = a.Str(1, ""); err != nil {
		return nil, err
	}
	return r.serve(MethodDefinition, args, func(raw json.RawMessage) (starlark.Value, error) { return r.record("Tool", raw) })
}

func (r *run) callTool(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	name, err := a.Str(0, "")
	if err != nil {
		return nil, err
	}
	input := a.Or(1)
	if input != starlark.None {
		if _, ok := input.(starlark.IterableMapping); !ok {
			return nil, a.WrongType(1, "a dict of the tool's arguments")
		}
	}
	return r.callNamed(t, name, input, a.Or(2))
}

// callNamed calls a tool. want, unless None, is the type of its answer.
func (r *run) callNamed(t *starlark.Thread, name string, input, want starlark.Value) (starlark.Value, error) {
	args := CallToolArgs{Name: name}
	if input != starlark.None {
		raw, err := encodeJSON(t, input, "input", MaxRequestBytes)
		if err != nil {
			return nil, err
		}
		args.Input = raw
	}
	return r.serve(MethodCallTool, args, func(raw json.RawMessage) (starlark.Value, error) {
		var answer ToolAnswer
		if err := decodeReply(MethodCallTool, raw, &answer); err != nil {
			return nil, err
		}
		v, err := r.value(answer.Value)
		if err != nil {
			return nil, err
		}
		if v == starlark.None && len(answer.Contents) > 0 { // pictures and links: say what came
			if v, err = r.value(answer.Contents); err != nil {
				return nil, err
			}
		}
		return r.typed(t, name, v, want)
	})
}

// typed is the answer as the type that the program asked for.
func (r *run) typed(t *starlark.Thread, name string, v, want starlark.Value) (starlark.Value, error) {
	if want == starlark.None {
		return v, nil
	}
	is := pylang.Builtin(t, "isinstance")
	if is == nil {
		return v, nil
	}
	fits, err := pylang.Call(t, is, starlark.Tuple{v, want}, nil)
	if err != nil {
		return nil, err
	}
	if yes, err := pylang.Truth(t, fits); err != nil || yes {
		return v, err
	}
	if d, ok := v.(*starlark.Dict); ok {
		if _, isClass := want.(*pylang.Class); isClass { // the program's own class
			return pylang.Call(t, want, nil, d.Items())
		}
	}
	wanted, err := pylang.Str(t, want)
	if err != nil {
		return nil, err
	}
	return nil, pylang.Raise("TypeError", "%s answered %s, not %s", name, guest.Describe(v), wanted)
}

// serverModule is the module servers.NAME: its tools are asked for when they are named.
func (r *run) serverModule(server string) *pylang.Module {
	return &pylang.Module{Name: "servers." + server, Doc: "The tools of the MCP server " + server + ".",
		Resolve: func(function string) (starlark.Value, error) {
			if strings.HasPrefix(function, "__") {
				return nil, nil
			}
			key := server + "." + function
			if f := r.tools[key]; f != nil {
				return f, nil
			}
			var def Tool
			if err := r.serveNow(MethodDefinition, DefinitionArgs{Module: server, Function: function}, &def); err != nil {
				if x, fatal := pylang.AsException(r.thread, err); fatal == nil && x.Class == "LookupError" {
					e := pylang.Raise("ImportError", "cannot import name '%s' from 'servers.%s': %s", function, server, x.Message)
					e.Hint = x.Hint
					return nil, e
				}
				return nil, err
			}
			f := r.toolFunction(function, def)
			if r.tools == nil {
				r.tools = map[string]starlark.Value{}
			}
			r.tools[key] = f
			return f, nil
		}}
}

// toolFunction is a tool as a function of its arguments. What arguments it takes and of
// which types the host checks, against the schema that the server has at that moment.
func (r *run) toolFunction(name string, def Tool) starlark.Value {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 1 && len(kwargs) == 0 {
			if m, ok := args[0].(starlark.IterableMapping); ok { // one dict of arguments
				return r.callNamed(t, def.Name, m, starlark.None)
			}
		}
		input := starlark.NewDict(len(args) + len(kwargs))
		for i, v := range args {
			if i >= len(def.Parameters) {
				e := pylang.Raise("TypeError", "%s() takes at most %d arguments, got %d", name, len(def.Parameters), len(args))
				e.Hint = "its signature is " + def.Signature
				return nil, e
			}
			if err := input.SetKey(starlark.String(def.Parameters[i]), v); err != nil {
				return nil, err
			}
		}
		for _, kv := range kwargs {
			if _, twice, _ := input.Get(kv[0]); twice {
				return nil, pylang.Raise("TypeError", "%s() got multiple values for argument '%s'", name, string(kv[0].(starlark.String)))
			}
			if err := input.SetKey(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
		return r.callNamed(t, def.Name, input, starlark.None)
	})
}

// findModule gives the modules that only the host knows: servers and skills. That they
// exist shows when something is imported from them.
func (r *run) findModule(name string) *pylang.Module {
	parent, child, ok := strings.Cut(name, ".")
	if !ok || child == "" || strings.Contains(child, ".") {
		return nil
	}
	if m := r.found[name]; m != nil {
		return m
	}
	var m *pylang.Module
	switch parent {
	case "servers":
		m = r.serverModule(child)
	case "skills":
		// from skills import NAME is no module; from skills.NAME import f is one.
		if !strings.Contains(r.source, "skills."+child) {
			return nil
		}
		m = r.skillModule(child)
	default:
		return nil
	}
	if r.found == nil {
		r.found = map[string]*pylang.Module{}
	}
	r.found[name] = m
	return m
}
