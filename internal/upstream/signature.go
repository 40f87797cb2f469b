package upstream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Detail is how much [Describe] tells of a tool.
type Detail string

// The levels of detail. NameOnly is a line with the name; WithDescription adds the
// signature and the first sentence; Full adds the whole description and the schemas.
const (
	NameOnly        Detail = "name_only"
	WithDescription Detail = "with_description"
	Full            Detail = "full"
)

// Describe writes a tool for an agent that looks for one.
func Describe(t Tool, level Detail) string {
	switch level {
	case NameOnly:
		return t.QualifiedName
	case WithDescription:
		s := t.QualifiedName
		if d := summary(t); d != "" {
			s += ": " + d
		}
		return s
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s", t.QualifiedName, t.Import(), Signature(t))
	if t.Destructive() {
		b.WriteString("\ndestructive: must be allowed by name")
	}
	if t.Description != "" {
		b.WriteString("\n" + t.Description)
	}
	fmt.Fprintf(&b, "\ninput schema: %s", compact(t.InputSchema))
	if t.OutputSchema != nil {
		fmt.Fprintf(&b, "\noutput schema: %s", compact(t.OutputSchema))
	}
	return b.String()
}

const maxSummary = 120

// summary is the first sentence of the description, or the title, on one line.
func summary(t Tool) string {
	text := t.Description
	if text == "" {
		text = t.Title
	}
	line := strings.Join(strings.Fields(text), " ")
	if i := strings.Index(line, ". "); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimSuffix(line, ".")
	if len(line) > maxSummary {
		cut := strings.LastIndexByte(line[:maxSummary], ' ')
		if cut < maxSummary/2 {
			return clip(line, maxSummary)
		}
		line = line[:cut] + "..."
	}
	return line
}

func compact(b json.RawMessage) string {
	v, err := decodeNumbers(b)
	if err != nil {
		return string(b)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(b)
	}
	return string(out)
}

const (
	maxTypeDepth  = 3  // levels of nesting that a type shows
	maxTypeFields = 12 // fields of one object
	maxLiterals   = 8  // values of one enumeration
)

// Signature writes a tool as one line of Python: its function with the types of its
// arguments, required ones first, and of its result, as far as the schemas say.
//
//	create_issue(owner: str, repo: str, title: str, labels: list[str] = None) -> {"number": int, "url": str}
func Signature(t Tool) string {
	var b strings.Builder
	b.WriteString(t.Function + "(")
	input, err := decodeNumbers(t.InputSchema)
	if s, ok := input.(map[string]any); ok && err == nil {
		ty := typer{root: s}
		properties, _ := s["properties"].(map[string]any)
		required := stringList(s["required"])
		first := true
		write := func(name string, optional bool) {
			if !first {
				b.WriteString(", ")
			}
			first = false
			b.WriteString(clip(name, 80) + ": " + ty.of(properties[name], 0))
			if !optional {
				return
			}
			b.WriteString(" = ")
			if p, ok := properties[name].(map[string]any); ok && p["default"] != nil {
				b.WriteString(literal(p["default"]))
			} else {
				b.WriteString("None")
			}
		}
		for _, name := range required {
			if _, ok := properties[name]; ok {
				write(name, false)
			}
		}
		for _, name := range sortedKeys(properties) {
			if !slices.Contains(required, name) {
				write(name, true)
			}
		}
	}
	b.WriteString(")")
	if output, err := decodeNumbers(t.OutputSchema); err == nil {
		ty := typer{root: output}
		b.WriteString(" -> " + ty.of(output, 0))
	}
	return b.String()
}

func stringList(v any) []string {
	items, _ := v.([]any)
	var out []string
	for _, x := range items {
		if s, ok := x.(string); ok && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// literal writes a JSON value as Python does, short.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case json.Number:
		return clip(string(v), 20)
	case string:
		return string(quote(clip(v, 40)))
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[...]"
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
	}
	return "{...}"
}

// typer writes JSON Schemas as Python types.
type typer struct{ root any }

func (ty typer) of(schema any, depth int) string {
	s, ok := schema.(map[string]any)
	if !ok || depth > 2*maxTypeDepth {
		return "any"
	}
	if ref, ok := s["$ref"].(string); ok {
		c := schemaCheck{root: ty.root}
		if target, found := c.resolve(ref); found {
			return ty.of(target, depth+1)
		}
		return "any"
	}
	if c, ok := s["const"]; ok {
		return literal(c)
	}
	if values, ok := s["enum"].([]any); ok && len(values) > 0 {
		var parts []string
		for _, v := range values[:min(len(values), maxLiterals)] {
			parts = append(parts, literal(v))
		}
		if len(values) > maxLiterals {
			parts = append(parts, "...")
		}
		return strings.Join(parts, " | ")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if parts, ok := s[key].([]any); ok && len(parts) > 0 {
			var types []string
			for _, p := range parts {
				if t := ty.of(p, depth+1); !slices.Contains(types, t) {
					types = append(types, t)
				}
			}
			return union(types)
		}
	}
	if parts, ok := s["allOf"].([]any); ok && len(parts) == 1 && s["type"] == nil {
		return ty.of(parts[0], depth+1)
	}
	types := typesOf(s)
	if len(types) == 0 && s["properties"] != nil {
		types = []string{"object"}
	}
	if len(types) == 0 {
		return "any"
	}
	out := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "string":
			out[i] = "str"
		case "integer":
			out[i] = "int"
		case "number":
			out[i] = "float"
		case "boolean":
			out[i] = "bool"
		case "null":
			out[i] = "None"
		case "array":
			if items, ok := s["items"].(map[string]any); ok {
				out[i] = "list[" + ty.of(items, depth+1) + "]"
			} else {
				out[i] = "list"
			}
		case "object":
			out[i] = ty.object(s, depth)
		default:
			out[i] = "any"
		}
	}
	return union(out)
}

// union puts None last, as people do.
func union(types []string) string {
	if i := slices.Index(types, "None"); i >= 0 && len(types) > 1 {
		types = append(slices.Delete(types, i, i+1), "None")
	}
	return strings.Join(types, " | ")
}

func (ty typer) object(s map[string]any, depth int) string {
	properties, _ := s["properties"].(map[string]any)
	if len(properties) == 0 || depth >= maxTypeDepth {
		return "dict"
	}
	required := stringList(s["required"])
	var parts []string
	for _, name := range sortedKeys(properties) {
		if len(parts) == maxTypeFields {
			parts = append(parts, "...")
			break
		}
		mark := ""
		if !slices.Contains(required, name) {
			mark = "?"
		}
		parts = append(parts, string(quote(clip(name, 60)))+mark+": "+ty.of(properties[name], depth+1))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
