package stdlib

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const jsonText = `
"""JSON as in Python; also dump and load for io.StringIO, JSONEncoder, JSONDecoder. Nesting is bounded to 200 levels."""

def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None, separators=None, default=None, sort_keys=False):
    """JSON of a value. default(value) is called for what JSON does not know, or the
    method default of the class cls (a JSONEncoder); hits are written as their to_dict()."""

def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None):
    """The value of a JSON text; JSONDecodeError (a ValueError) says where it is none."""
`

var jsonDoc = guest.Lazy(jsonText)

const jsonDepth = 200

func makeJSON(_ *Env, c *guest.Contract) starlark.StringDict {
	m := c.Bind("json", map[string]guest.Impl{"dumps": jsonDumps, "loads": jsonLoads})
	m["JSONDecodeError"] = exceptionClass("JSONDecodeError", "ValueError")
	m["_dumps"], m["_loads"] = m["dumps"], m["loads"] // for lib/json.py
	m["_raw_decode"] = jsonHeads().Func("raw_decode").Builtin("json", rawDecode)
	return m
}

var jsonHeads = guest.Lazy(`
def raw_decode(s, idx=0, *, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None): ...
`)

// jsonByEncoder is dumps(obj, cls=Encoder): the class gets the other options.
func jsonByEncoder(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var kwargs []starlark.Tuple
	for i, name := range []string{"skipkeys", "ensure_ascii", "check_circular", "allow_nan", "", "indent", "separators", "default", "sort_keys"} {
		if name != "" && a.Given(i+1) {
			kwargs = append(kwargs, starlark.Tuple{text(name), a.V[i+1]})
		}
	}
	encoder, err := pylang.Call(t, a.V[5], nil, kwargs)
	if err != nil {
		return nil, err
	}
	encode, err := pylang.GetAttr(t, encoder, "encode")
	if err != nil {
		return nil, err
	}
	return pylang.Call(t, encode, starlark.Tuple{a.V[0]}, nil)
}

// rawDecode reads a value in the middle of a text: the value and where it ends.
func rawDecode(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	s, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	idx, err := a.Index(1, 0)
	if err != nil {
		return nil, err
	}
	r := &jsonReader{t: t, s: s}
	r.hooks(a, 2)
	for range idx { // positions are characters
		if r.i >= len(s) {
			break
		}
		_, n := utf8.DecodeRuneInString(s[r.i:])
		r.i += n
	}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	return starlark.Tuple{v, starlark.MakeInt(utf8.RuneCountInString(s[:r.i]))}, nil
}

type jsonWriter struct {
	t             *starlark.Thread
	b             []byte
	ascii, sorted bool
	skip, nan     bool
	indent        string
	lines         bool // indent was given, even an empty one
	comma, colon  string
	fallback      starlark.Value
	open          []starlark.Value
}

func jsonDumps(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	w := &jsonWriter{
		t: t, skip: a.Bool(1, false), ascii: a.Bool(2, true), nan: a.Bool(4, true), sorted: a.Bool(9, false),
		comma: ", ", colon: ": ",
	}
	if a.Given(5) {
		return jsonByEncoder(t, a)
	}
	if a.Given(6) {
		w.lines, w.comma = true, ","
		switch v := a.V[6].(type) {
		case starlark.String:
			w.indent = string(v)
		default:
			n, err := a.Index(6, 0)
			if err != nil {
				return nil, err
			}
			if n > 1000 {
				return nil, raise("ValueError", "indent must be at most 1000, got %d", n)
			}
			w.indent = strings.Repeat(" ", max(n, 0))
		}
	}
	if a.Given(7) {
		seps, err := elements(t, a.V[7])
		if err != nil {
			return nil, err
		}
		if len(seps) != 2 {
			return nil, raise("ValueError", "separators must be (item_separator, key_separator)")
		}
		comma, ok1 := seps[0].(starlark.String)
		colon, ok2 := seps[1].(starlark.String)
		if !ok1 || !ok2 {
			return nil, raise("TypeError", "separators must be strings")
		}
		w.comma, w.colon = string(comma), string(colon)
	}
	if a.Given(8) {
		w.fallback = a.V[8]
	}
	if err := w.value(a.V[0], 0); err != nil {
		return nil, err
	}
	return text(string(w.b)), nil
}

// jsonRecord is implemented by values that JSON shows as another value.
type jsonRecord interface {
	starlark.Value
	JSONValue() (starlark.Value, error)
}

func (w *jsonWriter) value(v starlark.Value, depth int) error {
	if depth > jsonDepth {
		return raise("RecursionError", "maximum recursion depth exceeded while encoding a JSON object")
	}
	if len(w.b) > 1<<20 {
		if err := pylang.CheckAlloc(w.t, 4*int64(len(w.b))); err != nil {
			return err
		}
	}
	switch v := pylang.Underlying(v).(type) {
	case starlark.NoneType:
		w.b = append(w.b, "null"...)
	case starlark.Bool:
		w.b = strconv.AppendBool(w.b, bool(v))
	case starlark.Int:
		s, err := pylang.Str(w.t, v)
		if err != nil {
			return err
		}
		w.b = append(w.b, s...)
	case starlark.Float:
		s, err := w.float(float64(v))
		if err != nil {
			return err
		}
		w.b = append(w.b, s...)
	case starlark.String:
		w.text(string(v))
	case starlark.Tuple:
		return w.list(v, v, depth)
	case *starlark.List:
		return w.list(v, v, depth)
	case *tuple:
		return w.list(v.Tuple, v.Tuple, depth)
	case jsonRecord:
		x, err := v.JSONValue()
		if err != nil {
			return err
		}
		return w.value(x, depth)
	case starlark.IterableMapping:
		return w.dict(v, depth)
	default:
		if w.fallback == nil {
			return raise("TypeError", "Object of type %s is not JSON serializable", pylang.TypeName(v))
		}
		if err := w.enter(v); err != nil {
			return err
		}
		defer w.leave()
		if len(w.open) > jsonDepth {
			return raise("RecursionError", "maximum recursion depth exceeded while encoding a JSON object")
		}
		x, err := pylang.Call(w.t, w.fallback, starlark.Tuple{v}, nil)
		if err != nil {
			return err
		}
		return w.value(x, depth)
	}
	return nil
}

func (w *jsonWriter) enter(v starlark.Value) error {
	for _, o := range w.open {
		if o == v {
			return raise("ValueError", "Circular reference detected")
		}
	}
	w.open = append(w.open, v)
	return nil
}

func (w *jsonWriter) leave() { w.open = w.open[:len(w.open)-1] }

func (w *jsonWriter) float(f float64) (string, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if !w.nan {
			return "", raise("ValueError", "Out of range float values are not JSON compliant")
		}
		switch {
		case math.IsNaN(f):
			return "NaN", nil
		case f > 0:
			return "Infinity", nil
		}
		return "-Infinity", nil
	}
	return guest.FormatFloat(f), nil
}

func (w *jsonWriter) newline(depth int) {
	if w.lines {
		w.b = append(w.b, '\n')
		for range depth {
			w.b = append(w.b, w.indent...)
		}
	}
}

func (w *jsonWriter) list(v starlark.Value, seq starlark.Indexable, depth int) error {
	if seq.Len() == 0 {
		w.b = append(w.b, "[]"...)
		return nil
	}
	if _, isTuple := v.(starlark.Tuple); !isTuple {
		if err := w.enter(v); err != nil {
			return err
		}
		defer w.leave()
	}
	w.b = append(w.b, '[')
	for i := 0; i < seq.Len(); i++ {
		if i > 0 {
			w.b = append(w.b, w.comma...)
		}
		w.newline(depth + 1)
		if err := w.value(seq.Index(i), depth+1); err != nil {
			return err
		}
	}
	w.newline(depth)
	w.b = append(w.b, ']')
	return nil
}

func (w *jsonWriter) dict(v starlark.IterableMapping, depth int) error {
	items := v.Items()
	if len(items) == 0 {
		w.b = append(w.b, "{}"...)
		return nil
	}
	if err := w.enter(v); err != nil {
		return err
	}
	defer w.leave()
	if w.sorted {
		items = append([]starlark.Tuple(nil), items...)
		var failed error
		sort.SliceStable(items, func(i, j int) bool {
			lt, err := pylang.Less(w.t, items[i][0], items[j][0])
			if err != nil && failed == nil {
				failed = err
			}
			return lt
		})
		if failed != nil {
			return failed
		}
	}
	w.b = append(w.b, '{')
	first := true
	for _, kv := range items {
		key, ok, err := w.key(kv[0])
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if !first {
			w.b = append(w.b, w.comma...)
		}
		first = false
		w.newline(depth + 1)
		w.text(key)
		w.b = append(w.b, w.colon...)
		if err := w.value(kv[1], depth+1); err != nil {
			return err
		}
	}
	if !first {
		w.newline(depth)
	}
	w.b = append(w.b, '}')
	return nil
}

func (w *jsonWriter) key(k starlark.Value) (string, bool, error) {
	switch k := pylang.Underlying(k).(type) {
	case starlark.String:
		return string(k), true, nil
	case starlark.Int:
		s, err := pylang.Str(w.t, k)
		return s, true, err
	case starlark.Float:
		s, err := w.float(float64(k))
		return s, true, err
	case starlark.Bool:
		return strconv.FormatBool(bool(k)), true, nil
	case starlark.NoneType:
		return "null", true, nil
	}
	if w.skip {
		return "", false, nil
	}
	return "", false, raise("TypeError", "keys must be str, int, float, bool or None, not %s", pylang.TypeName(k))
}

func (w *jsonWriter) text(s string) {
	w.b = append(w.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r == '\n':
			w.b = append(w.b, '\\', 'n')
		case r == '\r':
			w.b = append(w.b, '\\', 'r')
		case r == '\t':
			w.b = append(w.b, '\\', 't')
		case r == '\b':
			w.b = append(w.b, '\\', 'b')
		case r == '\f':
			w.b = append(w.b, '\\', 'f')
		case r < 0x20:
			w.b = fmt.Appendf(w.b, "\\u%04x", r)
		case w.ascii && r >= 0x10000:
			hi, lo := utf16.EncodeRune(r)
			w.b = fmt.Appendf(w.b, "\\u%04x\\u%04x", hi, lo)
		case w.ascii && r >= 0x7f:
			w.b = fmt.Appendf(w.b, "\\u%04x", r)
		default:
			w.b = utf8.AppendRune(w.b, r)
		}
	}
	w.b = append(w.b, '"')
}

type jsonReader struct {
	t          *starlark.Thread
	s          string
	i          int
	object     starlark.Value
	pairs      starlark.Value
	parseFloat starlark.Value
	parseInt   starlark.Value
	parseConst starlark.Value
}

func jsonLoads(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	r := &jsonReader{t: t}
	switch v := a.V[0].(type) {
	case starlark.String:
		r.s = string(v)
		if strings.HasPrefix(r.s, "\uFEFF") {
			return nil, raise("JSONDecodeError", "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)")
		}
	case starlark.Bytes:
		r.s = strings.TrimPrefix(string(v), "\uFEFF")
		if !utf8.ValidString(r.s) {
			return nil, raise("UnicodeDecodeError", "'utf-8' codec can't decode the bytes")
		}
	default:
		e := pylang.Raise("TypeError", "the JSON object must be str, bytes or bytearray, not %s", pylang.TypeName(v))
		if _, isDict := v.(*starlark.Dict); isDict {
			e.Hint = "this is a dict already: use it as it is"
		}
		return nil, e
	}
	if a.Given(1) {
		decoder, err := pylang.Call(t, a.V[1], nil, nil)
		if err != nil {
			return nil, err
		}
		decode, err := pylang.GetAttr(t, decoder, "decode")
		if err != nil {
			return nil, err
		}
		return pylang.Call(t, decode, starlark.Tuple{text(r.s)}, nil)
	}
	r.hooks(a, 2)
	r.space()
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	r.space()
	if r.i < len(r.s) {
		return nil, r.fail("Extra data", r.i)
	}
	return v, nil
}

// hooks reads the functions that a program gives, from argument i on.
func (r *jsonReader) hooks(a *guest.Args, i int) {
	for k, to := range []*starlark.Value{&r.object, &r.parseFloat, &r.parseInt, &r.parseConst, &r.pairs} {
		if a.Given(i + k) {
			*to = a.V[i+k]
		}
	}
}

// fail is JSONDecodeError in CPython's words; positions count characters.
func (r *jsonReader) fail(msg string, at int) error {
	before := r.s[:at]
	line := strings.Count(before, "\n") + 1
	col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	pos := utf8.RuneCountInString(before)
	e := pylang.Raise("JSONDecodeError", "%s: line %d column %d (char %d)", msg, line, col, pos)
	e.Attrs = starlark.StringDict{"msg": text(msg), "doc": text(r.s), "pos": starlark.MakeInt(pos),
		"lineno": starlark.MakeInt(line), "colno": starlark.MakeInt(col)}
	return e
}

func (r *jsonReader) space() {
	for r.i < len(r.s) && (r.s[r.i] == ' ' || r.s[r.i] == '\n' || r.s[r.i] == '\t' || r.s[r.i] == '\r') {
		r.i++
	}
}

func (r *jsonReader) value(depth int) (starlark.Value, error) {
	if depth > jsonDepth {
		return nil, raise("RecursionError", "maximum recursion depth exceeded while decoding a JSON document")
	}
	if r.i >= len(r.s) {
		return nil, r.fail("Expecting value", r.i)
	}
	switch c := r.s[r.i]; {
	case c == '"':
		r.i++
		s, err := r.text()
		return starlark.String(s), err
	case c == '{':
		return r.dict(depth)
	case c == '[':
		return r.list(depth)
	case c == '-' || c >= '0' && c <= '9':
		if v, ok, err := r.number(); ok || err != nil {
			return v, err
		}
	}
	for _, k := range []struct {
		word string
		v    starlark.Value
	}{{"null", starlark.None}, {"true", starlark.True}, {"false", starlark.False}} {
		if strings.HasPrefix(r.s[r.i:], k.word) {
			r.i += len(k.word)
			return k.v, nil
		}
	}
	for _, k := range []struct {
		word string
		f    float64
	}{{"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)}} {
		if strings.HasPrefix(r.s[r.i:], k.word) {
			r.i += len(k.word)
			if r.parseConst != nil {
				return pylang.Call(r.t, r.parseConst, starlark.Tuple{text(k.word)}, nil)
			}
			return float(k.f), nil
		}
	}
	return nil, r.fail("Expecting value", r.i)
}

func (r *jsonReader) digits(i int) int {
	for i < len(r.s) && r.s[i] >= '0' && r.s[i] <= '9' {
		i++
	}
	return i
}

// number reads a number; false when there is none, such as a lone minus.
func (r *jsonReader) number() (starlark.Value, bool, error) {
	i := r.i
	if r.s[i] == '-' {
		i++
	}
	j := r.digits(i)
	if j == i {
		return nil, false, nil
	}
	if r.s[i] == '0' {
		j = i + 1
	}
	isFloat := false
	if j+1 < len(r.s) && r.s[j] == '.' && r.digits(j+1) > j+1 {
		isFloat, j = true, r.digits(j+1)
	}
	if j < len(r.s) && (r.s[j] == 'e' || r.s[j] == 'E') {
		k := j + 1
		if k < len(r.s) && (r.s[k] == '+' || r.s[k] == '-') {
			k++
		}
		if end := r.digits(k); end > k {
			isFloat, j = true, end
		}
	}
	word := r.s[r.i:j]
	r.i = j
	if isFloat {
		if r.parseFloat != nil {
			v, err := pylang.Call(r.t, r.parseFloat, starlark.Tuple{text(word)}, nil)
			return v, true, err
		}
		f, _ := strconv.ParseFloat(word, 64) // out of range gives the infinity, as in Python
		return float(f), true, nil
	}
	if r.parseInt != nil {
		v, err := pylang.Call(r.t, r.parseInt, starlark.Tuple{text(word)}, nil)
		return v, true, err
	}
	if len(strings.TrimPrefix(word, "-")) > 4300 {
		return nil, true, raise("ValueError", "Exceeds the limit (4300 digits) for integer string conversion: value has %d digits", len(word))
	}
	n, _ := new(big.Int).SetString(word, 10)
	return bigInt(n), true, nil
}

func (r *jsonReader) list(depth int) (starlark.Value, error) {
	r.i++
	r.space()
	var elems []starlark.Value
	if r.i < len(r.s) && r.s[r.i] == ']' {
		r.i++
		return list(nil), nil
	}
	for {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		elems = append(elems, v)
		r.space()
		switch {
		case r.i < len(r.s) && r.s[r.i] == ',':
			r.i++
			r.space()
		case r.i < len(r.s) && r.s[r.i] == ']':
			r.i++
			return list(elems), nil
		default:
			return nil, r.fail("Expecting ',' delimiter", r.i)
		}
	}
}

func (r *jsonReader) dict(depth int) (starlark.Value, error) {
	r.i++
	r.space()
	d := new(starlark.Dict)
	var pairs []starlark.Value
	if r.i < len(r.s) && r.s[r.i] == '}' {
		r.i++
		return r.hooked(d, pairs)
	}
	for first := true; ; first = false {
		if r.i >= len(r.s) || r.s[r.i] != '"' {
			return nil, r.fail("Expecting property name enclosed in double quotes", r.i)
		}
		_ = first
		r.i++
		key, err := r.text()
		if err != nil {
			return nil, err
		}
		r.space()
		if r.i >= len(r.s) || r.s[r.i] != ':' {
			return nil, r.fail("Expecting ':' delimiter", r.i)
		}
		r.i++
		r.space()
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if r.pairs != nil {
			pairs = append(pairs, starlark.Tuple{text(key), v})
		} else if err := d.SetKey(starlark.String(key), v); err != nil {
			return nil, err
		}
		r.space()
		switch {
		case r.i < len(r.s) && r.s[r.i] == ',':
			r.i++
			r.space()
		case r.i < len(r.s) && r.s[r.i] == '}':
			r.i++
			return r.hooked(d, pairs)
		default:
			return nil, r.fail("Expecting ',' delimiter", r.i)
		}
	}
}

func (r *jsonReader) hooked(d *starlark.Dict, pairs []starlark.Value) (starlark.Value, error) {
	switch {
	case r.pairs != nil:
		return pylang.Call(r.t, r.pairs, starlark.Tuple{list(pairs)}, nil)
	case r.object != nil:
		return pylang.Call(r.t, r.object, starlark.Tuple{d}, nil)
	}
	return d, nil
}

// text reads a string behind its opening quote.
func (r *jsonReader) text() (string, error) {
	begin := r.i - 1
	var b strings.Builder
	for {
		j := r.i
		for j < len(r.s) && r.s[j] != '"' && r.s[j] != '\\' && r.s[j] >= ' ' {
			j++
		}
		b.WriteString(r.s[r.i:j])
		r.i = j
		if j >= len(r.s) {
			return "", r.fail("Unterminated string starting at", begin)
		}
		switch r.s[j] {
		case '"':
			r.i++
			return b.String(), nil
		case '\\':
			if err := r.escape(&b, begin); err != nil {
				return "", err
			}
		default:
			return "", r.fail("Invalid control character at", j)
		}
	}
}

func (r *jsonReader) escape(b *strings.Builder, begin int) error {
	at := r.i
	r.i++
	if r.i >= len(r.s) {
		return r.fail("Unterminated string starting at", begin)
	}
	c := r.s[r.i]
	r.i++
	if c != 'u' {
		k := strings.IndexByte(`"\/bfnrt`, c)
		if k < 0 {
			return r.fail("Invalid \\escape", at)
		}
		b.WriteByte("\"\\/\b\f\n\r\t"[k])
		return nil
	}
	u, ok := r.hex()
	if !ok {
		return r.fail("Invalid \\uXXXX escape", at+1)
	}
	if utf16.IsSurrogate(u) && u < 0xDC00 && strings.HasPrefix(r.s[r.i:], `\u`) {
		back := r.i
		r.i += 2
		if low, ok := r.hex(); ok {
			if full := utf16.DecodeRune(u, low); full != utf8.RuneError {
				b.WriteRune(full)
				return nil
			}
		}
		r.i = back
	}
	b.WriteRune(u) // a lone surrogate becomes U+FFFD: strings are UTF-8 here
	return nil
}

func (r *jsonReader) hex() (rune, bool) {
	if r.i+4 >= len(r.s) { // something must follow, as in CPython
		return 0, false
	}
	n, err := strconv.ParseUint(r.s[r.i:r.i+4], 16, 32)
	if err != nil {
		return 0, false
	}
	r.i += 4
	return rune(n), true
}
