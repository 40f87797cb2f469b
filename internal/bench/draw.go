package bench

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/catalog"
)

// maxShort is the length of a title or heading that still passes for a query.
const maxShort = 80

// DrawQueries makes up to n queries of two kinds from a collection's own texts: short
// ones, its titles and last headings, and long ones, 9 to 16 consecutive words. Equal
// collections give equal queries.
func DrawQueries(ctx context.Context, db catalog.DB, collection int64, n int) (short, long []string, err error) {
	// Stable ids are hashes, so their order is a shuffle that does not change.
	rows, err := db.Query(ctx, `
		select k.stable_id, d.title, k.headings, left(k.body, 2000) from chunks k join documents d on d.id = k.document_id
		where k.collection_id = $1 order by k.stable_id collate "C" limit $2`, collection, 3*n)
	if err != nil {
		return nil, nil, fmt.Errorf("draw queries: %w", err)
	}
	seen := map[string]bool{}
	add := func(to *[]string, s string) {
		if s != "" && len(*to) < n && !seen[s] {
			seen[s] = true
			*to = append(*to, s)
		}
	}
	var id, title, body string
	var headings []string
	_, err = pgx.ForEachRow(rows, []any{&id, &title, &headings, &body}, func() error {
		head := title
		if len(headings) > 0 {
			head = headings[len(headings)-1]
		}
		if len(head) <= maxShort {
			add(&short, strings.Join(strings.Fields(head), " "))
		}
		hash := fnv.New64a()
		hash.Write([]byte(id))
		r := rand.New(rand.NewPCG(hash.Sum64(), 0))
		words := strings.Fields(body)
		if count := 9 + r.IntN(8); len(words) >= count {
			at := r.IntN(len(words) - count + 1)
			add(&long, strings.Join(words[at:at+count], " "))
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("draw queries: %w", err)
	}
	return short, long, nil
}
