package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Collection is the unit of search: one language, one set of BM25 statistics.
type Collection struct {
	ID       int64  `json:"-"`
	Name     string `json:"name"`
	Language string `json:"language"`
	// K1 and B are the parameters of BM25.
	K1 float64 `json:"k1"`
	B  float64 `json:"b"`
	// Weights of the fields in BM25.
	Weights FieldWeights `json:"weights"`
	// Tuning is what was learned from judged queries, as JSON (package tune reads it);
	// nil for nothing.
	Tuning []byte `json:"-"`
	// Generation counts the committed changes; equal generations give equal answers.
	Generation int64     `json:"generation"`
	Created    time.Time `json:"created"`
	Updated    time.Time `json:"updated"`
}

// FieldWeights say how much a word counts in each field, beside the others; 1 each
// unless changed.
type FieldWeights struct {
	Title    float64 `json:"title"`
	Headings float64 `json:"headings"`
	Body     float64 `json:"body"`
	Path     float64 `json:"path"`
}

// Settings are what a new collection is made with. The zero value is the default.
type Settings struct {
	// Language of the texts: a Snowball language, or "none". Defaults to "english".
	Language string
	// K1 defaults to 1.2 and B to 0.75.
	K1, B *float64
}

const (
	defaultLanguage = "english"
	defaultK1       = 1.2
	defaultB        = 0.75
	maxNameBytes    = 200
)

// check returns the settings with their defaults filled in.
func (s Settings) check() (language string, k1, b float64, err error) {
	language, k1, b = s.Language, defaultK1, defaultB
	if language == "" {
		language = defaultLanguage
	}
	if err := checkLanguage(language); err != nil {
		return "", 0, 0, err
	}
	if s.K1 != nil {
		k1 = *s.K1
	}
	if s.B != nil {
		b = *s.B
	}
	if !(k1 >= 0 && k1 <= 100) {
		return "", 0, 0, fmt.Errorf("%w: k1 must be 0..100, got %v", ErrInvalid, k1)
	}
	if math.IsNaN(b) || b < 0 || b > 1 {
		return "", 0, 0, fmt.Errorf("%w: b must be 0..1, got %v", ErrInvalid, b)
	}
	return language, k1, b, nil
}

func checkName(name string) error {
	if name == "" || len(name) > maxNameBytes || strings.TrimSpace(name) != name {
		return fmt.Errorf("%w: name %q must have 1..%d bytes and no space at its ends", ErrInvalid, name, maxNameBytes)
	}
	for _, r := range name {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return fmt.Errorf("%w: name %q holds the character %q; use letters, digits, - and _", ErrInvalid, name, r)
		}
	}
	return nil
}

const collectionColumns = `id, name, language, k1, b, settings->'weights', settings->'tuning', generation, created_at, updated_at`

// scan reads collectionColumns and what more the row has.
func (c *Collection) scan(row pgx.CollectableRow, more ...any) error {
	var weights *FieldWeights
	err := row.Scan(append([]any{&c.ID, &c.Name, &c.Language, &c.K1, &c.B, &weights, &c.Tuning, &c.Generation, &c.Created, &c.Updated}, more...)...)
	c.Weights = FieldWeights{1, 1, 1, 1}
	if weights != nil {
		c.Weights = *weights
	}
	return err
}

func scanCollection(row pgx.CollectableRow) (c Collection, err error) {
	err = c.scan(row)
	return c, err
}

// Get returns the collection of that name, or an error that wraps [ErrNotFound] and
// names the collections there are.
func Get(ctx context.Context, db DB, name string) (Collection, error) {
	if !visible(ctx, name) {
		return Collection{}, notFound(ctx, db, name)
	}
	rows, err := db.Query(ctx, `select `+collectionColumns+` from collections where name = $1`, name)
	if err != nil {
		return Collection{}, fmt.Errorf("read collection %q: %w", name, err)
	}
	c, err := pgx.CollectExactlyOneRow(rows, scanCollection)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, notFound(ctx, db, name)
	}
	if err != nil {
		return c, fmt.Errorf("read collection %q: %w", name, err)
	}
	return c, nil
}

// notFound tells what there is instead.
func notFound(ctx context.Context, db DB, name string) error {
	const shown = 8
	names, err := visibleNames(ctx, db, shown+1)
	switch {
	case err != nil:
		return fmt.Errorf("collection %q %w: %w", name, ErrNotFound, err)
	case len(names) == 0:
		return fmt.Errorf("collection %q %w: there are none yet; make one with `bmcis index PATH --collection %s`", name, ErrNotFound, name)
	case len(names) > shown:
		names = append(names[:shown], "…")
	}
	return fmt.Errorf("collection %q %w; there are: %s", name, ErrNotFound, strings.Join(names, ", "))
}

// Create makes a collection and returns it. A collection that exists already is
// returned as it is when the settings agree or are zero; an explicit setting that
// differs is an error that wraps [ErrInvalid], because stored statistics depend on
// it.
func Create(ctx context.Context, db DB, name string, s Settings) (Collection, error) {
	c, err := Find(ctx, db, name, s)
	if !errors.Is(err, ErrNotFound) {
		return c, err
	}
	language, k1, b, err := s.check()
	if err != nil {
		return Collection{}, err
	}
	_, err = db.Exec(ctx, `insert into collections (name, language, k1, b) values ($1, $2, $3, $4)
		on conflict (name) do nothing`, name, language, k1, b)
	if err != nil {
		return Collection{}, fmt.Errorf("create collection %q: %w", name, err)
	}
	return Find(ctx, db, name, s)
}

// Find is [Create] without making anything: for a name and settings with which a
// collection can be made the error wraps [ErrNotFound].
func Find(ctx context.Context, db DB, name string, s Settings) (Collection, error) {
	if err := checkName(name); err != nil {
		return Collection{}, err
	}
	_, k1, b, err := s.check()
	if err != nil {
		return Collection{}, err
	}
	c, err := Get(ctx, db, name)
	if err != nil {
		return c, err
	}
	if s.Language != "" && s.Language != c.Language {
		return c, fmt.Errorf("%w: collection %q has language %s, not %s; index into another collection", ErrInvalid, name, c.Language, s.Language)
	}
	if s.K1 != nil && *s.K1 != c.K1 || s.B != nil && *s.B != c.B {
		return c, fmt.Errorf("%w: collection %q has k1 %v and b %v, not %v and %v; change them with `bmcis collections set`", ErrInvalid, name, c.K1, c.B, k1, b)
	}
	return c, nil
}

// Scoring is how BM25 counts; what is nil stays as it is.
type Scoring struct {
	K1, B   *float64
	Weights *FieldWeights
}

// SetScoring changes how a collection's BM25 counts. Nothing is indexed anew: no stored
// page has these numbers baked in.
func SetScoring(ctx context.Context, db DB, name string, s Scoring) error {
	if !visible(ctx, name) {
		return notFound(ctx, db, name)
	}
	if _, _, _, err := (Settings{K1: s.K1, B: s.B}).check(); err != nil {
		return err
	}
	if w := s.Weights; w != nil {
		for field, x := range map[string]float64{"title": w.Title, "headings": w.Headings, "body": w.Body, "path": w.Path} {
			if !(x >= 0 && x <= 1000) {
				return fmt.Errorf("%w: the weight of %s must be 0..1000, got %v", ErrInvalid, field, x)
			}
		}
		if *w == (FieldWeights{}) {
			return fmt.Errorf("%w: all field weights are 0: at least one must count", ErrInvalid)
		}
	}
	tag, err := db.Exec(ctx, `update collections set k1 = coalesce($2, k1), b = coalesce($3, b),
		settings = case when $4::jsonb is null then settings else jsonb_set(settings, '{weights}', $4) end,
		generation = generation + 1, updated_at = now() where name = $1`, name, s.K1, s.B, s.Weights)
	return oneRow(ctx, db, name, tag, err)
}

// SetTuning stores what was learned for a collection, JSON that package tune has read;
// nil takes it away.
func SetTuning(ctx context.Context, db DB, name string, tuning []byte) error {
	if !visible(ctx, name) {
		return notFound(ctx, db, name)
	}
	tag, err := db.Exec(ctx, `update collections set
		settings = case when $2::jsonb is null then settings - 'tuning' else jsonb_set(settings, '{tuning}', $2) end,
		generation = generation + 1, updated_at = now() where name = $1`, name, tuning)
	return oneRow(ctx, db, name, tag, err)
}

// Delete deletes a collection with everything in it.
func Delete(ctx context.Context, db DB, name string) error {
	if !visible(ctx, name) {
		return notFound(ctx, db, name)
	}
	tag, err := db.Exec(ctx, `delete from collections where name = $1`, name)
	return oneRow(ctx, db, name, tag, err)
}

func oneRow(ctx context.Context, db DB, name string, tag pgconn.CommandTag, err error) error {
	if err != nil {
		return fmt.Errorf("change collection %q: %w", name, err)
	}
	if tag.RowsAffected() == 0 {
		return notFound(ctx, db, name)
	}
	return nil
}

// Listed is a collection with its size.
type Listed struct {
	Collection
	Documents int64 `json:"documents"`
	Chunks    int64 `json:"chunks"`
	// Embedded counts the chunks that have a vector, in whatever space.
	Embedded int64 `json:"embedded"`
}

// List returns all collections by name, with exact counts.
func List(ctx context.Context, db DB) ([]Listed, error) {
	rows, err := db.Query(ctx, `select `+collectionColumns+`,
			(select count(*) from documents d where d.collection_id = c.id),
			coalesce(n.chunks, 0), coalesce(n.embedded, 0)
		from collections c
		left join (select collection_id, count(*) as chunks, count(space_id) as embedded from chunks group by 1) n
			on n.collection_id = c.id
		order by name`)
	if err != nil {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l Listed, err error) {
		err = l.scan(row, &l.Documents, &l.Chunks, &l.Embedded)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("list collections: %w", err)
	}
	return slices.DeleteFunc(list, func(l Listed) bool { return !visible(ctx, l.Name) }), nil
}
