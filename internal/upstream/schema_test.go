package upstream

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaMaker makes random schemas and values that have something to do with each
// other.
type schemaMaker struct {
	*rand.Rand
	lenient bool // also keywords that our check passes over
}

func (g schemaMaker) value(depth int) any {
	switch n := g.IntN(9); {
	case n == 0:
		return nil
	case n == 1:
		return g.IntN(2) == 0
	case n == 2:
		return json.Number(fmt.Sprint(g.IntN(7) - 2))
	case n == 3:
		return json.Number([]string{"1.0", "2.5", "1e1", "9007199254740993", "-0"}[g.IntN(5)])
	case n <= 5:
		return []string{"", "a", "ab", "abc", "é"}[g.IntN(5)]
	case n == 6 && depth > 0:
		out := make([]any, g.IntN(4))
		for i := range out {
			out[i] = g.value(depth - 1)
		}
		return out
	case depth > 0:
		out := map[string]any{}
		for _, k := range []string{"a", "b", "c"} {
			if g.IntN(2) == 0 {
				out[k] = g.value(depth - 1)
			}
		}
		return out
	}
	return "a"
}

func (g schemaMaker) schema(depth int) any {
	if g.IntN(20) == 0 {
		return g.IntN(3) > 0
	}
	s := map[string]any{}
	num := func(key string) {
		if g.IntN(6) == 0 {
			s[key] = json.Number(fmt.Sprint(g.IntN(4)))
		}
	}
	if g.IntN(2) == 0 {
		s["type"] = schemaTypes[g.IntN(len(schemaTypes))]
	} else if g.IntN(4) == 0 {
		s["type"] = []any{"string", schemaTypes[1+g.IntN(len(schemaTypes)-1)]}
	}
	for _, k := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"} {
		num(k)
	}
	if g.IntN(6) == 0 {
		s["enum"] = []any{g.value(1), g.value(1), "a"}
	}
	if g.IntN(15) == 0 {
		s["const"] = g.value(1)
	}
	if g.IntN(10) == 0 {
		s["pattern"] = []string{"^a", "b$", "[a-c]{2}"}[g.IntN(3)]
	}
	if depth == 0 {
		return s
	}
	sub := func() any { return g.schema(depth - 1) }
	if g.IntN(2) == 0 {
		s["properties"] = map[string]any{"a": sub(), "b": sub()}
	}
	if g.IntN(4) == 0 {
		s["required"] = []any{"a", "c"}[:1+g.IntN(2)]
	}
	switch g.IntN(6) {
	case 0:
		s["additionalProperties"] = false
	case 1:
		s["additionalProperties"] = sub()
	}
	if g.IntN(3) == 0 {
		s["items"] = sub()
	}
	if g.IntN(8) == 0 {
		s["prefixItems"] = []any{sub()}
	}
	if g.IntN(6) == 0 {
		s["anyOf"] = []any{sub(), sub()}
	}
	if g.IntN(8) == 0 {
		s["allOf"] = []any{sub(), sub()}
	}
	if !g.lenient {
		return s
	}
	for _, k := range []string{"not", "if", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"} {
		if g.IntN(6) == 0 {
			s[k] = sub()
		}
	}
	if s["if"] != nil {
		s["then"], s["else"] = sub(), sub()
	}
	if g.IntN(4) == 0 {
		s["oneOf"] = []any{sub(), sub()}
	}
	if g.IntN(4) == 0 {
		s["patternProperties"] = map[string]any{"^b": sub()}
	}
	if g.IntN(4) == 0 {
		s["dependentRequired"] = map[string]any{"a": []any{"b"}}
	}
	if g.IntN(4) == 0 {
		s["uniqueItems"] = true
	}
	if g.IntN(6) == 0 {
		s["$ref"] = "#/$defs/x"
	}
	s["$defs"] = map[string]any{"x": g.schema(0)}
	return s
}

func oracle(schema any) (*jsonschema.Schema, error) {
	b, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:schema", doc); err != nil {
		return nil, err
	}
	return c.Compile("mem:schema")
}

// Whatever JSON Schema allows, our check allows; and of the keywords that it knows, it
// refuses all that JSON Schema refuses. The oracle is the library that servers use.
func TestCheckAgreesWithJSONSchema(t *testing.T) {
	for _, lenient := range []bool{false, true} {
		g := schemaMaker{rand.New(rand.NewPCG(1, 2)), lenient}
		allowed, refused := 0, 0
		for range 1500 {
			schema := g.schema(2)
			compiled, err := oracle(schema)
			if err != nil {
				continue // not a schema after all
			}
			for range 5 {
				v := g.value(3)
				valid := compiled.Validate(v) == nil
				c := &schemaCheck{root: schema, fuel: schemaFuel}
				m := c.check(schema, v, "", 0)
				if valid && m != nil || !valid && m == nil && !lenient {
					s, _ := json.Marshal(schema)
					x, _ := json.Marshal(v)
					t.Fatalf("%s\nagainst %s:\nhere %+v, by JSON Schema %v", x, s, m, compiled.Validate(v))
				}
				if m == nil {
					allowed++
				} else {
					refused++
				}
			}
		}
		if allowed < 500 || refused < 500 {
			t.Errorf("%d allowed and %d refused: the test has lost its sense", allowed, refused)
		}
	}
}

// A schema can be built so that checking it takes exponential time, or never ends.
func TestHostileSchemasPass(t *testing.T) {
	defs := map[string]any{"d30": map[string]any{"type": "string"}}
	for i := range 30 {
		next := map[string]any{"$ref": fmt.Sprintf("#/$defs/d%d", i+1)}
		defs[fmt.Sprintf("d%d", i)] = map[string]any{"anyOf": []any{next, next}}
	}
	for name, schema := range map[string]any{
		"two to the thirtieth": map[string]any{"$defs": defs, "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/d0"}}},
		"itself":               map[string]any{"$ref": "#"},
		"a circle":             map[string]any{"$ref": "#/$defs/a", "$defs": map[string]any{"a": map[string]any{"$ref": "#/$defs/b"}, "b": map[string]any{"$ref": "#/$defs/a"}}},
		"elsewhere":            map[string]any{"$ref": "file:///etc/passwd"},
		"nowhere":              map[string]any{"$ref": "#/$defs/none"},
		"no pattern":           map[string]any{"properties": map[string]any{"a": map[string]any{"pattern": "(?=x)(("}}},
		"no schema":            []any{1},
	} {
		b, _ := json.Marshal(schema)
		if _, err := checkArguments(Tool{InputSchema: b}, json.RawMessage(`{"a":1}`)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	if _, err := checkArguments(Tool{InputSchema: json.RawMessage(`{"properties":{"a":{"$ref":"#"}}}`)}, json.RawMessage(deep)); err != nil {
		t.Error(err)
	}
}

func FuzzCheckArguments(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":["integer","null"],"minimum":1}},"required":["a"]}`), []byte(`{"a":1}`))
	f.Add([]byte(`{"properties":{"a":{"anyOf":[{"type":"string"},{"items":{"$ref":"#"}}]}}}`), []byte(`{"a":[{"a":"x"}]}`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		out, err := checkArguments(Tool{Server: "s", Name: "t", QualifiedName: "mcp__s__t", InputSchema: schema}, args)
		if err != nil {
			if err.Message == "" || strings.Contains(err.Message, "\n") && !strings.Contains(string(args), `\n`) {
				t.Errorf("message %q", err.Message)
			}
			return
		}
		if !json.Valid(out) {
			t.Errorf("lets through what is no JSON: %q", out)
		}
		_ = Signature(Tool{Function: "f", InputSchema: schema, OutputSchema: schema})
	})
}
