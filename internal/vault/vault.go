// Package vault remembers in PostgreSQL which personal data stands behind tokens such
// as [EMAIL_ab12cd]. Values of internal/pii go in and tokens come out, and the other
// way round for those who may. Each identity has a vault of its own: the same value has
// other tokens there. Callers: the server, which gives each connection the vault of
// its identity, and whoever restores.
//
// The beginning of a token's digest is what stands in it: HMAC-SHA256 over kind and
// value, with a key of the identity's own. Values are sealed with AES-256-GCM, also
// with a key of the identity's own. Both are derived from one [Key], which is not in
// the database. docs/privacy.md says what this keeps from whom.
package vault

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/lru"
	"github.com/bmcis/bmcis/internal/pii"
)

// ErrKey says that the database was sealed with another key than the one given.
var ErrKey = errors.New("the vault was sealed with another key")

const (
	cached = 100_000 // tokens remembered by a Store, about 200 bytes each
	// remember is how long; a value that somebody deleted is written again after it.
	remember = time.Minute
	// shortest is how many digits of its digest a token has, unless another value's
	// token has the same.
	shortest = 6
)

// Store keeps the vaults of all identities. Its methods may be called concurrently.
type Store struct {
	pool  *pgxpool.Pool
	key   Key
	cache *lru.Cache[[sha256.Size]byte, known]
	now   func() time.Time // the clock; tests move it
}

type known struct {
	token string
	until time.Time
}

// Open returns the vaults in a migrated database. The first key that is used there
// stays its key: with another one the error is [ErrKey]. The pool stays the caller's to
// close.
func Open(ctx context.Context, pool *pgxpool.Pool, key Key) (*Store, error) {
	if err := checkKey(ctx, pool, key); err != nil {
		return nil, err
	}
	return &Store{pool: pool, key: key, cache: lru.New[[sha256.Size]byte, known](cached), now: time.Now}, nil
}

func (k Key) mark() []byte { return k.derive("mark")[:16] }

func checkKey(ctx context.Context, pool *pgxpool.Pool, key Key) error {
	var b pgx.Batch
	var mark []byte
	b.Queue("insert into vault_key (mark) values ($1) on conflict do nothing", key.mark())
	b.Queue("select mark from vault_key").QueryRow(func(row pgx.Row) error { return row.Scan(&mark) })
	if err := pool.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("open the vault: %w", err)
	}
	if !hmac.Equal(mark, key.mark()) {
		return fmt.Errorf("open the vault: %w (this one is %x…, that one was %x…); put back %s of the machine that made it, or set %s",
			ErrKey, key.mark()[:4], mark[:4], KeyFile, EnvKey)
	}
	return nil
}

// Reset deletes the values of all identities and makes key the key of the database: the
// way out when the old one is lost. Tokens that exist stay what they are, for ever.
// Processes that have the old key cannot write any more: their error is [ErrKey].
func Reset(ctx context.Context, pool *pgxpool.Pool, key Key) (deleted int64, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// The mark first: it waits for those who are writing, and who comes later is refused.
		_, err := tx.Exec(ctx, "insert into vault_key (mark) values ($1) on conflict (only_row) do update set mark = excluded.mark, created_at = now()", key.mark())
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, "delete from vault_values")
		deleted = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("reset the vault: %w", err)
	}
	return deleted, nil
}

// Vault is the vault of one identity. It is a [pii.Tokenizer]. Its methods may be
// called concurrently.
type Vault struct {
	store    *Store
	identity int64
	mac      []byte
	seal     cipher.AEAD
}

// Vault returns the vault of an identity, by its number. The identity has to exist when
// the first value is kept.
func (s *Store) Vault(identity int64) *Vault {
	block, err := aes.NewCipher(s.key.derive(fmt.Sprintf("seal %d", identity)))
	if err != nil {
		panic("vault: " + err.Error()) // 32 bytes are a key
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("vault: " + err.Error())
	}
	return &Vault{store: s, identity: identity, mac: s.key.derive(fmt.Sprintf("token %d", identity)), seal: seal}
}

// Sanitizer returns a sanitizer whose tokens are kept in the vault; 0 kinds for
// [pii.DefaultKinds].
func (v *Vault) Sanitizer(kinds pii.Kinds) *pii.Sanitizer {
	return &pii.Sanitizer{Tokens: v, Kinds: kinds}
}

// Restorer returns a restorer of the vault's tokens; one that returns [pii.ErrDenied]
// when the identity may not restore.
func (v *Vault) Restorer(allowed bool) *pii.Restorer {
	if !allowed {
		return &pii.Restorer{}
	}
	return &pii.Restorer{Values: lookup{v}}
}

func (v *Vault) digest(value pii.Value) [sha256.Size]byte {
	h := hmac.New(sha256.New, v.mac)
	h.Write([]byte(value.Kind.String()))
	h.Write([]byte{0})
	h.Write([]byte(value.Text))
	return [sha256.Size]byte(h.Sum(nil))
}

// Tokens implements [pii.Tokenizer]. Values that this process has kept within the last
// minute cost no query, others one round trip together.
func (v *Vault) Tokens(ctx context.Context, values []pii.Value) ([]string, error) {
	tokens := make([]string, len(values))
	var missing []entry
	now := v.store.now()
	for i, value := range values {
		d := v.digest(value)
		if k, ok := v.store.cache.Get(d); ok && now.Before(k.until) {
			tokens[i] = k.token
			continue
		}
		missing = append(missing, entry{i, value, d})
	}
	// Everybody writes in the same order, so that nobody waits for somebody who waits.
	slices.SortFunc(missing, func(a, b entry) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	for digits := shortest; len(missing) > 0; digits += 2 {
		ids, err := v.keep(ctx, missing, digits)
		if err != nil {
			return nil, err
		}
		taken := missing[:0]
		for _, e := range missing {
			id, ok := ids[e.digest]
			if !ok {
				// Another value's token has these digits.
				if digits == 2*sha256.Size {
					return nil, errors.New("keep personal data: two values have one digest")
				}
				taken = append(taken, e)
				continue
			}
			tokens[e.index] = pii.Token(e.value.Kind, id)
			v.store.cache.Put(e.digest, known{tokens[e.index], now.Add(remember)})
		}
		missing = taken
	}
	return tokens, nil
}

type entry struct {
	index  int
	value  pii.Value
	digest [sha256.Size]byte
}

// keep writes the values that are not there yet, under that many digits, and returns
// the identifiers of those that are there then.
func (v *Vault) keep(ctx context.Context, entries []entry, digits int) (map[[sha256.Size]byte]string, error) {
	n := len(entries)
	digests, sealed := make([][]byte, n), make([][]byte, n)
	ids, kinds := make([]string, n), make([]string, n)
	for i, e := range entries {
		digests[i] = e.digest[:]
		ids[i] = hex.EncodeToString(e.digest[:])[:digits]
		kinds[i] = e.value.Kind.String()
		sealed[i] = v.seal.Seal(nil, nil, []byte(e.value.Text), e.digest[:])
	}
	var b pgx.Batch
	b.Queue(`insert into vault_values (identity_id, digest, token_id, kind, sealed)
		select $1, digest, token_id, kind, sealed from unnest($2::bytea[], $3::text[], $4::text[], $5::bytea[]) with ordinality as v (digest, token_id, kind, sealed, n)
		where exists (select from vault_key where mark = $6 for share) -- a reset waits for it
		order by n on conflict do nothing`, v.identity, digests, ids, kinds, sealed, v.store.key.mark())
	current := false
	b.Queue("select exists (select from vault_key where mark = $1)", v.store.key.mark()).QueryRow(func(row pgx.Row) error { return row.Scan(&current) })
	got := make(map[[sha256.Size]byte]string, n)
	b.Queue("select digest, token_id from vault_values where identity_id = $1 and digest = any($2)", v.identity, digests).Query(func(rows pgx.Rows) error {
		var digest []byte
		var id string
		_, err := pgx.ForEachRow(rows, []any{&digest, &id}, func() error {
			got[[sha256.Size]byte(digest)] = id
			return nil
		})
		return err
	})
	if err := v.store.pool.SendBatch(ctx, &b).Close(); err != nil {
		return nil, fmt.Errorf("keep personal data of identity %d: %w", v.identity, err)
	}
	if !current {
		return nil, fmt.Errorf("keep personal data of identity %d: %w meanwhile; start this program anew", v.identity, ErrKey)
	}
	return got, nil
}

// lookup is a Vault as [pii.Lookup].
type lookup struct{ *Vault }

// Values returns what tokens of the vault stand for.
func (v lookup) Values(ctx context.Context, tokens []string) (map[string]string, error) {
	byID := make(map[string]string, len(tokens))
	ids := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if _, id, ok := pii.ParseToken(t); ok {
			// Identifiers are unique in a vault: of two tokens with one, one is made up.
			ids = append(ids, id)
		}
	}
	rows, err := v.store.pool.Query(ctx, "select token_id, kind, digest, sealed from vault_values where identity_id = $1 and token_id = any($2)", v.identity, ids)
	if err != nil {
		return nil, err
	}
	var id, kind string
	var digest, sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &kind, &digest, &sealed}, func() error {
		k, ok := pii.ParseKind(kind)
		text, err := v.seal.Open(nil, nil, sealed, digest)
		if !ok || err != nil {
			return fmt.Errorf("value of token %s_%s of identity %d cannot be opened; it was changed in the database", kind, id, v.identity)
		}
		byID[pii.Token(k, id)] = string(text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return byID, nil
}
