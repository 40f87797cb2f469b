package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// bind spreads arguments over the parameters of a built-in. A name that ends
// with ? may be missing; the result then has nil. Names after "*" are
// keyword-only.
func bind(fn string, args starlark.Tuple, kwargs []starlark.Tuple, names ...string) ([]starlark.Value, error) {
	short := fn[strings.LastIndexByte(fn, '.')+1:]
	var params []string
	var optional []bool
	kwOnly := -1
	for _, n := range names {
		if n == "*" {
			kwOnly = len(params)
			continue
		}
		optional = append(optional, strings.HasSuffix(n, "?"))
		params = append(params, strings.TrimSuffix(n, "?"))
	}
	maxPos := len(params)
	if kwOnly >= 0 {
		maxPos = kwOnly
	}
	out := make([]starlark.Value, len(params))
	if len(args) > maxPos {
		required := 0
		for i := 0; i < maxPos; i++ {
			if !optional[i] {
				required++
			}
		}
		switch {
		case maxPos == 0:
			return nil, Raise("TypeError", "%s() takes no arguments (%d given)", fn, len(args))
		case required == maxPos && maxPos == 1:
			return nil, Raise("TypeError", "%s() takes exactly one argument (%d given)", fn, len(args))
		case required == maxPos:
			return nil, Raise("TypeError", "%s expected %d arguments, got %d", short, maxPos, len(args))
		}
		return nil, Raise("TypeError", "%s expected at most %d argument%s, got %d", short, maxPos, plural(maxPos), len(args))
	}
	copy(out, args)
	for _, kv := range kwargs {
		k := string(kv[0].(starlark.String))
		found := false
		for i, p := range params {
			if p != k {
				continue
			}
			if out[i] != nil {
				return nil, Raise("TypeError", "argument for %s() given by name ('%s') and position (%d)", fn, k, i+1)
			}
			out[i], found = kv[1], true
		}
		if !found {
			e := Raise("TypeError", "%s() got an unexpected keyword argument '%s'", fn, k)
			if n := nearest(k, params); n != "" {
				e.Hint = "did you mean '" + n + "'?"
			}
			return nil, e
		}
	}
	for i, v := range out {
		if v == nil && !optional[i] {
			if maxPos == 1 {
				return nil, Raise("TypeError", "%s() takes exactly one argument (%d given)", fn, len(args))
			}
			required := 0
			for j := 0; j < maxPos; j++ {
				if !optional[j] {
					required++
				}
			}
			if required == maxPos {
				return nil, Raise("TypeError", "%s expected %d arguments, got %d", short, required, len(args))
			}
			return nil, Raise("TypeError", "%s expected at least %d argument%s, got %d", short, required, plural(required), len(args))
		}
	}
	return out, nil
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// intArg reads an int argument; nil gives the default.
func intArg(v starlark.Value, dflt int64) (int64, error) {
	if v == nil || v == starlark.None {
		return dflt, nil
	}
	i, ok := num(v).(starlark.Int)
	if inst, isInst := v.(*Instance); isInst && !ok && inst.rt() != nil {
		n, err := inst.rt().asIndex(inst)
		if err != nil {
			return 0, err
		}
		i, ok = n, true
	}
	if !ok {
		return 0, Raise("TypeError", "'%s' object cannot be interpreted as an integer", typeName(v))
	}
	n, ok := i.Int64()
	if !ok {
		return 0, Raise("OverflowError", "Python int too large to convert to C ssize_t")
	}
	return n, nil
}

func strArg(fn string, v starlark.Value) (string, error) {
	s, ok := plain(v).(starlark.String)
	if !ok {
		return "", Raise("TypeError", "%s() argument must be str, not %s", fn, typeName(v))
	}
	return string(s), nil
}
