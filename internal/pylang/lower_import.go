package pylang

import (
	"sort"
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// modules finds what an import names: by canonical name, alias, or as a
// module that only the host knows.
func (c *Config) module(name string) *Module {
	if m := c.Modules[name]; m != nil {
		return m
	}
	if m := builtinModules[name]; m != nil {
		return m
	}
	for _, m := range c.Modules {
		for _, a := range m.Aliases {
			if a == name {
				return m
			}
		}
	}
	if c.FindModule != nil {
		return c.FindModule(name)
	}
	return nil
}

func (c *Config) moduleNames() []string {
	seen := map[string]bool{}
	for n := range c.Modules {
		seen[n] = true
	}
	for n := range builtinModules {
		seen[n] = true
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// isPackage says whether name is the first part of some module's name.
func (c *Config) isPackage(name string) bool {
	prefix := name + "."
	for n, m := range c.Modules {
		if strings.HasPrefix(n, prefix) {
			return true
		}
		for _, a := range m.Aliases {
			if strings.HasPrefix(a, prefix) {
				return true
			}
		}
	}
	return false
}

func (lw *lowerer) unknownModule(p pysyntax.Pos, name string) {
	names := lw.cfg.moduleNames()
	hint := ""
	if !lw.listed { // once is enough
		lw.listed = true
		hint = "you can import: " + strings.Join(names, ", ")
	}
	if h := importHints[firstPart(name)]; h != "" {
		hint = strings.TrimSuffix(h+"; "+hint, "; ")
	} else if n := nearest(name, names); n != "" {
		hint = strings.TrimSpace("did you mean " + n + "? " + hint)
	}
	lw.invalid(p, hint, "Non-whitelisted import: %s", name)
}

// importHints say what to use instead of modules that agents reach for.
var importHints = map[string]string{
	"os": "there is no process access here; files of the workspace are read with read_file(name) and written with write_file(name, content)", "pathlib": "files of the workspace are read with read_file(name) and written with write_file(name, content)",
	"subprocess": "no other programs can be run",
	"requests":   "there is no network access; data comes in through search, tools (search_tools) and context variables", "httpx": "there is no network access; data comes in through search, tools (search_tools) and context variables",
	"urllib": "there is no network access; quoting is in urllib.parse", "socket": "there is no network access", "aiohttp": "there is no network access; data comes in through search, tools (search_tools) and context variables",
	"numpy": "use lists with statistics and math", "pandas": "use lists of dicts with sorted(), collections and itertools",
	"threading": "use asyncio.gather for calls at once", "multiprocessing": "use asyncio.gather for calls at once",
	"sqlite3": "use lists of dicts", "yaml": "use json", "argparse": "variables come from the caller's context", "pickle": "use json", "tempfile": "files of the workspace are read with read_file(name) and written with write_file(name, content)", "shutil": "files of the workspace are read with read_file(name) and written with write_file(name, content)",
	"importlib": "write an import statement", "ctypes": "native code cannot be reached", "builtins": "built-in functions need no import",
}

func (lw *lowerer) importStmt(s *pysyntax.Import) []syntax.Stmt {
	var out []syntax.Stmt
	for _, n := range s.Names {
		bind := n.As
		if bind == "" {
			bind = firstPart(n.Name)
		}
		v := lw.owner(bind)
		m := lw.cfg.module(n.Name)
		if m == nil && !(n.As == "" && lw.cfg.isPackage(n.Name)) {
			if n.As == "" || !lw.cfg.isPackage(n.Name) {
				lw.unknownModule(n.Pos, n.Name)
				lw.forget(v)
				continue
			}
		}
		name := "mod_" + n.Name
		if n.As == "" && bind != n.Name || m == nil {
			name = "pkg_" + bind
		}
		if v != nil {
			out = append(out, lw.set(n.Pos, lw.load(n.Pos, v), lw.helper(n.Pos, name)))
		}
	}
	return out
}

// forget keeps later checks from complaining about a name whose import has
// already been refused.
func (lw *lowerer) forget(v *variable) {
	if v != nil {
		v.imp = nil
	}
}

func (lw *lowerer) importFrom(s *pysyntax.ImportFrom) []syntax.Stmt {
	name := s.Module
	m := lw.cfg.module(name)
	if m == nil && s.Level > 0 && strings.Contains(name, ".") {
		m = lw.cfg.module(name[strings.LastIndexByte(name, '.')+1:])
	}
	if name == "__future__" {
		var out []syntax.Stmt
		for _, n := range s.Names {
			if v := lw.owner(n.Name); v != nil {
				out = append(out, lw.set(n.Pos, lw.load(n.Pos, v), lw.none(n.Pos)))
			}
		}
		return out
	}
	if m == nil && (name == "" || lw.cfg.isPackage(name)) {
		return lw.fromPackage(s)
	}
	if m == nil {
		lw.unknownModule(s.Pos, strings.Repeat(".", s.Level)+name)
		return nil
	}
	var out []syntax.Stmt
	for _, n := range s.Names {
		if n.Name == "*" {
			lw.invalid(n.Pos, "name what you need: from "+name+" import ...", "'import *' is not available")
			continue
		}
		bind := n.As
		if bind == "" {
			bind = n.Name
		}
		v := lw.owner(bind)
		if v == nil {
			continue
		}
		helper := "imp_" + m.Name + "\x00" + n.Name
		if !m.has(n.Name) {
			if sub := lw.cfg.module(name + "." + n.Name); sub != nil {
				helper = "mod_" + name + "." + n.Name
			} else if m.Resolve == nil {
				lw.noMember(n.Pos, m, n.Name)
				continue
			}
		}
		if m.Resolve != nil && !m.has(n.Name) {
			out = append(out, lw.set(n.Pos, lw.load(n.Pos, v), lw.call(n.Pos, "resolve", lw.str(n.Pos, m.Name), lw.str(n.Pos, n.Name))))
			continue
		}
		out = append(out, lw.set(n.Pos, lw.load(n.Pos, v), lw.helper(n.Pos, helper)))
	}
	return out
}

// fromPackage lowers from a import b, where a.b is a module.
func (lw *lowerer) fromPackage(s *pysyntax.ImportFrom) []syntax.Stmt {
	var out []syntax.Stmt
	for _, n := range s.Names {
		full := n.Name
		if s.Module != "" {
			full = s.Module + "." + n.Name
		}
		m := lw.cfg.module(full)
		bind := n.As
		if bind == "" {
			bind = n.Name
		}
		v := lw.owner(bind)
		if m == nil || v == nil {
			lw.unknownModule(n.Pos, full)
			continue
		}
		out = append(out, lw.set(n.Pos, lw.load(n.Pos, v), lw.helper(n.Pos, "mod_"+full)))
	}
	return out
}

func (lw *lowerer) noMember(p pysyntax.Pos, m *Module, name string) {
	names := m.names()
	hint := "it has: " + strings.Join(limit(names, 40), ", ")
	if n := nearest(name, names); n != "" {
		hint = "did you mean " + n + "? " + hint
	}
	lw.invalid(p, hint, "module '%s' has no name '%s'", m.Name, name)
}

func limit(names []string, n int) []string {
	if len(names) > n {
		return append(names[:n:n], "...")
	}
	return names
}

// resolveImports notes what module each import binds, before lowering, so that
// uses can be checked.
func (lw *lowerer) resolveImports(body []pysyntax.Stmt, s *scope) {
	note := func(name string, ref *importRef) {
		if v := s.vars[name]; v != nil && v.binds == 1 {
			v.imp = ref
		}
	}
	for _, st := range body {
		if e, ok := st.(*pysyntax.ExprStmt); ok {
			if imp := loadCall(e.X); imp != nil {
				st = imp
			}
		}
		switch st := st.(type) {
		case *pysyntax.Import:
			for _, n := range st.Names {
				if n.As != "" {
					if m := lw.cfg.module(n.Name); m != nil {
						note(n.As, &importRef{module: m})
					}
				} else if m := lw.cfg.module(n.Name); m != nil && !strings.Contains(n.Name, ".") {
					note(n.Name, &importRef{module: m})
				} else {
					note(firstPart(n.Name), &importRef{pkg: firstPart(n.Name), module: lw.cfg.module(firstPart(n.Name))})
				}
			}
		case *pysyntax.ImportFrom:
			m := lw.cfg.module(st.Module)
			if m == nil && st.Level > 0 {
				m = lw.cfg.module(st.Module[strings.LastIndexByte(st.Module, '.')+1:])
			}
			for _, n := range st.Names {
				bind := n.As
				if bind == "" {
					bind = n.Name
				}
				if m != nil && m.has(n.Name) {
					note(bind, &importRef{module: m, member: n.Name})
				} else if sub := lw.cfg.module(strings.TrimPrefix(st.Module+"."+n.Name, ".")); sub != nil {
					note(bind, &importRef{module: sub})
				}
			}
		case *pysyntax.Try:
			lw.resolveImports(st.Body, s)
		case *pysyntax.If:
			for _, b := range st.Bodies {
				lw.resolveImports(b, s)
			}
		case *pysyntax.Def:
			lw.resolveImports(st.Body, lw.an.scopes[st])
		}
	}
}
