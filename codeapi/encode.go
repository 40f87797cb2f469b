package codeapi

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// encoded is a value as JSON, as far as it fits.
type encoded struct {
	json []byte
	// left says what was left out, in words; empty when nothing was.
	left string
	// again says that encoding the value once more gives the same: no iterator was
	// used up.
	again bool
}

// encodeResult turns the program's answer into JSON of at most limit bytes. What
// does not fit is left out from the end, whole elements at a time, and a note in
// its place says how much. Values that JSON does not know are an error that says
// where.
func encodeResult(t *starlark.Thread, v starlark.Value, limit int) (encoded, error) {
	e := encoder{thread: t, limit: limit, cut: true}
	if _, err := e.value(v, place{name: "result"}, 0); err != nil {
		return encoded{}, err
	}
	if len(e.out) == 0 || len(e.out) > limit {
		return encoded{json: []byte("null"), left: "result: all of it", again: !e.usedUp}, nil
	}
	return encoded{json: e.out, left: strings.Join(e.notes[:min(len(e.notes), maxNotes)], ", "), again: !e.usedUp}, nil
}

// encodeJSON is JSON of a value for a host call: nothing is left out.
func encodeJSON(t *starlark.Thread, v starlark.Value, name string, limit int) (json.RawMessage, error) {
	e := encoder{thread: t, limit: limit}
	if _, err := e.value(v, place{name: name}, 0); err != nil {
		return nil, err
	}
	return e.out, nil
}

// toGo is a value as encoding/json would decode it, with numbers as json.Number.
func toGo(t *starlark.Thread, v starlark.Value, name string) (any, error) {
	raw, err := encodeJSON(t, v, name, maxMetadata)
	if err != nil {
		return nil, err
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, err
	}
	return out, nil
}

// place is where in the answer a value stands, for messages.
type place struct {
	up   *place
	name string
}

func (p place) String() string {
	if p.up == nil {
		return p.name
	}
	return p.up.String() + p.name
}

func (p *place) key(k string) place {
	return place{p, "[" + strconv.Quote(k) + "]"}
}

func (p *place) index(i int) place {
	return place{p, "[" + strconv.Itoa(i) + "]"}
}

func (p place) fail(class, format string, args ...any) error {
	return pylang.Raise(class, "%s: %s", p, fmt.Sprintf(format, args...))
}

type encoder struct {
	thread *starlark.Thread
	out    []byte
	limit  int
	cut    bool             // leave out what does not fit
	notes  []string         // what was left out, outermost first
	usedUp bool             // an iterator was
	open   []starlark.Value // containers being written, to find cycles
}

// maxNotes is how many places of a cut answer are named.
const maxNotes = 3

// reserve is room for the note and the brackets of each open container.
const reserve = 80

func (e *encoder) room(depth int) int { return e.limit - len(e.out) - reserve*(depth+1) }

// value appends v. whole is false when part of it had to be left out.
func (e *encoder) value(v starlark.Value, at place, depth int) (whole bool, err error) {
	if depth > maxDepth {
		return false, at.fail("ValueError", "nested deeper than %d levels", maxDepth)
	}
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return e.scalar("null", at, depth)
	case starlark.Bool:
		return e.scalar(strconv.FormatBool(bool(v)), at, depth)
	case starlark.Int:
		return e.integer(v, at, depth)
	case starlark.Float:
		f := float64(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false, at.fail("ValueError", "%s cannot be returned as JSON; use None instead", guest.FormatFloat(f))
		}
		return e.scalar(guest.FormatFloat(f), at, depth)
	case starlark.String:
		return e.text(string(v), at, depth)
	case starlark.Bytes:
		return false, at.fail("TypeError", "bytes cannot be returned as JSON; use base64.b64encode(...).decode()")
	case *future:
		x, err := v.force()
		if err != nil {
			return false, err
		}
		return e.value(x, at, depth)
	case *hit:
		d, err := v.record()
		if err != nil {
			return false, err
		}
		return e.dict(v, d.Items(), at, depth)
	case starlark.IterableMapping:
		return e.dict(v, v.Items(), at, depth)
	case *pylang.Set:
		return e.set(v, at, depth)
	case *pylang.Instance:
		return e.instance(v, at, depth)
	case isoFormatter:
		return e.text(v.ISOFormat(), at, depth)
	case jsonValue:
		x, err := v.JSONValue()
		if err != nil {
			return false, err
		}
		return e.nested(v, x, at, depth)
	case starlark.Iterable, *pylang.Iter:
		return e.list(v, at, depth)
	}
	what := "a " + pylang.TypeName(v)
	if _, ok := v.(starlark.Callable); ok && what != "a module" {
		what = "a function"
		if pylang.TypeName(v) == "type" {
			what = "a class"
		}
	}
	if _, waits := v.(pylang.Awaitable); waits || what == "a Future" || what == "a Task" || what == "a coroutine" {
		what += " that nobody has awaited"
	}
	return false, at.fail("TypeError", "%s cannot be returned as JSON", what)
}

// instance writes a value of one of the program's own classes, data classes above
// all, as its fields.
func (e *encoder) instance(v *pylang.Instance, at place, depth int) (bool, error) {
	if text, ok, err := e.exception(v); ok || err != nil {
		if err != nil {
			return false, err
		}
		return e.text(text, at, depth)
	}
	if u := v.Underlying(); u != nil { // of class C(dict), a str enum and so on
		return e.nested(v, u, at, depth)
	}
	if value, ok := pylang.EnumValue(v); ok {
		return e.nested(v, value, at, depth)
	}
	if pylang.OfLibrary(v) { // a Decimal, a Fraction, a UUID
		s, err := pylang.Str(e.thread, v)
		if err != nil {
			return false, err
		}
		return e.text(s, at, depth)
	}
	fields, err := pylang.GetAttr(e.thread, v, "__dict__")
	if err == nil {
		if d, ok := fields.(*starlark.Dict); ok {
			return e.nested(v, d, at, depth)
		}
	}
	return false, at.fail("TypeError", "a %s cannot be returned as JSON", pylang.TypeName(v))
}

// exception is an error as a value, such as asyncio.gather(..., return_exceptions=True)
// gives, in one line; ok is false for other instances.
func (e *encoder) exception(v *pylang.Instance) (line string, ok bool, err error) {
	call := func(name string, args ...starlark.Value) (starlark.Value, error) {
		return pylang.Call(e.thread, pylang.Builtin(e.thread, name), args, nil)
	}
	is, err := call("isinstance", v, pylang.Builtin(e.thread, "BaseException"))
	if err != nil || is != starlark.True {
		return "", false, err
	}
	message, err := call("str", v)
	if err != nil {
		return "", false, err
	}
	line = pylang.TypeName(v)
	if text, _ := starlark.AsString(message); text != "" {
		line += ": " + text
	}
	return line, true, nil
}

// isoFormatter is implemented by dates and times of the standard library.
type isoFormatter interface{ ISOFormat() string }

// jsonValue is implemented by values that stand for another one.
type jsonValue interface {
	starlark.Value
	JSONValue() (starlark.Value, error)
}

func (e *encoder) nested(v, x starlark.Value, at place, depth int) (bool, error) {
	if err := e.enter(v, at); err != nil {
		return false, err
	}
	defer e.leave()
	return e.value(x, at, depth+1)
}

func (e *encoder) enter(v starlark.Value, at place) error {
	if _, isTuple := v.(starlark.Tuple); isTuple { // only what it holds can hold it
		e.open = append(e.open, starlark.None)
		return nil
	}
	for _, o := range e.open {
		if o == v {
			return at.fail("ValueError", "this value contains itself")
		}
	}
	e.open = append(e.open, v)
	return nil
}

func (e *encoder) leave() { e.open = e.open[:len(e.open)-1] }

func (e *encoder) scalar(s string, at place, depth int) (bool, error) {
	if len(s) > e.room(depth) {
		return false, e.full(at)
	}
	e.out = append(e.out, s...)
	return true, nil
}

// full is what happens at the limit: nothing when cutting is allowed.
func (e *encoder) full(at place) error {
	if e.cut {
		return nil
	}
	return at.fail("ValueError", "more than %d bytes as JSON", e.limit)
}

func (e *encoder) integer(v starlark.Int, at place, depth int) (bool, error) {
	if n, ok := v.Int64(); ok {
		return e.scalar(strconv.FormatInt(n, 10), at, depth)
	}
	const digits = 4300 // Python's own limit
	bits, text := v.BigInt().BitLen(), ""
	if bits <= 14_285 { // or it has more digits in any case
		text = v.String()
	}
	if text == "" || len(strings.TrimPrefix(text, "-")) > digits {
		return false, at.fail("ValueError", "an int of %d bits is too long for JSON, which takes %d digits", bits, digits)
	}
	return e.scalar(text, at, depth)
}

func (e *encoder) text(s string, at place, depth int) (bool, error) {
	start := len(e.out)
	e.out = appendString(e.out, s)
	if e.room(depth) >= 0 {
		return true, nil
	}
	e.out = e.out[:start]
	if err := e.full(at); err != nil {
		return false, err
	}
	room := e.room(depth) - 60
	if room <= 0 {
		return false, nil
	}
	n := min(room, len(s)-1)
	for {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		e.out = appendString(e.out[:start], s[:n])
		over := len(e.out) - start - room
		if over <= 0 {
			break
		}
		n -= min(n, max(1, over/6))
	}
	note := fmt.Sprintf("%d more characters", utf8.RuneCountInString(s[n:]))
	e.note(at, note)
	e.out = append(appendEscaped(e.out[:len(e.out)-1], "… ["+note+"]"), '"')
	return false, nil
}

// note remembers what was left out; a container comes after what it holds.
func (e *encoder) note(at place, what string) {
	e.notes = slices.Insert(e.notes, 0, fmt.Sprintf("%s: %s", at, what))
}

func (e *encoder) list(v starlark.Value, at place, depth int) (bool, error) {
	if err := e.enter(v, at); err != nil {
		return false, err
	}
	defer e.leave()
	if e.room(depth) < 0 {
		return false, e.full(at)
	}
	e.out = append(e.out, '[')
	whole := true
	if _, once := v.(*pylang.Iter); once {
		e.usedUp = true
	}
	next, err := pylang.Next(e.thread, v)
	if err != nil {
		return false, err
	}
	for i := 0; ; i++ {
		x, ok, err := next()
		if err != nil {
			return false, err
		}
		if !ok {
			break
		}
		start := len(e.out)
		if i > 0 {
			e.out = append(e.out, ',')
		}
		fits, err := e.value(x, at.index(i), depth+1)
		if err != nil {
			return false, err
		}
		if fits {
			continue
		}
		whole = false
		left := 0
		if i > 0 || len(e.out) == start { // of the first element a part is better than nothing
			e.out = e.out[:start]
			e.notes = nil
			left++
		}
		for {
			if _, ok, err := next(); err != nil {
				return false, err
			} else if !ok {
				break
			}
			left++
		}
		if left > 0 {
			e.leftOut(at, left, "elements", len(e.out) > 0 && e.out[len(e.out)-1] != '[')
		}
		break
	}
	e.out = append(e.out, ']')
	return whole, nil
}

// leftOut writes the note in place of what does not fit into a container.
func (e *encoder) leftOut(at place, left int, what string, comma bool) {
	if left == 1 {
		what = what[:len(what)-1]
	}
	note := fmt.Sprintf("%d more %s", left, what)
	e.note(at, note)
	if comma {
		e.out = append(e.out, ',')
	}
	if what[0] == 'k' {
		e.out = append(appendString(e.out, "…"), ':')
	}
	e.out = appendString(e.out, "… "+note)
}

func (e *encoder) set(v starlark.Value, at place, depth int) (bool, error) {
	elems, err := pylang.List(e.thread, v)
	if err != nil {
		return false, err
	}
	elems = slices.Clone(elems)
	sortForJSON(e.thread, elems)
	return e.list(starlark.Tuple(elems), at, depth)
}

// sortForJSON orders a set's elements, so that equal sets give equal answers:
// by value where they can be compared, else by type and text.
func sortForJSON(t *starlark.Thread, elems []starlark.Value) {
	failed := false
	sort.SliceStable(elems, func(i, j int) bool {
		lt, err := pylang.Less(t, elems[i], elems[j])
		failed = failed || err != nil
		return err == nil && lt
	})
	if failed {
		sort.SliceStable(elems, func(i, j int) bool {
			a, b := elems[i], elems[j]
			if a.Type() != b.Type() {
				return a.Type() < b.Type()
			}
			return a.String() < b.String()
		})
	}
}

func (e *encoder) dict(v starlark.Value, items []starlark.Tuple, at place, depth int) (bool, error) {
	if err := e.enter(v, at); err != nil {
		return false, err
	}
	defer e.leave()
	if e.room(depth) < 0 {
		return false, e.full(at)
	}
	e.out = append(e.out, '{')
	whole := true
	for i, kv := range items {
		key, err := jsonKey(kv[0], at)
		if err != nil {
			return false, err
		}
		start := len(e.out)
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(appendString(e.out, key), ':')
		before := len(e.out)
		fits := false
		if e.room(depth+1) > 0 {
			if fits, err = e.value(kv[1], at.key(key), depth+1); err != nil {
				return false, err
			}
		}
		if fits {
			continue
		}
		whole = false
		left := len(items) - i
		if len(e.out) > before { // part of this value is there
			left--
		} else {
			e.out = e.out[:start]
			e.notes = nil
		}
		if left > 0 {
			e.leftOut(at, left, "keys", e.out[len(e.out)-1] != '{')
		}
		break
	}
	e.out = append(e.out, '}')
	return whole, nil
}

// jsonKey is a dict's key as Python's json would write it.
func jsonKey(k starlark.Value, at place) (string, error) {
	switch k := k.(type) {
	case starlark.String:
		return string(k), nil
	case starlark.Int:
		return k.String(), nil
	case starlark.Float:
		return guest.FormatFloat(float64(k)), nil
	case starlark.Bool:
		return strconv.FormatBool(bool(k)), nil
	case starlark.NoneType:
		return "null", nil
	case isoFormatter:
		return k.ISOFormat(), nil
	}
	return "", at.fail("TypeError", "keys must be strings to be returned as JSON, got %s %s", guest.TypeName(k), k.String())
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Text stays readable: only what must
// be escaped is.
func appendString(b []byte, s string) []byte {
	return append(appendEscaped(append(b, '"'), s), '"')
}

func appendEscaped(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(b, s[start:]...)
}
