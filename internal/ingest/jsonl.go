package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmcis/bmcis/internal/chunk"
)

// maxLineBytes bounds one JSON line.
const maxLineBytes = maxFileBytes

// JSONL reads one JSON document a line from a file (also .gz), or from standard input
// when path is "-":
//
//	{"id": "a", "title": "…", "text": "…", "source": "…", "uri": "…", "metadata": {…}, "year": 2024}
//
// Only id is required. Other keys, year here, go into the metadata. The source
// defaults to the file's name. Documents are plain text and stay in one chunk when
// they fit the embedding model. A broken line is a Failure named FILE:LINE.
func JSONL(path string) Source {
	if path == "-" {
		return &jsonl{name: "stdin", open: func() (io.ReadCloser, error) { return interruptible(os.Stdin), nil }}
	}
	return &jsonl{
		name: filepath.Base(path), source: stem(path), count: func(ctx context.Context) int { return countLines(ctx, path) },
		open: func() (io.ReadCloser, error) {
			r, err := openMaybeGzip(path)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", path, withoutPath(err))
			}
			return r, nil
		},
	}
}

// BEIR reads corpus.jsonl (or corpus.jsonl.gz) of a folder in BEIR layout: {"_id",
// "title", "text", "metadata"?} a line. The source is the folder's name.
func BEIR(dir string) Source {
	path := filepath.Join(dir, "corpus.jsonl")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(path + ".gz"); err == nil {
			path += ".gz"
		}
	}
	name := filepath.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	return &jsonl{
		name: filepath.Base(path), source: name, count: func(ctx context.Context) int { return countLines(ctx, path) },
		open: func() (io.ReadCloser, error) {
			r, err := openMaybeGzip(path)
			if err != nil {
				return nil, fmt.Errorf("read BEIR folder: %w; its documents are in corpus.jsonl or corpus.jsonl.gz", err)
			}
			return r, nil
		},
	}
}

type jsonl struct {
	name   string // in the names of broken lines
	source string
	open   func() (io.ReadCloser, error)
	count  func(context.Context) int
}

func (j *jsonl) Count(ctx context.Context) int {
	if j.count == nil {
		return 0
	}
	return j.count(ctx)
}

func (j *jsonl) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		r, err := j.open()
		if err != nil {
			yield(Document{}, err)
			return
		}
		defer r.Close()
		defer context.AfterFunc(ctx, func() { r.Close() })()
		lines := bufio.NewReaderSize(r, 1<<20)
		for n := 1; ; n++ {
			if ctx.Err() != nil {
				yield(Document{}, ctx.Err())
				return
			}
			line, tooLong, err := readLine(lines)
			if err != nil && err != io.EOF {
				if ctx.Err() != nil {
					err = ctx.Err()
				}
				yield(Document{}, fmt.Errorf("read %s line %d: %w", j.name, n, err))
				return
			}
			ended := err == io.EOF
			if n == 1 {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark
			}
			where := fmt.Sprintf("%s:%d", j.name, n)
			switch {
			case tooLong:
				if !yield(Document{}, &Failure{ID: where, Reason: fmt.Sprintf("line has more than %d MiB", maxLineBytes>>20), unnamed: true}) {
					return
				}
			case len(bytes.TrimSpace(line)) > 0:
				d, err := parseLine(line)
				if err != nil {
					err = &Failure{ID: where, Reason: err.Error(), unnamed: true}
				}
				if d.Source == "" {
					d.Source = j.source
				}
				if !yield(d, err) {
					return
				}
			}
			if ended {
				return
			}
		}
	}
}

// interruptible makes a reader whose Close ends a Read that waits: a person who stops
// the program while it waits for standard input should not have to wait too. The
// goroutine that waits is given up.
func interruptible(r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return out
}

// readLine returns the next line; what is beyond the limit of one is skipped.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			if len(line) > maxLineBytes {
				line, tooLong = nil, true
			}
		}
		if err != bufio.ErrBufferFull {
			return line, tooLong, err
		}
	}
}

// parseLine reads one document.
func parseLine(line []byte) (Document, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) {
			return Document{}, fmt.Errorf("is JSON, but not an object: %s", other.Value)
		}
		return Document{}, fmt.Errorf("is not a JSON object: %w", err)
	}
	if fields == nil {
		return Document{}, errors.New("is null, not a JSON object")
	}
	d := Document{Format: chunk.Text, Whole: true, Metadata: map[string]any{}}
	var err error
	take := func(key string) json.RawMessage {
		v := fields[key]
		delete(fields, key)
		return v
	}
	if d.ID, err = idOf(take("_id")); err == nil && d.ID == "" {
		d.ID, err = idOf(take("id"))
	}
	if err != nil {
		return Document{}, err
	}
	if d.ID == "" {
		return Document{}, errors.New(`has no "id"`)
	}
	for _, f := range []struct {
		key string
		to  *string
	}{{"title", &d.Title}, {"text", &d.Text}, {"source", &d.Source}, {"uri", &d.URI}} {
		if raw := take(f.key); raw != nil {
			if err := json.Unmarshal(raw, f.to); err != nil {
				return Document{}, fmt.Errorf("%q is not a string", f.key)
			}
		}
	}
	var given map[string]any
	if raw := take("metadata"); raw != nil {
		if err := decode(raw, &given); err != nil {
			return Document{}, errors.New(`"metadata" is not an object`)
		}
	}
	for key, raw := range fields {
		var v any
		if err := decode(raw, &v); err != nil {
			return Document{}, fmt.Errorf("%q: %w", key, err)
		}
		d.Metadata[key] = v
	}
	maps.Copy(d.Metadata, given)
	return d, nil
}

// decode keeps numbers as they are written: a float64 would round ids and amounts
// beyond 2^53.
func decode(raw json.RawMessage, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(to)
}

// idOf reads an id, which may be a number.
func idOf(raw json.RawMessage) (string, error) {
	if raw == nil || string(raw) == "null" {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String(), nil
	}
	return "", errors.New(`"id" is neither a string nor a number`)
}

func openMaybeGzip(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a folder, not a file of JSON lines")}
	}
	if !strings.HasSuffix(path, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("is not a gzip file: %w", err)}
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// countLines counts a file's lines, at about 2 GB a second; 0 when it cannot.
func countLines(ctx context.Context, path string) int {
	if strings.HasSuffix(path, ".gz") {
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	n, last := 0, byte('\n')
	buf := make([]byte, 1<<20)
	for ctx.Err() == nil {
		k, err := f.Read(buf)
		if k > 0 {
			n += bytes.Count(buf[:k], []byte("\n"))
			last = buf[k-1]
		}
		if err != nil {
			break
		}
	}
	if last != '\n' {
		n++
	}
	return n
}

func stem(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}
