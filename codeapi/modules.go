package codeapi

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/codeapi/stdlib"
	"github.com/bmcis/bmcis/internal/pylang"
)

// apiModules are the modules of ours, with the contract of each and the class by
// which programs also know it: HybridSearchAPI() gives the functions of search as
// methods.
func apiModules() []apiModule {
	return []apiModule{
		{"search", "HybridSearchAPI", searchDoc, []string{"SearchResult", "Hit"}, nil},
		{"reranking", "RerankerAPI", rerankingDoc, nil, []string{"reranker"}},
		{"filtering", "FilterAPI", filteringDoc, nil, []string{"filter"}},
		{"results", "ResultProcessor", resultsDoc, nil, nil},
		{"tools", "", toolsDoc, nil, nil},
		{"skills", "", skillsDoc, nil, nil},
		{"workspace", "", workspaceDoc, nil, nil},
		{"pii", "", piiDoc, nil, nil},
		{"stats", "", statsDoc, nil, nil},
	}
}

type apiModule struct {
	name, class string
	contract    func() *guest.Contract
	types       []string // names for annotations
	other       []string // other names of the module
}

// bareNames are functions that need no import.
var bareNames = map[string]string{
	"read_file": "workspace", "write_file": "workspace", "list_files": "workspace", "delete_file": "workspace",
	"search_tools": "tools", "get_tool_definition": "tools", "call_mcp_tool": "tools",
	"save_skill": "skills", "load_skill": "skills", "list_skills": "skills",
	"sanitize_pii": "pii", "restore_pii": "pii",
}

// packages are the names under which programs import all of it.
var packages = []string{"bmcis_knowledge", "src.code_api", "code_api", "bmcis"}

// environment is everything that a program finds: modules to import, names that
// are there without, and the signatures to check calls against.
type environment struct {
	modules     map[string]*pylang.Module
	predeclared starlark.StringDict
	signatures  map[string]pylang.Signature
}

func (r *run) environment(std *stdlib.Env) environment {
	env := environment{
		modules:     stdlib.Modules(std),
		predeclared: starlark.StringDict{},
		signatures:  map[string]pylang.Signature{},
	}
	stdlib.Signatures(env.signatures)
	whole := &pylang.Module{Name: packages[0], Doc: "The knowledge engine: search, reranking, filtering, results, tools, skills, workspace, pii, stats.",
		Members: starlark.StringDict{}, Aliases: packages[1:]}
	built := map[string]*pylang.Module{
		"search": r.searchModule(), "reranking": r.rerankingModule(), "filtering": r.filteringModule(),
		"results": r.resultsModule(), "stats": r.statsModule(), "tools": r.toolsModule(),
		"skills": r.skillsModule(), "workspace": r.workspaceModule(), "pii": r.piiModule(),
	}
	for _, a := range apiModules() {
		m := built[a.name]
		a.contract().Signatures(a.name, env.signatures)
		value := newAPIValue(a.name, m)
		if a.class != "" {
			class := newClass(a.class, value)
			m.Members[a.class] = class
			env.signatures[a.name+"."+a.class] = pylang.Signature{Returns: a.name}
			env.signatures[a.class] = pylang.Signature{Returns: a.name}
			whole.Members[a.class] = class
			env.predeclared[a.class] = class
		}
		for _, t := range a.types {
			m.Members[t] = typeName(t)
		}
		names := append([]string{a.name}, a.other...)
		for _, name := range names {
			if name != a.name {
				m.Aliases = append(m.Aliases, name)
			}
			for _, p := range packages {
				m.Aliases = append(m.Aliases, p+"."+name)
			}
			whole.Members[name] = value
			env.predeclared[name] = value
		}
		env.modules[a.name] = m
	}
	for name, f := range whole.Members {
		env.predeclared[name] = f
	}
	// Functions may also be imported from the package itself.
	for _, a := range apiModules() {
		for name, v := range built[a.name].Members {
			if _, taken := whole.Members[name]; !taken {
				whole.Members[name] = v
				if s, ok := env.signatures[a.name+"."+name]; ok {
					env.signatures[whole.Name+"."+name] = s
				}
			}
		}
	}
	env.modules[whole.Name] = whole
	for name, module := range bareNames {
		env.predeclared[name] = built[module].Members[name]
		env.signatures[name] = env.signatures[module+"."+name]
	}
	// The names under which other systems have some of this.
	for name, from := range map[string][]string{"client": {"call_mcp_tool"}, "tool_discovery": {"search_tools", "get_tool_definition"}, "servers": nil} {
		m := &pylang.Module{Name: name, Members: starlark.StringDict{}, Doc: "See help(tools)."}
		for _, f := range from {
			m.Members[f] = built["tools"].Members[f]
			env.signatures[name+"."+f] = env.signatures["tools."+f]
		}
		env.modules[name] = m
	}
	for name, v := range builtinDoc().Bind("", map[string]guest.Impl{"attempt": attempt, "help": r.help}) {
		env.predeclared[name] = v
	}
	builtinDoc().Signatures("", env.signatures)
	return env
}

// apiValue is a module of ours as a value: its functions are its attributes. The
// value of filtering can be called too, as Python's filter.
type apiValue struct {
	name   string
	module *pylang.Module
}

func newAPIValue(name string, m *pylang.Module) starlark.Value {
	v := apiValue{name, m}
	if name == "filtering" {
		return &callableFilter{v}
	}
	return &v
}

func (v *apiValue) String() string        { return "<module '" + v.name + "'>" }
func (v *apiValue) Type() string          { return "module" }
func (v *apiValue) Freeze()               {}
func (v *apiValue) Truth() starlark.Bool  { return true }
func (v *apiValue) Hash() (uint32, error) { return starlark.String(v.name).Hash() }
func (v *apiValue) AttrNames() []string   { return v.module.Members.Keys() }

func (v *apiValue) Attr(name string) (starlark.Value, error) {
	if x, ok := v.module.Members[name]; ok {
		return x, nil
	}
	if v.module.Resolve != nil && !strings.HasPrefix(name, "__") {
		if x, err := v.module.Resolve(name); x != nil || err != nil {
			return x, err
		}
	}
	e := pylang.Raise("AttributeError", "'%s' has no function '%s'", v.name, name)
	names := v.module.Members.Keys()
	if near := guest.Nearest(name, names); near != "" {
		e.Hint = "did you mean " + near + "?"
	} else {
		e.Hint = "it has " + strings.Join(names, ", ")
	}
	return nil, e
}

func (v *apiValue) Name() string { return v.name }

// CallInternal is for programs that take a module for its main function.
func (v *apiValue) CallInternal(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	e := pylang.Raise("TypeError", "'module' object is not callable")
	for _, a := range apiModules() {
		if a.name == v.name {
			e.Hint = "call its functions, such as " + v.name + "." + a.contract().Funcs[0].Text()
		}
	}
	return nil, e
}

// callableFilter is the name filter: FilterAPI's functions and Python's function.
type callableFilter struct{ apiValue }

func (c *callableFilter) Name() string { return "filter" }

func (c *callableFilter) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 || len(args) != 2 {
		e := pylang.Raise("TypeError", "filter() takes a function and an iterable")
		e.Hint = "to filter results use filter.where(results, condition), filter.filter_by_domain(results, domain), ..."
		return nil, e
	}
	keep := args[0]
	if _, ok := keep.(starlark.Callable); !ok && keep != starlark.None {
		return nil, pylang.Raise("TypeError", "'%s' object is not callable", guest.TypeName(keep))
	}
	next, err := pylang.Next(t, args[1])
	if err != nil {
		return nil, err
	}
	next = guest.Patient(t, next)
	return pylang.NewIter("filter", func() (starlark.Value, bool, error) {
		for {
			x, ok, err := next()
			if err != nil || !ok {
				return nil, false, err
			}
			verdict := x
			if keep != starlark.None {
				if verdict, err = pylang.Call(t, keep, starlark.Tuple{x}, nil); err != nil {
					return nil, false, err
				}
			}
			if yes, err := pylang.Truth(t, verdict); err != nil {
				return nil, false, err
			} else if yes {
				return x, true, nil
			}
		}
	}), nil
}

// class is a constructor such as HybridSearchAPI: calling it gives the module's
// functions as methods, and they may be called on the class itself as well.
type class struct {
	name     string
	instance starlark.Value
}

func newClass(name string, instance starlark.Value) *class {
	return &class{name, instance}
}

func (c *class) String() string        { return "<class '" + c.name + "'>" }
func (c *class) Type() string          { return "type" }
func (c *class) Name() string          { return c.name }
func (c *class) Freeze()               {}
func (c *class) Truth() starlark.Bool  { return true }
func (c *class) Hash() (uint32, error) { return starlark.String(c.name).Hash() }

func (c *class) Attr(name string) (starlark.Value, error) {
	return c.instance.(starlark.HasAttrs).Attr(name)
}
func (c *class) AttrNames() []string { return c.instance.(starlark.HasAttrs).AttrNames() }

func (c *class) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args)+len(kwargs) > 0 {
		return nil, pylang.Raise("TypeError", "%s() takes no arguments", c.name)
	}
	return c.instance, nil
}

// typeName is a class that only annotations and isinstance name.
type typeName string

func (n typeName) String() string        { return "<class '" + string(n) + "'>" }
func (n typeName) Type() string          { return "type" }
func (n typeName) Name() string          { return "Hit" }
func (n typeName) Freeze()               {}
func (n typeName) Truth() starlark.Bool  { return true }
func (n typeName) Hash() (uint32, error) { return starlark.String(n).Hash() }
func (n typeName) CallInternal(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return nil, pylang.Raise("TypeError", "hits come from searches; a program does not make them")
}

// help prints the contract of a module, a function or a hit.
func (r *run) help(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	r.print(helpText(a.V[0]) + "\n")
	return starlark.None, nil
}

func helpText(v starlark.Value) string {
	name := ""
	switch v := v.(type) {
	case nil, starlark.NoneType:
		var b strings.Builder
		for _, a := range apiModules() {
			b.WriteString(moduleHelp(a.name, a.contract()))
			b.WriteString("\n")
		}
		b.WriteString("Python's standard modules: " + strings.Join(stdlib.Names(), ", ") + "\nhelp(\"python\") says what of Python is there and what is not")
		return b.String()
	case starlark.String:
		name = string(v)
	case *hit, typeName:
		return hitDoc().Doc + "\n\n" + functionsHelp(hitDoc())
	case *apiValue:
		name = v.name
	case *callableFilter:
		name = v.name
	case starlark.Callable:
		name = v.Name()
	}
	if strings.EqualFold(name, "python") {
		return pythonText
	}
	mod, fn, dotted := strings.Cut(name, ".")
	for _, a := range apiModules() {
		if a.name == name || a.class == name || slices.Contains(a.other, name) {
			return moduleHelp(a.name, a.contract())
		}
		for _, f := range a.contract().Funcs {
			if !dotted && f.Name == name || dotted && f.Name == fn && (a.name == mod || slices.Contains(a.other, mod)) {
				return f.Text() + "\n    " + strings.ReplaceAll(f.Doc, "\n", "\n    ")
			}
		}
	}
	if text := stdlib.Help(name); text != "" {
		return text
	}
	return fmt.Sprintf("no help on %q; help() lists what there is", name)
}

func moduleHelp(name string, c *guest.Contract) string {
	return name + ": " + c.Doc + "\n" + functionsHelp(c)
}

func functionsHelp(c *guest.Contract) string {
	var b strings.Builder
	for _, f := range c.Funcs {
		fmt.Fprintf(&b, "  %s\n", f.Text())
	}
	return b.String()
}
