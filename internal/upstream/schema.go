package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/spell"
)

// Arguments are checked against the input schema before a call, so that a mistake
// costs one clear line and no side effect. The server checks too, and by its own
// rules; so this check never refuses what the schema allows: keywords it does not
// know, references it cannot follow and schemas that would take too long all pass.
// (Both "not" and "if" are such keywords, and "oneOf" is read as "anyOf": with lenient
// parts they could refuse too much.) The one exception is stated at closed.

// mismatch is one place where a value does not fit.
type mismatch struct {
	path    string // as in filter.labels[2]; "" is the whole value
	message string // follows the name of the argument
	hint    string
}

// schemaCheck is one check of a value against a schema.
type schemaCheck struct {
	root any
	fuel int // steps left; at 0 all passes
}

const (
	schemaFuel  = 200_000
	schemaDepth = 100
)

// decodeNumbers reads JSON with its numbers as written.
func decodeNumbers(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is something behind the JSON value")
	}
	return v, nil
}

// checkArguments returns the arguments as they are to be sent, or an error of
// KindArguments whose message is one line with the argument's name and the remedy.
func checkArguments(t Tool, args json.RawMessage) (json.RawMessage, *Error) {
	fail := func(message, hint string) *Error {
		return &Error{Kind: KindArguments, Server: t.Server, Tool: t.Name, Message: t.QualifiedName + ": " + message, Hint: hint}
	}
	if b := bytes.TrimSpace(args); len(b) == 0 || bytes.Equal(b, []byte("null")) {
		args = json.RawMessage("{}")
	}
	value, err := decodeNumbers(args)
	if err != nil {
		return nil, fail("the arguments are not JSON: "+err.Error(), "")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fail("the arguments must be an object of names and values, not "+describe(value), "")
	}
	schema, err := decodeNumbers(t.InputSchema)
	if err != nil {
		return args, nil
	}
	if m := closed(schema, object); m != nil {
		return nil, fail(m.message, m.hint)
	}
	c := &schemaCheck{root: schema, fuel: schemaFuel}
	if m := c.check(schema, object, "", 0); m != nil {
		message := m.message
		if m.path != "" {
			message = fmt.Sprintf("argument %q %s", clip(m.path, 100), m.message)
		}
		return nil, fail(message, m.hint)
	}
	return args, nil
}

// closed refuses names that a plain schema does not have. A schema that lists
// properties and says nothing of others allows them by the letter, and servers then
// ignore them, which hides a misspelt name from the one who wrote it.
func closed(schema any, args map[string]any) *mismatch {
	s, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		return nil
	}
	for _, open := range []string{"patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "unevaluatedProperties"} {
		if _, found := s[open]; found {
			return nil
		}
	}
	if more, found := s["additionalProperties"]; found && more != false {
		return nil
	}
	known := sortedKeys(properties)
	for _, name := range sortedKeys(args) {
		if _, ok := properties[name]; ok {
			continue
		}
		m := &mismatch{message: fmt.Sprintf("there is no argument %q", clip(name, 60))}
		if near := spell.Nearest(name, known); near != "" {
			m.hint = fmt.Sprintf("did you mean %q?", near)
		} else if len(known) == 0 {
			m.hint = "the tool takes no arguments"
		} else {
			m.hint = "the tool takes " + list(known)
		}
		return m
	}
	return nil
}

func list(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

func (c *schemaCheck) check(schema, v any, path string, depth int) *mismatch {
	if c.fuel--; c.fuel < 0 || depth > schemaDepth {
		return nil
	}
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return &mismatch{path: path, message: "is not allowed here"}
		}
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, found := c.resolve(ref); found {
			if m := c.check(target, v, path, depth+1); m != nil {
				return m
			}
		}
	}
	if v == nil && s["nullable"] == true {
		return nil
	}
	if m := checkType(s, v, path); m != nil {
		return m
	}
	if m := checkEnum(s, v, path); m != nil {
		return m
	}
	if all, ok := s["allOf"].([]any); ok {
		for _, part := range all {
			if m := c.check(part, v, path, depth+1); m != nil {
				return m
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if parts, ok := s[key].([]any); ok && len(parts) > 0 {
			if m := c.anyOf(parts, v, path, depth); m != nil {
				return m
			}
		}
	}
	switch v := v.(type) {
	case string:
		return checkString(s, v, path)
	case json.Number:
		return checkNumber(s, v, path)
	case []any:
		return c.checkArray(s, v, path, depth)
	case map[string]any:
		return c.checkObject(s, v, path, depth)
	}
	return nil
}

// resolve follows a reference within the schema itself; others are not followed.
func (c *schemaCheck) resolve(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	at := c.root
	if pointer == "" {
		return at, true
	}
	for _, part := range strings.Split(pointer[1:], "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch here := at.(type) {
		case map[string]any:
			next, ok := here[part]
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(here) {
				return nil, false
			}
			at = here[i]
		default:
			return nil, false
		}
	}
	return at, true
}

// anyOf passes when one part does. Otherwise it tells of the part that came furthest
// into the value, for that is most likely the one that was meant.
func (c *schemaCheck) anyOf(parts []any, v any, path string, depth int) *mismatch {
	var best *mismatch
	var types []string
	for _, part := range parts {
		m := c.check(part, v, path, depth+1)
		if m == nil {
			return nil
		}
		if best == nil || len(m.path) > len(best.path) {
			best = m
		}
		if s, ok := part.(map[string]any); ok {
			for _, t := range typesOf(s) {
				if !slices.Contains(types, t) {
					types = append(types, t)
				}
			}
		}
	}
	if best.path == path && len(types) > 1 && !fitsType(types, v) {
		return typeMismatch(types, v, path)
	}
	return best
}

func typesOf(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, x := range t {
			if x, ok := x.(string); ok {
				out = append(out, x)
			}
		}
		return out
	}
	return nil
}

func checkType(s map[string]any, v any, path string) *mismatch {
	types := typesOf(s)
	if len(types) == 0 || fitsType(types, v) {
		return nil
	}
	return typeMismatch(types, v, path)
}

var schemaTypes = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

func fitsType(types []string, v any) bool {
	for _, t := range types {
		if !slices.Contains(schemaTypes, t) {
			return true // a type of somebody's own
		}
		switch v := v.(type) {
		case nil:
			if t == "null" {
				return true
			}
		case bool:
			if t == "boolean" {
				return true
			}
		case string:
			if t == "string" {
				return true
			}
		case json.Number:
			if t == "number" || t == "integer" && isInteger(v) {
				return true
			}
		case []any:
			if t == "array" {
				return true
			}
		case map[string]any:
			if t == "object" {
				return true
			}
		}
	}
	return false
}

func isInteger(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	f, err := n.Float64()
	return err != nil || f == math.Trunc(f)
}

func typeMismatch(types []string, v any, path string) *mismatch {
	m := &mismatch{path: path, message: "must be " + typeNames(types) + ", not " + describe(v)}
	has := func(t string) bool { return slices.Contains(types, t) }
	switch v := v.(type) {
	case string:
		inner, err := decodeNumbers([]byte(v))
		switch {
		case (has("object") || has("array")) && err == nil && fitsType(types, inner):
			m.hint = "pass the value itself, not JSON text"
		case err == nil && fitsType(types, inner):
			m.hint = "pass " + clip(v, 40) + " without quotes"
		case has("array"):
			m.hint = "pass a list, even of one"
		}
	case json.Number, bool:
		switch {
		case has("string"):
			m.hint = fmt.Sprintf("pass \"%v\" in quotes", v)
		case has("array"):
			m.hint = "pass a list, even of one"
		}
	case nil:
		m.hint = "leave it out, or give it a value"
	case map[string]any:
		if has("array") {
			m.hint = "pass a list, even of one"
		}
	}
	return m
}

func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "array":
			names[i] = "a list"
		case "object", "integer":
			names[i] = "an " + t
		case "null":
			names[i] = "null"
		case "boolean":
			names[i] = "true or false"
		default:
			names[i] = "a " + t
		}
	}
	return strings.Join(names, " or ")
}

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return "the number " + clip(string(v), 40)
	case string:
		return "the string " + strconv.Quote(clip(v, 40))
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	}
	return "an object"
}

func checkEnum(s map[string]any, v any, path string) *mismatch {
	if one, ok := s["const"]; ok {
		if m := oneOf([]any{one}, v, path); m != nil {
			return m
		}
	}
	if allowed, ok := s["enum"].([]any); ok {
		return oneOf(allowed, v, path)
	}
	return nil
}

func oneOf(allowed []any, v any, path string) *mismatch {
	var texts []string
	for _, a := range allowed {
		if equalJSON(a, v) {
			return nil
		}
		if t, ok := a.(string); ok {
			texts = append(texts, t)
		}
	}
	shown, _ := json.Marshal(allowed)
	choice := clip(strings.Trim(string(shown), "[]"), 300)
	if len(allowed) > 1 {
		choice = "one of " + choice
	}
	m := &mismatch{path: path, message: "must be " + choice + ", not " + describe(v)}
	if t, ok := v.(string); ok {
		if near := spell.Nearest(t, texts); near != "" {
			m.hint = fmt.Sprintf("did you mean %q?", near)
		}
	}
	return m
}

// equalJSON compares as JSON Schema does: 1 and 1.0 are equal.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		if a == b {
			return true
		}
		x, errX := a.Float64()
		y, errY := b.Float64()
		return errX == nil && errY == nil && x == y
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalJSON)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, x := range a {
			if y, ok := b[k]; !ok || !equalJSON(x, y) {
				return false
			}
		}
		return true
	}
	return a == b
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func checkString(s map[string]any, v, path string) *mismatch {
	n := float64(utf8.RuneCountInString(v))
	if low, ok := number(s["minLength"]); ok && n < low {
		if n == 0 {
			return &mismatch{path: path, message: "must not be empty"}
		}
		return &mismatch{path: path, message: fmt.Sprintf("has %v characters and needs at least %v", n, low)}
	}
	if high, ok := number(s["maxLength"]); ok && n > high {
		return &mismatch{path: path, message: fmt.Sprintf("has %v characters, at most %v are allowed", n, high)}
	}
	if p, ok := s["pattern"].(string); ok && len(p) < 1000 && len(v) < 64<<10 && plainPattern(p) {
		if re, err := regexp.Compile(p); err == nil && !re.MatchString(v) {
			return &mismatch{path: path, message: "must match the pattern " + clip(p, 100) + ", not " + describe(v)}
		}
	}
	return nil
}

// plainPattern tells patterns that Go and ECMAScript read alike: those without
// escapes that one of them counts Unicode in.
func plainPattern(p string) bool {
	return !strings.Contains(p, `\s`) && !strings.Contains(p, `\S`) && !strings.Contains(p, `\b`) && !strings.Contains(p, `\p`) &&
		!strings.Contains(p, `[^]`) && !strings.Contains(p, `(?`) && !strings.Contains(p, `$)`) && !strings.Contains(p, `\c`)
}

func checkNumber(s map[string]any, v json.Number, path string) *mismatch {
	f, err := v.Float64()
	if err != nil {
		return nil
	}
	out := func(how string, bound float64) *mismatch {
		return &mismatch{path: path, message: fmt.Sprintf("must be %s %v, not %s", how, strconv.FormatFloat(bound, 'g', -1, 64), v)}
	}
	if low, ok := number(s["minimum"]); ok && (f < low || f == low && s["exclusiveMinimum"] == true) {
		return out("at least", low)
	}
	if high, ok := number(s["maximum"]); ok && (f > high || f == high && s["exclusiveMaximum"] == true) {
		return out("at most", high)
	}
	// Beyond 2^53 two integers can be the same float; such an equality refuses nothing.
	exact := math.Abs(f) < 1<<53
	if low, ok := number(s["exclusiveMinimum"]); ok && (f < low || f == low && exact) {
		return out("more than", low)
	}
	if high, ok := number(s["exclusiveMaximum"]); ok && (f > high || f == high && exact) {
		return out("less than", high)
	}
	return nil
}

func (c *schemaCheck) checkArray(s map[string]any, v []any, path string, depth int) *mismatch {
	n := float64(len(v))
	if low, ok := number(s["minItems"]); ok && n < low {
		return &mismatch{path: path, message: fmt.Sprintf("has %d items and needs at least %v", len(v), low)}
	}
	if high, ok := number(s["maxItems"]); ok && n > high {
		return &mismatch{path: path, message: fmt.Sprintf("has %d items, at most %v are allowed", len(v), high)}
	}
	first, _ := s["prefixItems"].([]any)
	rest, hasRest := s["items"]
	if tuple, ok := rest.([]any); ok { // before 2020-12
		first, hasRest = tuple, false
	}
	for i, x := range v {
		var m *mismatch
		switch {
		case i < len(first):
			m = c.check(first[i], x, fmt.Sprintf("%s[%d]", path, i), depth+1)
		case hasRest:
			m = c.check(rest, x, fmt.Sprintf("%s[%d]", path, i), depth+1)
		default:
			return nil
		}
		if m != nil || c.fuel < 0 {
			return m
		}
	}
	return nil
}

func (c *schemaCheck) checkObject(s map[string]any, v map[string]any, path string, depth int) *mismatch {
	join := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	more, hasMore := s["additionalProperties"]
	if hasMore && more == false && len(patterns) == 0 {
		for _, name := range sortedKeys(v) {
			if _, ok := properties[name]; ok {
				continue
			}
			known := sortedKeys(properties)
			m := &mismatch{path: join(name), message: "does not exist"}
			if near := spell.Nearest(name, known); near != "" {
				m.hint = fmt.Sprintf("did you mean %q?", near)
			} else if len(known) > 0 {
				m.hint = "there are " + list(known)
			}
			return m
		}
	}
	if required, ok := s["required"].([]any); ok {
		var missing, needed []string
		for _, r := range required {
			if name, ok := r.(string); ok {
				needed = append(needed, name)
				if _, given := v[name]; !given {
					missing = append(missing, name)
				}
			}
		}
		switch {
		case len(missing) == 1:
			m := &mismatch{path: join(missing[0]), message: "is missing"}
			if p, ok := properties[missing[0]].(map[string]any); ok {
				if types := typesOf(p); len(types) > 0 {
					m.hint = "give it " + typeNames(types)
				}
			}
			return m
		case len(missing) > 1:
			where := ""
			if path != "" {
				where = fmt.Sprintf("in %q ", path)
			}
			return &mismatch{message: where + "the arguments " + list(missing) + " are missing", hint: "needed are " + list(needed)}
		}
	}
	for _, name := range sortedKeys(v) {
		part, known := properties[name]
		if !known {
			if _, isObject := more.(map[string]any); !hasMore || !isObject || len(patterns) > 0 {
				continue
			}
			part = more
		}
		if m := c.check(part, v[name], join(name), depth+1); m != nil {
			return m
		}
		if c.fuel < 0 {
			return nil
		}
	}
	return nil
}
