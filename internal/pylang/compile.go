package pylang

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type compiled struct {
	cfg      Config
	prog     *starlark.Program
	helpers  []string
	specs    []*fspec
	stores   map[syntaxPos]bool
	augs     map[syntaxPos]bool
	frees    map[syntaxPos]bool
	kwOnly   map[string]bool
	posOnly  map[string]bool
	required map[string]int
	vars     []*variable
	calls    []string
	source   string
}

var fileOptions = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}

const sourceName = "program"

func compile(source string, cfg Config) (*compiled, []Problem) {
	return compileAs(sourceName, source, cfg)
}

// compileAs compiles a text whose positions are in the file name: the program,
// or a part of the library.
func compileAs(name, source string, cfg Config) (_ *compiled, problems []Problem) {
	defer func() {
		if r := recover(); r != nil {
			problems = []Problem{{Line: 1, Column: 1, Kind: "validation", Message: fmt.Sprintf("internal error: %v", r), Hint: "this is a fault of the sandbox; try another way to write the program"}}
		}
	}()
	file, err := pysyntax.Parse(source)
	if err != nil {
		var e *pysyntax.Error
		if errors.As(err, &e) {
			return nil, []Problem{{Line: int(e.Line), Column: int(e.Col), Kind: "syntax", Message: e.Msg, Hint: e.Hint}}
		}
		return nil, []Problem{{Line: 1, Column: 1, Kind: "syntax", Message: err.Error()}}
	}
	if len(file.Body) == 0 {
		return nil, []Problem{{Line: 1, Column: 1, Kind: "validation", Message: "the program is empty", Hint: "send Python code, for example: print(1 + 1)"}}
	}
	lw := &lowerer{cfg: &cfg, path: name, helpers: map[string]bool{}, seen: map[string]bool{}, calls: map[string]bool{}, stores: map[syntaxPos]bool{}, augs: map[syntaxPos]bool{}, frees: map[syntaxPos]bool{}, onFuncs: map[string]bool{}, kwOnly: map[string]bool{}, posOnly: map[string]bool{}, required: map[string]int{}}
	lw.an = analyze(file, func(pos pysyntax.Pos, kind, msg, hint string) { lw.problem(pos, kind, hint, "%s", msg) })
	lw.scope = lw.an.module
	lw.annotations = name == sourceName && reAnnotations.MatchString(source)
	lw.resolveImports(file.Body, lw.an.module)
	lw.inf = infer(lw, file)
	stmts := lw.program(file)
	sort.SliceStable(lw.problems, func(i, j int) bool {
		a, b := lw.problems[i], lw.problems[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	if len(lw.problems) > 0 {
		return nil, lw.problems
	}
	names := map[string]bool{}
	for _, h := range lw.order {
		names[mark+mark+h] = true
	}
	prog, err := starlark.FileProgram(&syntax.File{Path: name, Stmts: stmts, Options: fileOptions}, func(name string) bool { return names[name] })
	if err != nil {
		var list resolve.ErrorList
		if errors.As(err, &list) {
			for _, e := range list {
				lw.problem(pysyntax.Pos{Line: e.Pos.Line, Col: e.Pos.Col}, "validation", "", "%s", e.Msg)
			}
			return nil, lw.problems
		}
		return nil, []Problem{{Line: 1, Column: 1, Kind: "validation", Message: err.Error()}}
	}
	c := &compiled{cfg: cfg, source: source, prog: prog, helpers: lw.order, specs: lw.specs, stores: lw.stores, augs: lw.augs, frees: lw.frees, kwOnly: lw.kwOnly, posOnly: lw.posOnly, required: lw.required, vars: lw.an.module.order}
	for n := range lw.calls {
		c.calls = append(c.calls, n)
	}
	sort.Strings(c.calls)
	return c, nil
}

// program lowers the module: the helpers become globals first, since those are
// read fastest, then boxes and shadowed names, then the agent's statements.
func (lw *lowerer) program(file *pysyntax.File) []syntax.Stmt {
	p := pysyntax.Pos{Line: 1, Col: 1}
	var body []syntax.Stmt
	n := len(file.Body)
	for i, s := range file.Body {
		if e, ok := s.(*pysyntax.ExprStmt); ok && i < n-1 {
			if _, ok := e.X.(*pysyntax.Str); ok {
				continue
			}
		}
		lw.last = topLevelValue(s)
		body = append(body, lw.stmts([]pysyntax.Stmt{s})...)
	}
	var head []syntax.Stmt
	shadow := map[string]string{}
	for _, v := range lw.an.module.order {
		if v.binds == 0 {
			continue
		}
		switch {
		case lw.cfg.Context[v.name] != nil:
			shadow[v.name] = "c_" + v.name
		case lw.cfg.Predeclared[v.name] != nil:
			shadow[v.name] = "p_" + v.name
		case isBuiltinName(v.name):
			shadow[v.name] = "b_" + v.name
		case v.name == "__name__":
			head = append(head, lw.set(p, lw.ident(p, v.emit), lw.str(p, "__main__")))
		}
	}
	for _, v := range lw.an.module.order {
		h := shadow[v.name]
		switch {
		case v.boxed && h != "":
			head = append(head, lw.set(p, lw.ident(p, v.emit), lw.call(p, "box", lw.str(p, v.name), lw.helper(p, h))))
		case v.boxed:
			head = append(head, lw.set(p, lw.ident(p, v.emit), lw.call(p, "box", lw.str(p, v.name))))
		case h != "":
			head = append(head, lw.set(p, lw.ident(p, v.emit), lw.helper(p, h)))
		}
	}
	var out []syntax.Stmt
	for _, h := range lw.order {
		out = append(out, lw.set(p, lw.ident(p, mark+h), lw.ident(p, mark+mark+h)))
	}
	out = append(out, head...)
	return append(out, body...)
}

// topLevelValue says whether expression statements in s give the result.
func topLevelValue(s pysyntax.Stmt) bool {
	switch s.(type) {
	case *pysyntax.ExprStmt, *pysyntax.If:
		return true
	}
	return false
}

// run executes the program once.
func (c *compiled) run(thread *starlark.Thread) (_ starlark.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Exception{Class: "SystemError", Message: fmt.Sprintf("internal error: %v", r), Hint: "this is a fault of the sandbox; try another way to write it"}
		}
	}()
	rt, globals, err := c.exec(thread)
	defer rt.close()
	if err != nil && !rt.quits(err) {
		return nil, rt.final(err)
	}
	for _, name := range []string{"__result__", "result", mark + "last"} {
		v := globals[name]
		if b, ok := v.(*box); ok {
			v = b.v
		}
		if v == nil || !c.assigned(name) {
			continue
		}
		out, err := rt.finish(v)
		if err != nil {
			return nil, rt.final(err)
		}
		if out == starlark.None && name == mark+"last" {
			return nil, nil
		}
		return out, nil
	}
	return nil, nil
}

// quits says that a program ended itself by SystemExit without a code.
func (rt *runtime) quits(err error) bool {
	e, fatal := rt.toException(err)
	if fatal != nil || e.Class != "SystemExit" {
		return false
	}
	args := rt.instanceOf(e).args
	return len(args) == 0 || args[0] == starlark.None || args[0] == starlark.MakeInt(0)
}

func (c *compiled) runModule(thread *starlark.Thread) (starlark.StringDict, error) {
	rt, globals, err := c.exec(thread)
	if err != nil {
		return nil, rt.final(err)
	}
	return c.public(globals), nil
}

// public gives the variables of an executed text by name.
func (c *compiled) public(globals starlark.StringDict) starlark.StringDict {
	out := starlark.StringDict{}
	for _, v := range c.vars {
		g := globals[v.emit]
		if b, ok := g.(*box); ok {
			g = b.v
		}
		if g != nil && v.binds > 0 {
			out[v.name] = g
		}
	}
	return out
}

func (c *compiled) assigned(name string) bool {
	if name == mark+"last" {
		return true
	}
	for _, v := range c.vars {
		if v.name == name {
			return v.binds > 0
		}
	}
	return false
}

func (c *compiled) exec(thread *starlark.Thread) (*runtime, starlark.StringDict, error) {
	rt := runtimeOf(thread)
	if rt == nil || rt.done {
		rt = newRuntime(&c.cfg, thread)
		rt.stores, rt.augs, rt.frees = c.stores, c.augs, c.frees
		rt.kwOnly, rt.posOnly, rt.required = c.kwOnly, c.posOnly, c.required
		rt.source = c.source
	}
	poller, err := starlark.ExprFuncOptions(fileOptions, "poll", "None", nil)
	if err != nil {
		return rt, nil, err
	}
	rt.poller = poller
	env, err := rt.environment(c)
	if err != nil {
		return rt, nil, err
	}
	globals, err := c.prog.Init(thread, env)
	return rt, globals, err
}

// environment makes the helpers that a text uses.
func (rt *runtime) environment(c *compiled) (starlark.StringDict, error) {
	env := make(starlark.StringDict, len(c.helpers))
	for _, h := range c.helpers {
		var v starlark.Value
		var err error
		switch {
		case h == "f" || h == "fmany":
			v = rt.fstringHelper(c.specs, h == "fmany")
		case strings.HasPrefix(h, "imp_"):
			v, err = rt.memberValue(h[4:])
		default:
			v = rt.helper(h)
		}
		if err != nil {
			return nil, err
		}
		if v == nil {
			return nil, fmt.Errorf("value of %q is missing", h)
		}
		env[mark+mark+h] = v
	}
	return env, nil
}

// finish turns the program's answer into a plain value: pending calls are
// waited for, a forgotten coroutine is run.
func (rt *runtime) finish(v starlark.Value) (starlark.Value, error) {
	v, err := rt.await(v)
	if err != nil {
		return nil, err
	}
	return rt.force(v)
}
