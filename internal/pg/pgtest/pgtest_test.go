package pgtest

import "testing"

func TestNewIsMigratedAndEmpty(t *testing.T) {
	pool := New(t)
	var n int
	if err := pool.QueryRow(t.Context(), "select count(*) from chunks").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != 0 {
		t.Fatalf("fresh database has %d chunks", n)
	}
}
