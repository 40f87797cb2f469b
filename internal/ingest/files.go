package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmcis/bmcis/internal/chunk"
)

// maxFileBytes bounds one document. A larger file is not text that anyone reads.
const maxFileBytes = 64 << 20

// formats of files by extension. Other files in a folder are passed over.
var formats = map[string]string{
	".md": chunk.Markdown, ".markdown": chunk.Markdown, ".mdown": chunk.Markdown,
	".html": chunk.HTML, ".htm": chunk.HTML, ".xhtml": chunk.HTML,
	".rst": chunk.RST, ".txt": chunk.Text, ".text": chunk.Text,
}

const supported = ".md, .markdown, .html, .htm, .rst or .txt"

// Files reads Markdown, HTML, reStructuredText and plain text: files, folders with
// everything below them, glob patterns, and pages by http(s) URL. Names that begin
// with a dot and node_modules are passed over, links to folders are not followed
// below a folder that is given. "-" is one plain text from standard input.
//
// A file is one document, however many of the paths and links lead to it. It goes by
// the outermost folder that is given, or by the first of several names.
//
// A document's id is the folder's name with the path below it ("docs/guide/a.md"), and
// a file keeps the id that it was first indexed under. When another folder of that
// name has the id already, the absolute path is the id.
// Its source is the folder's name and its uri the file: URL.
func Files(paths ...string) Source { return &files{paths: paths} }

type files struct {
	paths []string
	only  map[string]bool // nil, or the absolute paths to read: what changed
}

// root is one path of the caller, made absolute.
type root struct {
	abs    string // file or folder
	real   string // the same without links
	base   string // begins the ids: its name
	info   fs.FileInfo
	within bool // another root hands its files over
}

func (f *files) roots() (roots []root, urls []string, stdin bool, failed []*Failure) {
	bases := map[string]string{}
	for _, given := range f.paths {
		if isURL(given) {
			urls = append(urls, given)
			continue
		}
		if given == "-" {
			stdin = true
			continue
		}
		matches := []string{given}
		if _, err := os.Stat(given); err != nil && strings.ContainsAny(given, "*?[") {
			if m, err := filepath.Glob(given); err == nil && len(m) > 0 {
				matches = m
			}
		}
		for _, p := range matches {
			abs, err := filepath.Abs(p)
			if err != nil {
				failed = append(failed, failf(p, "%v", err))
				continue
			}
			info, err := os.Stat(abs)
			if err != nil {
				failed = append(failed, &Failure{ID: p, Reason: plainError(err), uri: fileURI(abs)})
				continue
			}
			base := filepath.Base(abs)
			if base == string(filepath.Separator) {
				base = ""
			}
			if other, taken := bases[base]; taken && other != abs {
				base = abs
			} else {
				bases[base] = abs
			}
			if !slices.ContainsFunc(roots, func(r root) bool { return r.abs == abs }) {
				real, err := filepath.EvalSymlinks(abs)
				if err != nil {
					real = abs // reading it will say what is wrong
				}
				roots = append(roots, root{abs: abs, real: real, base: base, info: info})
			}
		}
	}
	markWithin(roots)
	return roots, urls, stdin, failed
}

// markWithin finds the roots whose files another root hands over, too: the same path
// by another name, or one below a folder.
func markWithin(roots []root) {
	for i := len(roots) - 1; i >= 0; i-- { // of equal ones the first stays
		r := &roots[i]
		r.within = slices.ContainsFunc(roots, func(other root) bool {
			return other.abs != r.abs && !other.within && other.holds(r.real, r.info.IsDir())
		})
	}
}

// holds reports whether walking the root comes past a path without links.
func (r root) holds(real string, isDir bool) bool {
	if real == r.real {
		return true
	}
	rel, err := filepath.Rel(r.real, real)
	if err != nil || !r.info.IsDir() {
		return false
	}
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") { // "..", too
		if passedOver(name) {
			return false
		}
	}
	return isDir || formatOf(real) != ""
}

// passedOver reports whether a file or folder of this name is not looked at.
func passedOver(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

func formatOf(path string) string { return formats[strings.ToLower(filepath.Ext(path))] }

// distinct returns a function that reports whether a link leads to a file that is
// handed over anyway: by its own name, or by an earlier link.
func distinct(roots []root) (again func(link string) bool) {
	linked := map[string]bool{}
	return func(link string) bool {
		real, err := filepath.EvalSymlinks(link)
		if err != nil {
			return false // reading it will say what is wrong
		}
		if linked[real] || slices.ContainsFunc(roots, func(r root) bool { return r.holds(real, false) }) {
			return true
		}
		linked[real] = true
		return false
	}
}

func (f *files) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		roots, urls, stdin, failed := f.roots()
		for _, fail := range failed {
			if !yield(Document{}, fail) {
				return
			}
		}
		again := distinct(roots)
		for _, r := range roots {
			if !r.within && !r.documents(ctx, f.only, again, yield) {
				return
			}
		}
		if stdin && !yield(readStdin(ctx)) {
			return
		}
		if len(urls) > 0 {
			URL(urls...).Documents(ctx)(yield)
		}
	}
}

// documents hands over the files of one root and reports whether to go on.
func (r root) documents(ctx context.Context, only map[string]bool, again func(string) bool, yield func(Document, error) bool) bool {
	if !r.info.IsDir() {
		if only != nil && !only[r.abs] {
			return true
		}
		if formatOf(r.abs) == "" {
			return yield(Document{}, &Failure{ID: r.base, uri: fileURI(r.abs),
				Reason: fmt.Sprintf("file type %q is not supported; what is read ends in %s", filepath.Ext(r.abs), supported)})
		}
		return yield(r.read(r.abs, r.base))
	}
	found := 0
	goOn := r.walk(again, func(path string, err error) bool {
		if ctx.Err() != nil {
			return yield(Document{}, ctx.Err())
		}
		found++
		if err != nil {
			return yield(Document{}, &Failure{ID: r.id(path), Reason: plainError(err), uri: fileURI(path)})
		}
		if only != nil && !only[path] {
			return true
		}
		return yield(r.read(path, r.id(path)))
	})
	if goOn && found == 0 {
		// With its uri the failure guards what was indexed from here: a disk that is not
		// mounted looks like an empty folder, and is no order to prune everything.
		return yield(Document{}, &Failure{ID: r.abs, uri: fileURI(r.abs),
			Reason: "nothing to index in this folder; what is read ends in " + supported})
	}
	return goOn
}

// walk calls visit with every file to read, and with every folder or file that
// cannot be looked at, until it returns false. It passes over links for which again
// is true.
func (r root) walk(again func(link string) bool, visit func(path string, err error) bool) bool {
	stopped := errors.New("stopped")
	err := walkFolder(r.abs, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if !visit(path, err) {
				return stopped
			}
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if path != r.abs && passedOver(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || formatOf(path) == "" || d.Type()&fs.ModeSymlink != 0 && again(path) {
			return nil
		}
		if !visit(path, nil) {
			return stopped
		}
		return nil
	})
	return err == nil
}

// walkFolder is filepath.WalkDir, which would not enter a folder that is itself a link.
func walkFolder(dir string, visit fs.WalkDirFunc) error {
	return filepath.WalkDir(strings.TrimSuffix(dir, "/")+"/", func(path string, d fs.DirEntry, err error) error {
		return visit(filepath.Clean(path), d, err)
	})
}

func (r root) id(path string) string {
	rel, err := filepath.Rel(r.abs, path)
	if err != nil || rel == "." {
		return filepath.ToSlash(r.base)
	}
	return strings.TrimPrefix(filepath.ToSlash(filepath.Join(r.base, rel)), "./")
}

// read reads one file.
func (r root) read(path, id string) (Document, error) {
	fail := func(reason string) (Document, error) {
		return Document{}, &Failure{ID: id, Reason: reason, uri: fileURI(path)}
	}
	// Opening a named pipe would wait for its other end.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fail(plainError(err))
	case info.IsDir():
		return fail("is a folder")
	case !info.Mode().IsRegular():
		return fail("is not a regular file")
	case info.Size() > maxFileBytes:
		return fail(fmt.Sprintf("has %d MiB; at most %d MiB are read", info.Size()>>20, maxFileBytes>>20))
	}
	file, err := os.Open(path)
	if err != nil {
		return fail(plainError(err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes))
	if err != nil {
		return fail(plainError(err))
	}
	format := formatOf(path)
	text, err := decodeText(data, format, "")
	if err != nil {
		return fail(err.Error())
	}
	name := filepath.Base(path)
	return Document{
		ID: id, Text: text, Format: format, URI: fileURI(path), Source: filepath.Base(r.abs),
		altID: filepath.ToSlash(path), fallbackTitle: strings.TrimSuffix(name, filepath.Ext(name)),
	}, nil
}

func readStdin(ctx context.Context) (Document, error) {
	in := interruptible(os.Stdin)
	defer context.AfterFunc(ctx, func() { in.Close() })()
	data, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if ctx.Err() != nil {
		return Document{}, ctx.Err()
	}
	if err != nil {
		return Document{}, failf("-", "%s", plainError(err))
	}
	if len(data) > maxFileBytes {
		return Document{}, failf("-", "standard input has more than %d MiB", maxFileBytes>>20)
	}
	text, err := decodeText(data, chunk.Text, "")
	if err != nil {
		return Document{}, failf("-", "%v", err)
	}
	return Document{ID: "stdin", Text: text, Format: chunk.Text, Source: "stdin"}, nil
}

// Scopes are the folders and files themselves: a document whose file is gone from
// there is pruned. So is one that was stored under a second name of its file.
func (f *files) Scopes() []Scope {
	roots, urls, _, _ := f.roots()
	var scopes []Scope
	for _, r := range roots {
		uri := fileURI(r.abs)
		if r.info.IsDir() {
			scopes = append(scopes, Scope{URIPrefix: strings.TrimSuffix(uri, "/") + "/"})
		} else {
			scopes = append(scopes, Scope{URI: uri})
		}
	}
	for _, u := range urls {
		scopes = append(scopes, Scope{URI: u})
	}
	return scopes
}

// Count counts the files, without reading them.
func (f *files) Count(ctx context.Context) int {
	roots, urls, _, _ := f.roots()
	n := len(urls)
	again := distinct(roots)
	for _, r := range roots {
		switch {
		case r.within:
		case r.info.IsDir():
			r.walk(again, func(string, error) bool { n++; return ctx.Err() == nil })
		default:
			n++
		}
	}
	return n
}

func fileURI(abs string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
}

// filePath is the path of a file: URL, or "".
func filePath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// plainError is what went wrong without the path, which is said already.
func plainError(err error) string { return withoutPath(err).Error() }

func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func vanished(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
