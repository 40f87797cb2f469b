package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/lru"
)

// Why a request has no identity. All of them are answered alike (401); the text says
// the remedy, and no more than the bearer of the token may know.
var (
	ErrMissing   = errors.New("no token; send the header Authorization: Bearer TOKEN (`bmcis tokens create NAME` makes one)")
	ErrMalformed = errors.New("this is no token of bmcis, or a part of it is lost; send the whole token as it was shown when it was made")
	ErrUnknown   = errors.New("the token is not known here; check that it is of this server, or make a new one with `bmcis tokens create NAME`")
	ErrExpired   = errors.New("the token has expired; make a new one with `bmcis tokens create NAME`")
	ErrRevoked   = errors.New("the token has been revoked; ask the server's administrator for a new one")
)

// IsUnauthenticated reports whether an error means that the request has no identity
// (401), and not that something is broken here.
func IsUnauthenticated(err error) bool {
	for _, e := range []error{ErrMissing, ErrMalformed, ErrUnknown, ErrExpired, ErrRevoked} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

var (
	// ErrNotFound says that there is no such identity or token.
	ErrNotFound = errors.New("not found")
	// ErrInvalid says that a name, policy or lifetime makes no sense.
	ErrInvalid = errors.New("invalid")
)

// Lag is how long another process may still accept a token after its revocation, and
// see rights before their change. In the process that revokes there is none.
const Lag = time.Second

// cacheSize bounds the tokens remembered; beyond it they cost their query again.
const cacheSize = 10_000

// Store keeps identities and tokens in PostgreSQL. Its methods may be called
// concurrently.
type Store struct {
	pool  *pgxpool.Pool
	cache *lru.Cache[[sha256.Size]byte, remembered]
	// epoch counts the changes made through this store; what was remembered before
	// the last one counts no more.
	epoch atomic.Int64
	now   func() time.Time // the clock; tests move it
}

type remembered struct {
	identity Identity
	until    time.Time
	epoch    int64
}

// New returns a store on the pool, which stays the caller's to close.
func New(pool *pgxpool.Pool) *Store {
	return &Store{pool: pool, cache: lru.New[[sha256.Size]byte, remembered](cacheSize), now: time.Now}
}

// Authenticate returns the identity of a token's bearer. The error wraps one of
// [ErrMissing], [ErrMalformed], [ErrUnknown], [ErrExpired] and [ErrRevoked], or is the
// database's. A good token is remembered for [Lag] at most, so that a burst of
// requests costs one query. How long it takes tells nothing about tokens: what is
// looked up is the hash, of which the bearer of a wrong token can choose no part.
func (s *Store) Authenticate(ctx context.Context, token string) (Identity, error) {
	if token == "" {
		return Identity{}, ErrMissing
	}
	hash, err := hashToken(token)
	if err != nil {
		return Identity{}, err
	}
	if id, ok := s.recall(hash); ok {
		return id, nil
	}
	epoch := s.epoch.Load() // before the query: a change while it runs must not be missed
	id, lives, err := s.lookUp(ctx, hash)
	if err != nil {
		return Identity{}, err
	}
	s.cache.Put(hash, remembered{id, s.now().Add(min(Lag, lives)), epoch})
	return id, nil
}

func (s *Store) recall(key [sha256.Size]byte) (Identity, bool) {
	r, ok := s.cache.Get(key)
	if !ok || r.epoch != s.epoch.Load() || !s.now().Before(r.until) {
		return Identity{}, false
	}
	return r.identity, true
}

// lookUp returns the identity and how long the token lives on.
func (s *Store) lookUp(ctx context.Context, hash [sha256.Size]byte) (id Identity, lives time.Duration, err error) {
	var (
		tokenID                 int64
		stored, policy          []byte
		revoked, expired, stale bool
		seconds                 float64
	)
	err = s.pool.QueryRow(ctx, `select i.id, i.name, i.policy, t.id, t.hash, t.revoked_at is not null,
			coalesce(t.expires_at <= now(), false), coalesce(extract(epoch from t.expires_at - now()), 3600)::float8,
			coalesce(t.last_used_at < now() - interval '1 minute', true)
		from tokens t join identities i on i.id = t.identity_id where t.hash = $1`, hash[:]).
		Scan(&id.ID, &id.Name, &policy, &tokenID, &stored, &revoked, &expired, &seconds, &stale)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return id, 0, ErrUnknown
	case err != nil:
		return id, 0, fmt.Errorf("look up token: %w", err)
	case subtle.ConstantTimeCompare(stored, hash[:]) != 1:
		return id, 0, ErrUnknown
	case revoked:
		return id, 0, ErrRevoked
	case expired:
		return id, 0, ErrExpired
	}
	if id.Policy, err = decodePolicy(policy); err != nil {
		return id, 0, fmt.Errorf("identity %q: %w", id.Name, err)
	}
	if stale {
		if _, err := s.pool.Exec(ctx, `update tokens set last_used_at = now() where id = $1`, tokenID); err != nil {
			slog.Warn("cannot note that a token was used", "token", tokenID, "error", err) // no reason to refuse it
		}
	}
	return id, time.Duration(seconds * float64(time.Second)), nil
}

// Local returns the identity for connections without a token. Whether a connection
// may go without is the server's decision.
func (s *Store) Local(ctx context.Context) (Identity, error) {
	var key [sha256.Size]byte // no token hashes to zeros
	if id, ok := s.recall(key); ok {
		return id, nil
	}
	epoch := s.epoch.Load()
	id, err := s.Get(ctx, LocalName)
	if err == nil {
		s.cache.Put(key, remembered{id, s.now().Add(Lag), epoch})
	}
	return id, err
}

const identityColumns = `select id, name, policy from identities`

func scanIdentity(row pgx.CollectableRow) (id Identity, err error) {
	var policy []byte
	if err = row.Scan(&id.ID, &id.Name, &policy); err != nil {
		return id, err
	}
	id.Policy, err = decodePolicy(policy)
	return id, err
}

// Get returns the identity of that name, or an error that wraps [ErrNotFound].
func (s *Store) Get(ctx context.Context, name string) (Identity, error) {
	rows, err := s.pool.Query(ctx, identityColumns+` where name = $1`, name)
	if err != nil {
		return Identity{}, fmt.Errorf("read identity %q: %w", name, err)
	}
	id, err := pgx.CollectExactlyOneRow(rows, scanIdentity)
	if errors.Is(err, pgx.ErrNoRows) {
		return Identity{}, unknownIdentity(name)
	}
	if err != nil {
		return Identity{}, fmt.Errorf("read identity %q: %w", name, err)
	}
	return id, nil
}

func unknownIdentity(name string) error {
	return fmt.Errorf("identity %q %w; `bmcis tokens list` shows those there are", name, ErrNotFound)
}

// List returns all identities by name.
func (s *Store) List(ctx context.Context) ([]Identity, error) {
	rows, err := s.pool.Query(ctx, identityColumns+` order by name`)
	if err != nil {
		return nil, fmt.Errorf("list identities: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanIdentity)
	if err != nil {
		return nil, fmt.Errorf("list identities: %w", err)
	}
	return list, nil
}

// SetPolicy replaces the rights of an identity.
func (s *Store) SetPolicy(ctx context.Context, name string, p Policy) error {
	if err := p.check(); err != nil {
		return err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("policy of %q: %w", name, err)
	}
	tag, err := s.pool.Exec(ctx, `update identities set policy = $2, updated_at = now() where name = $1`, name, text)
	s.epoch.Add(1)
	if err != nil {
		return fmt.Errorf("change identity %q: %w", name, err)
	}
	if tag.RowsAffected() == 0 {
		return unknownIdentity(name)
	}
	return nil
}

// decodePolicy fails closed: a restriction that this program does not know must not
// be overlooked.
func decodePolicy(text []byte) (p Policy, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Policy{}, fmt.Errorf("its policy is of a newer program (%w); update this one", err)
	}
	return p, nil
}
