package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// fspec is an f-string as the helper §f sees it: texts and fields in turn. The
// values, and the specs that are not constant, are the helper's arguments.
type fspec struct {
	parts []fspecPart
}

type fspecPart struct {
	text    string
	field   bool
	conv    byte
	spec    string
	dynamic bool // the spec is the next argument
}

func (lw *lowerer) fstring(e *pysyntax.FString) syntax.Expr {
	f := &fspec{}
	n := len(lw.specs)
	lw.specs = append(lw.specs, f)
	args := []syntax.Expr{lw.int(e.Pos, n)}
	last := lastImpure(e.Parts)
	for i, p := range e.Parts {
		if p.X == nil {
			f.parts = append(f.parts, fspecPart{text: p.Text})
			continue
		}
		part := fspecPart{field: true, conv: p.Conv}
		if i < last && !(p.Conv == 0 && len(p.Spec) == 0 && lw.kind(p.X)&^(kStr|kInt) == 0) {
			// Formatted before the next field is evaluated, as it may fail.
			spec := lw.fstring(&pysyntax.FString{Pos: e.Pos, Parts: []pysyntax.FPart{p}})
			f.parts = append(f.parts, fspecPart{field: true})
			args = append(args, spec)
			continue
		}
		args = append(args, lw.expr(p.X))
		if dynamic := dynamicSpec(p.Spec); dynamic {
			part.dynamic = true
			args = append(args, lw.fstring(&pysyntax.FString{Pos: e.Pos, Parts: p.Spec}))
		} else {
			for _, s := range p.Spec {
				part.spec += s.Text
			}
		}
		f.parts = append(f.parts, part)
	}
	if len(args) > 250 {
		return lw.call(e.Pos, "fmany", &syntax.ListExpr{Lbrack: lw.pos(e.Pos), List: args, Rbrack: lw.pos(e.Pos)})
	}
	return lw.call(e.Pos, "f", args...)
}

// lastImpure finds the last field whose evaluation can fail or be noticed.
func lastImpure(parts []pysyntax.FPart) int {
	for i := len(parts) - 1; i > 0; i-- {
		if x := parts[i].X; x != nil && !simple(x) || dynamicSpec(parts[i].Spec) {
			return i
		}
	}
	return 0
}

func dynamicSpec(spec []pysyntax.FPart) bool {
	for _, s := range spec {
		if s.X != nil {
			return true
		}
	}
	return false
}
