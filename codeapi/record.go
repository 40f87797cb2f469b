package codeapi

import (
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// fields is the dict inside a record.
type fields = starlark.Dict

// record is a dict whose keys are attributes as well, such as a document.
type record struct {
	*fields
	name   string
	thread *starlark.Thread
}

var (
	_ pylang.Dicter            = (*record)(nil)
	_ starlark.HasSetKey       = (*record)(nil)
	_ starlark.IterableMapping = (*record)(nil)
	_ starlark.HasSetField     = (*record)(nil)
)

func (r *record) Dict() *starlark.Dict { return r.fields }
func (r *record) Type() string         { return r.name }
func (r *record) String() string       { return r.fields.String() }

// JSONValue is what json.dumps writes.
func (r *record) JSONValue() (starlark.Value, error) { return r.fields, nil }

// Attr gives a key, or else a method of dicts.
func (r *record) Attr(name string) (starlark.Value, error) {
	if v, ok, err := r.fields.Get(starlark.String(name)); err != nil || ok {
		return v, err
	}
	if name == "to_dict" {
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return copyDict(r.fields), nil
		}), nil
	}
	v, err := pylang.GetAttr(r.thread, r.fields, name)
	if err == nil {
		return v, nil
	}
	e := pylang.Raise("AttributeError", "'%s' object has no attribute '%s'", r.name, name)
	if near := guest.Nearest(name, r.AttrNames()); near != "" {
		e.Hint = "did you mean '" + near + "'?"
	}
	return nil, e
}

// SetField sets a key.
func (r *record) SetField(name string, v starlark.Value) error {
	return r.SetKey(starlark.String(name), v)
}

func (r *record) AttrNames() []string {
	var names []string
	for _, k := range r.Keys() {
		if s, ok := starlark.AsString(k); ok {
			names = append(names, s)
		}
	}
	return names
}

// DelItem is del r[key].
func (r *record) DelItem(key starlark.Value) error {
	_, ok, err := r.Delete(key)
	if err == nil && !ok {
		return pylang.Raise("KeyError", "%s", key)
	}
	return err
}
