package stdlib

import (
	"fmt"
	"sort"
	"sync"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/internal/pylang"
)

// plain is a value with named attributes and nothing else.
type plain struct {
	class string
	attrs map[string]starlark.Value
}

func object(class string, attrs map[string]starlark.Value) starlark.Value {
	return &plain{class, attrs}
}

func (p *plain) String() string        { return "<" + p.class + " object>" }
func (p *plain) Type() string          { return p.class }
func (p *plain) Freeze()               {}
func (p *plain) Truth() starlark.Bool  { return true }
func (p *plain) Hash() (uint32, error) { return starlark.String(fmt.Sprintf("%p", p)).Hash() }

func (p *plain) AttrNames() []string {
	names := make([]string, 0, len(p.attrs))
	for n := range p.attrs {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func (p *plain) Attr(name string) (starlark.Value, error) {
	if v, ok := p.attrs[name]; ok {
		return v, nil
	}
	return nil, raise("AttributeError", "'%s' object has no attribute '%s'", p.class, name)
}

// class is a constructor that also is a class: with attributes of its own and
// instances that isinstance knows by their Type.
type class struct {
	*starlark.Builtin
	name  string
	attrs starlark.StringDict
}

func newClass(name string, construct starlark.Value, attrs starlark.StringDict) *class {
	return &class{construct.(*starlark.Builtin), name, attrs}
}

// Mutable says that values of the class are filled by __init__, for classes that derive
// from it.
func (c *class) Mutable() bool {
	switch c.name {
	case "Counter", "OrderedDict", "defaultdict", "deque":
		return true
	}
	return false
}

func (c *class) Name() string         { return c.name }
func (c *class) String() string       { return "<class '" + c.name + "'>" }
func (c *class) Type() string         { return "type" }
func (c *class) AttrNames() []string  { return c.attrs.Keys() }
func (c *class) Truth() starlark.Bool { return true }

func (c *class) Attr(name string) (starlark.Value, error) {
	if v, ok := c.attrs[name]; ok {
		return v, nil
	}
	if name == "__name__" {
		return text(c.name), nil
	}
	return nil, raise("AttributeError", "type object '%s' has no attribute '%s'", c.name, name)
}

var (
	classMu sync.Mutex
	classes = map[string]*class{}
)

// classOf is the one class of this name; construct is needed the first time.
func classOf(name string, construct starlark.Value) *class {
	classMu.Lock()
	defer classMu.Unlock()
	c := classes[name]
	if c == nil {
		c = newClass(name, construct, nil)
		classes[name] = c
	}
	return c
}

// subclasses are the library's own, by base.
var subclasses = map[string]string{"date": "datetime", "tzinfo": "timezone"}

// IsInstance makes isinstance(v, c) work.
func (c *class) IsInstance(v starlark.Value) bool {
	return v.Type() == c.name || v.Type() == subclasses[c.name] || c.name == "tzinfo" && v.Type() == "ZoneInfo"
}

// method makes a bound method.
func method(name string, f func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)) starlark.Value {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return f(t, args, kwargs)
	})
}

// exceptionClass is a class of exceptions that a module adds.
func exceptionClass(name, base string) starlark.Value { return pylang.NewExceptionClass(name, base) }
