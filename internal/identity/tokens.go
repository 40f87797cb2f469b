package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
)

const (
	maxLifetime = 100 * 365 * 24 * time.Hour
	maxLabel    = 200
	maxPatterns = 1000
	maxPattern  = 200
)

var identityName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

// Create makes a token, and its identity where there is none of that name.
func (s *Store) Create(ctx context.Context, n NewToken) (Created, error) {
	if err := n.check(); err != nil {
		return Created{}, err
	}
	c := Created{Secret: mintToken()}
	hash, err := hashToken(c.Secret)
	if err != nil {
		return Created{}, err
	}
	policy := DefaultPolicy()
	if n.Policy != nil {
		policy = *n.Policy
	}
	text, err := json.Marshal(policy)
	if err != nil {
		return Created{}, fmt.Errorf("policy of %q: %w", n.Name, err)
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into identities (name, policy) values ($1, $2) on conflict do nothing`, n.Name, text)
		if err != nil {
			return err
		}
		c.NewIdentity = tag.RowsAffected() == 1
		rows, err := tx.Query(ctx, identityColumns+` where name = $1`, n.Name)
		if err != nil {
			return err
		}
		c.Identity, err = pgx.CollectExactlyOneRow(rows, scanIdentity)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%w: there is an identity whose name differs from %q in the case of its letters alone; use that one, or another name", ErrInvalid, n.Name)
		}
		if err != nil {
			return err
		}
		if !c.NewIdentity && n.Policy != nil && !same(c.Identity.Policy, *n.Policy) {
			return fmt.Errorf("%w: identity %q exists and has other rights; change them with `bmcis tokens set %s …`, then make the token without naming any", ErrInvalid, n.Name, n.Name)
		}
		var seconds *float64
		if n.Lifetime > 0 {
			sec := n.Lifetime.Seconds()
			seconds = &sec
		}
		rows, err = tx.Query(ctx, `with t as (
			insert into tokens (identity_id, hash, hint, label, expires_at)
			values ($1, $2, $3, $4, now() + make_interval(secs => $5)) returning *)
			select `+tokenColumns+` from t join identities i on i.id = t.identity_id`,
			c.Identity.ID, hash[:], c.Secret[:hintLetters], n.Label, seconds)
		if err != nil {
			return err
		}
		c.Token, err = pgx.CollectExactlyOneRow(rows, scanToken)
		return err
	})
	if errors.Is(err, ErrInvalid) {
		return Created{}, err
	}
	if err != nil {
		return Created{}, fmt.Errorf("make a token for %q: %w", n.Name, err)
	}
	return c, nil
}

func (n NewToken) check() error {
	switch {
	case !identityName.MatchString(n.Name):
		return fmt.Errorf("%w: %q is no name of an identity; use 1 to 64 letters, digits and . _ - @, a letter or digit first", ErrInvalid, n.Name)
	case strings.EqualFold(n.Name, LocalName):
		return fmt.Errorf("%w: %q is who comes without a token and gets none; choose another name", ErrInvalid, n.Name)
	case n.Lifetime < 0 || n.Lifetime > maxLifetime:
		return fmt.Errorf("%w: a token lives above 0 and up to 100 years, got %s; 0 is for ever", ErrInvalid, n.Lifetime)
	case len(n.Label) > maxLabel || strings.ContainsFunc(n.Label, unprintable):
		return fmt.Errorf("%w: label %q must be plain text of at most %d bytes", ErrInvalid, n.Label, maxLabel)
	}
	if n.Policy != nil {
		return n.Policy.check()
	}
	return nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func (p Policy) check() error {
	for what, list := range map[string][]string{
		"collections": p.Collections, "allowed tools": p.AllowTools, "denied tools": p.DenyTools, "destructive tools": p.Destructive,
	} {
		if len(list) > maxPatterns {
			return fmt.Errorf("%w: %d %s, at most %d", ErrInvalid, len(list), what, maxPatterns)
		}
		for _, s := range list {
			if s == "" || len(s) > maxPattern || strings.ContainsFunc(s, unprintable) {
				return fmt.Errorf("%w: %q among the %s is no name or pattern", ErrInvalid, s, what)
			}
		}
	}
	for _, s := range p.Destructive {
		if strings.Contains(s, "*") {
			return fmt.Errorf("%w: destructive tools are allowed by their exact names, not by %q", ErrInvalid, s)
		}
	}
	// By name of the field in JSON, so that the message says what to mend.
	fields, values := reflect.TypeFor[Limits](), reflect.ValueOf(p.Limits)
	for i := range fields.NumField() {
		if v := values.Field(i).Int(); v < 0 {
			name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
			return fmt.Errorf("%w: limit %s is %d; it must be above 0, or 0 for the server's", ErrInvalid, name, v)
		}
	}
	return nil
}

func same(a, b Policy) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

const tokenColumns = `t.id, i.name, t.hint, t.label, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
	case when t.revoked_at is not null then 'revoked' when t.expires_at <= now() then 'expired' else 'live' end`

func scanToken(row pgx.CollectableRow) (t Token, err error) {
	err = row.Scan(&t.ID, &t.Identity, &t.Hint, &t.Label, &t.Created, &t.Expires, &t.Revoked, &t.LastUsed, &t.State)
	return t, err
}

// Tokens lists tokens, the newest first: of one identity, or of all when name is empty.
func (s *Store) Tokens(ctx context.Context, name string) ([]Token, error) {
	if name != "" {
		if _, err := s.Get(ctx, name); err != nil {
			return nil, err
		}
	}
	rows, err := s.pool.Query(ctx, `select `+tokenColumns+` from tokens t join identities i on i.id = t.identity_id
		where $1 = '' or i.name = $1 order by t.id desc`, name)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanToken)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return list, nil
}

// Revoke ends a token; ending it again changes nothing.
func (s *Store) Revoke(ctx context.Context, tokenID int64) (Token, error) {
	rows, err := s.pool.Query(ctx, `with t as (
			update tokens set revoked_at = coalesce(revoked_at, now()) where id = $1 returning *)
		select `+tokenColumns+` from t join identities i on i.id = t.identity_id`, tokenID)
	if err != nil {
		return Token{}, fmt.Errorf("revoke token %d: %w", tokenID, err)
	}
	t, err := pgx.CollectExactlyOneRow(rows, scanToken)
	s.epoch.Add(1)
	if errors.Is(err, pgx.ErrNoRows) {
		return Token{}, fmt.Errorf("token %d %w; `bmcis tokens list` shows those there are", tokenID, ErrNotFound)
	}
	if err != nil {
		return Token{}, fmt.Errorf("revoke token %d: %w", tokenID, err)
	}
	return t, nil
}

// RevokeAll ends all tokens of an identity and says how many were not ended before.
func (s *Store) RevokeAll(ctx context.Context, name string) (int, error) {
	id, err := s.Get(ctx, name)
	if err != nil {
		return 0, err
	}
	tag, err := s.pool.Exec(ctx, `update tokens set revoked_at = now() where identity_id = $1 and revoked_at is null`, id.ID)
	s.epoch.Add(1)
	if err != nil {
		return 0, fmt.Errorf("revoke the tokens of %q: %w", name, err)
	}
	return int(tag.RowsAffected()), nil
}
