package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// space is a row of workspaces as an identity may use it.
type space struct {
	id      int64
	owner   int64
	handle  string // empty: its owner's own
	created time.Time
	expires *time.Time
	over    bool
	writes  bool
	bytes   int64
	files   int
	owned   bool   // by who asks
	name    string // of the owner
}

// visible are the spaces that identity $1 owns or was granted.
const visible = `from workspaces w join identities i on i.id = w.owner_id
	left join workspace_grants g on g.workspace_id = w.id and g.identity_id = $1
	where (w.owner_id = $1 or g.identity_id is not null) `

// at narrows them to the one of the place: its session $2, or its identity's own.
func (p Place) at() string {
	if p.Session == "" {
		return visible + `and w.owner_id = $1 and w.handle is null and $2 = ''`
	}
	return visible + `and w.handle = $2`
}

const spaceColumns = `w.id, w.owner_id, coalesce(w.handle, ''), w.created_at, w.expires_at, coalesce(w.expires_at <= clock_timestamp(), false),
	w.owner_id = $1 or g.writes, w.bytes, w.files, w.owner_id = $1, i.name`

func (s *space) fields() []any {
	return []any{&s.id, &s.owner, &s.handle, &s.created, &s.expires, &s.over, &s.writes, &s.bytes, &s.files, &s.owned, &s.name}
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// find returns the space of a place, if it is alive. An own space that was never
// written to is there, empty, with id 0.
func find(ctx context.Context, q querier, p Place) (s space, err error) {
	err = q.QueryRow(ctx, `select `+spaceColumns+` `+p.at(), p.Identity, p.Session).Scan(s.fields()...)
	return s.check(p, err)
}

// check turns the outcome of a query by [Place.at] into one for the caller.
func (s space) check(p Place, err error) (space, error) {
	switch {
	case errors.Is(err, pgx.ErrNoRows) && p.Session == "":
		return space{owner: p.Identity, writes: true, owned: true}, nil
	case errors.Is(err, pgx.ErrNoRows):
		return s, fmt.Errorf("workspace session %.60q %w: there is none for this identity; it ended long ago, was not granted, or is misspelt", p.Session, ErrNotFound)
	case err != nil:
		return s, fmt.Errorf("find workspace: %w", err)
	case s.over:
		return s, s.expired()
	}
	return s, nil
}

func (s space) expired() error {
	return fmt.Errorf("workspace session %s %w at %s, and its files are gone; start a new session", s.handle, ErrExpired, s.expires.UTC().Format(time.RFC3339))
}

// findOwn is find for what only the owner of a session may do.
func findOwn(ctx context.Context, q querier, p Place, what string) (space, error) {
	if p.Session == "" {
		return space{}, fmt.Errorf("%w: to %s is for sessions, and no session handle is given", ErrInvalid, what)
	}
	s, err := find(ctx, q, p)
	if err == nil && !s.owned {
		err = fmt.Errorf("workspace session %s: %w to %s: only its owner, %s, may", s.handle, ErrDenied, what, s.name)
	}
	return s, err
}

// lock is find for writers: it makes the own space when there is none, and holds others
// off until the end of the transaction. Writers of one owner take turns, so that all
// quotas are exact. Rights and end are looked at after the wait for the lock.
func lock(ctx context.Context, tx pgx.Tx, p Place) (s space, err error) {
	if p.Session == "" {
		_, err = tx.Exec(ctx, `insert into workspaces (owner_id) values ($1) on conflict (owner_id) where handle is null do nothing`, p.Identity)
		if err != nil {
			return s, fmt.Errorf("make workspace: %w", err)
		}
	}
	if _, err = tx.Exec(ctx, `select 1 `+p.at()+` for no key update of i, w`, p.Identity, p.Session); err != nil {
		return s, fmt.Errorf("lock workspace: %w", err)
	}
	if s, err = find(ctx, tx, p); err != nil {
		return s, err
	}
	if !s.writes {
		return s, fmt.Errorf("workspace session %s: %w to write: %s granted it for reading; ask for a grant to write", s.handle, ErrDenied, s.name)
	}
	return s, nil
}

// quotas are the bounds of this space.
func (s space) quotas(c Config) (bytes int64, files int) {
	if s.handle == "" {
		return c.OwnBytes, c.OwnFiles
	}
	return c.SessionBytes, c.SessionFiles
}

// grow books bytes and files more (or less) for a space that is locked, within quota.
func (st *Store) grow(ctx context.Context, tx pgx.Tx, s space, bytes int64, files int) error {
	maxBytes, maxFiles := s.quotas(st.cfg)
	if files > 0 && s.files+files > maxFiles {
		return fmt.Errorf("%w: the workspace has %d files and may have %d; delete some", ErrQuota, s.files, maxFiles)
	}
	if bytes > 0 {
		if s.bytes+bytes > maxBytes {
			return fmt.Errorf("%w: the workspace has %d bytes, %d more would be above %d; delete files or write less", ErrQuota, s.bytes, bytes, maxBytes)
		}
		var total int64
		err := tx.QueryRow(ctx, `select coalesce(sum(bytes), 0)::bigint from workspaces where owner_id = $1
			and (expires_at is null or expires_at > clock_timestamp())`, s.owner).Scan(&total)
		switch {
		case err != nil:
			return fmt.Errorf("add up workspaces: %w", err)
		case total+bytes > st.cfg.OwnerBytes && !s.owned: // how much its owner has elsewhere is not this identity's business
			return fmt.Errorf("%w: the owner of the session, %s, has no room left for %d bytes", ErrQuota, s.name, bytes)
		case total+bytes > st.cfg.OwnerBytes:
			return fmt.Errorf("%w: all your workspaces together have %d bytes, %d more would be above %d; delete files or end sessions", ErrQuota, total, bytes, st.cfg.OwnerBytes)
		}
	}
	_, err := tx.Exec(ctx, `update workspaces set bytes = bytes + $2, files = files + $3 where id = $1`, s.id, bytes, files)
	if err != nil {
		return fmt.Errorf("book workspace: %w", err)
	}
	return nil
}
