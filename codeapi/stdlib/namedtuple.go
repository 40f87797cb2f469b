package stdlib

import (
	"fmt"
	"strings"
	"unicode"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// tupleType is a class made by namedtuple.
type tupleType struct {
	name     string
	fields   []string
	defaults []starlark.Value // of the last fields
}

// tuple is an instance: a tuple whose elements have names.
type tuple struct {
	starlark.Tuple
	of *tupleType
}

var keywords = map[string]bool{}

func init() {
	for _, k := range strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield") {
		keywords[k] = true
	}
}

func namedtuple(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	name, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	c := &tupleType{name: name}
	if s, ok := a.V[1].(starlark.String); ok {
		c.fields = strings.Fields(strings.ReplaceAll(string(s), ",", " "))
	} else {
		err := guest.Each(t, a.V[1], func(v starlark.Value) error {
			s, err := pylang.Str(t, v)
			c.fields = append(c.fields, s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(c.fields) > 10_000 {
		return nil, raise("ValueError", "namedtuple: %d fields are too many", len(c.fields))
	}
	seen := map[string]bool{}
	for i, f := range c.fields {
		bad := !identifier(f) || keywords[f] || strings.HasPrefix(f, "_") || seen[f]
		if bad && a.Bool(2, false) {
			c.fields[i] = fmt.Sprintf("_%d", i)
			continue
		}
		switch {
		case !identifier(f):
			return nil, raise("ValueError", "Type names and field names must be valid identifiers: '%s'", f)
		case keywords[f]:
			return nil, raise("ValueError", "Type names and field names cannot be a keyword: '%s'", f)
		case strings.HasPrefix(f, "_"):
			return nil, raise("ValueError", "Field names cannot start with an underscore: '%s'", f)
		case seen[f]:
			return nil, raise("ValueError", "Encountered duplicate field name: '%s'", f)
		}
		seen[f] = true
	}
	if !identifier(name) {
		return nil, raise("ValueError", "Type names and field names must be valid identifiers: '%s'", name)
	}
	if a.Given(3) {
		if c.defaults, err = elements(t, a.V[3]); err != nil {
			return nil, err
		}
		if len(c.defaults) > len(c.fields) {
			return nil, raise("TypeError", "Got more default values than field names")
		}
	}
	return c, nil
}

func identifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

func (c *tupleType) String() string        { return "<class '" + c.name + "'>" }
func (c *tupleType) Type() string          { return "type" }
func (c *tupleType) Name() string          { return c.name }
func (c *tupleType) Freeze()               {}
func (c *tupleType) Truth() starlark.Bool  { return true }
func (c *tupleType) Hash() (uint32, error) { return starlark.String(c.name).Hash() }
func (c *tupleType) AttrNames() []string   { return []string{"_fields", "_make", "__name__"} }

func (c *tupleType) Attr(name string) (starlark.Value, error) {
	switch name {
	case "_fields":
		return c.fieldNames(), nil
	case "__name__":
		return text(c.name), nil
	case "_field_defaults":
		d := new(starlark.Dict)
		for i, v := range c.defaults {
			if err := d.SetKey(starlark.String(c.fields[len(c.fields)-len(c.defaults)+i]), v); err != nil {
				return nil, err
			}
		}
		return d, nil
	case "_make":
		return method("_make", func(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, raise("TypeError", "_make() takes one iterable")
			}
			vs, err := elements(t, args[0])
			if err != nil {
				return nil, err
			}
			if len(vs) != len(c.fields) {
				return nil, raise("TypeError", "Expected %d arguments, got %d", len(c.fields), len(vs))
			}
			return c.make(vs), nil
		}), nil
	}
	return nil, raise("AttributeError", "type object '%s' has no attribute '%s'", c.name, name)
}

func (c *tupleType) fieldNames() starlark.Tuple {
	out := make(starlark.Tuple, len(c.fields))
	for i, f := range c.fields {
		out[i] = starlark.String(f)
	}
	return out
}

func (c *tupleType) make(vs starlark.Tuple) *tuple { return &tuple{vs, c} }

// CallInternal makes an instance.
func (c *tupleType) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	n := len(c.fields)
	if len(args) > n {
		return nil, raise("TypeError", "%s.__new__() takes %d positional arguments but %d were given", c.name, n+1, len(args)+1)
	}
	vs := make(starlark.Tuple, n)
	copy(vs, args)
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		at := -1
		for i, f := range c.fields {
			if f == name {
				at = i
			}
		}
		if at < 0 {
			return nil, raise("TypeError", "%s.__new__() got an unexpected keyword argument '%s'", c.name, name)
		}
		if vs[at] != nil {
			return nil, raise("TypeError", "%s.__new__() got multiple values for argument '%s'", c.name, name)
		}
		vs[at] = kv[1]
	}
	var missing []string
	for i := range vs {
		if vs[i] != nil {
			continue
		}
		if d := i - (n - len(c.defaults)); d >= 0 {
			vs[i] = c.defaults[d]
		} else {
			missing = append(missing, "'"+c.fields[i]+"'")
		}
	}
	if missing != nil {
		names := strings.Join(missing, " and ")
		if len(missing) > 2 {
			names = strings.Join(missing[:len(missing)-1], ", ") + ", and " + missing[len(missing)-1]
		}
		plural := "s"
		if len(missing) == 1 {
			plural = ""
		}
		return nil, raise("TypeError", "%s.__new__() missing %d required positional argument%s: %s", c.name, len(missing), plural, names)
	}
	return c.make(vs), nil
}

func (x *tuple) Type() string { return x.of.name }

// PyTuple lets the language treat x as the tuple that it is.
func (x *tuple) PyTuple() starlark.Tuple { return x.Tuple }
func (x *tuple) PyType() starlark.Value  { return x.of }

func (x *tuple) String() string {
	s, err := x.repr(new(starlark.Thread))
	if err != nil {
		return x.Tuple.String()
	}
	return s
}

func (x *tuple) repr(t *starlark.Thread) (string, error) {
	var b strings.Builder
	b.WriteString(x.of.name + "(")
	for i, v := range x.Tuple {
		if i > 0 {
			b.WriteString(", ")
		}
		r, err := pylang.Repr(t, v)
		if err != nil {
			return "", err
		}
		b.WriteString(x.of.fields[i] + "=" + r)
	}
	b.WriteByte(')')
	return b.String(), nil
}

func (x *tuple) AttrNames() []string {
	return append(append([]string(nil), x.of.fields...), "_asdict", "_fields", "_replace", "count", "index")
}

func (x *tuple) Attr(name string) (starlark.Value, error) {
	for i, f := range x.of.fields {
		if f == name {
			return x.Tuple[i], nil
		}
	}
	switch name {
	case "_asdict":
		return method(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			d := starlark.NewDict(len(x.Tuple))
			for i, f := range x.of.fields {
				if err := d.SetKey(starlark.String(f), x.Tuple[i]); err != nil {
					return nil, err
				}
			}
			return d, nil
		}), nil
	case "_replace":
		return method(name, x.replace), nil
	case "count", "index":
		return pylang.GetAttr(new(starlark.Thread), x.Tuple, name)
	case "_fields", "_make":
		return x.of.Attr(name)
	}
	return nil, raise("AttributeError", "'%s' object has no attribute '%s'", x.of.name, name)
}

func (x *tuple) replace(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, raise("TypeError", "_replace() takes keywords only")
	}
	vs := append(starlark.Tuple(nil), x.Tuple...)
	for _, kv := range kwargs {
		found := false
		for i, f := range x.of.fields {
			if f == string(kv[0].(starlark.String)) {
				vs[i], found = kv[1], true
			}
		}
		if !found {
			return nil, raise("ValueError", "Got unexpected field names: ['%s']", string(kv[0].(starlark.String)))
		}
	}
	return x.of.make(vs), nil
}

// CompareSameType compares as tuples.
func (x *tuple) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	o, ok := y.(*tuple)
	if !ok {
		return op == syntax.NEQ, nil
	}
	return starlark.CompareDepth(op, x.Tuple, o.Tuple, depth)
}

// Slice gives a plain tuple.
func (x *tuple) Slice(start, end, step int) starlark.Value { return x.Tuple.Slice(start, end, step) }
