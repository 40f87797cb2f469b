package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/spell"
)

// visible are the skills k that identity $1 may load, with the reason: 0 its own, 1
// shared with it by name, 2 shared with everyone.
const visible = `from (select k.*, i.name as owner, case when k.owner_id = $1 then 0 when h.identity_id is not null then 1 else 2 end as reason
	from skills k join identities i on i.id = k.owner_id
	left join skill_shares h on h.skill_id = k.id and h.identity_id = $1
	where k.owner_id = $1 or h.identity_id is not null or k.public) k `

// columns of a skill k with its version v. Whether others share in another's skill is
// not told.
const columns = `k.name, k.owner, v.description, v.version, v.digest, v.modules, v.inputs, k.reason = 0,
	case when k.reason = 1 then 'named' when k.public then 'everyone'
		when exists (select from skill_shares s where s.skill_id = k.id) then 'named' else 'private' end,
	v.created_at, v.updated_at, v.revoked_at`

func (k *Skill) fields(digest, inputs *[]byte) []any {
	return []any{&k.Name, &k.Owner, &k.Description, &k.Version, digest, &k.Modules, inputs, &k.Own, &k.Shared, &k.Created, &k.Updated, &k.Revoked}
}

// scan reads the columns, and more before them.
func scan(row pgx.Row, more ...any) (k Skill, err error) {
	var digest, inputs []byte
	if err := row.Scan(append(more, k.fields(&digest, &inputs)...)...); err != nil {
		return k, err
	}
	copy(k.Digest[:], digest)
	return k, json.Unmarshal(inputs, &k.Inputs)
}

// Save makes a skill or its next version. Code that cannot be read as a program is
// refused with line and column.
func (s *Store) Save(ctx context.Context, owner int64, d Draft) (saved Saved, err error) {
	p, err := d.prepare()
	if err != nil {
		return saved, err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		id, err := lockForSave(ctx, tx, owner, p.name)
		if err != nil {
			return err
		}
		var newest int
		var digest []byte
		var revoked bool
		err = tx.QueryRow(ctx, `select version, digest, revoked_at is not null from skill_versions where skill_id = $1 order by version desc limit 1`, id).
			Scan(&newest, &digest, &revoked)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("read skill %s: %w", p.name, err)
		}
		saved.NewVersion = newest == 0 || revoked || Digest(digest) != p.digest
		if err := p.write(ctx, tx, id, newest, saved.NewVersion); err != nil {
			return err
		}
		saved.Skill, err = scan(tx.QueryRow(ctx, `select `+columns+` `+visible+`join skill_versions v on v.skill_id = k.id
			where k.id = $2 order by v.version desc limit 1`, owner, id))
		saved.Code = p.code
		return err
	})
	if err != nil {
		return Saved{}, err
	}
	return saved, nil
}

// lockForSave returns the id of the skill, made when there is none, and holds off other
// writers of it. The owner's row is locked so that the quota is exact.
func lockForSave(ctx context.Context, tx pgx.Tx, owner int64, name string) (id int64, err error) {
	var n int
	if _, err := tx.Exec(ctx, `select 1 from identities where id = $1 for no key update`, owner); err != nil {
		return 0, fmt.Errorf("save skill %s: %w", name, err)
	}
	err = tx.QueryRow(ctx, `select id from skills where owner_id = $1 and name = $2`, owner, name).Scan(&id)
	if !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	if err := tx.QueryRow(ctx, `select count(*) from skills where owner_id = $1`, owner).Scan(&n); err != nil {
		return 0, fmt.Errorf("save skill %s: %w", name, err)
	}
	if n >= MaxSkills {
		return 0, fmt.Errorf("%w: you have %d skills, the most there may be; save %s as a new version of one of them", ErrQuota, n, name)
	}
	if err := tx.QueryRow(ctx, `insert into skills (owner_id, name) values ($1, $2) returning id`, owner, name).Scan(&id); err != nil {
		return 0, fmt.Errorf("save skill %s: %w", name, err)
	}
	return id, nil
}

func (p prepared) write(ctx context.Context, tx pgx.Tx, id int64, newest int, next bool) error {
	inputs, err := json.Marshal(p.inputs)
	if err != nil {
		return fmt.Errorf("inputs of skill %s: %w", p.name, err)
	}
	if !next {
		_, err = tx.Exec(ctx, `update skill_versions set description = $3, updated_at = now()
			where skill_id = $1 and version = $2 and description <> $3`, id, newest, p.description)
	} else if newest >= MaxVersions {
		return fmt.Errorf("%w: skill %s has %d versions, the most there may be; save it under another name", ErrQuota, p.name, newest)
	} else {
		_, err = tx.Exec(ctx, `insert into skill_versions (skill_id, version, code, digest, description, modules, inputs) values ($1, $2, $3, $4, $5, $6, $7)`,
			id, newest+1, p.code, p.digest[:], p.description, p.modules, inputs)
	}
	if err != nil {
		return fmt.Errorf("save skill %s: %w", p.name, err)
	}
	return nil
}

// split divides OWNER/NAME; a plain name has no owner. No name of an identity or a
// skill holds a slash.
func split(name string) (owner, plain string) {
	name = cleanText(name)
	if owner, plain, found := strings.Cut(name, "/"); found {
		return owner, plain
	}
	return "", name
}

// resolve returns the id of the skill that a name means to who asks.
func resolve(ctx context.Context, q querier, who int64, name string) (id int64, err error) {
	owner, plain := split(name)
	rows, err := q.Query(ctx, `select k.id, k.owner, k.reason `+visible+`where k.name = $2 and ($3 = '' or k.owner = $3)
		order by k.reason, k.owner`, who, plain, owner)
	if err != nil {
		return 0, fmt.Errorf("find skill %.80q: %w", name, err)
	}
	type candidate struct {
		ID     int64
		Owner  string
		Reason int
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[candidate])
	switch {
	case err != nil:
		return 0, fmt.Errorf("find skill %.80q: %w", name, err)
	case len(found) == 0:
		return 0, notFound(ctx, q, who, name)
	case len(found) == 1 || found[0].Reason < found[1].Reason:
		return found[0].ID, nil
	}
	var names []string
	for _, c := range found {
		if c.Reason == found[0].Reason && len(names) < 5 {
			names = append(names, c.Owner+"/"+plain)
		}
	}
	return 0, fmt.Errorf("skill name %s is %w: it is shared by several; say which: %s", plain, ErrAmbiguous, strings.Join(names, ", "))
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// notFound tells what may have been meant, of what who asks may load.
func notFound(ctx context.Context, q querier, who int64, name string) error {
	owner, plain := split(name)
	rows, err := q.Query(ctx, `select k.name, k.owner `+visible+`where $2 = '' or k.owner = $2 order by k.reason, k.name limit 1000`, who, owner)
	if err != nil {
		return fmt.Errorf("skill %.80q %w", name, ErrNotFound)
	}
	var names []string
	var n, o string
	_, err = pgx.ForEachRow(rows, []any{&n, &o}, func() error { names = append(names, n); return nil })
	if near := spell.Nearest(plain, names); err == nil && near != "" {
		return fmt.Errorf("skill %.80q %w; did you mean %q?", name, ErrNotFound, near)
	}
	return fmt.Errorf("skill %.80q %w; list_skills() shows what there is", name, ErrNotFound)
}

// Load returns a skill with its code: the newest version that is not revoked, or the
// one asked for; version 0 is the newest. name is NAME or OWNER/NAME. A plain name is
// one's own skill; else one shared with oneself by name; else one shared with everyone.
// A skill that is revoked keeps its place in that order, so that nobody's takes the
// place of another's unseen. Several of a kind are an error ([ErrAmbiguous]) that names
// their owners.
func (s *Store) Load(ctx context.Context, who int64, name string, version int) (k Skill, err error) {
	err = s.snapshot(ctx, func(tx pgx.Tx) error {
		id, err := resolve(ctx, tx, who, name)
		if err != nil {
			return err
		}
		var code string
		k, err = scan(tx.QueryRow(ctx, `select v.code, `+columns+` `+visible+`join skill_versions v on v.skill_id = k.id
			where k.id = $2 and ($3 = 0 or v.version = $3) order by v.revoked_at is not null, v.version desc limit 1`, who, id, version), &code)
		k.Code = code
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fmt.Errorf("version %d of skill %.80q %w", version, name, ErrNotFound)
		case err != nil:
			return fmt.Errorf("load skill %.80q: %w", name, err)
		case k.Revoked != nil && k.Own:
			return fmt.Errorf("skill %s, version %d, is %w; save it again to use it", k.Name, k.Version, ErrRevoked)
		case k.Revoked != nil:
			return fmt.Errorf("skill %s, version %d, is %w by its owner", k.Qualified(), k.Version, ErrRevoked)
		}
		return nil
	})
	if err != nil {
		return Skill{}, err
	}
	return k, nil
}

// snapshot runs f on one state of the database.
func (s *Store) snapshot(ctx context.Context, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}

const (
	defaultList = 100
	maxList     = 1000
)

// List returns the newest versions, without code, by owner and name, and whether more
// follow.
func (s *Store) List(ctx context.Context, who int64, q Query) (list []Skill, more bool, err error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultList
	}
	limit = min(limit, maxList)
	owner, plain := split(q.After)
	rows, err := s.pool.Query(ctx, `select `+columns+` `+visible+`cross join lateral (
			select * from skill_versions v where v.skill_id = k.id order by v.revoked_at is not null, v.version desc limit 1) v
		where (v.revoked_at is null or $2 and k.reason = 0) and (k.reason = 0 or not $3)
			and ($4 = '' or strpos(lower(k.name), lower($4)) > 0 or strpos(lower(v.description), lower($4)) > 0)
			and (k.owner collate "C", k.name) > ($5, $6)
		order by k.owner collate "C", k.name limit $7`,
		who, q.Revoked, q.Own, cleanText(q.Text), owner, plain, limit+1)
	if err != nil {
		return nil, false, fmt.Errorf("list skills: %w", err)
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Skill, error) { return scan(row) })
	if err != nil {
		return nil, false, fmt.Errorf("list skills: %w", err)
	}
	if len(list) > limit {
		return list[:limit], true, nil
	}
	return list, false, nil
}

// cleanText makes of a search text one that PostgreSQL takes; what it replaces is in
// no skill.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// Versions lists all versions of a skill that one may load, the newest first, without
// code; revoked ones only to their owner.
func (s *Store) Versions(ctx context.Context, who int64, name string) (list []Skill, err error) {
	err = s.snapshot(ctx, func(tx pgx.Tx) error {
		id, err := resolve(ctx, tx, who, name)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select `+columns+` `+visible+`join skill_versions v on v.skill_id = k.id
			where k.id = $2 and (k.reason = 0 or v.revoked_at is null) order by v.version desc`, who, id)
		if err != nil {
			return fmt.Errorf("list versions of skill %.80q: %w", name, err)
		}
		if list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Skill, error) { return scan(row) }); err != nil {
			return fmt.Errorf("list versions of skill %.80q: %w", name, err)
		}
		return nil
	})
	return list, err
}
