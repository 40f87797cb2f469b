package guest

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/internal/pylang"
	"github.com/bmcis/bmcis/internal/spell"
)

// Impl is the Go side of a function of a contract.
type Impl func(t *starlark.Thread, a *Args) (starlark.Value, error)

// Args are the arguments of one call, in the order of the contract.
type Args struct {
	// T is the thread of the call.
	T  *starlark.Thread
	Fn *Func
	// V has one value for each parameter but *args and **kwargs; nil where the
	// call leaves the default.
	V []starlark.Value
	// Rest are the values of *args, Kw the names and values of **kwargs.
	Rest starlark.Tuple
	Kw   []starlark.Tuple
}

// Bind makes the builtins of a module. Every function of the contract must have
// an implementation and the other way round; a slip panics, and the tests of
// each module come past here.
func (c *Contract) Bind(module string, impls map[string]Impl) starlark.StringDict {
	members := make(starlark.StringDict, len(impls)+8)
	for _, f := range c.Funcs {
		impl, ok := impls[f.Name]
		if !ok {
			panic(fmt.Sprintf("contract of %s.%s has no implementation", module, f.Name))
		}
		members[f.Name] = f.Builtin(module, impl)
	}
	if len(members) != len(impls) {
		for name := range impls {
			if _, ok := members[name]; !ok {
				panic(fmt.Sprintf("%s.%s has no contract", module, name))
			}
		}
	}
	return members
}

// Signatures adds the signatures of the contract's functions under their
// qualified names.
func (c *Contract) Signatures(module string, to map[string]pylang.Signature) {
	for _, f := range c.Funcs {
		to[module+"."+f.Name] = f.Signature()
	}
}

// Builtin makes one builtin.
func (f *Func) Builtin(module string, impl Impl) *starlark.Builtin {
	name := f.Name
	if module != "" {
		name = module + "." + name
	}
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := f.Call(args, kwargs)
		if err != nil {
			return nil, err
		}
		a.T = t
		return impl(t, a)
	})
}

// Call distributes a call's arguments over the parameters as Python does.
func (f *Func) Call(args starlark.Tuple, kwargs []starlark.Tuple) (*Args, error) {
	a := &Args{Fn: f, V: make([]starlark.Value, f.fixed)}
	n := copy(a.V[:f.positional], args)
	if n < len(args) {
		if !f.rest {
			return nil, pylang.Raise("TypeError", "%s() takes %s, got %d", f.Name, f.arity(), len(args))
		}
		a.Rest = args[n:]
	}
	if len(kwargs) > 0 {
		if err := f.bindKeywords(a, kwargs); err != nil {
			return nil, err
		}
	}
	i := 0
	var missing []string
	for _, p := range f.Params {
		if p.Kind == Rest || p.Kind == Keywords {
			continue
		}
		if a.V[i] == nil && p.Default == "" {
			missing = append(missing, "'"+p.Name+"'")
		}
		i++
	}
	if missing != nil {
		e := pylang.Raise("TypeError", "%s() misses the argument %s", f.Name, strings.Join(missing, " and "))
		e.Hint = "call it as " + f.Text()
		return nil, e
	}
	return a, nil
}

func (f *Func) bindKeywords(a *Args, kwargs []starlark.Tuple) error {
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		i, found := 0, false
		for _, p := range f.Params {
			if p.Kind == Rest || p.Kind == Keywords {
				continue
			}
			if p.Name == name && p.Kind != PositionalOnly {
				found = true
				break
			}
			i++
		}
		switch {
		case found && a.V[i] != nil:
			return pylang.Raise("TypeError", "%s() got multiple values for argument '%s'", f.Name, name)
		case found:
			a.V[i] = kv[1]
		case f.keywords:
			a.Kw = append(a.Kw, kv)
		default:
			return f.UnknownArgument(name)
		}
	}
	return nil
}

// UnknownArgument is the error for a keyword that the function does not have; it
// names the nearest right one.
func (f *Func) UnknownArgument(name string) error {
	var names []string
	for _, p := range f.Params {
		if p.Kind == Ordinary || p.Kind == KeywordOnly {
			names = append(names, p.Name)
		}
	}
	e := pylang.Raise("TypeError", "%s() has no parameter '%s'", f.Name, name)
	if near := Nearest(name, names); near != "" {
		e.Message += fmt.Sprintf("; did you mean '%s'?", near)
	} else if len(names) > 0 {
		e.Hint = "its parameters are " + strings.Join(names, ", ")
	}
	return e
}

func (f *Func) arity() string {
	required := 0
	for _, p := range f.Params {
		if p.Kind <= Ordinary && p.Default == "" {
			required++
		}
	}
	plural := "s"
	if f.positional == 1 {
		plural = ""
	}
	if required == f.positional {
		return fmt.Sprintf("%d positional argument%s", f.positional, plural)
	}
	return fmt.Sprintf("%d to %d positional arguments", required, f.positional)
}

// Nearest returns the candidate that was most likely meant by name, empty when
// none is near.
func Nearest(name string, candidates []string) string { return spell.Meant(name, candidates) }
