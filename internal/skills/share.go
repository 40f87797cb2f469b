package skills

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// change runs f on a skill of one's own, alone with it.
func (s *Store) change(ctx context.Context, owner int64, name string, f func(tx pgx.Tx, id int64) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var id int64
		err := tx.QueryRow(ctx, `select id from skills where owner_id = $1 and name = $2 for no key update`, owner, cleanText(name)).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("skill %.80q %w among your own; only its owner can change a skill", name, ErrNotFound)
		}
		if err != nil {
			return fmt.Errorf("find skill %.80q: %w", name, err)
		}
		return f(tx, id)
	})
}

// identities turns names into ids. Names of identities are no secret between them; what
// they own is.
func identities(ctx context.Context, tx pgx.Tx, owner int64, names []string) (ids []int64, err error) {
	for _, name := range names {
		var id int64
		err := tx.QueryRow(ctx, `select id from identities where name = $1`, cleanText(name)).Scan(&id)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil, fmt.Errorf("identity %.80q %w; write its name as its owner does", name, ErrNotFound)
		case err != nil:
			return nil, fmt.Errorf("find identity %.80q: %w", name, err)
		case id == owner:
			return nil, fmt.Errorf("%w: the skill is %q's own", ErrInvalid, name)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Share lets identities load a skill of one's own, or everyone: all of them, or none
// when one is unknown.
func (s *Store) Share(ctx context.Context, owner int64, name string, with []string, everyone bool) error {
	if len(with) == 0 && !everyone {
		return fmt.Errorf("%w: say with whom to share skill %.80q: names, or everyone", ErrInvalid, name)
	}
	return s.change(ctx, owner, name, func(tx pgx.Tx, id int64) error {
		ids, err := identities(ctx, tx, owner, with)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into skill_shares (skill_id, identity_id) select $1, unnest($2::bigint[]) on conflict do nothing`, id, ids)
		if err == nil && everyone {
			_, err = tx.Exec(ctx, `update skills set public = true where id = $1`, id)
		}
		if err != nil {
			return fmt.Errorf("share skill %s: %w", name, err)
		}
		return nil
	})
}

// Unshare takes that back, from the next call on: from the named identities, or from
// everyone, which leaves the named ones.
func (s *Store) Unshare(ctx context.Context, owner int64, name string, with []string, everyone bool) error {
	if len(with) == 0 && !everyone {
		return fmt.Errorf("%w: say from whom to take skill %.80q: names, or everyone", ErrInvalid, name)
	}
	return s.change(ctx, owner, name, func(tx pgx.Tx, id int64) error {
		ids, err := identities(ctx, tx, owner, with)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from skill_shares where skill_id = $1 and identity_id = any($2)`, id, ids)
		if err == nil && everyone {
			_, err = tx.Exec(ctx, `update skills set public = false where id = $1`, id)
		}
		if err != nil {
			return fmt.Errorf("unshare skill %s: %w", name, err)
		}
		return nil
	})
}

// Shares lists the identities that a skill of one's own is shared with by name.
func (s *Store) Shares(ctx context.Context, owner int64, name string) (names []string, err error) {
	err = s.change(ctx, owner, name, func(tx pgx.Tx, id int64) error {
		rows, err := tx.Query(ctx, `select i.name from skill_shares s join identities i on i.id = s.identity_id where s.skill_id = $1 order by 1`, id)
		if err != nil {
			return fmt.Errorf("list shares of skill %s: %w", name, err)
		}
		if names, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return fmt.Errorf("list shares of skill %s: %w", name, err)
		}
		return nil
	})
	return names, err
}

// Revoke ends a version of a skill of one's own for all, its owner included, or with
// version 0 all there are. They stay on record. It returns how many ended, which had
// not ended before. A later Save makes the next version.
func (s *Store) Revoke(ctx context.Context, owner int64, name string, version int) (n int, err error) {
	err = s.change(ctx, owner, name, func(tx pgx.Tx, id int64) error {
		var there bool
		err := tx.QueryRow(ctx, `select exists (select from skill_versions where skill_id = $1 and ($2 = 0 or version = $2))`, id, version).Scan(&there)
		if err == nil && !there {
			return fmt.Errorf("version %d of skill %s %w", version, name, ErrNotFound)
		}
		if err == nil {
			tag, err2 := tx.Exec(ctx, `update skill_versions set revoked_at = now()
				where skill_id = $1 and ($2 = 0 or version = $2) and revoked_at is null`, id, version)
			n, err = int(tag.RowsAffected()), err2
		}
		if err != nil {
			return fmt.Errorf("revoke skill %s: %w", name, err)
		}
		return nil
	})
	return n, err
}
