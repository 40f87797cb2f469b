package host

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/workspace"
)

func (s *session) files() (*workspace.Store, error) {
	if s.host.cfg.Workspace == nil || !s.who.known {
		return nil, unavailable("workspace files are", "return what is needed as the result")
	}
	return s.host.cfg.Workspace, nil
}

// place is the space that a program means: of the session with a handle, or its own. The
// name of a file in a session may have the handle before it.
func (s *session) place(handle, name string) (workspace.Place, string, error) {
	if head, rest, ok := strings.Cut(name, "/"); ok && isHandle(head) {
		if handle != "" && handle != head {
			return workspace.Place{}, "", &codeapi.Failure{Class: "ValueError", Message: "the name says session " + head + " and session= says " + handle}
		}
		handle, name = head, rest
	}
	return workspace.Place{Identity: s.who.ID, Session: handle}, name, nil
}

// isHandle tells handles from folders: a file in a folder of such a name is reached with
// session="" only by way of the store's other doors.
func isHandle(s string) bool {
	rest, ok := strings.CutPrefix(s, "ws_")
	if !ok || len(rest) != 26 {
		return false
	}
	return !strings.ContainsFunc(rest, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

func fileFailure(err error) error {
	return failure(err, workspace.ErrNotFound, "FileNotFoundError", workspace.ErrExpired, "FileNotFoundError",
		workspace.ErrInvalid, "ValueError", workspace.ErrQuota, "OSError", workspace.ErrConflict, "FileExistsError",
		workspace.ErrDenied, "PermissionError")
}

func wireFile(p workspace.Place, f workspace.File) codeapi.File {
	out := codeapi.File{Name: f.Name, Path: f.Name, Type: f.ContentType, Size: f.Size, ETag: f.ETag,
		Updated: codeapi.WireTime(f.Updated), Writer: f.Writer, Expires: wireEnd(f.Expires)}
	if p.Session != "" {
		out.Path = p.Session + "/" + f.Name
	}
	return out
}

func wireEnd(t *time.Time) string {
	if t == nil {
		return ""
	}
	return codeapi.WireTime(*t)
}

func (s *session) writeFile(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.WriteFileArgs
	store, p, name, err := s.fileCall(raw, &a, &a.FileArgs)
	if err != nil {
		return nil, err
	}
	if len(a.Data) > codeapi.MaxFilePart {
		return nil, invalid("append to it in parts", "data must be at most %d bytes, got %d", codeapi.MaxFilePart, len(a.Data))
	}
	write := store.Write
	if a.Append {
		write = store.Append
	}
	f, err := write(ctx, p, name, a.Data, workspace.WriteOptions{ContentType: a.Type, IfMatch: a.IfMatch})
	if err != nil {
		return nil, fileFailure(err)
	}
	return wireFile(p, f), nil
}

// fileCall reads arguments that name a file.
func (s *session) fileCall(raw json.RawMessage, into any, f *codeapi.FileArgs) (*workspace.Store, workspace.Place, string, error) {
	store, err := s.files()
	if err != nil {
		return nil, workspace.Place{}, "", err
	}
	if err := decode(raw, into); err != nil {
		return nil, workspace.Place{}, "", err
	}
	p, name, err := s.place(f.Session, f.Name)
	return store, p, name, err
}

func (s *session) readFile(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.ReadFileArgs
	store, p, name, err := s.fileCall(raw, &a, &a.FileArgs)
	if err != nil {
		return nil, err
	}
	f, data, err := store.ReadRange(ctx, p, name, a.Offset, codeapi.MaxFilePart)
	if err != nil {
		return nil, fileFailure(err)
	}
	return codeapi.FilePart{File: wireFile(p, f), Data: data}, nil
}

func (s *session) deleteFile(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.FileArgs
	store, p, name, err := s.fileCall(raw, &a, &a)
	if err != nil {
		return nil, err
	}
	return nil, fileFailure(store.Delete(ctx, p, name, a.IfMatch))
}

func (s *session) listFiles(ctx context.Context, raw json.RawMessage) (any, error) {
	store, err := s.files()
	if err != nil {
		return nil, err
	}
	var a codeapi.ListFilesArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if err := pageSize(a.Limit); err != nil {
		return nil, err
	}
	p, prefix, err := s.place(a.Session, a.Prefix)
	if err != nil {
		return nil, err
	}
	l, err := store.List(ctx, p, prefix, a.After, a.Limit)
	if err != nil {
		return nil, fileFailure(err)
	}
	out := codeapi.FileList{Files: make([]codeapi.File, len(l.Files)), Next: l.Next, TotalFiles: l.TotalFiles, TotalBytes: l.TotalBytes,
		QuotaFiles: l.QuotaFiles, QuotaBytes: l.QuotaBytes, Expires: wireEnd(l.Expires)}
	for i, f := range l.Files {
		out.Files[i] = wireFile(p, f)
	}
	return out, nil
}

// pageSize checks how many a list is asked for; 0 is the default.
func pageSize(n int) error {
	if n < 0 || n > 1000 {
		return invalid("", "limit must be 1..1000, got %d", n)
	}
	return nil
}

func (s *session) newSession(ctx context.Context, raw json.RawMessage) (any, error) {
	store, err := s.files()
	if err != nil {
		return nil, err
	}
	var a codeapi.SessionArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if !(a.Hours >= 0 && a.Hours <= 24*366) {
		return nil, invalid("", "hours must be 0..8784, got %v", a.Hours)
	}
	made, err := store.NewSession(ctx, s.who.ID, time.Duration(a.Hours*float64(time.Hour)))
	if err != nil {
		return nil, fileFailure(err)
	}
	return wireSession(made), nil
}

func wireSession(x workspace.Session) codeapi.Session {
	return codeapi.Session{Handle: x.Handle, Owner: x.Owner, Expires: codeapi.WireTime(x.Expires), Writes: x.Writes, Files: x.Files, Bytes: x.Bytes}
}

func (s *session) listSessions(ctx context.Context, raw json.RawMessage) (any, error) {
	store, err := s.files()
	if err != nil {
		return nil, err
	}
	if err := decode(raw, &struct{}{}); err != nil {
		return nil, err
	}
	list, err := store.Sessions(ctx, s.who.ID)
	if err != nil {
		return nil, fileFailure(err)
	}
	out := codeapi.SessionList{Sessions: make([]codeapi.Session, len(list))}
	for i, x := range list {
		out.Sessions[i] = wireSession(x)
	}
	return out, nil
}

func (s *session) grant(ctx context.Context, raw json.RawMessage) (any, error) {
	store, err := s.files()
	if err != nil {
		return nil, err
	}
	var a codeapi.GrantArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	p := workspace.Place{Identity: s.who.ID, Session: a.Session}
	if a.Revoke {
		return nil, fileFailure(store.Revoke(ctx, p, a.To))
	}
	return nil, fileFailure(store.Grant(ctx, p, a.To, a.Writes))
}

// overflow keeps whole answers in a session of the workspace of whom the context belongs
// to.
type overflow struct{ store *workspace.Store }

// KeepIn returns an [Overflow] that keeps answers in workspaces.
func KeepIn(store *workspace.Store) Overflow { return overflow{store} }

func (o overflow) Keep(ctx context.Context, name string, data []byte) (string, time.Time, error) {
	w := whoOf(ctx)
	if !w.known {
		return "", time.Time{}, unavailable("workspace files are", "")
	}
	kept, err := o.store.Keep(ctx, workspace.Place{Identity: w.ID}, name, data, "")
	if err != nil {
		return "", time.Time{}, err
	}
	end := time.Time{}
	if kept.File.Expires != nil {
		end = *kept.File.Expires
	}
	return kept.Session + "/" + kept.File.Name, end, nil
}
