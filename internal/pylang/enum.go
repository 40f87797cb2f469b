package pylang

import (
	"fmt"
	"math/bits"
	"strings"

	"go.starlark.net/starlark"
)

// Enums. A member is an instance of its class with the attributes name and value; in
// an enum of str, int or another type it also holds that value as its base, so that
// it compares, hashes and computes like it.

// autoValue is auto(). The class body replaces it by the next value.
var autoValue starlark.Value = marker("auto()")

func (c *Class) isFlag() bool { return c.kind == "Flag" || c.kind == "IntFlag" }

// EnumValue is the value of a member of an enum; false for other values.
func EnumValue(v starlark.Value) (starlark.Value, bool) {
	if i, ok := v.(*Instance); ok && i.class.enum {
		return i.enumValue(), true
	}
	return nil, false
}

// isMember says whether an attribute that a body sets becomes a member.
func isMember(name string, v starlark.Value) bool {
	if isDunder(name) || len(name) > 1 && name[0] == '_' && name[len(name)-1] == '_' {
		return false
	}
	switch v := v.(type) {
	case *starlark.Function, *funcWrap, *property, *staticMethod, *classMethod, *Class, *boundMethod, *abstractMethod:
		return false
	case *Instance:
		return v.class.lookup("__get__") == nil
	case Method:
		return !v.IsMethod()
	}
	return !strings.HasPrefix(name, "_")
}

// nextAuto is the value of auto() for a name that the body of an enum sets.
func (rt *runtime) nextAuto(c *Class, name string) (starlark.Value, error) {
	var before []starlark.Value
	for _, n := range c.order {
		if v := c.attrs[n]; isMember(n, v) {
			before = append(before, v)
		}
	}
	if fn := c.lookup("_generate_next_value_"); fn != nil {
		return rt.call(unwrapStatic(fn), starlark.Tuple{starlark.String(name), starlark.MakeInt(1), starlark.MakeInt(len(before)), starlark.NewList(before)}, nil)
	}
	if c.kind == "StrEnum" {
		return starlark.String(lowerASCII(name)), nil
	}
	next := int64(0)
	for _, v := range before {
		if n, ok := num(v).(starlark.Int); ok {
			x, _ := n.Int64()
			next = max(next, x)
		}
	}
	if c.isFlag() {
		return starlark.MakeInt64(1 << bits.Len64(uint64(next))), nil
	}
	return starlark.MakeInt64(next + 1), nil
}

// autos replaces auto() in a value that the body of an enum sets.
func (rt *runtime) autos(c *Class, name string, v starlark.Value) (starlark.Value, error) {
	if v == autoValue {
		return rt.nextAuto(c, name)
	}
	if t, ok := v.(starlark.Tuple); ok {
		for i, x := range t {
			if x == autoValue {
				next, err := rt.nextAuto(c, name)
				if err != nil {
					return nil, err
				}
				t = append(starlark.Tuple(nil), t...)
				t[i] = next
			}
		}
		return t, nil
	}
	return v, nil
}

// endEnum turns the plain attributes of an enum into its members.
func (rt *runtime) endEnum(c *Class) error {
	for _, n := range append([]string(nil), c.order...) {
		v := c.attrs[n]
		if !isMember(n, v) {
			continue
		}
		m, err := rt.newMember(c, n, v)
		if err != nil {
			return err
		}
		c.attrs[n] = m
	}
	if c.isFlag() {
		rt.flagMethods(c)
	}
	return nil
}

// newMember makes a member, or finds the one that the name is an alias of.
func (rt *runtime) newMember(c *Class, name string, v starlark.Value) (*Instance, error) {
	args, isTuple := v.(starlark.Tuple)
	if !isTuple {
		args = starlark.Tuple{v}
	}
	m := &Instance{class: c}
	if fn := c.lookup("__new__"); fn != nil {
		made, err := rt.call(unwrapStatic(fn), append(starlark.Tuple{c}, args...), nil)
		if err != nil {
			return nil, err
		}
		inst, ok := made.(*Instance)
		if !ok || inst.class != c {
			return nil, Raise("TypeError", "__new__ of enum %s must return a member", c.name)
		}
		m = inst
		if given, ok := m.attrs.get("_value_"); ok {
			v = given
		}
	} else if c.native != nil {
		base, err := rt.call(c.native, args, nil)
		if err != nil {
			return nil, err
		}
		v, m.base = base, base
	}
	for _, old := range c.members {
		o := old.(*Instance)
		if eq, err := rt.equal(o.enumValue(), v); err != nil {
			return nil, err
		} else if eq {
			return o, nil
		}
	}
	m.name(name, v)
	if n, ok := v.(starlark.Int); ok && c.isFlag() {
		if x, _ := n.Int64(); bits.OnesCount64(uint64(x)) != 1 { // a combination is no member of its own
			if c.combined == nil {
				c.combined = map[int64]*Instance{}
			}
			c.combined[x] = m
			return m, nil
		}
	}
	c.members = append(c.members, m)
	if init := c.lookup("__init__"); init != nil {
		c.open = true
		_, err := rt.call(init, append(starlark.Tuple{m}, args...), nil)
		c.open = false
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// name gives a member what all members have.
func (i *Instance) name(name string, v starlark.Value) {
	i.attrs.set("_value_", v)
	i.attrs.set("_name_", starlark.String(name))
	if name == "" {
		i.attrs.set("_name_", starlark.None)
	}
}

// enumAttr are name and value of a member; nil for other attributes.
func (i *Instance) enumAttr(attr string) starlark.Value {
	switch attr {
	case "name", "value":
		v, _ := i.attrs.get("_" + attr + "_")
		return v
	}
	return nil
}

func (i *Instance) enumValue() starlark.Value { return i.enumAttr("value") }

// enumText is str() of a member: Color.RED, or what it stands for.
func (rt *runtime) enumText(i *Instance) (string, error) {
	switch i.class.kind {
	case "IntEnum", "StrEnum", "IntFlag":
		return rt.str(i.enumValue())
	}
	if n, ok := i.enumAttr("name").(starlark.String); ok {
		return i.class.name + "." + string(n), nil
	}
	return i.class.name + "(" + reprPlain(i.enumValue()) + ")", nil
}

func (rt *runtime) enumRepr(i *Instance) (string, error) {
	r := reprPlain(i.enumValue())
	if rt != nil {
		s, err := rt.repr(i.enumValue())
		if err != nil {
			return "", err
		}
		r = s
	}
	if n, ok := i.enumAttr("name").(starlark.String); ok {
		return "<" + i.class.name + "." + string(n) + ": " + r + ">", nil
	}
	return "<" + i.class.name + ": " + r + ">", nil
}

// enumMember is C(value).
func (rt *runtime) enumMember(c *Class, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 || len(kwargs) > 0 {
		return nil, Raise("TypeError", "%s() takes one value", c.name)
	}
	v := starlark.Value(args)
	if len(args) == 1 {
		v = args[0]
	}
	if m, ok := v.(*Instance); ok && m.class == c {
		return m, nil
	}
	for _, m := range c.members {
		if ok, err := rt.equal(m.(*Instance).enumValue(), v); ok || err != nil {
			return m, err
		}
	}
	if n, ok := num(v).(starlark.Int); ok && c.isFlag() {
		return rt.flagOf(c, n)
	}
	r, err := rt.repr(v)
	if err != nil {
		return nil, err
	}
	unknown := Raise("ValueError", "%s is not a valid %s", r, c.name)
	if fn := c.lookup("_missing_"); fn != nil {
		if cm, ok := fn.(*classMethod); ok {
			fn = cm.fn
		}
		m, err := rt.call(fn, starlark.Tuple{c, v}, nil)
		if err != nil || m != starlark.None {
			return m, err
		}
	}
	return nil, unknown
}

// mask is all bits that members of a flag have.
func (c *Class) mask() int64 {
	all := int64(0)
	for _, m := range c.members {
		n, _ := num(m.(*Instance).enumValue()).(starlark.Int)
		x, _ := n.Int64()
		all |= x
	}
	return all
}

// flagOf gives the member of a flag for a combination of bits.
func (rt *runtime) flagOf(c *Class, value starlark.Int) (starlark.Value, error) {
	n, ok := value.Int64()
	mask := c.mask()
	if ok && n < 0 && c.kind == "Flag" {
		n &= mask
	}
	if !ok || n&^mask != 0 && c.kind == "Flag" {
		width := max(bits.Len64(uint64(n)), bits.Len64(uint64(mask)))
		return nil, Raise("ValueError", "<flag '%s'> invalid value %s\n    given 0b0 %0*b\n  allowed 0b0 %0*b", c.name, value, width, n, width, mask)
	}
	if n < 0 {
		n &= mask
	}
	for _, m := range c.members {
		if m.(*Instance).enumValue() == starlark.Value(starlark.MakeInt64(n)) {
			return m, nil
		}
	}
	if m := c.combined[n]; m != nil {
		return m, nil
	}
	var names []string
	for _, m := range c.members {
		bit, _ := num(m.(*Instance).enumValue()).(starlark.Int)
		if x, _ := bit.Int64(); n&x != 0 {
			names = append(names, string(m.(*Instance).enumAttr("name").(starlark.String)))
		}
	}
	if rest := n &^ mask; rest != 0 {
		names = append(names, fmt.Sprint(rest))
	}
	m := &Instance{class: c}
	v := starlark.MakeInt64(n)
	if c.native != nil {
		m.base = v
	}
	m.name(strings.Join(names, "|"), v)
	if c.combined == nil {
		c.combined = map[int64]*Instance{}
	}
	c.combined[n] = m
	return m, nil
}

// flagMethods gives a flag its operators.
func (rt *runtime) flagMethods(c *Class) {
	value := func(v starlark.Value) (starlark.Int, bool) {
		if m, ok := v.(*Instance); ok && m.class == c {
			v = m.enumValue()
		} else if c.kind == "Flag" {
			return starlark.Int{}, false
		}
		n, ok := num(v).(starlark.Int)
		return n, ok
	}
	def := func(name string, f func(x starlark.Int, args starlark.Tuple) (starlark.Value, error)) {
		if c.attrs[name] == nil {
			c.attrs[name] = methodBuiltin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				x, _ := value(args[0])
				return f(x, args[1:])
			})
		}
	}
	for op, combine := range map[string]func(x, y starlark.Int) starlark.Int{
		"or": starlark.Int.Or, "and": starlark.Int.And, "xor": starlark.Int.Xor,
	} {
		both := func(x starlark.Int, args starlark.Tuple) (starlark.Value, error) {
			y, ok := value(args[0])
			if !ok {
				return notImplemented, nil
			}
			return rt.flagOf(c, combine(x, y))
		}
		def("__"+op+"__", both)
		def("__r"+op+"__", both)
	}
	def("__invert__", func(x starlark.Int, _ starlark.Tuple) (starlark.Value, error) {
		return rt.flagOf(c, starlark.MakeInt64(c.mask()).And(x.Not()))
	})
	def("__bool__", func(x starlark.Int, _ starlark.Tuple) (starlark.Value, error) { return x.Truth(), nil })
	def("__len__", func(x starlark.Int, _ starlark.Tuple) (starlark.Value, error) {
		n, _ := x.Int64()
		return starlark.MakeInt(bits.OnesCount64(uint64(n))), nil
	})
	def("__contains__", func(x starlark.Int, args starlark.Tuple) (starlark.Value, error) {
		y, ok := value(args[0])
		if !ok {
			return nil, Raise("TypeError", "unsupported operand type(s) for 'in': '%s' and '%s'", typeName(args[0]), c.name)
		}
		return starlark.Bool(x.And(y) == y), nil
	})
	def("__iter__", func(x starlark.Int, _ starlark.Tuple) (starlark.Value, error) {
		var in []starlark.Value
		for _, m := range c.members {
			if bit, ok := num(m.(*Instance).enumValue()).(starlark.Int); ok && x.And(bit).Sign() != 0 {
				in = append(in, m)
			}
		}
		return NewIter("generator", sliceIter(in)), nil
	})
}

// uniqueEnum is @unique.
func uniqueEnum(v starlark.Value) (starlark.Value, error) {
	c, ok := v.(*Class)
	if !ok || !c.enum {
		return nil, Raise("TypeError", "@unique decorates an enum")
	}
	var aliases []string
	for _, n := range c.order {
		if m, ok := c.attrs[n].(*Instance); ok && m.class == c {
			if name := string(m.enumAttr("name").(starlark.String)); name != n {
				aliases = append(aliases, n+" -> "+name)
			}
		}
	}
	if aliases != nil {
		return nil, Raise("ValueError", "duplicate values found in <enum '%s'>: %s", c.name, strings.Join(aliases, ", "))
	}
	return v, nil
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

// makeEnum is Enum("Color", "RED GREEN") and its like.
func makeEnum(kind string) func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind(kind, args, kwargs, "value", "names", "*", "start?", "module?", "type?")
		if err != nil {
			return nil, err
		}
		name, err := strArg(kind, a[0])
		if err != nil {
			return nil, err
		}
		names, pairs := a[1], isMapping(a[1])
		if s, ok := names.(starlark.String); ok {
			list := starlark.NewList(nil)
			for _, n := range strings.FieldsFunc(string(s), func(r rune) bool { return r == ',' || r == ' ' }) {
				_ = list.Append(starlark.String(n))
			}
			names = list
		}
		bases := starlark.Tuple{&TypeObj{name: kind}}
		if a[4] != nil {
			bases = append(starlark.Tuple{a[4]}, bases...)
		}
		c, err := rt.newClass(starlark.Tuple{starlark.String(name), bases, starlark.String("")}, nil)
		if err != nil {
			return nil, err
		}
		if pairs {
			items, err := rt.items(names)
			if err != nil {
				return nil, err
			}
			for _, kv := range items {
				n, err := strArg(kind, kv[0])
				if err != nil {
					return nil, err
				}
				c.set(n, kv[1])
			}
			return rt.endClass(c)
		}
		next, err := intArg(a[2], 1)
		if err != nil {
			return nil, err
		}
		err = rt.each(names, func(v starlark.Value) error {
			value := starlark.Value(starlark.MakeInt64(next))
			if t, ok := v.(starlark.Tuple); ok && len(t) == 2 {
				v, value = t[0], t[1]
			} else if a[2] == nil {
				auto, err := rt.nextAuto(c, v.String())
				if err != nil {
					return err
				}
				value = auto
			}
			n, err := strArg(kind, v)
			c.set(n, value)
			next++
			return err
		})
		if err != nil {
			return nil, err
		}
		return rt.endClass(c)
	}
}
