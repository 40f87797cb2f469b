package codeapi

import (
	"encoding/json"
	"strings"
)

// Functions describes the functions of the code API as tools, in the order of their
// modules, so that a search for tools finds them.
func Functions() []Tool {
	var out []Tool
	for _, a := range apiModules() {
		for _, f := range a.contract().Funcs {
			t := Tool{Name: a.name + "." + f.Name, Server: packages[0], Category: a.name,
				Description: strings.Join(strings.Fields(f.Doc), " "),
				Import:      "from " + packages[0] + "." + a.name + " import " + f.Name, Signature: f.Text()}
			type property struct {
				Default json.RawMessage `json:"default,omitempty"`
			}
			schema := struct {
				Type       string              `json:"type"`
				Properties map[string]property `json:"properties"`
				Required   []string            `json:"required,omitempty"`
			}{Type: "object", Properties: map[string]property{}}
			for _, p := range f.Fixed() {
				t.Parameters = append(t.Parameters, p.Name)
				schema.Properties[p.Name] = property{Default: defaultJSON(p.Default)}
				if p.Default == "" {
					schema.Required = append(schema.Required, p.Name)
				}
			}
			t.InputSchema, _ = json.Marshal(schema) // strings and JSON
			out = append(out, t)
		}
	}
	return out
}

// defaultJSON is a default of a contract as JSON; nil where it is none or says nothing.
func defaultJSON(text string) json.RawMessage {
	switch text {
	case "", "None":
		return nil
	case "True":
		return json.RawMessage("true")
	case "False":
		return json.RawMessage("false")
	}
	if raw := json.RawMessage(text); json.Valid(raw) {
		return raw
	}
	return nil
}
