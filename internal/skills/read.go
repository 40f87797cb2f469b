package skills

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
)

// facts are what the code says of itself.
type facts struct {
	modules []string
	inputs  []Input
	doc     string // first paragraph of the docstring
}

// read finds the facts of a skill's code.
func read(name, code string) (f facts, err error) {
	file, err := pysyntax.Parse(code)
	if err != nil {
		var at *pysyntax.Error
		if errors.As(err, &at) {
			return f, fmt.Errorf("%w: the code of skill %s cannot be read: %w", ErrInvalid, name, at)
		}
		return f, fmt.Errorf("%w: the code of skill %s cannot be read: %w", ErrInvalid, name, err)
	}
	f.modules = []string{}
	imports(file.Body, func(module string) {
		if !slices.Contains(f.modules, module) {
			f.modules = append(f.modules, module)
		}
	})
	slices.Sort(f.modules)
	f.inputs = []Input{}
	doc := file.Doc
	if main := mainFunction(name, file.Body); main != nil {
		for _, p := range main.Params {
			if p.Star == 0 && p.Name != "" {
				f.inputs = append(f.inputs, Input{p.Name, p.Default == nil, typeText(p.Annotation, 0)})
			}
		}
		if main.Doc != "" {
			doc = main.Doc
		}
	}
	f.doc, _, _ = strings.Cut(strings.TrimSpace(doc), "\n\n")
	return f, nil
}

// mainFunction is the top-level function of that name, else the only one.
func mainFunction(name string, body []pysyntax.Stmt) (main *pysyntax.Def) {
	n := 0
	for _, s := range body {
		if d, ok := s.(*pysyntax.Def); ok {
			if d.Name == name {
				return d
			}
			main = d
			n++
		}
	}
	if n != 1 {
		return nil
	}
	return main
}

// imports reports the modules that statements import, also inside of functions.
func imports(body []pysyntax.Stmt, found func(module string)) {
	for _, s := range body {
		switch s := s.(type) {
		case *pysyntax.Import:
			for _, a := range s.Names {
				found(a.Name)
			}
		case *pysyntax.ImportFrom:
			if s.Module != "" {
				found(s.Module)
			}
		case *pysyntax.Def:
			imports(s.Body, found)
		case *pysyntax.Class:
			imports(s.Body, found)
		case *pysyntax.For:
			imports(s.Body, found)
			imports(s.Else, found)
		case *pysyntax.While:
			imports(s.Body, found)
			imports(s.Else, found)
		case *pysyntax.If:
			for _, b := range s.Bodies {
				imports(b, found)
			}
			imports(s.Else, found)
		case *pysyntax.Try:
			imports(s.Body, found)
			for _, h := range s.Handlers {
				imports(h.Body, found)
			}
			imports(s.Else, found)
			imports(s.Finally, found)
		case *pysyntax.With:
			imports(s.Body, found)
		case *pysyntax.Match:
			for _, c := range s.Cases {
				imports(c.Body, found)
			}
		}
	}
}

// typeText writes an annotation as Python does; "" for what is no type.
func typeText(e pysyntax.Expr, depth int) string {
	if depth > 8 {
		return ""
	}
	part := func(e pysyntax.Expr) string { return typeText(e, depth+1) }
	switch e := e.(type) {
	case *pysyntax.Name:
		return e.ID
	case *pysyntax.Str: // a type that is quoted
		if len(e.Value) <= 100 && !strings.ContainsAny(e.Value, "\n\r\x00") {
			return e.Value
		}
	case *pysyntax.Const:
		if e.Kind == pysyntax.None {
			return "None"
		}
	case *pysyntax.Attr:
		if x := part(e.X); x != "" {
			return x + "." + e.Name
		}
	case *pysyntax.Index:
		if x, sub := part(e.X), part(e.Sub); x != "" && sub != "" {
			return x + "[" + sub + "]"
		}
	case *pysyntax.Tuple:
		var parts []string
		for _, elt := range e.Elts {
			p := part(elt)
			if p == "" {
				return ""
			}
			parts = append(parts, p)
		}
		return strings.Join(parts, ", ")
	case *pysyntax.Binary:
		if x, y := part(e.X), part(e.Y); e.Op == "|" && x != "" && y != "" {
			return x + " | " + y
		}
	}
	return ""
}
