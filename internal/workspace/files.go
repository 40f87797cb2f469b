package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/spell"
)

func newETag() string { return rand.Text()[:16] }

// before is what a writer finds under a name.
type before struct {
	exists   bool
	etag     string
	size     int64
	writer   int64
	name     string // of the writer
	last     []byte // byte
	fileType string
}

func findBefore(ctx context.Context, tx pgx.Tx, s space, name string) (b before, err error) {
	err = tx.QueryRow(ctx, `select f.etag, f.size, f.writer_id, i.name, substring(f.data from f.size for 1), f.content_type
		from workspace_files f join identities i on i.id = f.writer_id where f.workspace_id = $1 and f.name = $2`, s.id, name).
		Scan(&b.etag, &b.size, &b.writer, &b.name, &b.last, &b.fileType)
	if errors.Is(err, pgx.ErrNoRows) {
		return before{}, nil
	}
	if err != nil {
		return b, fmt.Errorf("find file %q: %w", name, err)
	}
	b.exists = true
	return b, nil
}

// match compares what is there with what the writer expects.
func (b before) match(p Place, name, ifMatch string) error {
	switch {
	case ifMatch == "*":
	case ifMatch == "new":
		if b.exists {
			return fmt.Errorf("file %q %w: it exists, written by %s (etag %s); read it, or take another name", name, ErrConflict, b.name, b.etag)
		}
	case ifMatch != "" && !b.exists:
		return fmt.Errorf("file %q %w: it was deleted; write it without an etag to make it again", name, ErrConflict)
	case ifMatch != "" && ifMatch != b.etag:
		return fmt.Errorf("file %q %w: its etag is %s now, written by %s; read it again and write with that etag", name, ErrConflict, b.etag, b.name)
	case ifMatch == "" && b.exists && b.writer != p.Identity:
		return fmt.Errorf("file %q %w: %s wrote it last; read it and write with its etag (%s)", name, ErrConflict, b.name, b.etag)
	}
	return nil
}

// Write stores a file, whole or not at all.
func (s *Store) Write(ctx context.Context, p Place, name string, data []byte, o WriteOptions) (f File, err error) {
	if name, err = cleanName(name); err != nil {
		return f, err
	}
	if int64(len(data)) > s.cfg.FileBytes {
		return f, fmt.Errorf("%w: file %q would have %d bytes, at most %d; divide it", ErrQuota, name, len(data), s.cfg.FileBytes)
	}
	fileType, err := contentType(name, o.ContentType, data)
	if err != nil {
		return f, err
	}
	if err := checkContent(name, fileType, data); err != nil {
		return f, err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		sp, err := lock(ctx, tx, p)
		if err != nil {
			return err
		}
		b, err := findBefore(ctx, tx, sp, name)
		if err != nil {
			return err
		}
		if err := b.match(p, name, o.IfMatch); err != nil {
			return err
		}
		f, err = s.put(ctx, tx, sp, p, name, fileType, data, b)
		return err
	})
	return f, err
}

const fileColumns = `f.name, f.content_type, f.size, f.etag, f.created_at, f.updated_at, i.name`

func (f *File) fields() []any {
	return []any{&f.Name, &f.ContentType, &f.Size, &f.ETag, &f.Created, &f.Updated, &f.Writer}
}

// put stores a whole file in a space that is locked.
func (s *Store) put(ctx context.Context, tx pgx.Tx, sp space, p Place, name, fileType string, data []byte, b before) (f File, err error) {
	added := 1
	if b.exists {
		added = 0
	}
	if err := s.grow(ctx, tx, sp, int64(len(data))-b.size, added); err != nil {
		return f, err
	}
	if data == nil {
		data = []byte{} // not null
	}
	err = tx.QueryRow(ctx, `with f as (
			insert into workspace_files (workspace_id, name, etag, content_type, size, writer_id, data) values ($1, $2, $3, $4, $5, $6, $7)
			on conflict (workspace_id, name) do update set etag = excluded.etag, content_type = excluded.content_type,
				size = excluded.size, writer_id = excluded.writer_id, data = excluded.data, updated_at = now() returning *)
		select `+fileColumns+` from f join identities i on i.id = f.writer_id`,
		sp.id, name, newETag(), fileType, len(data), p.Identity, data).Scan(f.fields()...)
	if err != nil {
		return f, fmt.Errorf("write file %q: %w", name, err)
	}
	f.Expires = sp.expires
	return f, nil
}

// Append adds data to a file of lines (JSON lines, CSV, text), which is made when there
// is none: a line break first where the last line has none, and one at the end. Lines
// of several writers at once are all kept. Of IfMatch only "new" and an etag bind; the
// type of a file that exists stays. It costs as much as writing the whole file.
func (s *Store) Append(ctx context.Context, p Place, name string, data []byte, o WriteOptions) (f File, err error) {
	if name, err = cleanName(name); err != nil {
		return f, err
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data[:len(data):len(data)], '\n')
	}
	fileType, err := contentType(name, o.ContentType, data)
	if err != nil {
		return f, err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		sp, err := lock(ctx, tx, p)
		if err != nil {
			return err
		}
		b, err := findBefore(ctx, tx, sp, name)
		if err != nil {
			return err
		}
		if b.exists {
			fileType = b.fileType
		}
		if !isLines(fileType) {
			return fmt.Errorf("%w: %q is %s, to which no lines can be appended; use a name that ends with .jsonl, .csv or .txt", ErrInvalid, name, fileType)
		}
		if err := checkContent(name, fileType, data); err != nil {
			return err
		}
		if o.IfMatch != "" {
			if err := b.match(p, name, o.IfMatch); err != nil {
				return err
			}
		}
		if len(data) > 0 && len(b.last) > 0 && b.last[0] != '\n' {
			data = append([]byte("\n"), data...)
		}
		if size := b.size + int64(len(data)); size > s.cfg.FileBytes {
			return fmt.Errorf("%w: file %q would have %d bytes, at most %d; begin another", ErrQuota, name, size, s.cfg.FileBytes)
		}
		if !b.exists {
			f, err = s.put(ctx, tx, sp, p, name, fileType, data, b)
			return err
		}
		if err := s.grow(ctx, tx, sp, int64(len(data)), 0); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `with f as (
				update workspace_files set data = data || $3, size = size + $4, etag = $5, writer_id = $6, updated_at = now()
				where workspace_id = $1 and name = $2 returning *)
			select `+fileColumns+` from f join identities i on i.id = f.writer_id`,
			sp.id, name, data, len(data), newETag(), p.Identity).Scan(f.fields()...)
		if err != nil {
			return fmt.Errorf("append to file %q: %w", name, err)
		}
		f.Expires = sp.expires
		return nil
	})
	return f, err
}

// Read returns a file with its bytes.
func (s *Store) Read(ctx context.Context, p Place, name string) (File, []byte, error) {
	return s.ReadRange(ctx, p, name, 0, math.MaxInt32)
}

// ReadRange is Read of at most length bytes from offset on. It may cut a character;
// File.Size tells the whole size.
func (s *Store) ReadRange(ctx context.Context, p Place, name string, offset, length int64) (File, []byte, error) {
	if offset < 0 || length < 0 {
		return File{}, nil, fmt.Errorf("%w: range from %d, %d bytes: both must be 0 or above", ErrInvalid, offset, length)
	}
	return s.read(ctx, p, name, min(offset, maxFileBytes), min(length, maxFileBytes))
}

// Stat describes a file without its bytes.
func (s *Store) Stat(ctx context.Context, p Place, name string) (File, error) {
	f, _, err := s.read(ctx, p, name, 0, 0)
	return f, err
}

// read is one statement, so that what it returns stood together at one moment.
func (s *Store) read(ctx context.Context, p Place, name string, offset, length int64) (f File, data []byte, err error) {
	if name, err = cleanName(name); err != nil {
		return f, nil, err
	}
	var sp space
	var there bool
	// Coalesced: of a file that is not there, everything is null.
	err = s.pool.QueryRow(ctx, `with space (id, owner_id, handle, created, expires, over, writes, bytes, files, owned, owner) as (select `+spaceColumns+` `+p.at()+`)
		select s.*, f.name is not null, coalesce(f.name, ''), coalesce(f.content_type, ''), coalesce(f.size, 0), coalesce(f.etag, ''),
			coalesce(f.created_at, now()), coalesce(f.updated_at, now()), coalesce(i.name, ''), coalesce(substring(f.data from $4::int for $5::int), '')
		from space s left join workspace_files f on f.workspace_id = s.id and f.name = $3 left join identities i on i.id = f.writer_id`,
		p.Identity, p.Session, name, offset+1, length).Scan(append(append(sp.fields(), append([]any{&there}, f.fields()...)...), &data)...)
	if sp, err = sp.check(p, err); err != nil {
		return File{}, nil, err
	}
	if !there {
		return File{}, nil, s.noFile(ctx, sp, name)
	}
	f.Expires = sp.expires
	return f, data, nil
}

// noFile tells what may have been meant.
func (s *Store) noFile(ctx context.Context, sp space, name string) error {
	where := "your own workspace"
	if sp.handle != "" {
		where = "workspace session " + sp.handle
	}
	rows, err := s.pool.Query(ctx, `select name from workspace_files where workspace_id = $1 order by updated_at desc limit 200`, sp.id)
	if err != nil {
		return fmt.Errorf("file %q %w in %s", name, ErrNotFound, where)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if near := spell.Nearest(name, names); err == nil && near != "" {
		return fmt.Errorf("file %q %w in %s; did you mean %q?", name, ErrNotFound, where, near)
	}
	return fmt.Errorf("file %q %w in %s; list_files() shows what there is", name, ErrNotFound, where)
}

// Delete deletes a file. ifMatch is as in [WriteOptions].
func (s *Store) Delete(ctx context.Context, p Place, name, ifMatch string) error {
	name, err := cleanName(name)
	if err != nil {
		return err
	}
	var sp space
	missing := false
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if sp, err = lock(ctx, tx, p); err != nil {
			return err
		}
		b, err := findBefore(ctx, tx, sp, name)
		if err != nil {
			return err
		}
		if missing = !b.exists; missing {
			return nil
		}
		if err := b.match(p, name, ifMatch); err != nil {
			return err
		}
		if err := s.grow(ctx, tx, sp, -b.size, -1); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `delete from workspace_files where workspace_id = $1 and name = $2`, sp.id, name); err != nil {
			return fmt.Errorf("delete file %q: %w", name, err)
		}
		return nil
	})
	if err == nil && missing {
		return s.noFile(ctx, sp, name)
	}
	return err
}

const (
	defaultList = 100
	maxList     = 1000
)

// List returns files whose names begin with prefix, by name, after the name after. limit
// defaults to 100, at most 1,000.
func (s *Store) List(ctx context.Context, p Place, prefix, after string, limit int) (l Listing, err error) {
	if prefix, err = cleanPrefix(prefix); err != nil {
		return l, err
	}
	if after, err = cleanPrefix(after); err != nil {
		return l, err
	}
	if limit <= 0 {
		limit = defaultList
	}
	limit = min(limit, maxList)
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		sp, err := find(ctx, tx, p)
		if err != nil {
			return err
		}
		l = Listing{TotalFiles: sp.files, TotalBytes: sp.bytes, Expires: sp.expires}
		l.QuotaBytes, l.QuotaFiles = sp.quotas(s.cfg)
		rows, err := tx.Query(ctx, `select `+fileColumns+` from workspace_files f join identities i on i.id = f.writer_id
			where f.workspace_id = $1 and f.name > $3 and f.name >= $2 and starts_with(f.name, $2) order by f.name limit $4`, sp.id, prefix, after, limit+1)
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		l.Files, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f File, err error) {
			f.Expires = sp.expires
			return f, row.Scan(f.fields()...)
		})
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		if len(l.Files) > limit {
			l.Files = l.Files[:limit]
			l.Next = l.Files[limit-1].Name
		}
		return nil
	})
	return l, err
}

// Keep stores data under a name that is free: the given one, or with -2, -3, … before
// its ending. With no session in p it goes into a new one, so that it does not stay for
// ever.
func (s *Store) Keep(ctx context.Context, p Place, name string, data []byte, fileType string) (Kept, error) {
	made := p.Session == ""
	if made {
		session, err := s.NewSession(ctx, p.Identity, 0)
		if err != nil {
			return Kept{}, err
		}
		p.Session = session.Handle
	}
	f, err := s.writeFree(ctx, p, name, data, fileType)
	if err != nil {
		if made {
			err = errors.Join(err, s.EndSession(ctx, p))
		}
		return Kept{}, err
	}
	k := Kept{Session: p.Session, File: f}
	k.Preview, k.Lines = preview(f.ContentType, data, s.cfg.PreviewBytes)
	return k, nil
}

func (s *Store) writeFree(ctx context.Context, p Place, name string, data []byte, fileType string) (File, error) {
	ending := path.Ext(name)
	stem := strings.TrimSuffix(name, ending)
	for n := 1; ; n++ {
		free := name
		switch {
		case n > 20: // so many already: no more counting
			free = stem + "-" + strings.ToLower(rand.Text()[:8]) + ending
		case n > 1:
			free = fmt.Sprintf("%s-%d%s", stem, n, ending)
		}
		f, err := s.Write(ctx, p, free, data, WriteOptions{ContentType: fileType, IfMatch: "new"})
		if !errors.Is(err, ErrConflict) {
			return f, err
		}
	}
}
