package upstream

import (
	"bytes"
	"encoding/json"
	"strings"
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

// What a message beyond the limit costs, read and thrown away.
func BenchmarkSkipLongLine(b *testing.B) {
	for name, fill := range map[string]string{"text": "x", "escapes": `\\`, "numbers": "1,"} {
		line := []byte(`{"id":1,"result":"` + strings.Repeat(fill, 16<<20/len(fill)) + "\"}\n")
		if name == "numbers" {
			line = []byte(`{"id":1,"result":[` + strings.Repeat(fill, 16<<20/len(fill)) + "1]}\n")
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				l := newLineReader(bytes.NewReader(line), 4<<20)
				if _, id, _, err := l.next(); err != nil || string(id) != "1" {
					b.Fatal(string(id), err)
				}
			}
		})
	}
}
