package catalog

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func TestNumbersInMetadataKeepAllDigits(t *testing.T) {
	pool := pgtest.New(t)
	var got map[string]any
	err := pool.QueryRow(t.Context(), `select '{"id": 9007199254740993, "big": 123456789012345678901234567890,
		"price": 1.5, "huge": 1e400, "in": {"list": [2, -3.25]}, "text": "7"}'::jsonb`).Scan((*metadata)(&got))
	if err != nil {
		t.Fatal(err)
	}
	huge, ok := got["huge"].(json.Number)
	if !ok || len(huge) < 400 { // PostgreSQL writes it out
		t.Errorf("huge is %v, want a number with all its digits", got["huge"])
	}
	delete(got, "huge")
	want := map[string]any{
		"id": int64(9007199254740993), "big": json.Number("123456789012345678901234567890"), "price": 1.5,
		"in": map[string]any{"list": []any{int64(2), -3.25}}, "text": "7",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %#v, want %#v", got, want)
	}
}
