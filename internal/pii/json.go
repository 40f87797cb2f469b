package pii

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
)

var errJSON = errors.New("sanitize JSON: this is no valid JSON; sanitize it as text")

// JSON is Text for a JSON value: its strings at any depth, keys too, and its numbers.
// A key says what its value is: in {"ssn": 536221843} that is a social security
// number. A number with a value in it becomes a string. Everything else stays as it
// is, to the byte. With an error of the Tokenizer the value that is returned is safe,
// as with Text; for what is no JSON nothing is returned.
func (s *Sanitizer) JSON(ctx context.Context, raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		return nil, errJSON
	}
	parts := jsonParts(raw)
	b := batch{s: s}
	changed := parts[:0]
	for _, p := range parts {
		if p.found = find(p.key, p.text, s.kinds()); len(p.found) > 0 {
			b.add(p.text, p.found)
			changed = append(changed, p)
		}
	}
	if len(changed) == 0 {
		return raw, nil
	}
	err := b.tokenize(ctx)
	out := make([]byte, 0, len(raw)+32*len(changed))
	at := 0
	for _, p := range changed {
		out = append(out, raw[at:p.start]...)
		out = appendString(out, b.replace(p.text, p.found))
		at = p.end
	}
	return append(out, raw[at:]...), err
}

// JSON is Text for a JSON value: tokens in its strings, keys too. With an error the
// value comes back as it was.
func (r *Restorer) JSON(ctx context.Context, raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		return raw, errJSON
	}
	parts := jsonParts(raw)
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	values, err := r.lookup(ctx, texts...)
	if err != nil || len(values) == 0 {
		return raw, err
	}
	var out []byte
	at := 0
	for _, p := range parts {
		text := restore(p.text, values)
		if text == p.text {
			continue
		}
		out = append(out, raw[at:p.start]...)
		out = appendString(out, text)
		at = p.end
	}
	return append(out, raw[at:]...), nil
}

// jsonPart is a string or a number in JSON: raw[start:end], decoded in text, below the
// given key.
type jsonPart struct {
	start, end int
	key, text  string
	found      []Match
}

// jsonParts returns the strings and numbers of valid JSON in their order.
func jsonParts(raw []byte) (parts []jsonPart) {
	key := ""          // the last key of the object that is open
	var outer []string // those of the values around it
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '{' || c == '[':
			outer = append(outer, key)
			i++
		case c == '}' || c == ']':
			key = outer[len(outer)-1]
			outer = outer[:len(outer)-1]
			i++
		case c == '"':
			end := stringEnd(raw, i)
			p := jsonPart{start: i, end: end, key: key, text: unquote(raw[i:end])}
			for i = end; i < len(raw) && is(raw[i], isSpace); {
				i++
			}
			if i < len(raw) && raw[i] == ':' {
				p.key, key = "", p.text
				i++
			}
			parts = append(parts, p)
		case c == '-' || is(c, isDigit):
			end := i + 1
			for end < len(raw) && (is(raw[end], isDigit) || bytes.IndexByte([]byte("+-.eE"), raw[end]) >= 0) {
				end++
			}
			if end-i >= 7 { // the shortest value that is all digits
				parts = append(parts, jsonPart{start: i, end: end, key: key, text: string(raw[i:end])})
			}
			i = end
		default:
			i++
		}
	}
	return parts
}

// stringEnd returns the end of the string literal at i.
func stringEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func unquote(literal []byte) string {
	if bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1])
	}
	var s string
	if err := json.Unmarshal(literal, &s); err != nil {
		panic("pii: literal of valid JSON: " + err.Error()) // cannot be
	}
	return s
}

func appendString(out []byte, s string) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("pii: encode a string: " + err.Error()) // cannot be
	}
	return append(out, strings.TrimSuffix(b.String(), "\n")...)
}
