// Package godoc turns the documentation of a Go installation into documents: the doc
// comments of the standard library's public packages as Markdown, one document a
// package, and the language specification and memory model where the installation
// has them. In: a GOROOT. Out: an ingest.Source. Callers: the demo and the token benchmark, which need real
// text that is on every machine with Go.
//
// Selected is what someone wrote a comment for: the package overview, and every
// exported constant or variable group, function, type and method with a comment.
// Declarations without one (the thousands of numbers in syscall) are left out, because
// a name alone answers no question. Internal, vendored and command packages and tests
// are left out too.
package godoc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bmcis/bmcis/internal/chunk"
	"github.com/bmcis/bmcis/internal/ingest"
)

// Source is an ingest.Source. Its documents have source "go" and metadata package,
// domain (the first element of the package's path) and kind: "package" or "spec".
type Source struct {
	goroot string
}

// New returns the documentation of the Go installation at goroot. An empty goroot asks
// `go env GOROOT`.
func New(goroot string) *Source { return &Source{goroot: goroot} }

// specs are the texts beside the packages.
var specs = []struct{ file, title string }{
	{"go_spec", "The Go Programming Language Specification"},
	{"go_mem", "The Go Memory Model"},
}

// Scopes: everything with source "go" is from here.
func (s *Source) Scopes() []ingest.Scope { return []ingest.Scope{{Source: "go"}} }

// Missing names the texts that this installation lacks; distributions leave out the
// doc folder.
func (s *Source) Missing() []string {
	root, err := s.root(context.Background())
	if err != nil {
		return nil
	}
	var missing []string
	for _, spec := range specs {
		if _, err := os.Stat(filepath.Join(root, "doc", spec.file+".html")); err != nil {
			missing = append(missing, filepath.Join(root, "doc", spec.file+".html"))
		}
	}
	return missing
}

// Count is the number of documents.
func (s *Source) Count(ctx context.Context) int {
	root, err := s.root(ctx)
	if err != nil {
		return 0
	}
	dirs, _ := packageDirs(root)
	return len(dirs) + len(specs) - len(s.Missing())
}

func (s *Source) root(ctx context.Context) (string, error) {
	root := s.goroot
	if root == "" {
		out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
		if err != nil {
			return "", fmt.Errorf("find the Go installation: go env GOROOT: %w", err)
		}
		root = strings.TrimSpace(string(out))
	}
	if _, err := os.Stat(filepath.Join(root, "src", "fmt")); err != nil {
		return "", fmt.Errorf("%s holds no Go standard library (no src/fmt); set GOROOT", root)
	}
	return root, nil
}

// Documents hands over the texts first, then the packages by path.
func (s *Source) Documents(ctx context.Context) iter.Seq2[ingest.Document, error] {
	return func(yield func(ingest.Document, error) bool) {
		root, err := s.root(ctx)
		if err != nil {
			yield(ingest.Document{}, err)
			return
		}
		for _, spec := range specs {
			path := filepath.Join(root, "doc", spec.file+".html")
			d, err := readSpec(path, spec.file, spec.title)
			if errors.Is(err, fs.ErrNotExist) {
				continue // told by Missing
			}
			if !yield(d, err) {
				return
			}
		}
		dirs, err := packageDirs(root)
		if err != nil {
			yield(ingest.Document{}, err)
			return
		}
		for _, path := range dirs {
			if ctx.Err() != nil {
				yield(ingest.Document{}, ctx.Err())
				return
			}
			dir := filepath.Join(root, "src", filepath.FromSlash(path))
			text, err := packageMarkdown(dir, path)
			if err != nil {
				if !yield(ingest.Document{}, &ingest.Failure{ID: path, Reason: err.Error()}) {
					return
				}
				continue
			}
			if text == "" {
				continue
			}
			domain, _, _ := strings.Cut(path, "/")
			if !yield(ingest.Document{
				ID: path, Title: path, Text: text, Source: "go", URI: fileURI(dir), Format: chunk.Markdown,
				Metadata: map[string]any{"package": path, "domain": domain, "kind": "package"},
			}, nil) {
				return
			}
		}
	}
}

func readSpec(path, name, title string) (ingest.Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return ingest.Document{}, err
	}
	d, err := chunk.Extract(chunk.HTML, string(data))
	if err != nil {
		return ingest.Document{}, &ingest.Failure{ID: "doc/" + name, Reason: err.Error()}
	}
	return ingest.Document{
		ID: "doc/" + name, Title: title, Text: d.Text, Source: "go", URI: fileURI(path), Format: chunk.Markdown,
		Metadata: map[string]any{"domain": "language", "kind": "spec"},
	}, nil
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// packageDirs lists the import paths of the public packages.
func packageDirs(root string) ([]string, error) {
	src := filepath.Join(root, "src")
	var paths []string
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil || rel == "." {
			return err
		}
		switch name := d.Name(); {
		case name == "internal", name == "vendor", name == "testdata", rel == "cmd", name[0] == '.', name[0] == '_':
			return fs.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	return paths, nil
}
