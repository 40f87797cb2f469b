package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

type visibleKey struct{}

// OnlyVisible confines everything that is done with the context to the collections for
// which visible is true. All others look as if they were not there: not by name, not in
// lists, not among those that an error names.
func OnlyVisible(ctx context.Context, visible func(collection string) bool) context.Context {
	if outer, ok := ctx.Value(visibleKey{}).(func(string) bool); ok {
		inner := visible
		visible = func(name string) bool { return outer(name) && inner(name) }
	}
	return context.WithValue(ctx, visibleKey{}, visible)
}

func visible(ctx context.Context, collection string) bool {
	f, ok := ctx.Value(visibleKey{}).(func(string) bool)
	return !ok || f(collection)
}

// visibleNames are the first names of collections, at most n.
func visibleNames(ctx context.Context, db DB, n int) ([]string, error) {
	rows, err := db.Query(ctx, `select name from collections order by name`)
	if err != nil {
		return nil, fmt.Errorf("read collections: %w", err)
	}
	defer rows.Close()
	var names []string
	for len(names) < n && rows.Next() {
		name, err := pgx.RowTo[string](rows)
		if err != nil {
			return nil, err
		}
		if visible(ctx, name) {
			names = append(names, name)
		}
	}
	rows.Close()
	return names, rows.Err()
}
