package catalog

import (
	"errors"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func TestWhatIsNotVisibleIsNotThere(t *testing.T) {
	pool := pgtest.New(t)
	for _, name := range []string{"docs", "secret", "wiki"} {
		create(t, pool, name)
	}
	ctx := OnlyVisible(t.Context(), func(name string) bool { return name != "secret" })
	_, gone := Get(ctx, pool, "secrets") // never existed
	_, hidden := Get(ctx, pool, "secret")
	if !errors.Is(hidden, ErrNotFound) || strings.Replace(gone.Error(), "secrets", "secret", 1) != hidden.Error() {
		t.Errorf("a hidden collection can be told from none:\n%v\n%v", gone, hidden)
	}
	if err := Delete(ctx, pool, "secret"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if err := SetScoring(ctx, pool, "secret", Scoring{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("changed: %v", err)
	}
	list, err := List(ctx, pool)
	if err != nil || len(list) != 2 || list[0].Name != "docs" || list[1].Name != "wiki" {
		t.Errorf("%v %v", list, err)
	}
	// Within, the bounds only get narrower.
	inner := OnlyVisible(ctx, func(name string) bool { return name != "wiki" })
	if list, err := List(inner, pool); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
	if all, err := List(t.Context(), pool); err != nil || len(all) != 3 {
		t.Errorf("%v %v", all, err)
	}
}
