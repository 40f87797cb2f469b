package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ParseJSON reads the JSON form. The long form is {"and": [...]}, {"or": [...]},
// {"not": {...}} and {"field": F, "op": OP, "value": V}, where V is a list for in and
// between and absent for exists. The short form is {F: V} for =, {F: [V, ...]} for in,
// {F: {OP: V, ...}} for others; several keys must all hold, {} and null keep
// everything. OP is a name (lte and gte, too), a symbol, or a name after a dollar
// sign; nin and not_in negate in. Errors are [*Error].
func ParseJSON(data []byte) (Expr, error) {
	if len(data) > maxBytes {
		return nil, errorf(maxBytes, "", "the expression is longer than %d bytes", maxBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	n, err := readNode(dec, 0)
	if err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errorf(int(dec.InputOffset()), "give one JSON object", "something follows the expression")
		}
	}
	if err != nil {
		return nil, err
	}
	return fromNode(n)
}

// FromMap reads the JSON form after decoding. Values may be of any Go type that
// [Eq] takes.
func FromMap(m map[string]any) (Expr, error) {
	n, err := nodeOf(m, 0)
	if err != nil {
		return nil, err
	}
	return fromNode(n)
}

func fromNode(n node) (Expr, error) {
	e, err := n.expr(0)
	if err != nil {
		return nil, err
	}
	var s size
	if err := s.add(e, 0); err != nil {
		return nil, err
	}
	return e, nil
}

// node is a JSON value that knows where it stood, its keys in order.
type node struct {
	offset int
	value  any // when neither object nor list
	object []member
	list   []node
	kind   byte // '{', '[' or 0
}

type member struct {
	key   string
	value node
}

// maxJSONDepth leaves room for the objects that carry the operators.
const maxJSONDepth = 3*maxDepth + 4

func readNode(dec *json.Decoder, depth int) (node, *Error) {
	tok, err := dec.Token()
	n := node{offset: int(dec.InputOffset())}
	if err != nil {
		return n, syntaxError(err, dec)
	}
	if depth > maxJSONDepth {
		return n, errorf(n.offset, "", "nested deeper than %d", maxDepth)
	}
	d, ok := tok.(json.Delim)
	if !ok {
		n.value = tok
		return n, nil
	}
	n.offset--
	n.kind = byte(d)
	for dec.More() {
		var key string
		if n.kind == '{' {
			tok, err := dec.Token()
			if err != nil {
				return n, syntaxError(err, dec)
			}
			key = tok.(string)
			if n.has(key) {
				return n, errorf(int(dec.InputOffset()), "join them with and", "key %q stands twice in one object", clip(key))
			}
		}
		v, err := readNode(dec, depth+1)
		if err != nil {
			return n, err
		}
		if n.kind == '{' {
			n.object = append(n.object, member{key, v})
		} else {
			n.list = append(n.list, v)
		}
		if len(n.object) > maxTests || len(n.list) > maxValues {
			return n, errorf(v.offset, "split the search", "more than %d keys or %d values", maxTests, maxValues)
		}
	}
	if _, err := dec.Token(); err != nil {
		return n, syntaxError(err, dec)
	}
	return n, nil
}

func syntaxError(err error, dec *json.Decoder) *Error {
	offset := int(dec.InputOffset())
	var s *json.SyntaxError
	if errors.As(err, &s) {
		offset = int(s.Offset)
	}
	msg := strings.TrimPrefix(err.Error(), "json: ")
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		msg = "it ends too early"
	}
	return errorf(offset, `such as {"domain": "db"}`, "bad JSON: %s", msg)
}

func nodeOf(v any, depth int) (node, *Error) {
	n := node{offset: -1}
	if depth > maxJSONDepth {
		return n, errorf(-1, "", "nested deeper than %d", maxDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		n.kind = '{'
		for _, k := range sortedKeys(v) {
			x, err := nodeOf(v[k], depth+1)
			if err != nil {
				return n, err
			}
			n.object = append(n.object, member{k, x})
		}
	case []any:
		n.kind = '['
		for _, x := range v {
			y, err := nodeOf(x, depth+1)
			if err != nil {
				return n, err
			}
			n.list = append(n.list, y)
		}
	case []string:
		n.kind = '['
		for _, x := range v {
			n.list = append(n.list, node{offset: -1, value: x})
		}
	default:
		n.value = v
	}
	return n, nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (n node) has(key string) bool { return n.get(key) != nil }

func (n node) get(key string) *node {
	for i := range n.object {
		if n.object[i].key == key {
			return &n.object[i].value
		}
	}
	return nil
}

func (n node) errorf(hint, format string, args ...any) *Error {
	return errorf(n.offset, hint, format, args...)
}

// describe names what n is, for messages.
func (n node) describe() string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return clip(fmt.Sprint(n.value))
}

func (n node) expr(depth int) (Expr, *Error) {
	if depth > maxDepth {
		return nil, n.errorf("", "nested deeper than %d", maxDepth)
	}
	if n.kind == 0 && n.value == nil {
		return And(), nil
	}
	if n.kind != '{' {
		return nil, n.errorf(`such as {"domain": "db"}`, "expected an object, found %s", n.describe())
	}
	if n.has("field") && (n.has("op") || n.has("value")) {
		return n.long()
	}
	var all []Expr
	for _, m := range n.object {
		x, err := m.expr(depth)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return And(all...), nil
}

// expr reads one key of an object: a connective or a field of the short form.
func (m member) expr(depth int) (Expr, *Error) {
	switch strings.ToLower(strings.TrimPrefix(m.key, "$")) {
	case "and":
		xs, err := m.value.exprs(m.key, depth)
		return And(xs...), err
	case "or":
		xs, err := m.value.exprs(m.key, depth)
		return Or(xs...), err
	case "not":
		x, err := m.value.expr(depth + 1)
		return Not(x), err
	}
	if strings.HasPrefix(m.key, "$") {
		return nil, m.value.errorf(operatorHint(m.key[1:]), "unknown operator %s", clip(m.key))
	}
	return m.short()
}

func (n node) exprs(key string, depth int) ([]Expr, *Error) {
	if n.kind != '[' {
		return nil, n.errorf("", "%s takes a list of conditions, found %s", key, n.describe())
	}
	xs := make([]Expr, 0, len(n.list))
	for _, x := range n.list {
		e, err := x.expr(depth + 1)
		if err != nil {
			return nil, err
		}
		xs = append(xs, e)
	}
	return xs, nil
}

func (n node) long() (Expr, *Error) {
	for _, m := range n.object {
		if m.key != "field" && m.key != "op" && m.key != "value" {
			hint := "keys of a condition: field, op, value"
			return nil, m.value.errorf(hint, "unknown key %q beside field", clip(m.key))
		}
	}
	name, ok := n.get("field").value.(string)
	if !ok {
		return nil, n.get("field").errorf("", "field must be a string, found %s", n.get("field").describe())
	}
	op := n.get("op")
	if op == nil {
		return nil, n.errorf(`add "op": "eq"`, "condition on %s has no op", clip(name))
	}
	spelling, ok := op.value.(string)
	if !ok {
		return nil, op.errorf("", "op must be a string, found %s", op.describe())
	}
	value := n.get("value")
	if value == nil {
		value = &node{offset: op.offset, kind: '['} // no values at all
		if isOp(spelling, OpExists) {
			value = &node{offset: op.offset, value: true}
		}
	}
	return comparison(name, spelling, *op, *value)
}

func isOp(spelling string, op Op) bool {
	return operators[strings.ToLower(strings.TrimPrefix(spelling, "$"))] == op
}

func (m member) short() (Expr, *Error) {
	switch m.value.kind {
	case '[':
		return comparison(m.key, "in", m.value, m.value)
	case 0:
		return comparison(m.key, "eq", m.value, m.value)
	}
	if len(m.value.object) == 0 {
		return nil, m.value.errorf(`such as {"gte": 2024}`, "condition on %s is empty", clip(m.key))
	}
	var all []Expr
	for _, o := range m.value.object {
		x, err := comparison(m.key, o.key, o.value, o.value)
		if err != nil {
			if strings.HasPrefix(err.Msg, "unknown operator") {
				err.Hint += fmt.Sprintf("; for a key inside %s write %q", clip(m.key), clip(m.key+"."+o.key))
			}
			return nil, err
		}
		all = append(all, x)
	}
	return And(all...), nil
}

// comparison builds one test; at is where the operator stands.
func comparison(name, spelling string, at, value node) (Expr, *Error) {
	word := strings.ToLower(strings.TrimPrefix(spelling, "$"))
	negated := word == "nin" || word == "not_in"
	op, ok := operators[word]
	if negated {
		op, ok = OpIn, true
	}
	if !ok {
		return nil, at.errorf(operatorHint(word), "unknown operator %s", clip(spelling))
	}
	list := []node{value}
	switch op {
	case OpIn, OpBetween:
		if value.kind != '[' {
			return nil, value.errorf("write it in [ ]", "%s takes a list, found %s", op, value.describe())
		}
		list = value.list
	case OpExists:
		want, ok := value.value.(bool)
		if !ok {
			return nil, value.errorf(`{"exists": true}`, "exists takes true or false, found %s", value.describe())
		}
		list, negated = nil, !want
	}
	values := make([]any, len(list))
	for i, v := range list {
		if v.kind != 0 {
			return nil, v.errorf("values are strings, numbers, true, false, null", "%s cannot take %s", op, v.describe())
		}
		values[i] = v.value
	}
	t, err := newTest(name, op, values)
	if err != nil {
		if err.Offset >= 0 {
			err.Offset = list[err.Offset].offset
		} else {
			err.Offset = at.offset
		}
		return nil, err
	}
	if negated {
		return Not(t), nil
	}
	return t, nil
}

// MarshalJSON writes the long form.
func (e AndExpr) MarshalJSON() ([]byte, error) { return marshalList("and", e.Of) }

// MarshalJSON writes the long form.
func (e OrExpr) MarshalJSON() ([]byte, error) { return marshalList("or", e.Of) }

// MarshalJSON writes the long form.
func (e NotExpr) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]Expr{"not": e.Of}) }

func (e invalid) MarshalJSON() ([]byte, error) { return nil, e.err }

// MarshalJSON writes the long form.
func (t Test) MarshalJSON() ([]byte, error) {
	m := struct {
		Field string `json:"field"`
		Op    Op     `json:"op"`
		Value any    `json:"value"`
	}{t.Field, t.Op, nil}
	switch t.Op {
	case OpExists:
		m.Value = true
	case OpIn, OpBetween:
		m.Value = append([]any{}, t.Values...)
	default:
		m.Value = t.Values[0]
	}
	return json.Marshal(m)
}

func marshalList(key string, xs []Expr) ([]byte, error) {
	if xs == nil {
		xs = []Expr{}
	}
	return json.Marshal(map[string][]Expr{key: xs})
}
