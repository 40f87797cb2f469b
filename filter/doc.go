// Package filter keeps or drops documents by their fields. An expression goes in as
// text, JSON or Go calls; out comes one tree with two back ends of the same meaning:
// a SQL condition ([SQL]) and a matcher in Go, for one document ([Match]) and for the
// columns of many ([Select]). Callers: search and both of its legs, codeapi, the command
// line, and analysts. Pure functions; trees are never
// changed, so everything here may be used by several goroutines.
//
//	domain = "db" and (year >= 2024 or tags contains "draft") and not exists retired
//	{"domain": "db", "year": {"gte": 2024, "lt": 2026}}
//	{"and": [{"field": "domain", "op": "eq", "value": "db"}, {"not": {"field": "retired", "op": "exists"}}]}
//	filter.And(filter.Eq("domain", "db"), filter.Ge("year", 2024))
//
// # Fields
//
// Built in are the texts id (the caller's own), source, title, uri and collection,
// and the times created and updated. Any other name is a path into the document's
// metadata, through objects only: a.b is key b of the object under key a, and never
// an array's element. metadata.NAME is always metadata, also where NAME is a built-in
// field. Keys that are no plain words stand in backticks: `odd key`.x, a backtick in
// them doubled.
//
// # Values
//
// Strings in single or double quotes with JSON's escapes, numbers, true, false, null.
// There are no other types: a date in metadata is a string, and since strings are
// compared byte by byte (as UTF-8, so by code point), dates of one form, such as
// 2024-05-01 or RFC 3339 in UTC, compare as dates. Numbers are compared exactly, as
// decimals: 1 and 1.0 are equal, and 0.1 is a tenth. NaN and infinities are refused;
// a document that holds one in Go (JSON cannot) counts as lacking the field.
// created and updated are compared with RFC 3339 times or dates (midnight UTC), in
// microseconds.
//
// # Meaning
//
// Every test is true or false, never unknown, so `not` is exactly the other documents.
//
//	f = v           f is v, of the same type; or f is an array with such an element
//	f = null        f is missing or null
//	f != v          not f = v, hence also true where f is missing
//	f in (v, ...)   one of f = v; in () is false
//	f < v           f and v are both numbers, or both strings, and f is less;
//	                likewise <=, >, >=; false for arrays and all else
//	f between a and b    f >= a and f <= b, with a and b of one type
//	exists f        f is there and not null; for a built-in text: not empty
//	f prefix v      f is a string that starts with v
//	f contains v    f is a string that has the string v in it, or an array with v as an element
//	and, or, not    as usual; not binds closest, then and, then or
//
// A document whose field is of another type than the value does not match: year >= 2024
// is false for the string "2025". A value that can never be right for its field or
// operator (source < 5, flag > true, created = "soon") is refused with an [Error].
//
// # Limits
//
// Text and JSON up to 1 MiB, nesting up to 64, 1,000 tests, 10,000 values in all,
// paths of up to 16 keys. NUL and invalid UTF-8 are refused: PostgreSQL cannot hold them.
package filter

import "fmt"

// Limits of an expression; see the package comment.
const (
	maxBytes  = 1 << 20
	maxDepth  = 64
	maxTests  = 1000
	maxValues = 10_000
	maxPath   = 16
)

// Error says what is wrong with an expression, where, and what to write instead.
type Error struct {
	// Offset counts bytes from the start of the text or JSON; -1 when the expression
	// was built in Go.
	Offset int
	Msg    string
	Hint   string // the remedy; may be empty
}

func (e *Error) Error() string {
	s := "filter: " + e.Msg
	if e.Offset >= 0 {
		s = fmt.Sprintf("filter, at byte %d: %s", e.Offset, e.Msg)
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func errorf(offset int, hint, format string, args ...any) *Error {
	return &Error{Offset: offset, Msg: fmt.Sprintf(format, args...), Hint: hint}
}
