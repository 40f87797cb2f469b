package upstream

import (
	"encoding/json"
	"testing"
)

// One call over stdio with policy, check of arguments and a structured answer, to a
// server that does nothing else.
func BenchmarkCall(b *testing.B) {
	m, err := New(Config{Servers: []Server{hostileServer("h", "tools")}}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	args := json.RawMessage(`{"owner":"bmcis","count":3}`)
	for b.Loop() {
		if _, err := m.Call(b.Context(), "mcp__h__echo", args, all); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckArguments(b *testing.B) {
	t := Tool{QualifiedName: "mcp__g__create_issue", InputSchema: json.RawMessage(`{"type":"object","properties":{"owner":{"type":"string"},"repo":{"type":"string"},
		"title":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}},"state":{"enum":["open","closed"]}},"required":["owner","repo","title"]}`)}
	args := json.RawMessage(`{"owner":"a","repo":"b","title":"c","labels":["x","y"],"state":"open"}`)
	for b.Loop() {
		if _, err := checkArguments(t, args); err != nil {
			b.Fatal(err)
		}
	}
}
