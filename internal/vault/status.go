package vault

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Status is what can be told of the vaults of a database without opening a value.
type Status struct {
	// Key is where the key of this machine is: a file, or BMCIS_VAULT_KEY.
	Key string `json:"key"`
	// State is "fits" (values are sealed with this key), "other" (with another one),
	// "unused" (with none yet), "missing" or "unreadable" (this machine's).
	State string `json:"state"`
	// Problem tells more of a key that is unreadable.
	Problem string `json:"problem,omitempty"`
	// Since is when the database took its key; null when it has none.
	Since *time.Time `json:"since"`
	// Identities that have values, by name.
	Identities []Holding `json:"identities"`
}

// Holding is what the vault of one identity holds.
type Holding struct {
	Identity string           `json:"identity"`
	Values   int64            `json:"values"`
	Kinds    map[string]int64 `json:"kinds"` // values by kind, such as EMAIL
	First    time.Time        `json:"first"` // the oldest
	Last     time.Time        `json:"last"`
}

// ReadStatus reads the status of all vaults. It makes no key and needs none.
func ReadStatus(ctx context.Context, pool *pgxpool.Pool) (s Status, err error) {
	key, from, keyError := FindKey()
	s.Key = from
	var mark []byte
	switch err := pool.QueryRow(ctx, "select mark, created_at from vault_key").Scan(&mark, &s.Since); {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return s, fmt.Errorf("status of the vault: %w", err)
	case errors.Is(keyError, fs.ErrNotExist):
		s.State = "missing"
	case keyError != nil:
		s.State, s.Problem = "unreadable", keyError.Error()
	case mark == nil:
		s.State = "unused"
	case hmac.Equal(mark, key.mark()):
		s.State = "fits"
	default:
		s.State = "other"
	}
	rows, err := pool.Query(ctx, `select i.name, v.kind, count(*), min(v.created_at), max(v.created_at)
		from vault_values v join identities i on i.id = v.identity_id group by i.name, v.kind order by i.name collate "C", v.kind collate "C"`)
	if err != nil {
		return s, fmt.Errorf("status of the vault: %w", err)
	}
	s.Identities = []Holding{}
	var name, kind string
	var n int64
	var first, last time.Time
	_, err = pgx.ForEachRow(rows, []any{&name, &kind, &n, &first, &last}, func() error {
		if k := len(s.Identities); k == 0 || s.Identities[k-1].Identity != name {
			s.Identities = append(s.Identities, Holding{Identity: name, Kinds: map[string]int64{}, First: first, Last: last})
		}
		h := &s.Identities[len(s.Identities)-1]
		h.Values += n
		h.Kinds[kind] = n
		if first.Before(h.First) {
			h.First = first
		}
		if last.After(h.Last) {
			h.Last = last
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("status of the vault: %w", err)
	}
	return s, nil
}

// Forget deletes the values of an identity that were kept before the given time; their
// tokens cannot be restored any more. Deleted values that turn up again get the same
// tokens, unless six digits were too few. Processes that have just kept a value go on
// giving its token out for a minute without keeping it anew. It needs no key: a lost one
// should keep nobody from deleting.
func Forget(ctx context.Context, pool *pgxpool.Pool, identity int64, before time.Time) (deleted int64, err error) {
	tag, err := pool.Exec(ctx, "delete from vault_values where identity_id = $1 and created_at < $2", identity, before)
	if err != nil {
		return 0, fmt.Errorf("forget personal data of identity %d: %w", identity, err)
	}
	return tag.RowsAffected(), nil
}
