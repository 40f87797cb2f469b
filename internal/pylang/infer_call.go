package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
)

// call gives the kinds of a call's result.
func (in *inference) call(e *pysyntax.Call) kinds {
	switch fn := e.Fn.(type) {
	case *pysyntax.Name:
		v := in.lw.lookup(fn.ID)
		if v == nil && in.lw.isBuiltin(fn.ID) {
			return in.builtin(fn.ID, e)
		}
		if direct(v) {
			return in.directCall(v, e)
		}
		if v != nil && v.imp != nil && v.imp.module != nil && v.imp.member != "" {
			return in.moduleCall(v.imp.module.Name, v.imp.member, e)
		}
		in.expr(fn)
	case *pysyntax.Attr:
		if m := in.lw.moduleOf(fn.X); m != nil {
			return in.moduleCall(m.Name, fn.Name, e)
		}
		return in.methodCall(fn, e)
	default:
		in.expr(e.Fn)
	}
	in.passArgs(e)
	return kAny
}

// passArgs visits arguments that reach a function we do not see into.
func (in *inference) passArgs(e *pysyntax.Call) {
	for _, a := range e.Args {
		k := in.expr(a.X)
		if a.Star != 0 {
			k = in.elem(k)
		}
		in.store(k)
	}
}

func (in *inference) readArgs(e *pysyntax.Call) kinds {
	var all kinds
	for _, a := range e.Args {
		k := in.expr(a.X)
		if a.Star != 0 {
			k = in.elem(k)
		}
		all |= k
	}
	return all
}

// directCall joins the arguments into the parameters of a function that is
// only called by name.
func (in *inference) directCall(v *variable, e *pysyntax.Call) kinds {
	sc := in.lw.an.scopes[v.def]
	params := v.def.Params
	star := false
	pos := 0
	spread := func(k kinds) { // any parameter may receive it
		for _, p := range params {
			if p.Name != "" && p.Star == 0 {
				in.widen(sc.vars[p.Name], k)
			}
		}
		in.store(k)
	}
	for _, a := range e.Args {
		k := in.expr(a.X)
		switch {
		case a.Star != 0:
			star = true
			spread(in.elem(k))
		case a.Name != "":
			found := false
			for _, p := range params {
				if p.Name == a.Name && p.Star == 0 && !p.PosOnly {
					in.widen(sc.vars[p.Name], k)
					found = true
				}
			}
			if !found {
				in.store(k | kStr) // lands in **kwargs
			}
		case star:
			spread(k)
		default:
			if pos < len(params) && params[pos].Star == 0 {
				in.widen(sc.vars[params[pos].Name], k)
			} else {
				in.store(k) // lands in *args
			}
			pos++
		}
	}
	if sc.gen || sc.async {
		in.escape(sc.ret)
		return kOther
	}
	return sc.ret
}

var floatFuncs = map[string]kinds{
	"sqrt": kFloat, "sin": kFloat, "cos": kFloat, "tan": kFloat, "exp": kFloat, "log": kFloat, "log2": kFloat, "log10": kFloat, "atan2": kFloat, "atan": kFloat, "hypot": kFloat, "fabs": kFloat, "pow": kFloat,
	"floor": kInt, "ceil": kInt, "trunc": kInt, "gcd": kInt, "lcm": kInt, "factorial": kInt, "comb": kInt, "perm": kInt, "isqrt": kInt, "isnan": kBool, "isclose": kBool, "isinf": kBool, "isfinite": kBool,
}

func (in *inference) moduleCall(module, name string, e *pysyntax.Call) kinds {
	if module == "math" {
		in.readArgs(e)
		if k, ok := floatFuncs[name]; ok {
			if in.readArgs(e)&kOther != 0 {
				return kAny // __floor__ and the like
			}
			return k
		}
		return kAny
	}
	in.passArgs(e)
	switch module + "." + name {
	case "random.random", "random.uniform", "random.gauss", "time.time", "time.perf_counter", "time.monotonic":
		return kFloat
	case "random.randint", "random.randrange":
		return kInt
	}
	return kAny
}

// builtin gives the kinds of a call of a built-in function.
func (in *inference) builtin(name string, e *pysyntax.Call) kinds {
	arg := func(i int) kinds {
		if i < len(e.Args) && e.Args[i].Star == 0 && e.Args[i].Name == "" {
			return in.expr(e.Args[i].X)
		}
		return kAny
	}
	switch name {
	case "setattr":
		if len(e.Args) == 3 {
			if s, ok := e.Args[1].X.(*pysyntax.Str); ok {
				in.lw.onFuncs[s.Value] = true
			}
		}
	case "any", "all", "sum":
		if len(e.Args) == 1 && e.Args[0].Star == 0 {
			if c, ok := e.Args[0].X.(*pysyntax.Comp); ok && c.Kind == pysyntax.GenExpr {
				k := in.compElt(c, false)
				if name == "sum" {
					return in.binaryKind("+", kInt, k) | kInt
				}
				return kBool
			}
		}
		all := in.readArgs(e)
		if name != "sum" {
			return kBool
		}
		if len(e.Args) != 1 {
			return kAny
		}
		return in.binaryKind("+", kInt|in.elem(all), in.elem(all)) | kInt
	case "len", "ord", "hash":
		in.readArgs(e)
		return kInt
	case "chr", "repr", "bin", "hex", "oct", "ascii", "format":
		in.readArgs(e)
		return kStr
	case "str":
		in.readArgs(e)
		return kStr
	case "int":
		if in.readArgs(e)&kOther != 0 {
			return kAny
		}
		return kInt
	case "float":
		if in.readArgs(e)&kOther != 0 {
			return kAny
		}
		return kFloat
	case "bool", "isinstance", "issubclass", "callable", "hasattr":
		in.readArgs(e)
		return kBool
	case "abs":
		k := in.readArgs(e)
		if k&kOther != 0 {
			return kAny
		}
		if k&kBool != 0 {
			k |= kInt
		}
		return k & kNumber
	case "round":
		k := in.readArgs(e)
		if k&kOther != 0 {
			return kAny
		}
		return kNumber
	case "print":
		in.readArgs(e)
		return kNone
	case "range":
		in.readArgs(e)
		return kRange
	case "min", "max":
		all := in.readArgs(e)
		if len(e.Args) == 1 && e.Args[0].Star == 0 {
			return in.elem(all)
		}
		return all | in.elem(all)
	case "sorted", "list":
		in.collect(e)
		return kList
	case "tuple":
		in.collect(e)
		return kTuple
	case "set", "frozenset", "reversed", "enumerate", "zip", "iter", "filter":
		in.collect(e)
		if name == "enumerate" || name == "zip" {
			in.pairs(e)
		}
		return kOther
	case "map":
		in.readArgs(e)
		in.store(in.mapped(e))
		return kOther
	case "dict":
		for _, a := range e.Args {
			k := in.expr(a.X)
			if a.Name != "" {
				in.store(k | kStr)
			} else {
				in.store(in.elem(k))
			}
		}
		return kDict
	case "divmod":
		x, y := arg(0), arg(1)
		in.store(in.binaryKind("//", x, y))
		return kTuple
	case "pow":
		if len(e.Args) == 2 {
			return in.binaryKind("**", arg(0), arg(1))
		}
		in.readArgs(e)
		return kAny
	case "next":
		all := in.readArgs(e)
		return all | in.elem(all)
	case "type", "object", "property", "staticmethod", "classmethod", "super", "slice":
		in.passArgs(e)
		return kOther
	}
	in.passArgs(e)
	return kAny
}

// collect visits arguments whose elements land in a new container.
func (in *inference) collect(e *pysyntax.Call) {
	for _, a := range e.Args {
		k := in.expr(a.X)
		in.store(in.elem(k))
	}
}

// pairs stores the tuples that enumerate and zip make.
func (in *inference) pairs(e *pysyntax.Call) {
	if in.frozen {
		return
	}
	in.store(kTuple)
	if n, _ := e.Fn.(*pysyntax.Name); n != nil && n.ID == "enumerate" {
		in.store(kInt)
	}
}

// mapped gives the results of map's function.
func (in *inference) mapped(e *pysyntax.Call) kinds {
	if len(e.Args) == 0 {
		return kAny
	}
	switch f := e.Args[0].X.(type) {
	case *pysyntax.Lambda:
		return in.lw.an.scopes[f].ret
	case *pysyntax.Name:
		if in.lw.lookup(f.ID) == nil && in.lw.isBuiltin(f.ID) {
			switch f.ID {
			case "str", "repr", "chr", "hex", "bin":
				return kStr
			case "len", "ord":
				return kInt
			case "int":
				return kInt
			case "float":
				return kFloat
			}
		} else if v := in.lw.lookup(f.ID); v != nil && v.def != nil && v.binds == 1 && len(v.def.Decorators) == 0 {
			sc := in.lw.an.scopes[v.def]
			if !sc.gen && !sc.async {
				return sc.ret
			}
		}
	}
	return kAny
}

var strResults = map[string]kinds{
	"upper": kStr, "lower": kStr, "strip": kStr, "lstrip": kStr, "rstrip": kStr, "title": kStr, "capitalize": kStr, "replace": kStr, "join": kStr, "format": kStr, "zfill": kStr, "ljust": kStr, "rjust": kStr, "center": kStr,
	"casefold": kStr, "swapcase": kStr, "removeprefix": kStr, "removesuffix": kStr, "expandtabs": kStr, "translate": kStr, "format_map": kStr,
	"find": kInt, "rfind": kInt, "rindex": kInt, "startswith": kBool, "endswith": kBool, "isdigit": kBool, "isalpha": kBool, "isalnum": kBool, "isspace": kBool, "isupper": kBool, "islower": kBool, "isnumeric": kBool, "isdecimal": kBool,
	"istitle": kBool, "isidentifier": kBool, "isascii": kBool, "isprintable": kBool,
}

// methodCall gives the kinds of x.name(...).
func (in *inference) methodCall(fn *pysyntax.Attr, e *pysyntax.Call) kinds {
	recv := in.expr(fn.X)
	if recv&kOther != 0 || recv == 0 {
		in.passArgs(e)
		return kAny
	}
	all := in.readArgs(e)
	if k, ok := strResults[fn.Name]; ok {
		return k
	}
	switch fn.Name {
	case "append", "add", "insert":
		in.store(all)
		return kNone
	case "extend":
		in.store(in.elem(all))
		return kNone
	case "sort", "reverse", "clear", "remove":
		return kNone
	case "split", "rsplit", "splitlines":
		in.store(kStr)
		return kList
	case "partition", "rpartition":
		in.store(kStr)
		return kTuple
	case "index", "count":
		return kInt
	case "get", "pop":
		return in.heap | all | kNone
	case "setdefault":
		in.store(all)
		return in.heap | all | kNone
	case "copy":
		return recv & (kList | kDict)
	case "keys", "values":
		return kOther
	case "items":
		in.store(kTuple)
		return kOther
	case "popitem":
		in.store(kTuple)
		return kTuple
	case "update":
		in.store(in.elem(all) | all | kStr)
		return kNone
	}
	in.store(all)
	return kAny
}
