package pylang

import (
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
)

// This file decides where Starlark's own operator means what Python means, for
// the kinds at hand. None needs no care: both languages refuse it.

// kind gives the kinds of an expression in the current scope.
func (lw *lowerer) kind(e pysyntax.Expr) kinds { return lw.inf.expr(e) }

func only(k, allowed kinds) bool { return k&^(allowed|kNone) == 0 }

func (lw *lowerer) nativeBinary(op string, xe, ye pysyntax.Expr) bool {
	x, y := lw.kind(xe), lw.kind(ye)
	switch op {
	case "+":
		return only(x, kNumber|kStr|kList|kTuple) && only(y, kNumber|kStr|kList|kTuple)
	case "-":
		return only(x, kNumber) && only(y, kNumber)
	case "*":
		return only(x, kNumber) && only(y, kNumber)
	case "/":
		return only(x, kNumber) && only(y, kNumber) && (x == kFloat || y == kFloat)
	case "//", "%", "&", "|", "^":
		return only(x, kInt) && only(y, kInt)
	}
	return false
}

// nativeAug is the same for x op= y, where a list on the left takes any iterable.
func (lw *lowerer) nativeAug(op string, xe, ye pysyntax.Expr) bool {
	if !lw.nativeBinary(op, xe, ye) {
		return false
	}
	return op != "+" || lw.kind(xe)&kList == 0 || lw.kind(ye) == kList
}

func isNumLit(e pysyntax.Expr) bool {
	switch e := e.(type) {
	case *pysyntax.Num:
		return true
	case *pysyntax.Unary:
		_, ok := e.X.(*pysyntax.Num)
		return ok && e.Op == "-"
	}
	return false
}

func (lw *lowerer) nativeCompare(op string, xe, ye pysyntax.Expr) bool {
	x, y := lw.kind(xe), lw.kind(ye)
	both := x | y
	switch op {
	case "==", "!=":
		switch {
		case both&(kOther|kRange) != 0:
			return false
		case both&kBool != 0 && both&kNumber != 0:
			return false
		case x&kContainer != 0 && y&kContainer != 0:
			return false
		case x&kFloat != 0 && y&kFloat != 0:
			return isNumLit(xe) || isNumLit(ye) // else both may be NaN
		}
		return true
	case "<", "<=":
		if only(both, kInt|kStr) {
			return true
		}
		return only(x, kNumber) && isNumLit(ye) // a NaN on the left compares false
	case ">", ">=":
		return only(both, kInt|kStr)
	case "in", "not in":
		switch {
		case only(y, kStr):
			return only(x, kStr)
		case only(y, kDict):
			return only(x, kInt|kStr) && (!lw.inf.boolKeys || only(x, kStr)) && !lw.derivedKeys()
		case only(y, kRange):
			return only(x, kInt)
		case only(y, kList|kTuple):
			return only(x, kInt|kStr) && (lw.inf.heap&(kBool|kOther) == 0 || only(x, kStr) && lw.inf.heap&kOther == 0)
		}
	}
	return false
}

// finiteCompare says that a compare of two names that may be floats can be
// native, given a second test that rules out NaN.
func (lw *lowerer) finiteCompare(op string, xe, ye pysyntax.Expr) bool {
	if op != "<" && op != "<=" && op != ">" && op != ">=" {
		return false
	}
	return (lw.kind(xe)|lw.kind(ye))&^kNumber == 0 && simple(xe) && simple(ye)
}

func (lw *lowerer) nativeIndex(e *pysyntax.Index) bool {
	x, k := lw.kind(e.X), lw.kind(e.Sub)
	switch {
	case k == kStr:
		return only(x, kContainer|kStr) && !lw.derivedKeys()
	case k == kInt:
		return only(x, kList|kTuple|kRange) || only(x, kContainer|kRange) && !lw.inf.boolKeys && !lw.derivedKeys()
	}
	return false
}

// derivedKeys says that a dict of the program may have keys of classes derived from
// str or int, which Starlark's own operators do not find: see dict.go.
func (lw *lowerer) derivedKeys() bool {
	if lw.derived == nil {
		found := false
		for node := range lw.an.scopes {
			if c, ok := node.(*pysyntax.Class); ok {
				for _, a := range c.Args {
					name := ""
					switch x := a.X.(type) {
					case *pysyntax.Name:
						name = x.ID
					case *pysyntax.Attr:
						name = x.Name
					}
					found = found || name == "str" || name == "int" || name == "float" || strings.HasSuffix(name, "Enum") || strings.HasSuffix(name, "Flag")
				}
			}
		}
		lw.derived = &found
	}
	return *lw.derived
}
