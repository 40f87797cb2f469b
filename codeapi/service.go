package codeapi

import (
	"encoding/json"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// serve asks a service of the host. What the service refuses is raised as the exception
// that it names.
func (r *run) serve(method string, args any, answer func(value json.RawMessage) (starlark.Value, error)) (starlark.Value, error) {
	return r.ask(method, args, func(reply json.RawMessage) (starlark.Value, error) {
		value, err := served(method, reply)
		if err != nil {
			return nil, err
		}
		return answer(value)
	})
}

// serveNow asks a service and waits.
func (r *run) serveNow(method string, args, into any) error {
	var reply json.RawMessage
	if err := r.askNow(method, args, &reply); err != nil {
		return err
	}
	value, err := served(method, reply)
	if err != nil {
		return err
	}
	return decodeReply(method, value, into)
}

func served(method string, reply json.RawMessage) (json.RawMessage, error) {
	var a Answer
	if err := decodeReply(method, reply, &a); err != nil {
		return nil, err
	}
	if a.Failure != nil {
		x := pylang.Raise(a.Failure.Class, "%s", a.Failure.Message)
		x.Hint = a.Failure.Hint
		return nil, x
	}
	return a.Value, nil
}

// record turns a JSON object into a dict whose keys are attributes, too.
func (r *run) record(name string, raw json.RawMessage) (starlark.Value, error) {
	v, err := r.value(raw)
	if d, ok := v.(*starlark.Dict); ok {
		return &record{fields: d, name: name, thread: r.thread}, nil
	}
	return v, err
}

// recordList is record for the objects of a list under a key of an object.
func (r *run) recordList(name string, items []json.RawMessage) (starlark.Value, error) {
	out := make([]starlark.Value, len(items))
	for i, raw := range items {
		v, err := r.record(name, raw)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return starlark.NewList(out), nil
}

// value is the service's JSON as the program's value: the order of keys stays, and all
// digits of integers.
func (r *run) value(raw json.RawMessage) (starlark.Value, error) {
	if len(raw) == 0 {
		return starlark.None, nil
	}
	v, err := fromJSON(raw, 0)
	if err != nil {
		return nil, pylang.Raise("ValueError", "the answer cannot be read: %v", err)
	}
	return v, nil
}

func none(json.RawMessage) (starlark.Value, error) { return starlark.None, nil }

// stringsArg is an argument that is one string or a list of them.
func stringsArg(t *starlark.Thread, a *guest.Args, i int) ([]string, error) {
	if !a.Given(i) {
		return nil, nil
	}
	if s, ok := a.V[i].(starlark.String); ok {
		return []string{string(s)}, nil
	}
	list, err := pylang.List(t, a.V[i])
	if err != nil {
		return nil, a.WrongType(i, "a string or a list of strings")
	}
	var out []string
	for _, v := range list {
		s, ok := v.(starlark.String)
		if !ok {
			return nil, a.WrongType(i, "a string or a list of strings")
		}
		out = append(out, string(s))
	}
	return out, nil
}
