package filter_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// The values are few and near to each other, so that random tests hit often.
var scalars = []any{
	nil, true, false, 0.0, 1.0, -1.0, 2.5, 0.1, 1e22, json.Number("9007199254740993"), json.Number("9007199254740992"),
	json.Number("0.1000000000000000055511151231257827"),
	"", "a", "ab", "abc", "b", "1", "true", "null", "2024-05-01", "2024-05-02", "Ä", "é", "\uff5e", "\U0001F600", "a'b", `a"b\`, "%", "a.b",
}

var keys = []string{"f", "g", "h", "a'b", "odd key", "title", "0"}

var texts = []string{"", "a", "ab", "Ä", "\U0001F600", "2024-05-01", "a'b"}

func pick[T any](rng *rand.Rand, xs []T) T { return xs[rng.IntN(len(xs))] }

func randomJSON(rng *rand.Rand, depth int) any {
	switch n := rng.IntN(10); {
	case n < 2 && depth > 0:
		list := make([]any, rng.IntN(4))
		for i := range list {
			list[i] = randomJSON(rng, depth-1)
		}
		return list
	case n < 4 && depth > 0:
		return randomObject(rng, depth-1)
	}
	return pick(rng, scalars)
}

func randomObject(rng *rand.Rand, depth int) map[string]any {
	m := map[string]any{}
	for range rng.IntN(5) {
		m[pick(rng, keys)] = randomJSON(rng, depth)
	}
	return m
}

var someTimes = []time.Time{
	time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 5, 1, 0, 0, 0, 1000, time.UTC),
	time.Date(2024, 5, 2, 12, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC),
}

func randomField(rng *rand.Rand) string {
	switch rng.IntN(10) {
	case 0:
		return pick(rng, []string{"id", "source", "title", "uri", "collection"})
	case 1:
		return pick(rng, []string{"created", "updated"})
	}
	path := make([]string, 1+rng.IntN(2))
	for i := range path {
		path[i] = "`" + pick(rng, keys) + "`"
	}
	return strings.Join(path, ".")
}

// randomTest tries until the arguments fit the operator.
func randomTest(rng *rand.Rand) filter.Expr {
	for {
		field := randomField(rng)
		value := func() any {
			switch field {
			case "created", "updated":
				if rng.IntN(8) == 0 {
					return nil
				}
				return pick(rng, someTimes).Format(time.RFC3339Nano)
			case "id", "source", "title", "uri", "collection":
				if rng.IntN(8) == 0 {
					return nil
				}
				return pick(rng, texts)
			}
			return pick(rng, scalars)
		}
		var e filter.Expr
		switch rng.IntN(11) {
		case 0, 1:
			e = filter.Eq(field, value())
		case 2:
			e = filter.Ne(field, value())
		case 3:
			vs := make([]any, rng.IntN(30))
			for i := range vs {
				vs[i] = value()
			}
			e = filter.In(field, vs...)
		case 4:
			e = filter.Lt(field, value())
		case 5:
			e = filter.Le(field, value())
		case 6:
			e = filter.Gt(field, value())
		case 7:
			e = filter.Between(field, value(), value())
		case 8:
			e = filter.Exists(field)
		case 9:
			e = filter.Prefix(field, fmt.Sprint(value()))
		case 10:
			e = filter.Contains(field, value())
		}
		if filter.Check(e) == nil {
			return e
		}
	}
}

func randomExpr(rng *rand.Rand, depth int) filter.Expr {
	if depth == 0 || rng.IntN(3) == 0 {
		return randomTest(rng)
	}
	xs := make([]filter.Expr, rng.IntN(4))
	for i := range xs {
		xs[i] = randomExpr(rng, depth-1)
	}
	switch rng.IntN(3) {
	case 0:
		return filter.And(xs...)
	case 1:
		return filter.Or(xs...)
	}
	return filter.Not(randomExpr(rng, depth-1))
}

// store writes random documents and returns them as Go sees them, by internal id.
func store(t *testing.T, pool *pgxpool.Pool, rng *rand.Rand, n int) map[int64]filter.Document {
	t.Helper()
	ctx := t.Context()
	docs := map[int64]filter.Document{}
	for c, name := range []string{"a", "Ä"} {
		var collection int64
		if err := pool.QueryRow(ctx, "insert into collections (name) values ($1) returning id", name).Scan(&collection); err != nil {
			t.Fatal(err)
		}
		for i := range n / 2 {
			d := filter.Document{
				ID: strconv.Itoa(c*n + i), Source: pick(rng, texts), Title: pick(rng, texts), URI: pick(rng, texts), Collection: name,
				Created: pick(rng, someTimes), Updated: pick(rng, someTimes), Metadata: randomObject(rng, 2),
			}
			if i < len(texts) && texts[i] != "" {
				d.ID = texts[i]
			}
			var id int64
			var stored string
			if err := pool.QueryRow(ctx, `insert into documents (collection_id, external_id, title, source, uri, metadata, body, content_hash, created_at, updated_at)
				values ($1, $2, $3, $4, $5, $6, '', '', $7, $8) returning id, metadata::text`,
				collection, d.ID, d.Title, d.Source, d.URI, d.Metadata, d.Created, d.Updated).Scan(&id, &stored); err != nil {
				t.Fatal(err)
			}
			dec := json.NewDecoder(strings.NewReader(stored))
			dec.UseNumber()
			var m map[string]any
			if err := dec.Decode(&m); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(2) == 0 {
				d.Metadata = m // as stored; else as it was in Go: both must match alike
			}
			docs[id] = d
		}
	}
	return docs
}

// columnsOf gives the columns of documents: every other one with each value once, the
// others with a value per document.
func columnsOf(t *testing.T, names []string, ids []int64, docs map[int64]filter.Document) map[string]filter.Column {
	t.Helper()
	columns := map[string]filter.Column{}
	for k, name := range names {
		var c filter.Column
		number := map[string]uint32{}
		for _, id := range ids {
			d := docs[id]
			var v any
			switch name {
			case "id":
				v = d.ID
			case "source":
				v = d.Source
			case "title":
				v = d.Title
			case "uri":
				v = d.URI
			case "collection":
				v = d.Collection
			case "created":
				v = d.Created
			case "updated":
				v = d.Updated
			default:
				v = d.Metadata[strings.TrimPrefix(name, ".")]
			}
			if k%2 == 0 {
				c.Values = append(c.Values, v)
				continue
			}
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			key := string(data)
			if _, ok := number[key]; !ok {
				number[key] = uint32(len(c.Values))
				c.Values = append(c.Values, v)
			}
			c.Of = append(c.Of, number[key])
		}
		columns[name] = c
	}
	return columns
}

// TestSQLAndMatchAgree runs random expressions over random documents through
// PostgreSQL and both Go matchers: they must keep the same set.
func TestSQLAndMatchAgree(t *testing.T) {
	pool := pgtest.New(t)
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("BMCIS_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("BMCIS_TEST_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	docs := store(t, pool, rng, 600)
	ids := slices.Sorted(maps.Keys(docs))
	rounds := 2000
	if testing.Short() {
		rounds = 500
	}
	kept := 0
	for range rounds {
		e := randomExpr(rng, 3)
		where, args, err := filter.SQL(e, 2)
		if err != nil {
			t.Fatalf("SQL of %s: %v", e, err)
		}
		// Whether the condition is null is asked too: it must be true or false.
		rows, err := pool.Query(t.Context(), `select d.id from documents d join collections c on c.id = d.collection_id
			where $1::bool and (`+where+`) is not false`, append([]any{true}, args...)...)
		if err != nil {
			t.Fatalf("%s\n%s\n%v", e, where, err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			t.Fatalf("%s\n%s\n%v\n%v", e, where, args, err)
		}
		in := map[int64]bool{}
		for _, id := range got {
			in[id] = true
		}
		kept += len(got)
		parsed, err := filter.Parse(e.String())
		if err != nil || parsed.String() != e.String() {
			t.Fatalf("Parse(%s) = %v, %v", e, parsed, err)
		}
		selected, err := filter.Select(parsed, len(ids), columnsOf(t, filter.Columns(parsed), ids, docs))
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if d := docs[id]; filter.Match(parsed, d) != in[id] {
				t.Fatalf("%s\nSQL says %v, Go %v of %+v\n%s\n%v", e, in[id], !in[id], d, where, args)
			}
			if got := selected[i>>6]>>(i&63)&1 == 1; got != in[id] {
				t.Fatalf("%s\nSQL says %v, Select %v of %+v", e, in[id], got, docs[id])
			}
		}
	}
	if share := float64(kept) / float64(rounds*len(docs)); share < 0.05 || share > 0.95 {
		t.Errorf("the random filters keep %.3f of the documents: too one-sided to tell much", share)
	}
}

// TestEqualityUsesTheIndex keeps eq, in and contains on metadata answerable by the GIN index.
func TestEqualityUsesTheIndex(t *testing.T) {
	pool := pgtest.New(t)
	store(t, pool, rand.New(rand.NewPCG(1, 1)), 400)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), "set enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`f = "a"`, `f.g = 1`, `f in ("a", "b", 3)`, `f = "a" and g > 5`} {
		e, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		where, args, err := filter.SQL(e, 1)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := conn.Query(t.Context(), "explain select d.id from documents d where "+where, args...)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(plan, func(s string) bool { return strings.Contains(s, "documents_metadata") }) {
			t.Errorf("%s does not use the index:\n%s", text, strings.Join(plan, "\n"))
		}
	}
}

// TestSQLHoldsNoInput: names and values reach the database as parameters only.
func TestSQLHoldsNoInput(t *testing.T) {
	hostile := `x'); drop table documents; --`
	e := filter.And(filter.Eq("`"+hostile+"`", hostile), filter.Contains("title", hostile), filter.In("`"+hostile+"`.b", hostile, 1),
		filter.Gt("`"+hostile+"`", hostile), filter.Exists("`"+hostile+"`"))
	where, args, err := filter.SQL(e, 7)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(where, "drop") {
		t.Errorf("input in SQL: %s", where)
	}
	for i := range args {
		if !strings.Contains(where, fmt.Sprintf("$%d::", 7+i)) {
			t.Errorf("parameter %d of %d is not used: %s", i, len(args), where)
		}
	}
}

func ExampleParse() {
	e, err := filter.Parse(`domain = "db" and year >= 2024`)
	if err != nil {
		panic(err)
	}
	fmt.Println(filter.Match(e, filter.Document{Metadata: map[string]any{"domain": "db", "year": 2025}}))
	_, err = filter.Parse(`domain contians "db"`)
	fmt.Println(err)
	// Output:
	// true
	// filter, at byte 7: unknown operator contians (did you mean contains?)
}
