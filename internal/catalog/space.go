package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Space is an embedding space: the model file and the runtime that ran it. Vectors of
// two spaces must never be compared. It has the fields of embed.Space, so that one
// converts to the other.
type Space struct {
	Model       string // the model's name
	ModelSHA256 string // hex, of the model file
	Runtime     string // ONNX Runtime's version
	Dimensions  int
}

// Equal reports whether vectors of both spaces may be compared.
func (s Space) Equal(t Space) bool {
	return s.ModelSHA256 == t.ModelSHA256 && s.Runtime == t.Runtime
}

func (s Space) String() string {
	if s == (Space{}) {
		return "no model"
	}
	sha := s.ModelSHA256
	if len(sha) > 12 {
		sha = sha[:12]
	}
	return fmt.Sprintf("%s (sha256 %s…, runtime %s)", s.Model, sha, s.Runtime)
}

// SpaceID returns the number of a space, which is stored the first time it is seen.
func SpaceID(ctx context.Context, db DB, s Space) (int64, error) {
	id, err := findSpace(ctx, db, s)
	if err == nil {
		return id, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("read embedding space %s: %w", s, err)
	}
	err = db.QueryRow(ctx, `insert into embedding_spaces (model, model_sha256, runtime, dimensions) values ($1, $2, $3, $4)
		on conflict (model_sha256, runtime) do update set model = excluded.model returning id`,
		s.Model, s.ModelSHA256, s.Runtime, s.Dimensions).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("store embedding space %s: %w", s, err)
	}
	return id, nil
}

func findSpace(ctx context.Context, db DB, s Space) (id int64, err error) {
	err = db.QueryRow(ctx, `select id from embedding_spaces where model_sha256 = $1 and runtime = $2`,
		s.ModelSHA256, s.Runtime).Scan(&id)
	return id, err
}

// SpaceCount says how many chunks of a collection have their vector in one space. The
// zero Space counts the chunks that have no vector.
type SpaceCount struct {
	Space  Space `json:"space"`
	Chunks int64 `json:"chunks"`
}

// Spaces returns the spaces of a collection's chunks, the largest first. It counts
// every chunk: for people and status pages. A search asks [CheckSpace] instead.
func Spaces(ctx context.Context, db DB, collectionID int64) ([]SpaceCount, error) {
	rows, err := db.Query(ctx, `select coalesce(s.model, ''), coalesce(s.model_sha256, ''), coalesce(s.runtime, ''),
			coalesce(s.dimensions, 0), n.chunks
		from (select space_id, count(*) as chunks from chunks where collection_id = $1 group by 1) n
		left join embedding_spaces s on s.id = n.space_id
		order by n.chunks desc, n.space_id`, collectionID)
	if err != nil {
		return nil, fmt.Errorf("count embedding spaces: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c SpaceCount, err error) {
		err = row.Scan(&c.Space.Model, &c.Space.ModelSHA256, &c.Space.Runtime, &c.Space.Dimensions, &c.Chunks)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("count embedding spaces: %w", err)
	}
	return list, nil
}

// SpaceError says that some vectors of a collection were made by another model or
// runtime than the one that would be asked, or that there are none. The vector leg
// must not answer: its distances would mean nothing.
type SpaceError struct {
	Collection string
	Want, Have Space // Have is one of the others; zero when chunks have no vector
	// Usable means that all vectors there are may be compared, and only some chunks
	// have none: the vector leg may answer, and should say what it does not see.
	Usable bool
}

func (e *SpaceError) Error() string {
	if e.Have == (Space{}) {
		return fmt.Sprintf("collection %q has chunks without vectors; index its source again to embed them", e.Collection)
	}
	return fmt.Sprintf("collection %q has vectors of %s, but %s is open; index its source again to embed them anew",
		e.Collection, e.Have, e.Want)
}

// CheckSpace returns a [*SpaceError] when a chunk of the collection has its vector in
// another space than want, or has none, and nil when all may be compared. It reads
// two ends of an index (about 0.1 ms), so that a search may ask before each query.
func CheckSpace(ctx context.Context, db DB, c Collection, want Space) error {
	var missing bool
	var low, high *int64
	err := db.QueryRow(ctx, `select
			exists (select from chunks where collection_id = $1 and space_id is null),
			(select min(space_id) from chunks where collection_id = $1),
			(select max(space_id) from chunks where collection_id = $1)`, c.ID).Scan(&missing, &low, &high)
	if err != nil {
		return fmt.Errorf("check embedding space: %w", err)
	}
	for _, id := range []*int64{low, high} {
		if id == nil {
			continue
		}
		var have Space
		err := db.QueryRow(ctx, `select model, model_sha256, runtime, dimensions from embedding_spaces where id = $1`, *id).
			Scan(&have.Model, &have.ModelSHA256, &have.Runtime, &have.Dimensions)
		if err != nil {
			return fmt.Errorf("check embedding space: %w", err)
		}
		if !have.Equal(want) {
			return &SpaceError{Collection: c.Name, Want: want, Have: have}
		}
		if *low == *high {
			break
		}
	}
	if missing {
		return &SpaceError{Collection: c.Name, Want: want, Usable: low != nil}
	}
	return nil
}
