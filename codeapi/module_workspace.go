package codeapi

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const workspaceText = `
"""Files that stay between programs. Without a session they lie in one's own space and
stay; a session, new_session(), is a space with a handle and an end, which can be granted
to other identities: so several agents work on one task. A file in a session may also be
named HANDLE/NAME."""

def write_file(name, content, session=None, *, append=False, content_type=None, if_match=None):
    """Writes a file, whole or not at all, and returns {name, path, type, size, etag,
    updated, writer, expires}. content is text or bytes, or a value: as JSON, for a name in
    .jsonl a list as one JSON value a line, for .csv a list of dicts or of lists as rows.
    append=True adds lines. A file that another identity wrote last is not overwritten
    (FileExistsError) unless if_match is its etag or "*"; "new" demands that there is none.
    At most 2 MiB a call."""

def read_file(name, session=None):
    """The file as text."""

def read_json(name, session=None):
    """The value of a JSON file."""

def read_jsonl(name, session=None):
    """The values of a file with one JSON value a line, as a list."""

def read_csv(name, session=None, *, header=True):
    """The rows of a CSV file: dicts by the names in the first line, or with header=False
    lists. All values are text."""

def list_files(prefix="", session=None, *, limit=1000):
    """The files whose names begin with prefix, in the order of their names, as a list of
    {name, path, type, size, etag, updated, writer, expires}."""

def delete_file(name, session=None, *, if_match=None):
    """Deletes a file."""

def new_session(hours=None):
    """Makes a session that lives for so many hours (default 24, at most 720) and returns
    {handle, owner, expires, writes, files, bytes}."""

def list_sessions():
    """The sessions that one owns or was granted, the newest first."""

def grant(session, to, writes=False):
    """Lets another identity, by name, read the files of a session of one's own, or with
    writes=True write them, too."""

def revoke_grant(session, to):
    """Takes a grant back, from the next call on."""
`

var workspaceDoc = guest.Lazy(workspaceText)

func (r *run) workspaceModule() *pylang.Module {
	return &pylang.Module{
		Name: "workspace", Doc: workspaceDoc().Doc,
		Members: workspaceDoc().Bind("workspace", map[string]guest.Impl{
			"write_file": r.writeFile, "read_file": r.readText, "read_json": r.readJSON, "read_jsonl": r.readJSONL,
			"read_csv": r.readCSV, "list_files": r.listFiles, "delete_file": r.deleteFile,
			"new_session": r.newSession, "list_sessions": r.listSessions, "grant": r.grant, "revoke_grant": r.revokeGrant,
		}),
	}
}

// fileArgs are the name and the session of a file.
func fileArgs(a *guest.Args, name, session int) (f FileArgs, err error) {
	if f.Name, err = a.Str(name, ""); err != nil {
		return f, err
	}
	f.Session, err = sessionArg(a, session)
	return f, err
}

// sessionArg takes a handle or the session that new_session returned.
func sessionArg(a *guest.Args, i int) (string, error) {
	if s, ok := a.V[i].(*record); ok {
		if h, found, _ := s.Get(starlark.String("handle")); found {
			if text, ok := h.(starlark.String); ok {
				return string(text), nil
			}
		}
	}
	return a.Str(i, "")
}

func (r *run) writeFile(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	f, err := fileArgs(a, 0, 2)
	if err != nil {
		return nil, err
	}
	args := WriteFileArgs{FileArgs: f, Append: a.Bool(3, false)}
	if args.Type, err = a.Str(4, ""); err != nil {
		return nil, err
	}
	if args.IfMatch, err = a.Str(5, ""); err != nil {
		return nil, err
	}
	if args.Data, err = fileContent(t, f.Name, a.Or(1), args.Append); err != nil {
		return nil, err
	}
	if len(args.Data) > MaxFilePart {
		e := pylang.Raise("ValueError", "%s: the content is %d bytes, at most %d can be written at once", f.Name, len(args.Data), MaxFilePart)
		e.Hint = "write lines (.jsonl, .csv, .txt) in parts: write_file(name, part, append=True)"
		return nil, e
	}
	return r.serve(MethodWriteFile, args, func(raw json.RawMessage) (starlark.Value, error) { return r.record("File", raw) })
}

// fileContent is a value as the bytes of a file of that name.
func fileContent(t *starlark.Thread, name string, v starlark.Value, lines bool) ([]byte, error) {
	switch v := v.(type) {
	case starlark.String:
		return []byte(v), nil
	case starlark.Bytes:
		return []byte(v), nil
	}
	const limit = MaxFilePart + 1
	ending := strings.ToLower(path.Ext(name))
	switch ending {
	case ".jsonl", ".ndjson":
		items := []starlark.Value{v}
		if _, isDict := v.(starlark.IterableMapping); !isDict || !lines {
			var err error
			if items, err = pylang.List(t, v); err != nil {
				return nil, rowsWanted(name, v)
			}
		}
		var b bytes.Buffer
		for _, item := range items {
			line, err := encodeJSON(t, item, "content", limit)
			if err != nil {
				return nil, err
			}
			b.Write(line)
			b.WriteByte('\n')
		}
		return b.Bytes(), nil
	case ".csv":
		return csvContent(t, name, v, lines)
	}
	return encodeJSON(t, v, "content", limit)
}

func rowsWanted(name string, v starlark.Value) error {
	return pylang.Raise("TypeError", "%s takes text or a list of rows, got %s", name, guest.Describe(v))
}

// csvContent writes rows: dicts under a line with the keys of the first, or lists.
func csvContent(t *starlark.Thread, name string, v starlark.Value, appended bool) ([]byte, error) {
	rows, err := pylang.List(t, v)
	if err != nil {
		return nil, rowsWanted(name, v)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	var keys []starlark.Value
	for i, row := range rows {
		var cells []starlark.Value
		if m, ok := row.(starlark.IterableMapping); ok {
			if i == 0 {
				if keys, err = pylang.List(t, row); err != nil {
					return nil, err
				}
				if !appended {
					if err := writeCells(t, w, keys); err != nil {
						return nil, err
					}
				}
			}
			known := 0
			for _, k := range keys {
				cell, found, err := m.Get(k)
				if err != nil {
					return nil, err
				}
				if !found {
					cell = starlark.None
				} else {
					known++
				}
				cells = append(cells, cell)
			}
			if n := starlark.Len(row); n > known {
				return nil, pylang.Raise("ValueError", "%s: row %d has keys that the first row has not", name, i+1)
			}
		} else if cells, err = pylang.List(t, row); err != nil {
			return nil, rowsWanted(name, v)
		}
		if err := writeCells(t, w, cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func writeCells(t *starlark.Thread, w *csv.Writer, cells []starlark.Value) error {
	texts := make([]string, len(cells))
	for i, c := range cells {
		if c == starlark.None {
			continue
		}
		s, err := pylang.Str(t, c)
		if err != nil {
			return err
		}
		texts[i] = s
	}
	return w.Write(texts)
}

// file reads a whole file, which may take several calls.
func (r *run) file(f FileArgs) ([]byte, error) {
	var data []byte
	etag := ""
	for {
		var part FilePart
		if err := r.serveNow(MethodReadFile, ReadFileArgs{FileArgs: f, Offset: int64(len(data))}, &part); err != nil {
			return nil, err
		}
		if etag != "" && part.ETag != etag { // written meanwhile: from the start
			data, etag = nil, ""
			continue
		}
		etag = part.ETag
		if err := pylang.CheckAlloc(r.thread, int64(len(data)+len(part.Data))); err != nil {
			return nil, err
		}
		data = append(data, part.Data...)
		if int64(len(data)) >= part.Size || len(part.Data) == 0 {
			return data, nil
		}
	}
}

func (r *run) textFile(a *guest.Args) (name, text string, err error) {
	f, err := fileArgs(a, 0, 1)
	if err != nil {
		return "", "", err
	}
	data, err := r.file(f)
	if err != nil {
		return "", "", err
	}
	if !utf8.Valid(data) {
		e := pylang.Raise("UnicodeDecodeError", "%s holds %d bytes that are no text", f.Name, len(data))
		return "", "", e
	}
	return f.Name, string(data), nil
}

func (r *run) readText(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	_, text, err := r.textFile(a)
	if err != nil {
		return nil, err
	}
	return starlark.String(text), nil
}

func (r *run) readJSON(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	name, text, err := r.textFile(a)
	if err != nil {
		return nil, err
	}
	return parsedJSON(name, 0, text)
}

func parsedJSON(name string, line int, text string) (starlark.Value, error) {
	var v starlark.Value
	var err error
	if !json.Valid([]byte(text)) {
		var any json.RawMessage
		err = json.Unmarshal([]byte(text), &any)
	} else {
		v, err = fromJSON(json.RawMessage(text), 0)
	}
	switch {
	case err != nil && line > 0:
		return nil, pylang.Raise("ValueError", "%s, line %d is not JSON: %v", name, line, err)
	case err != nil:
		return nil, pylang.Raise("ValueError", "%s is not JSON: %v", name, err)
	}
	return v, nil
}

func (r *run) readJSONL(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	name, text, err := r.textFile(a)
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := pylang.Poll(t); err != nil {
			return nil, err
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		v, err := parsedJSON(name, n, line)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return starlark.NewList(out), nil
}

func (r *run) readCSV(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	name, text, err := r.textFile(a)
	if err != nil {
		return nil, err
	}
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, pylang.Raise("ValueError", "%s is not CSV: %v", name, err)
	}
	var out []starlark.Value
	header := a.Bool(2, true)
	for i, row := range rows {
		if !header {
			cells := make([]starlark.Value, len(row))
			for j, c := range row {
				cells[j] = starlark.String(c)
			}
			out = append(out, starlark.NewList(cells))
			continue
		}
		if i == 0 {
			continue
		}
		d := starlark.NewDict(len(row))
		for j, key := range rows[0] {
			cell := starlark.Value(starlark.None)
			if j < len(row) {
				cell = starlark.String(row[j])
			}
			if err := d.SetKey(starlark.String(key), cell); err != nil {
				return nil, err
			}
		}
		if len(row) > len(rows[0]) {
			return nil, pylang.Raise("ValueError", "%s, row %d has %d cells under %d names", name, i+1, len(row), len(rows[0]))
		}
		out = append(out, d)
	}
	return starlark.NewList(out), nil
}

func (r *run) listFiles(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var args ListFilesArgs
	var err error
	if args.Prefix, err = a.Str(0, ""); err != nil {
		return nil, err
	}
	if args.Session, err = sessionArg(a, 1); err != nil {
		return nil, err
	}
	if args.Limit, err = a.Int(2, 1000, 1, 1000); err != nil {
		return nil, err
	}
	return r.serve(MethodListFiles, args, func(raw json.RawMessage) (starlark.Value, error) {
		var list struct {
			Files []json.RawMessage `json:"files"`
		}
		if err := decodeReply(MethodListFiles, raw, &list); err != nil {
			return nil, err
		}
		return r.recordList("File", list.Files)
	})
}

func (r *run) deleteFile(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	f, err := fileArgs(a, 0, 1)
	if err != nil {
		return nil, err
	}
	if f.IfMatch, err = a.Str(2, ""); err != nil {
		return nil, err
	}
	return r.serve(MethodDeleteFile, f, none)
}

func (r *run) newSession(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	hours, err := a.Float(0, 0, 0.001, 24*365)
	if err != nil {
		return nil, err
	}
	return r.serve(MethodSession, SessionArgs{Hours: hours}, func(raw json.RawMessage) (starlark.Value, error) {
		return r.record("Session", raw)
	})
}

func (r *run) listSessions(*starlark.Thread, *guest.Args) (starlark.Value, error) {
	return r.serve(MethodSessions, struct{}{}, func(raw json.RawMessage) (starlark.Value, error) {
		var list struct {
			Sessions []json.RawMessage `json:"sessions"`
		}
		if err := decodeReply(MethodSessions, raw, &list); err != nil {
			return nil, err
		}
		return r.recordList("Session", list.Sessions)
	})
}

func (r *run) grant(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	g, err := grantArgs(a)
	if err != nil {
		return nil, err
	}
	g.Writes = a.Bool(2, false)
	return r.serve(MethodGrant, g, none)
}

func (r *run) revokeGrant(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	g, err := grantArgs(a)
	if err != nil {
		return nil, err
	}
	g.Revoke = true
	return r.serve(MethodGrant, g, none)
}

func grantArgs(a *guest.Args) (g GrantArgs, err error) {
	if g.Session, err = sessionArg(a, 0); err != nil {
		return g, err
	}
	g.To, err = a.Str(1, "")
	return g, err
}
