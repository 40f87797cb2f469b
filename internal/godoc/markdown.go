package godoc

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"strings"
)

// maxDeclLines bounds a printed declaration; the rest is counted in a comment.
const maxDeclLines = 60

// packageMarkdown is the documentation of the package in dir, or "" when it has none
// for this platform.
func packageMarkdown(dir, path string) (string, error) {
	b, err := build.Default.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read package %s: %w", path, err)
	}
	if b.Name == "main" {
		return "", nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(b.GoFiles, b.CgoFiles...) {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return "", fmt.Errorf("parse package %s: %w", path, err)
		}
		files = append(files, f)
	}
	mode := doc.Mode(0)
	if path == "builtin" {
		mode = doc.AllDecls // its names are lower case
	}
	pkg, err := doc.NewFromFiles(fset, files, path, mode)
	if err != nil {
		return "", fmt.Errorf("read the comments of package %s: %w", path, err)
	}
	w := &writer{fset: fset, pkg: pkg}
	w.write()
	return w.b.String(), nil
}

type writer struct {
	b    strings.Builder
	fset *token.FileSet
	pkg  *doc.Package
}

func (w *writer) write() {
	p := w.pkg
	fmt.Fprintf(&w.b, "# package %s\n\nimport %q\n\n", p.Name, p.ImportPath)
	w.comment(p.Doc, 2)
	w.values("Constants", p.Consts)
	w.values("Variables", p.Vars)
	for _, f := range p.Funcs {
		w.function(f, 2)
	}
	for _, t := range p.Types {
		if hasText(t.Doc) || documented(t) {
			fmt.Fprintf(&w.b, "## type %s\n\n", t.Name)
			w.decl(t.Decl)
			w.comment(t.Doc, 3)
		}
		for _, v := range append(t.Consts, t.Vars...) {
			w.value(v)
		}
		for _, f := range append(t.Funcs, t.Methods...) {
			w.function(f, 3)
		}
	}
}

// documented reports whether anything that belongs to a type has a comment.
func documented(t *doc.Type) bool {
	for _, v := range append(t.Consts, t.Vars...) {
		if hasText(v.Doc) {
			return true
		}
	}
	for _, f := range append(t.Funcs, t.Methods...) {
		if hasText(f.Doc) {
			return true
		}
	}
	return false
}

func hasText(doc string) bool { return strings.TrimSpace(doc) != "" }

func (w *writer) values(heading string, values []*doc.Value) {
	headed := false
	for _, v := range values {
		if !hasText(v.Doc) {
			continue
		}
		if !headed {
			fmt.Fprintf(&w.b, "## %s\n\n", heading)
			headed = true
		}
		w.value(v)
	}
}

func (w *writer) value(v *doc.Value) {
	if !hasText(v.Doc) {
		return
	}
	w.comment(v.Doc, 4)
	w.decl(v.Decl)
}

// function writes a function or a method: "func Open" or "func (*File) Close".
func (w *writer) function(f *doc.Func, level int) {
	if !hasText(f.Doc) {
		return
	}
	name := f.Name
	if f.Recv != "" {
		name = "(" + f.Recv + ") " + name
	}
	fmt.Fprintf(&w.b, "%s func %s\n\n", strings.Repeat("#", level), name)
	w.decl(f.Decl)
	w.comment(f.Doc, level+1)
}

// comment writes a doc comment as Markdown, its headings at the given level.
func (w *writer) comment(text string, level int) {
	if !hasText(text) {
		return
	}
	pr := w.pkg.Printer()
	pr.HeadingLevel = level
	pr.HeadingID = func(*comment.Heading) string { return "" }
	pr.DocLinkURL = func(*comment.DocLink) string { return "" } // names as plain text
	w.b.Write(pr.Markdown(w.pkg.Parser().Parse(text)))
	w.b.WriteByte('\n')
}

// decl writes a declaration without bodies and unexported fields.
func (w *writer) decl(d ast.Decl) {
	if f, ok := d.(*ast.FuncDecl); ok {
		f.Body = nil
	}
	// The comment stands below as text.
	switch d := d.(type) {
	case *ast.FuncDecl:
		d.Doc = nil
	case *ast.GenDecl:
		d.Doc = nil
	}
	var buf bytes.Buffer
	cfg := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	if err := cfg.Fprint(&buf, w.fset, d); err != nil {
		return // a declaration that parsed prints; and its comment is what is asked for
	}
	lines := strings.Split(strings.TrimSpace(buf.String()), "\n")
	if more := len(lines) - maxDeclLines; more > 0 {
		lines = append(lines[:maxDeclLines], fmt.Sprintf("// … %d more lines", more))
	}
	w.b.WriteString("```go\n" + strings.Join(lines, "\n") + "\n```\n\n")
}
