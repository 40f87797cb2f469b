package upstream

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/render"
)

// realServer is the config of a server from npm, as `make upstream-servers` installs
// them.
func realServer(t *testing.T, name, program string, args ...string) Server {
	t.Helper()
	root, err := filepath.Abs("../../.cache/upstream/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, program)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed, and CI is set: run make upstream-servers", program)
		}
		t.Skipf("%s is not installed: run make upstream-servers", program)
	}
	return Server{Name: name, Transport: Stdio, Command: path, Args: args}
}

func allowNamed(names ...string) Policy {
	return Policy{Identity: "tester", Allow: append([]string{"*"}, names...)}
}

func TestRealEverything(t *testing.T) {
	m := newManager(t, Options{}, realServer(t, "everything", "mcp-server-everything"))
	tools, problems := m.Tools(t.Context())
	if len(tools) < 8 || len(problems) != 0 {
		t.Fatalf("%v, %v", toolNames(tools), problems)
	}
	t.Logf("%+v", m.Status()[0])
	for _, tool := range tools {
		t.Log(Signature(tool))
	}
	ask := func(name, args string) Result {
		t.Helper()
		r, err := m.Call(t.Context(), "mcp__everything__"+name, json.RawMessage(args), all)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return r
	}
	if r := ask("echo", `{"message":"grüß dich"}`); !strings.Contains(r.Text, "grüß dich") {
		t.Errorf("echo: %q", r.Text)
	}
	if r := ask("get-sum", `{"a":2,"b":40}`); !strings.Contains(r.Text, "42") {
		t.Errorf("get-sum: %q", r.Text)
	}
	r := ask("get-structured-content", `{"location":"Chicago"}`)
	var weather struct {
		Temperature json.Number `json:"temperature"`
		Conditions  string      `json:"conditions"`
	}
	if err := json.Unmarshal(r.Value, &weather); err != nil || r.Source != FromStructured || weather.Conditions == "" || r.Note != "" {
		t.Errorf("get-structured-content: %s, source %s, note %q, %v", r.Value, r.Source, r.Note, err)
	}
	r = ask("get-tiny-image", `{}`)
	if len(r.Contents) != 1 || r.Contents[0].MIMEType != "image/png" || r.Contents[0].Bytes < 100 {
		t.Errorf("get-tiny-image: %+v", r.Contents)
	}
	r = ask("get-resource-links", `{"count":3}`)
	if len(r.Contents) != 3 || r.Contents[0].Type != "resource_link" || r.Contents[0].URI == "" {
		t.Errorf("get-resource-links: %+v", r.Contents)
	}
	_, err := m.Call(t.Context(), "mcp__everything__get-sum", json.RawMessage(`{"a":"2","b":40}`), all)
	wantError(t, err, KindArguments, `argument "a" must be a number, not the string "2"; pass 2 without quotes`)
	_, err = m.Call(t.Context(), "mcp__everything__get_sum", nil, all)
	wantError(t, err, KindUnknownTool, `its name is "mcp__everything__get-sum"`)
}

func TestRealFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := realServer(t, "files", "mcp-server-filesystem", dir)
	s.DeniedTools = []string{"move_*"}
	m := newManager(t, Options{}, s)
	tools, problems := m.Tools(t.Context())
	if len(tools) < 10 || len(problems) != 0 {
		t.Fatalf("%v, %v", toolNames(tools), problems)
	}
	file := filepath.Join(dir, "a.txt")
	write, _ := json.Marshal(map[string]string{"path": file, "content": "first\nsecond\n"})
	// write_file is marked destructive by its server.
	_, err = m.Call(t.Context(), "mcp__files__write_file", write, all)
	wantError(t, err, KindPolicy, "marked destructive", `"mcp__files__write_file"`)
	if _, err := os.Stat(file); err == nil {
		t.Fatal("a refused call has written the file")
	}
	if _, err := m.Call(t.Context(), "mcp__files__write_file", write, allowNamed("mcp__files__write_file")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "first\nsecond\n" {
		t.Fatalf("%q, %v", b, err)
	}
	read, _ := json.Marshal(map[string]string{"path": file})
	r, err := m.Call(t.Context(), "mcp__files__read_text_file", read, all)
	if err != nil || r.Text != "first\nsecond\n" || r.Source != FromStructured || string(r.Value) != `{"content":"first\nsecond\n"}` {
		t.Errorf("read: %+v, %v", r, err)
	}
	_, err = m.Call(t.Context(), "mcp__files__read_text_file", json.RawMessage(`{"path":"/etc/passwd"}`), all)
	wantError(t, err, KindUpstream, "denied")
	_, err = m.Call(t.Context(), "mcp__files__move_file", nil, allowNamed("mcp__files__move_file"))
	wantError(t, err, KindPolicy, "kept back by the config")
}

func TestRealMemory(t *testing.T) {
	s := realServer(t, "memory", "mcp-server-memory")
	s.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
	m := newManager(t, Options{}, s)
	r, err := m.Call(t.Context(), "mcp__memory__create_entities",
		json.RawMessage(`{"entities":[{"name":"Ann","entityType":"person","observations":["likes tea"]}]}`), all)
	if err != nil {
		t.Fatal(err)
	}
	// The process dies; the next call finds a new one with the same memory.
	m.servers[0].mu.Lock()
	c := m.servers[0].conn
	m.servers[0].mu.Unlock()
	killGroup(c.stdio.proc.cmd.Process)
	<-c.life.Done()
	r, err = m.Call(t.Context(), "mcp__memory__search_nodes", json.RawMessage(`{"query":"tea"}`), all)
	if err != nil || !strings.Contains(string(r.Value), "Ann") {
		t.Errorf("%s, %v", r.Value, err)
	}
	_, err = m.Call(t.Context(), "mcp__memory__create_entities", json.RawMessage(`{"entities":[{"name":"Bob"}]}`), all)
	wantError(t, err, KindArguments, `"entities[0]"`, "entityType", "missing")
	_, err = m.Call(t.Context(), "mcp__memory__delete_entities", json.RawMessage(`{"entityNames":["Ann"]}`), all)
	wantError(t, err, KindPolicy, "marked destructive")
}

// The three levels must be worth having, on a catalogue of real tools.
func TestDetailLevelsDiffer(t *testing.T) {
	f, err := os.Open("testdata/catalogue/tools.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	byServer := map[string][]json.RawMessage{}
	for d := json.NewDecoder(f); ; {
		var l struct {
			Name, Server, Description string
			Input                     json.RawMessage `json:"input_schema"`
		}
		if err := d.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(map[string]any{"name": l.Name, "description": l.Description, "inputSchema": l.Input})
		if err != nil {
			t.Fatal(err)
		}
		byServer[l.Server] = append(byServer[l.Server], raw)
	}
	tokens := map[Detail]int{}
	n, signatures := 0, 0
	for _, server := range sortedKeys(byServer) {
		tools, problems := parseTools(Server{Name: server}, pythonName(server), byServer[server])
		if len(problems) != 0 || len(tools) != len(byServer[server]) {
			t.Errorf("%s: %d of %d tools, %v", server, len(tools), len(byServer[server]), problems)
		}
		n += len(tools)
		for _, tool := range tools {
			for _, level := range []Detail{NameOnly, WithDescription, Full} {
				tokens[level] += render.CountTokens(Describe(tool, level) + "\n")
			}
			signatures += render.CountTokens(Signature(tool) + "\n")
		}
	}
	t.Logf("%d tools: %v tokens, signatures %d", n, tokens, signatures)
	if n < 500 || 2*tokens[NameOnly] > tokens[WithDescription] || 3*tokens[WithDescription] > tokens[Full] {
		t.Errorf("%d tools: %v tokens", n, tokens)
	}
}
