package codeapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"sort"
	"strings"

	"go.starlark.net/starlark"
)

const maxDepth = 200

// fromJSON turns a decoded JSON value into a value of the program. Numbers may
// be json.Number, which keeps integers whole, or float64; a json.RawMessage keeps
// the order of keys.
func fromJSON(v any, depth int) (starlark.Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case float64:
		if v == float64(int64(v)) && v > -1<<53 && v < 1<<53 {
			return starlark.MakeInt64(int64(v)), nil
		}
		return starlark.Float(v), nil
	case int:
		return starlark.MakeInt(v), nil
	case int64:
		return starlark.MakeInt64(v), nil
	case json.Number:
		return numberFromJSON(string(v))
	case json.RawMessage:
		x, err := decodeOrdered(v)
		if err != nil {
			return nil, err
		}
		return fromJSON(x, depth)
	case object:
		d := starlark.NewDict(len(v))
		for _, m := range v {
			e, err := fromJSON(m.value, depth+1)
			if err != nil {
				return nil, err
			}
			if err := d.SetKey(starlark.String(m.key), e); err != nil {
				return nil, err
			}
		}
		return d, nil
	case []any:
		elems := make([]starlark.Value, len(v))
		for i, x := range v {
			e, err := fromJSON(x, depth+1)
			if err != nil {
				return nil, err
			}
			elems[i] = e
		}
		return starlark.NewList(elems), nil
	case []string:
		elems := make([]starlark.Value, len(v))
		for i, x := range v {
			elems[i] = starlark.String(x)
		}
		return starlark.NewList(elems), nil
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		d := starlark.NewDict(len(v))
		for _, k := range keys {
			e, err := fromJSON(v[k], depth+1)
			if err != nil {
				return nil, err
			}
			if err := d.SetKey(starlark.String(k), e); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	return nil, fmt.Errorf("a %T cannot be given to a program", v)
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// decodeOrdered is json.Unmarshal that keeps the order of keys and the digits of
// numbers.
func decodeOrdered(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return decodeNext(dec, 0)
}

func decodeNext(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return tok, nil
	}
	if delim == '[' {
		list := []any{}
		for dec.More() {
			v, err := decodeNext(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	}
	o := object{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := decodeNext(dec, depth+1)
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		o = append(o, member{name, v})
	}
	_, err = dec.Token()
	return o, err
}

func numberFromJSON(s string) (starlark.Value, error) {
	if !strings.ContainsAny(s, ".eE") {
		if len(s) > 4300 {
			return nil, fmt.Errorf("a number of %d digits is too long", len(s))
		}
		if n, ok := new(big.Int).SetString(s, 10); ok {
			return starlark.MakeBigInt(n), nil
		}
	}
	f, err := json.Number(s).Float64()
	if err != nil {
		return nil, fmt.Errorf("number %.40s is out of range", s)
	}
	return starlark.Float(f), nil
}

// contextValues are the caller's variables as the program sees them: each by its name,
// and all of them as the dict context, for names that are no identifiers and for
// programs that look there.
func contextValues(context map[string]any) (starlark.StringDict, error) {
	out := make(starlark.StringDict, len(context))
	for name, v := range context {
		x, err := fromJSON(v, 0)
		if err != nil {
			return nil, fmt.Errorf("context variable %s: %w", name, err)
		}
		out[name] = x
	}
	if _, own := out["context"]; !own {
		all := starlark.NewDict(len(out))
		for _, name := range out.Keys() {
			if err := all.SetKey(starlark.String(name), out[name]); err != nil {
				return nil, err
			}
		}
		out["context"] = all
	}
	return out, nil
}
