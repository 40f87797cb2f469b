package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

const handlePrefix = "ws_"

func (s space) session() Session {
	return Session{Handle: s.handle, Owner: s.name, Created: s.created, Expires: *s.expires, Writes: s.writes, Files: s.files, Bytes: s.bytes}
}

func (s *Store) lifetime(asked time.Duration) (seconds float64, err error) {
	if asked == 0 {
		asked = s.cfg.Lifetime
	}
	if asked < time.Second || asked > s.cfg.MaxLifetime {
		return 0, fmt.Errorf("%w: a session lives 1s to %s, got %s", ErrInvalid, s.cfg.MaxLifetime, asked)
	}
	return asked.Seconds(), nil
}

// NewSession makes a session that lives for the given time; 0 for Config.Lifetime.
func (s *Store) NewSession(ctx context.Context, owner int64, lifetime time.Duration) (Session, error) {
	seconds, err := s.lifetime(lifetime)
	if err != nil {
		return Session{}, err
	}
	p := Place{Identity: owner, Session: handlePrefix + rand.Text()}
	var made space
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var live int
		if _, err := tx.Exec(ctx, `select 1 from identities where id = $1 for no key update`, owner); err != nil {
			return fmt.Errorf("make session: %w", err)
		}
		err := tx.QueryRow(ctx, `select count(*) from workspaces where owner_id = $1 and expires_at > clock_timestamp()`, owner).Scan(&live)
		if err != nil {
			return fmt.Errorf("make session: %w", err)
		}
		if live >= s.cfg.Sessions {
			return fmt.Errorf("%w: you have %d live sessions, the most there may be; end some, or wait until they expire", ErrQuota, live)
		}
		_, err = tx.Exec(ctx, `insert into workspaces (owner_id, handle, expires_at) values ($1, $2, now() + make_interval(secs => $3))`, owner, p.Session, seconds)
		if err != nil {
			return fmt.Errorf("make session: %w", err)
		}
		made, err = find(ctx, tx, p)
		return err
	})
	if err != nil {
		return Session{}, err
	}
	return made.session(), nil
}

// Session describes a session that the identity owns or was granted.
func (s *Store) Session(ctx context.Context, p Place) (Session, error) {
	if p.Session == "" {
		return Session{}, fmt.Errorf("%w: no session handle is given", ErrInvalid)
	}
	found, err := find(ctx, s.pool, p)
	if err != nil {
		return Session{}, err
	}
	return found.session(), nil
}

// Sessions lists the live sessions that the identity owns or was granted, the newest
// first.
func (s *Store) Sessions(ctx context.Context, identity int64) ([]Session, error) {
	rows, err := s.pool.Query(ctx, `select `+spaceColumns+` `+visible+`and w.expires_at > clock_timestamp() order by w.id desc`, identity)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Session, error) {
		var sp space
		if err := row.Scan(sp.fields()...); err != nil {
			return Session{}, err
		}
		return sp.session(), nil
	})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return list, nil
}

// change runs f on a session of who asks, alone with it.
func (s *Store) change(ctx context.Context, p Place, what string, f func(tx pgx.Tx, sp space) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 `+p.at()+` for no key update of i, w`, p.Identity, p.Session); err != nil {
			return fmt.Errorf("lock session: %w", err)
		}
		sp, err := findOwn(ctx, tx, p, what)
		if err != nil {
			return err
		}
		return f(tx, sp)
	})
}

// Extend lets a session of one's own live for the given time from now on; 0 for
// Config.Lifetime.
func (s *Store) Extend(ctx context.Context, p Place, lifetime time.Duration) (Session, error) {
	seconds, err := s.lifetime(lifetime)
	if err != nil {
		return Session{}, err
	}
	var extended Session
	err = s.change(ctx, p, "extend", func(tx pgx.Tx, sp space) error {
		if err := tx.QueryRow(ctx, `update workspaces set expires_at = now() + make_interval(secs => $2) where id = $1 returning expires_at`, sp.id, seconds).Scan(&sp.expires); err != nil {
			return fmt.Errorf("extend session: %w", err)
		}
		extended = sp.session()
		return nil
	})
	return extended, err
}

// EndSession deletes a session of one's own with its files and grants.
func (s *Store) EndSession(ctx context.Context, p Place) error {
	return s.change(ctx, p, "end", func(tx pgx.Tx, sp space) error {
		if _, err := tx.Exec(ctx, `delete from workspaces where id = $1`, sp.id); err != nil {
			return fmt.Errorf("end session: %w", err)
		}
		return nil
	})
}

// Grant lets another identity, by name, use a session of one's own: read, or read and
// write. Granting again changes which.
func (s *Store) Grant(ctx context.Context, p Place, to string, writes bool) error {
	return s.change(ctx, p, "grant", func(tx pgx.Tx, sp space) error {
		id, err := identityByName(ctx, tx, to)
		if err != nil {
			return err
		}
		if id == sp.owner {
			return fmt.Errorf("%w: the session is %q's own", ErrInvalid, to)
		}
		_, err = tx.Exec(ctx, `insert into workspace_grants (workspace_id, identity_id, writes) values ($1, $2, $3)
			on conflict (workspace_id, identity_id) do update set writes = excluded.writes`, sp.id, id, writes)
		if err != nil {
			return fmt.Errorf("grant session: %w", err)
		}
		return nil
	})
}

// identityByName tells that a name exists or not. Names of identities are no secret
// between them; what they own is.
func identityByName(ctx context.Context, tx pgx.Tx, name string) (id int64, err error) {
	err = tx.QueryRow(ctx, `select id from identities where name = $1`, name).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("identity %.80q %w; write its name as its owner does", name, ErrNotFound)
	}
	if err != nil {
		return 0, fmt.Errorf("find identity %.80q: %w", name, err)
	}
	return id, nil
}

// Revoke takes a grant back, from the next call on.
func (s *Store) Revoke(ctx context.Context, p Place, from string) error {
	return s.change(ctx, p, "revoke", func(tx pgx.Tx, sp space) error {
		tag, err := tx.Exec(ctx, `delete from workspace_grants g using identities i
			where g.workspace_id = $1 and i.id = g.identity_id and i.name = $2`, sp.id, from)
		if err != nil {
			return fmt.Errorf("revoke grant: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("a grant of session %s to %.80q %w", sp.handle, from, ErrNotFound)
		}
		return nil
	})
}

// Grants lists to whom a session of one's own is granted, by name.
func (s *Store) Grants(ctx context.Context, p Place) ([]Grant, error) {
	sp, err := findOwn(ctx, s.pool, p, "list grants")
	if err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, `select i.name, g.writes, g.created_at from workspace_grants g join identities i on i.id = g.identity_id
		where g.workspace_id = $1 order by i.name`, sp.id)
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Grant])
	if err != nil {
		return nil, fmt.Errorf("list grants: %w", err)
	}
	return list, nil
}

const (
	sweepEvery  = 10 * time.Minute
	sweepSpaces = 100         // in one transaction
	afterlife   = 30 * 86_400 // seconds for which an expired handle is known
)

// Sweep deletes the files of expired sessions, and sessions a month after their end:
// until then their handle is answered with [ErrExpired]. It returns how many files
// went. Several at once divide the work.
func (s *Store) Sweep(ctx context.Context) (files int, err error) {
	for {
		var spaces []int64
		err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `select id from workspaces where expires_at <= clock_timestamp() and files > 0
				order by id limit $1 for update skip locked`, sweepSpaces)
			if err != nil {
				return err
			}
			if spaces, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil || len(spaces) == 0 {
				return err
			}
			tag, err := tx.Exec(ctx, `delete from workspace_files where workspace_id = any($1)`, spaces)
			if err != nil {
				return err
			}
			files += int(tag.RowsAffected())
			_, err = tx.Exec(ctx, `update workspaces set bytes = 0, files = 0 where id = any($1)`, spaces)
			return err
		})
		if err != nil {
			return files, fmt.Errorf("sweep workspaces: %w", err)
		}
		if len(spaces) == 0 {
			break
		}
	}
	_, err = s.pool.Exec(ctx, `delete from workspaces where expires_at < now() - make_interval(secs => $1)`, afterlife)
	if err != nil {
		return files, fmt.Errorf("sweep workspaces: %w", err)
	}
	return files, nil
}

// Run sweeps now and every ten minutes until ctx ends. What fails is logged and tried
// again the next time.
func (s *Store) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("workspaces", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
