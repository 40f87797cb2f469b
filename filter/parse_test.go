package filter

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`domain = "db"`, `domain = "db"`},
		{`domain == 'db'`, `domain = "db"`},
		{`DOMAIN Eq "db" AND year GTE 2024`, `DOMAIN = "db" and year >= 2024`},
		{`a=1 or b=2 and c=3`, `a = 1 or (b = 2 and c = 3)`},
		{`(a=1 or b=2) and c=3`, `(a = 1 or b = 2) and c = 3`},
		{`a=1 && (b=2 && c=3)`, `a = 1 and (b = 2 and c = 3)`},
		{`not a=1 and b=2`, `not a = 1 and b = 2`},
		{`!(a=1 || b<>2)`, `not (a = 1 or b != 2)`},
		{`not not exists(f)`, `not not exists f`},
		{`f exists`, `exists f`},
		{`f not exists`, `not exists f`},
		{`f is null`, `f = null`},
		{`f is not null`, `exists f`},
		{`f in (1, "b", true, null)`, `f in (1, "b", true, null)`},
		{`f in []`, `f in ()`},
		{`f not in ["a"]`, `not f in ("a")`},
		{`year between 2020 and 2024 and x = 1`, `year between 2020 and 2024 and x = 1`},
		{`year not between 1, 2`, `not year between 1 and 2`},
		{`t starts with "a"`, `t prefix "a"`},
		{`t startswith "a"`, `t prefix "a"`},
		{`t contains "it's \"q\" \\ \u00e9 é"`, `t contains "it's \"q\" \\ é é"`},
		{`t = 'it\'s "q"'`, `t = "it's \"q\""`},
		{"t = \"a\nb\"", `t = "a\nb"`},
		{`metadata.domain = 1`, `domain = 1`},
		{`metadata.title = 1`, `metadata.title = 1`},
		{`metadata.a.b = 1`, `a.b = 1`},
		{`metadata.metadata.x = 1`, `metadata.metadata.x = 1`},
		{"`odd key`.b-c = 1", "`odd key`.b-c = 1"},
		{"metadata.`odd key` = 1", "`odd key` = 1"},
		{"`title` = 1", "metadata.title = 1"},
		{"`and` = 1", "`and` = 1"},
		{"`a``b` = 1", "`a``b` = 1"},
		{"`` = 1", "`` = 1"},
		{"größe > 1.50", "größe > 1.5"},
		{"contains contains 1", "contains contains 1"},
		{"n = -0", "n = 0"},
		{"n = 1e3", "n = 1000"},
		{"n = 0.1", "n = 0.1"},
		{"n = 9007199254740993", "n = 9007199254740993"},
		{"n = 10000000000000000000000", "n = 1e+22"},
		{"created >= '2024-05-01'", `created >= "2024-05-01"`},
		{"true", "true"}, {"false or a = 1", "false or a = 1"},
	} {
		e, err := Parse(test.in)
		if err != nil {
			t.Errorf("Parse(%s): %v", test.in, err)
			continue
		}
		if got := e.String(); got != test.want {
			t.Errorf("Parse(%s) = %s, want %s", test.in, got, test.want)
		}
		roundTrip(t, e)
	}
}

// roundTrip checks that text and JSON lead back to an equal tree.
func roundTrip(t *testing.T, e Expr) {
	t.Helper()
	again, err := Parse(e.String())
	if err != nil || again.String() != e.String() {
		t.Errorf("Parse(%s) = %v, %v", e, again, err)
	}
	data, err := json.Marshal(e)
	if err != nil {
		t.Errorf("marshal %s: %v", e, err)
		return
	}
	if again, err = ParseJSON(data); err != nil || again.String() != e.String() {
		t.Errorf("ParseJSON(%s) = %v, %v, want %s", data, again, err, e)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		in     string
		offset int
		want   string // in the message
	}{
		{``, 0, "leave the filter out"},
		{`domain = db`, 9, `quotes: "db"`},
		{`domain "db"`, 7, "operator"},
		{`domain`, 6, "operator must follow domain"},
		{`domain = `, 9, "ends where a value"},
		{`domain contians "x"`, 7, "did you mean contains?"},
		{`domain betwen 1 and 2`, 7, "did you mean between?"},
		{`domain like "x%"`, 7, "prefix or contains"},
		{`a = 1 adn b = 2`, 6, "expected and, or"},
		{`titel = "x"`, 0, "did you mean title? For the metadata key write metadata.titel"},
		{`a = 1 and soruce = "x"`, 10, "did you mean source?"},
		{`source = 5`, 9, "source is text"},
		{`created > 2024`, 10, "created is a time"},
		{`created > "soon"`, 10, "2024-05-01"},
		{`created contains "2"`, 17, "does not apply"},
		{`year > true`, 7, "compares numbers or strings"},
		{`year between 1 and "2"`, 19, "mixes types"},
		{`year = 2024-05-01`, 7, "put dates and other text in quotes"},
		{`year = .5`, 7, "no number"},
		{`t prefix 5`, 9, "prefix takes a string"},
		{`t contains null`, 11, "null"},
		{`a = "x`, 4, "close it"},
		{"`a = 1", 0, "close it"},
		{`a. = 1`, 2, "key must follow"},
		{`a = "\x"`, 4, "escapes"},
		{`a = "\u0000"`, 4, "NUL"},
		{"a = \"\xff\"", 4, "UTF-8"},
		{"\xff = 1", 0, "UTF-8"},
		{`(a = 1`, 6, ")"},
		{`a = 1)`, 5, "expected and, or"},
		{`a in 5`, 5, "a list"},
		{`a in (1 2)`, 8, "a comma"},
		{`a = 1e999`, 4, "1.8e308"},
		{`"a" = 1`, 0, "starts with the field"},
		{`and = 1`, 0, "a condition"},
		{`a not = 1`, 6, "write not a ="},
		{`a ; drop table x`, 2, "unexpected"},
		{strings.Repeat("not ", 70) + "a=1", 0, "nested"},
		{strings.Repeat("(", 400) + "a=1", 256, "nested"},
		{strings.Repeat("a=1 or ", 1100) + "a=1", 0, "1000 tests"},
		{strings.Repeat(" ", 1<<20) + "a=1", 1 << 20, "longer"},
	} {
		e, err := Parse(test.in)
		var fe *Error
		if !errors.As(err, &fe) {
			t.Errorf("Parse(%.60s) = %v, %v: no *Error", test.in, e, err)
			continue
		}
		if fe.Offset != test.offset || !strings.Contains(fe.Error(), test.want) {
			t.Errorf("Parse(%.60s): offset %d, %q; want offset %d and %q", test.in, fe.Offset, fe, test.offset, test.want)
		}
	}
}

func TestParseJSON(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{}`, `true`}, {`null`, `true`},
		{`{"domain":"db"}`, `domain = "db"`},
		{`{"domain":"db","year":{"gte":2024,"lt":2026}}`, `domain = "db" and (year >= 2024 and year < 2026)`},
		{`{"tags":["a","b"]}`, `tags in ("a", "b")`},
		{`{"x":null}`, `x = null`},
		{`{"x":{"exists":false}}`, `not exists x`},
		{`{"x":{"$nin":[1]}}`, `not x in (1)`},
		{`{"x":{"between":[1,2]}}`, `x between 1 and 2`},
		{`{"x":{"!=":1.0}}`, `x != 1`},
		{`{"and":[{"field":"domain","op":"eq","value":"db"},{"or":[{"a":1},{"not":{"b":2}}]}]}`, `domain = "db" and (a = 1 or not b = 2)`},
		{`{"field":"x","op":"exists"}`, `exists x`},
		{`{"field":"x","op":"starts_with","value":"a"}`, `x prefix "a"`},
		{`{"$or":[{"a.b":1},{"odd key":2}]}`, "a.b = 1 or `odd key` = 2"},
		{`{"or":[]}`, `false`},
		{`{"metadata.title":"x"}`, `metadata.title = "x"`},
	} {
		e, err := ParseJSON([]byte(test.in))
		if err != nil {
			t.Errorf("ParseJSON(%s): %v", test.in, err)
			continue
		}
		if e.String() != test.want {
			t.Errorf("ParseJSON(%s) = %s, want %s", test.in, e, test.want)
		}
		roundTrip(t, e)
		var m map[string]any
		if json.Unmarshal([]byte(test.in), &m) == nil && m != nil {
			if _, err := FromMap(m); err != nil {
				t.Errorf("FromMap(%s): %v", test.in, err)
			}
		}
	}
}

func TestParseJSONErrors(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{``, "too early"},
		{`{"a":`, "too early"},
		{`{"a":1} x`, "something follows"},
		{`{"a":1} {}`, "something follows"},
		{`[1]`, "expected an object"},
		{`{"a":{"b":1}}`, `write "a.b"`},
		{`{"year":{"gt3":2024}}`, "did you mean gt?"},
		{`{"a":{}}`, "empty"},
		{`{"a":[[1]]}`, "cannot take a list"},
		{`{"and":{"a":1}}`, "takes a list"},
		{`{"$xor":[]}`, "unknown operator $xor"},
		{`{"field":"a","op":"eq","value":1,"boost":2}`, `unknown key "boost"`},
		{`{"field":"a","value":1}`, "no op"},
		{`{"field":"a","op":"eq"}`, "cannot take"},
		{`{"field":1,"op":"eq","value":1}`, "field must be a string"},
		{`{"a":1,"a":2}`, "twice"},
		{`{"x":{"in":5}}`, "takes a list"},
		{`{"x":{"exists":"yes"}}`, "true or false"},
		{`{"source":5}`, "source is text"},
		{`{"":1}`, "empty"},
		{strings.Repeat(`{"not":`, 100) + `{"a":1}` + strings.Repeat("}", 100), "nested"},
		{strings.Repeat("[", 100000), "nested"},
	} {
		_, err := ParseJSON([]byte(test.in))
		var fe *Error
		if !errors.As(err, &fe) || fe.Offset < 0 || fe.Offset > len(test.in) || !strings.Contains(fe.Error(), test.want) {
			t.Errorf("ParseJSON(%.60s): %v, want %q", test.in, err, test.want)
		}
	}
}

func TestGoForm(t *testing.T) {
	type celsius float32
	at := time.Date(2024, 5, 1, 14, 0, 0, 0, time.FixedZone("", 2*3600))
	e := And(nil, Eq("n", 5), Or(Lt("n", uint8(7)), Ge("t", celsius(0.1))), Gt("created", at), In("s", "a", true, nil))
	want := `n = 5 and (n < 7 or t >= 0.1) and created > "2024-05-01T12:00:00Z" and s in ("a", true, null)`
	if err := Check(e); err != nil || e.String() != want {
		t.Errorf("%s, %v; want %s", e, err, want)
	}
	roundTrip(t, e)
	for name, bad := range map[string]Expr{
		"NaN":      Eq("n", math.NaN()),
		"infinity": Gt("n", math.Inf(1)),
		"struct":   Eq("n", struct{}{}),
		"field":    Eq("", 1),
		"dots":     Eq("a..b", 1),
		"nested":   And(Eq("a", 1), Not(Eq("source", 5))),
		"literal":  Test{Field: "a", Op: OpEq, Values: []any{1.0}},
		"number":   Eq("a", json.Number("1x")),
	} {
		if Check(bad) == nil {
			t.Errorf("%s: Check found nothing", name)
		}
		if Match(bad, Document{}) || Match(Not(bad), Document{}) {
			t.Errorf("%s: it matches", name)
		}
		if _, _, err := SQL(bad, 1); err == nil {
			t.Errorf("%s: SQL gave no error", name)
		}
	}
	if !Match(nil, Document{}) || Or(nil).String() != "true" {
		t.Error("nil does not keep everything")
	}
}

func TestMatchKeepsGoTypes(t *testing.T) {
	d := Document{Metadata: map[string]any{
		"int": 5, "big": json.Number("9007199254740993"), "list": []string{"a", "b"}, "f32": float32(0.1),
		"deep": map[string]map[string]int{"x": {"y": 1}}, "at": time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), "nan": math.NaN(),
	}}
	for text, want := range map[string]bool{
		`int = 5`: true, `int >= 5.5`: false, `big = 9007199254740993`: true, `big = 9007199254740992`: false,
		`list = "a"`: true, `list contains "b"`: true, `f32 = 0.1`: true, `deep.x.y = 1`: true,
		`at prefix "2024-05"`: true, `exists nan`: false, `nan < 1`: false, `list.0 = "a"`: false,
	} {
		text = strings.Replace(text, ".0", ".`0`", 1)
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if Match(e, d) != want {
			t.Errorf("%s is %v", text, !want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`domain = "db" and year >= 2024`, `not (a in (1,"b",null) or exists x.y)`, "`a``b`.c != 'x\\'y'",
		`created between "2024-01-01" and "2024-02-01T00:00:00Z"`, `n = 1e-400`, `n = 9007199254740993`, `a not in []`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var fe *Error
			if !errors.As(err, &fe) || fe.Offset < 0 || fe.Offset > len(text) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		roundTrip(t, e)
		if _, _, err := SQL(e, 1); err != nil {
			t.Fatalf("SQL of %s: %v", e, err)
		}
		Match(e, Document{Metadata: map[string]any{"a": []any{1.0}, "domain": "db"}})
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{
		`{"domain":"db","year":{"gte":2024}}`, `{"and":[{"field":"a","op":"in","value":[1,null]},{"not":{"b":true}}]}`, `{"x":{"exists":false}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseJSON(data)
		if err != nil {
			var fe *Error
			if !errors.As(err, &fe) || fe.Offset < 0 || fe.Offset > len(data) {
				t.Fatalf("%q: %#v", data, err)
			}
			return
		}
		roundTrip(t, e)
	})
}
