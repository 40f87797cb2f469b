package search

import (
	"context"

	"github.com/bmcis/bmcis/internal/catalog"
)

// Restrict confines every method of an [Engine] that is called with the context to the
// collections for which mayRead is true. The others look as if they were not there:
// [ErrNotFound] by name, absent from lists, counts and messages. Restricting a context
// again can only take away. mayRead may be called concurrently.
func Restrict(ctx context.Context, mayRead func(collection string) bool) context.Context {
	return catalog.OnlyVisible(ctx, mayRead)
}
