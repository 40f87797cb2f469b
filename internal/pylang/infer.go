package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
)

// kinds is a set of the kinds of value an expression can have.
type kinds uint16

const (
	kNone kinds = 1 << iota
	kBool
	kInt
	kFloat
	kStr
	kList
	kTuple
	kDict
	kRange
	kOther // everything else: instances, iterators, functions, values of modules

	kAny = kNone | kBool | kInt | kFloat | kStr | kList | kTuple | kDict | kRange | kOther
)

type inference struct {
	boolKeys bool
}

func infer(lw *lowerer, f *pysyntax.File) *inference { return &inference{boolKeys: true} }

func (in *inference) isYielding(*pysyntax.Comp) bool { return false }

// kind gives the kinds of an expression.
func (lw *lowerer) kind(e pysyntax.Expr) kinds {
	switch e := e.(type) {
	case *pysyntax.Num:
		if _, ok := e.Value.(float64); ok {
			return kFloat
		}
		return kInt
	case *pysyntax.Str, *pysyntax.FString:
		return kStr
	case *pysyntax.List:
		return kList
	case *pysyntax.Tuple:
		return kTuple
	case *pysyntax.Dict:
		return kDict
	case *pysyntax.Const:
		switch e.Kind {
		case pysyntax.None:
			return kNone
		case pysyntax.True, pysyntax.False:
			return kBool
		}
		return kOther
	case *pysyntax.Compare:
		return kBool
	case *pysyntax.Call:
		if n, ok := e.Fn.(*pysyntax.Name); ok && n.ID == "range" && lw.lookup("range") == nil && lw.isBuiltin("range") {
			return kRange
		}
	}
	return kAny
}

func (lw *lowerer) nativeBinary(op string, x, y pysyntax.Expr) bool { return false }

func (lw *lowerer) nativeCompare(op string, x, y pysyntax.Expr) bool { return false }

func (lw *lowerer) nativeIndex(e *pysyntax.Index) bool { return false }
