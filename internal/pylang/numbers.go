package pylang

import (
	"math"
	"math/big"

	"go.starlark.net/starlark"
)

func intMethods() map[string]method {
	return map[string]method{
		"bit_length": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.MakeInt(num(v).(starlark.Int).BigInt().BitLen()), nil
		},
		"bit_count": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			n := 0
			for _, w := range new(big.Int).Abs(num(v).(starlark.Int).BigInt()).Bytes() {
				for ; w > 0; w &= w - 1 {
					n++
				}
			}
			return starlark.MakeInt(n), nil
		},
		"conjugate": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return num(v), nil
		},
		"is_integer": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return nil, Raise("AttributeError", "'int' object has no attribute 'is_integer'")
		},
		"as_integer_ratio": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.Tuple{num(v), starlark.MakeInt(1)}, nil
		},
		"to_bytes": intToBytes,
	}
}

func intToBytes(_ *runtime, v starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("to_bytes", args, kwargs, "length?", "byteorder?", "*", "signed?")
	if err != nil {
		return nil, err
	}
	n, err := intArg(a[0], 1)
	if err != nil {
		return nil, err
	}
	i := num(v).(starlark.Int).BigInt()
	signed := a[2] != nil && bool(a[2].Truth())
	if n < 0 || n > 1<<20 {
		return nil, Raise("ValueError", "length argument must be non-negative")
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(n*8))
	if signed {
		limit.Rsh(limit, 1)
	}
	if i.Sign() < 0 && !signed {
		return nil, Raise("OverflowError", "can't convert negative int to unsigned")
	}
	if size := new(big.Int).Abs(i).Cmp(limit); size > 0 || size == 0 && i.Sign() > 0 {
		return nil, Raise("OverflowError", "int too big to convert")
	}
	if i.Sign() < 0 {
		i = new(big.Int).Add(i, new(big.Int).Lsh(big.NewInt(1), uint(n*8)))
	}
	b := i.FillBytes(make([]byte, n))
	if s, _ := a[1].(starlark.String); s == "little" {
		for x, y := 0, len(b)-1; x < y; x, y = x+1, y-1 {
			b[x], b[y] = b[y], b[x]
		}
	}
	return starlark.Bytes(b), nil
}

func intFromBytes(_ *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("from_bytes", args, kwargs, "bytes", "byteorder?", "*", "signed?")
	if err != nil {
		return nil, err
	}
	b, ok := rawBytes(a[0])
	if !ok {
		return nil, Raise("TypeError", "cannot convert '%s' object to bytes", typeName(a[0]))
	}
	raw := []byte(b)
	if s, _ := a[1].(starlark.String); s == "little" {
		for x, y := 0, len(raw)-1; x < y; x, y = x+1, y-1 {
			raw[x], raw[y] = raw[y], raw[x]
		}
	}
	i := new(big.Int).SetBytes(raw)
	if a[2] != nil && bool(a[2].Truth()) && len(raw) > 0 && raw[0]&0x80 != 0 {
		i.Sub(i, new(big.Int).Lsh(big.NewInt(1), uint(len(raw)*8)))
	}
	return starlark.MakeBigInt(i), nil
}

func floatMethods() map[string]method {
	return map[string]method{
		"is_integer": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			f := float64(v.(starlark.Float))
			return starlark.Bool(f == math.Trunc(f) && !math.IsInf(f, 0)), nil
		},
		"conjugate": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return v, nil
		},
		"hex": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return nil, Raise("ValueError", "float.hex is not available")
		},
		"as_integer_ratio": func(_ *runtime, v starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			f := float64(v.(starlark.Float))
			if math.IsNaN(f) {
				return nil, Raise("ValueError", "cannot convert NaN to integer ratio")
			}
			if math.IsInf(f, 0) {
				return nil, Raise("OverflowError", "cannot convert Infinity to integer ratio")
			}
			r := new(big.Rat).SetFloat64(f)
			return starlark.Tuple{starlark.MakeBigInt(r.Num()), starlark.MakeBigInt(r.Denom())}, nil
		},
	}
}

func makeTrans(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("maketrans", args, kwargs, "x", "y?", "z?")
	if err != nil {
		return nil, err
	}
	d := new(starlark.Dict)
	if a[1] == nil {
		items, err := rt.items(a[0])
		if err != nil {
			return nil, err
		}
		for _, kv := range items {
			k := kv[0]
			if s, ok := k.(starlark.String); ok {
				r := []rune(string(s))
				if len(r) != 1 {
					return nil, Raise("ValueError", "string keys in translate table must be of length 1")
				}
				k = starlark.MakeInt(int(r[0]))
			}
			_ = d.SetKey(k, kv[1])
		}
		return d, nil
	}
	x, _ := starlark.AsString(a[0])
	y, _ := starlark.AsString(a[1])
	from, to := []rune(x), []rune(y)
	if len(from) != len(to) {
		return nil, Raise("ValueError", "the first two maketrans arguments must have equal length")
	}
	for i, r := range from {
		_ = d.SetKey(starlark.MakeInt(int(r)), starlark.MakeInt(int(to[i])))
	}
	if z, ok := a[2].(starlark.String); ok {
		for _, r := range string(z) {
			_ = d.SetKey(starlark.MakeInt(int(r)), starlark.None)
		}
	}
	return d, nil
}
