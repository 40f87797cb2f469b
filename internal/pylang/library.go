package pylang

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"go.starlark.net/starlark"
)

// Parts of the library are written in Python, where that is shorter and the
// semantics come by themselves: Module.Source. The source is compiled as a
// program of its own when a program first uses one of its names. Its frames are
// no part of the agent's traceback: errors show the agent's call.

// reDefinition finds what a source defines at its left margin.
var reDefinition = regexp.MustCompile(`(?m)^(?:(?:async )?def |class )(\w+)|^(\w+) = `)

// defines says whether the module's source has a name.
func (m *Module) defines(name string) bool {
	m.once.Do(func() {
		m.inSource = map[string]bool{}
		for _, g := range reDefinition.FindAllStringSubmatch(m.Source, -1) {
			if n := g[1] + g[2]; n[0] != '_' {
				m.inSource[n] = true
			}
		}
	})
	return m.inSource[name]
}

func (m *Module) has(name string) bool {
	_, ok := m.Members[name]
	return ok || m.defines(name)
}

// names lists what a program may import from the module, sorted.
func (m *Module) names() []string {
	m.defines("")
	all := slices.Collect(maps.Keys(m.inSource))
	for n := range m.Members {
		if n[0] != '_' {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// member gives a name of a module, nil when it has none.
func (rt *runtime) member(m *Module, name string) (starlark.Value, error) {
	if v, ok := m.Members[name]; ok || !m.defines(name) {
		return v, nil
	}
	lib, err := rt.library(m)
	return lib[name], err
}

// library runs a module's source, once in a run.
func (rt *runtime) library(m *Module) (starlark.StringDict, error) {
	if lib, ok := rt.libraries[m]; ok {
		return lib, nil
	}
	if rt.libraries == nil {
		rt.libraries = map[*Module]starlark.StringDict{}
	}
	rt.libraries[m] = nil // an import in a circle finds it empty
	cfg := Config{Modules: rt.cfg.Modules}
	c, problems := compileAs("<"+m.Name+">", m.Source, cfg)
	if problems != nil {
		return nil, fmt.Errorf("library %s, line %d: %s", m.Name, problems[0].Line, problems[0].Message)
	}
	outer := rt.module
	rt.module = m.Name
	defer func() { rt.module = outer }()
	env, err := rt.environment(c)
	if err != nil {
		return nil, err
	}
	globals, err := c.prog.Init(rt.cur, env)
	if err != nil {
		return nil, err
	}
	lib := c.public(globals)
	rt.libraries[m] = lib
	return lib, nil
}
