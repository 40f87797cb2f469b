package pylang

import (
	"sort"
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
	"github.com/bmcis/bmcis/internal/spell"
	"go.starlark.net/syntax"
)

// dangerous names, and what to do instead. They are judged as names of the
// program, so text that mentions them passes.
var dangerous = map[string]string{
	"eval":       "compute the value directly, or parse data with json.loads",
	"exec":       "a saved skill is imported: from skills import NAME",
	"compile":    "write the code itself",
	"__import__": "write an import statement at the top",
	"open":       "files of the workspace are read with read_file(name) and written with write_file(name, content)",
	"globals":    "use a dict of your own",
	"locals":     "use a dict of your own",
	"input":      "variables come from the caller's context",
	"breakpoint": "use print()",
	"memoryview": "use bytes",
	"exit":       "end the program by its last line; put it into a function and return early",
	"quit":       "end the program by its last line; put it into a function and return early",
	"help":       "see the tool's description",
	"copyright":  "",
	"credits":    "",
	"license":    "",

	"__builtins__": "built-in functions are used by their names",
	"__loader__":   "write an import statement",
	"__spec__":     "write an import statement",
	"__file__":     "the program has no file",
}

// python2 are names that Python 3 has no more.
var python2 = map[string]string{
	"xrange": "write range", "unicode": "write str", "basestring": "write str", "long": "write int", "unichr": "write chr", "raw_input": "variables come from the caller's context", "execfile": "write the code itself", "cmp": "compare with < and ==", "izip": "write zip", "imap": "write map", "unicode_literals": "leave it out",
}

// environment lowers a name that the program does not define.
func (lw *lowerer) environment(e *pysyntax.Name) syntax.Expr {
	if _, ok := lw.cfg.Context[e.ID]; ok {
		return lw.helper(e.Pos, "c_"+e.ID)
	}
	if _, ok := lw.cfg.Predeclared[e.ID]; ok {
		lw.mention(e.ID)
		return lw.helper(e.Pos, "p_"+e.ID)
	}
	if isBuiltinName(e.ID) {
		return lw.helper(e.Pos, "b_"+e.ID)
	}
	switch e.ID {
	case "__name__":
		return lw.str(e.Pos, "__main__")
	case "__doc__":
		return lw.none(e.Pos)
	}
	if hint, bad := dangerous[e.ID]; bad {
		lw.invalid(e.Pos, hint, "%s is not available in this sandbox", e.ID)
		return lw.none(e.Pos)
	}
	hint := ""
	if len(lw.problems) >= maxProblems {
		return lw.none(e.Pos)
	}
	if now, ok := python2[e.ID]; ok {
		lw.invalid(e.Pos, "this is Python 3: "+now, "name '%s' is not defined", e.ID)
		return lw.none(e.Pos)
	}
	if names := lw.cfg.module(e.ID); names != nil {
		hint = "add the line: import " + e.ID
	} else if m := lw.cfg.exporter(e.ID); m != "" {
		hint = "add the line: from " + m + " import " + e.ID
	} else if n := nearest(e.ID, lw.visible()); n != "" {
		hint = "did you mean " + n + "?"
	}
	lw.invalid(e.Pos, hint, "name '%s' is not defined", e.ID)
	return lw.none(e.Pos)
}

// exporter finds a module that has the name, for hints.
func (c *Config) exporter(name string) string {
	best := ""
	for n, m := range c.Modules {
		if m.has(name) && (best == "" || n < best) {
			best = n
		}
	}
	for n, m := range builtinModules {
		if m.has(name) && best == "" {
			best = n
		}
	}
	return best
}

// visible lists all names that could be meant here.
func (lw *lowerer) visible() []string {
	var names []string
	for s := lw.scope; s != nil; s = s.parent {
		for _, v := range s.order {
			names = append(names, v.name)
		}
	}
	for n := range lw.cfg.Context {
		names = append(names, n)
	}
	for n := range lw.cfg.Predeclared {
		names = append(names, n)
	}
	names = append(names, builtinNames()...)
	sort.Strings(names)
	return names
}

func (lw *lowerer) isBuiltin(name string) bool {
	if _, ok := lw.cfg.Context[name]; ok {
		return false
	}
	if _, ok := lw.cfg.Predeclared[name]; ok {
		return false
	}
	return isBuiltinName(name)
}

func (lw *lowerer) builtin(n *pysyntax.Name) syntax.Expr { return lw.helper(n.Pos, "b_"+n.ID) }

// dunderOK are the double-underscore attributes a program may touch.
var dunderOK = map[string]bool{}

// classLine are those that show how classes hang together; they are read from the
// program's own classes.
var classLine = map[string]bool{"__mro__": true, "__bases__": true, "__base__": true, "__subclasses__": true}

func init() {
	for _, n := range strings.Fields(`
		__name__ __qualname__ __module__ __class__ __doc__ __dict__ __annotations__ __defaults__ __kwdefaults__ __version__ __wrapped__ __func__ __self__ __args__ __origin__
		__init__ __new__ __init_subclass__ __post_init__ __set_name__ __class_getitem__ __slots__ __match_args__ __members__ __dataclass_fields__
		__getattr__ __getattribute__ __setattr__ __delattr__ __get__ __set__ __delete__ __dir__
		__str__ __repr__ __format__ __bytes__ __hash__ __bool__ __int__ __float__ __index__ __round__ __trunc__ __floor__ __ceil__
		__eq__ __ne__ __lt__ __le__ __gt__ __ge__
		__len__ __contains__ __getitem__ __setitem__ __delitem__ __missing__ __iter__ __next__ __reversed__ __length_hint__ __call__ __copy__ __deepcopy__
		__enter__ __exit__ __aenter__ __aexit__ __aiter__ __anext__ __await__
		__cause__ __context__ __traceback__ __notes__ __suppress_context__
		__neg__ __pos__ __abs__ __invert__`) {
		dunderOK[n] = true
	}
	for _, names := range binaryDunder {
		dunderOK[names[0]], dunderOK[names[1]], dunderOK["__i"+names[0][2:]] = true, true, true
	}
}

// ofLiteral says that an expression starts with a built-in value, behind whose class
// there is nothing to find.
func ofLiteral(x pysyntax.Expr) bool {
	for {
		switch e := x.(type) {
		case *pysyntax.Attr:
			x = e.X
		case *pysyntax.Index:
			x = e.X
		case *pysyntax.Call:
			x = e.Fn
		case *pysyntax.Name:
			return false
		default:
			return true
		}
	}
}

func (lw *lowerer) attrAllowed(e *pysyntax.Attr) bool {
	if isDunder(e.Name) && !dunderOK[e.Name] && (!classLine[e.Name] || ofLiteral(e.X)) {
		lw.invalid(e.NamePos, "programs cannot look behind their values", "attribute %s is not available in this sandbox", e.Name)
		return false
	}
	if m := lw.moduleOf(e.X); m != nil {
		if lw.lacks(m, e.Name) {
			lw.noMember(e.NamePos, m, e.Name)
			return false
		}
	}
	return lw.memberUsed(e)
}

// lacks says that a module surely has no such member.
func (lw *lowerer) lacks(m *Module, name string) bool {
	return !m.has(name) && !isDunder(name) && m.Resolve == nil && lw.cfg.module(m.Name+"."+name) == nil
}

// moduleOf gives the module that an expression surely is.
func (lw *lowerer) moduleOf(x pysyntax.Expr) *Module {
	switch x := x.(type) {
	case *pysyntax.Name:
		if v := lw.lookup(x.ID); v != nil {
			if v.imp != nil && v.imp.member == "" {
				return v.imp.module
			}
			return nil
		}
		if _, ok := lw.cfg.Context[x.ID]; ok {
			return nil
		}
		if _, ok := lw.cfg.Predeclared[x.ID]; ok {
			return lw.cfg.module(x.ID)
		}
	case *pysyntax.Attr:
		if n, ok := x.X.(*pysyntax.Name); ok {
			if v := lw.lookup(n.ID); v != nil && v.imp != nil && v.imp.member == "" {
				prefix := v.imp.pkg
				if prefix == "" && v.imp.module != nil {
					prefix = v.imp.module.Name
				}
				return lw.cfg.module(prefix + "." + x.Name)
			}
		}
	}
	return nil
}

func (lw *lowerer) isModule(x pysyntax.Expr) bool {
	if lw.moduleOf(x) != nil {
		return true
	}
	n, ok := x.(*pysyntax.Name)
	if !ok {
		return false
	}
	v := lw.lookup(n.ID)
	return v != nil && v.imp != nil && v.imp.member == ""
}

func (lw *lowerer) mention(name string) {
	if _, ok := lw.cfg.Signatures[name]; ok {
		lw.calls[name] = true
	}
}

// callee gives the qualified name of the function of our API that an
// expression surely is, or "".
func (lw *lowerer) callee(x pysyntax.Expr) string { return lw.calleeDepth(x, 0) }

func (lw *lowerer) calleeDepth(x pysyntax.Expr, depth int) string {
	if depth > 8 { // x = x.y() and the like
		return ""
	}
	switch x := x.(type) {
	case *pysyntax.Name:
		v := lw.lookup(x.ID)
		switch {
		case v == nil:
			if _, ok := lw.cfg.Context[x.ID]; ok {
				return ""
			}
			if _, ok := lw.cfg.Predeclared[x.ID]; ok {
				return x.ID
			}
		case v.imp != nil && v.imp.module != nil && v.imp.member != "":
			return v.imp.module.Name + "." + v.imp.member
		case v.value != nil && v.binds == 1:
			if n, ok := v.value.(*pysyntax.Name); ok && n.ID != x.ID {
				return lw.calleeDepth(n, depth+1)
			}
			if a, ok := v.value.(*pysyntax.Attr); ok {
				return lw.calleeDepth(a, depth+1)
			}
		}
	case *pysyntax.Attr:
		if m := lw.moduleOf(x.X); m != nil {
			return m.Name + "." + x.Name
		}
		if n, ok := x.X.(*pysyntax.Name); ok {
			v := lw.lookup(n.ID)
			if v == nil {
				if _, ok := lw.cfg.Predeclared[n.ID]; ok {
					if m := lw.cfg.module(n.ID); m != nil {
						return m.Name + "." + x.Name
					}
				}
				return ""
			}
			if v.imp != nil && v.imp.module != nil && v.imp.member != "" { // from package import module
				if m := lw.cfg.module(v.imp.module.Name + "." + v.imp.member); m != nil {
					return m.Name + "." + x.Name
				}
			}
			if c, ok := v.value.(*pysyntax.Call); ok && v.binds == 1 {
				if sig, ok := lw.cfg.Signatures[lw.calleeDepth(c.Fn, depth+1)]; ok && sig.Returns != "" {
					return sig.Returns + "." + x.Name
				}
			}
			return ""
		}
		if c, ok := x.X.(*pysyntax.Call); ok {
			if sig, ok := lw.cfg.Signatures[lw.calleeDepth(c.Fn, depth+1)]; ok && sig.Returns != "" {
				return sig.Returns + "." + x.Name
			}
		}
	}
	return ""
}

// checkCall judges a call before the run: dangerous functions and the argument
// names of our API.
func (lw *lowerer) checkCall(e *pysyntax.Call) {
	if n, ok := e.Fn.(*pysyntax.Name); ok && lw.lookup(n.ID) == nil && len(e.Args) >= 2 {
		switch n.ID {
		case "getattr", "setattr", "hasattr", "delattr":
			if s, ok := e.Args[1].X.(*pysyntax.Str); ok && isDunder(s.Value) && !dunderOK[s.Value] {
				lw.invalid(e.Args[1].Pos, "programs cannot look behind their values", "attribute %s is not available in this sandbox", s.Value)
			}
		}
	}
	name := lw.callee(e.Fn)
	sig, ok := lw.cfg.Signatures[name]
	if !ok {
		lw.checkMethod(e.Fn, name)
		return
	}
	lw.calls[name] = true
	lw.moduleMade(e, sig.Returns)
	short := name[strings.LastIndexByte(name, '.')+1:]
	given := map[string]bool{}
	pos, open := 0, false
	for _, a := range e.Args {
		switch {
		case a.Star != 0:
			open = true
		case a.Name == "":
			if pos < len(sig.Params) {
				given[sig.Params[pos]] = true
			}
			pos++
		default:
			if given[a.Name] {
				lw.invalid(a.Pos, "", "%s() got multiple values for argument '%s'", short, a.Name)
			}
			given[a.Name] = true
			if !sig.Open && !contains(sig.Params, a.Name) {
				hint := "it takes: " + strings.Join(sig.Params, ", ")
				if n := spell.Meant(a.Name, sig.Params); n != "" {
					hint = "did you mean '" + n + "'? " + hint
				}
				lw.invalid(a.Pos, hint, "%s() has no parameter '%s'", short, a.Name)
			}
		}
	}
	if pos > len(sig.Params) && !sig.Variadic {
		lw.invalid(e.Pos, "it takes: "+strings.Join(sig.Params, ", "), "%s() takes at most %d positional arguments but %d were given", short, len(sig.Params), pos)
	}
	if !open {
		for i := 0; i < sig.Required && i < len(sig.Params); i++ {
			if !given[sig.Params[i]] {
				lw.invalid(e.Pos, "it takes: "+strings.Join(sig.Params, ", "), "%s() is missing the argument '%s'", short, sig.Params[i])
			}
		}
	}
}

// checkMethod judges a method of what a constructor of our API gives, such as
// HybridSearchAPI().hybrid_search: it is a function of the constructor's module.
func (lw *lowerer) checkMethod(fn pysyntax.Expr, name string) {
	a, ok := fn.(*pysyntax.Attr)
	module, member, found := strings.Cut(name, ".")
	if !ok || !found || lw.moduleOf(a.X) != nil {
		return
	}
	if m := lw.cfg.module(module); m != nil && lw.lacks(m, member) {
		lw.noMember(a.NamePos, m, member)
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (lw *lowerer) checkClass(s *pysyntax.Class) {
	for _, a := range s.Args {
		if a.Name == "metaclass" {
			name := ""
			switch x := a.X.(type) {
			case *pysyntax.Name:
				name = x.ID
			case *pysyntax.Attr:
				name = x.Name
			}
			if name != "ABCMeta" && name != "type" && name != "EnumMeta" && name != "EnumType" {
				lw.invalid(a.Pos, "use a class decorator, __init_subclass__, or __new__ for a singleton", "metaclasses are not available")
			}
		}
		if a.Star != 0 {
			lw.invalid(a.Pos, "name the base class", "starred base classes are not available")
		}
	}
}
