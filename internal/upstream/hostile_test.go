package upstream

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The hostile servers are this test binary, started again with a word in its
// environment that says how to misbehave.
const hostileEnv = "BMCIS_TEST_HOSTILE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(hostileEnv); mode != "" {
		hostile(mode)
		return
	}
	floodCredit = 4 << 20
	os.Exit(m.Run())
}

// hostileServer is the config of a server that misbehaves.
func hostileServer(name, mode string) Server {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Server{Name: name, Transport: Stdio, Command: exe, Env: map[string]string{hostileEnv: mode}}
}

type wire struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		Arguments json.RawMessage `json:"arguments"`
		URI       string          `json:"uri"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func result(id json.RawMessage, format string, args ...any) {
	say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, fmt.Sprintf(format, args...))
}

// What each tool of the server "tools" does is its name.
var hostileTools = []string{
	"echo", "text", "list_text", "number_text", "image", "failing", "rpc_error", "wrong_output", "no_content", "deep",
	"garbage", "silent", "die", "die_loudly", "huge", "huge_id_first", "endless", "wrong_id", "duplicate", "neither", "flood",
	"asks", "half", "family", "secret", "nothing", "env", "pid", "null_id", "not_an_object", "stderr_flood", "steps",
}

func hostile(mode string) {
	switch mode {
	case "deaf":
		time.Sleep(time.Hour)
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot open the database: password is hunter2hunter2")
		os.Exit(3)
	case "babble":
		for range 1000 {
			say("INFO starting up, please wait")
		}
	case "host": // of a server, in its turn
		m, err := New(Config{Servers: []Server{hostileServer("h", "stubborn")}}, Options{})
		if err != nil {
			panic(err)
		}
		r, err := m.Call(context.Background(), "mcp__h__pid", nil, AllowAll("host"))
		if err != nil {
			panic(err)
		}
		say("%s", r.Value)
		time.Sleep(time.Hour)
	case "closes_stdout":
		_ = os.Stdout.Close()
		time.Sleep(time.Hour)
	}
	lists := 0
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			if mode == "stubborn" {
				time.Sleep(time.Hour)
			}
			return
		}
		var m wire
		if json.Unmarshal([]byte(line), &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "initialize":
			version := "2025-06-18"
			if mode == "future" {
				version = "2999-01-01"
			}
			more := ""
			if mode == "library" {
				more = `,"resources":{}`
			}
			result(m.ID, `{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}%s},"serverInfo":{"name":"hostile","version":"1"}}`, version, more)
		case "resources/list":
			result(m.ID, `{"resources":[{"uri":"x://%s","name":"a","size":9007199254740993}],"nextCursor":"p2"}`, m.Params.Cursor)
		case "resources/read":
			if m.Params.URI != "x://a" {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such resource"}}`, m.ID)
				continue
			}
			result(m.ID, `{"contents":[{"uri":"x://a","mimeType":"text/plain","text":"inner"}]}`)
		case "tools/list":
			lists++
			hostileList(mode, m, lists)
		case "tools/call":
			hostileCall(mode, m)
		default:
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
		}
	}
}

func hostileList(mode string, m wire, times int) {
	tool := func(name, rest string) string {
		n, _ := json.Marshal(name)
		return fmt.Sprintf(`{"name":%s,"description":"does it","inputSchema":{"type":"object"}%s}`, n, rest)
	}
	switch mode {
	case "many":
		var tools []string
		for i := range 10_000 {
			tools = append(tools, tool(fmt.Sprintf("tool_%05d", i), ""))
		}
		result(m.ID, `{"tools":[%s]}`, strings.Join(tools, ","))
	case "names":
		result(m.ID, `{"tools":[%s]}`, strings.Join([]string{
			tool("../../etc/passwd", ""), tool("a-b", ""), tool("a_b", ""), tool("a.b", ""), tool("import", ""), tool("3d", ""),
			tool("größe", ""), tool("delete\u202etxt.exe", ""), tool("a\u0000b", ""), tool("", ""), tool(strings.Repeat("x", 200), ""),
			tool("a_b", `,"title":"twice"`), tool("  padded", ""), `{"name":5}`, `"just text"`, `{"name":"no_schema"}`,
			tool("__proto__", ""), tool("поиск", ""), tool("a b", ""), tool("mcp__other__tool", ""),
			`{"name":"odd_marks","inputSchema":{"type":"object"},"annotations":"none"}`,
		}, ","))
	case "loop":
		result(m.ID, `{"tools":[%s],"nextCursor":"again"}`, tool("page_"+m.Params.Cursor, ""))
	case "pages":
		if m.Params.Cursor == "" {
			result(m.ID, `{"tools":[%s],"nextCursor":"p2"}`, tool("first", ""))
		} else {
			result(m.ID, `{"tools":[%s]}`, tool("second", ""))
		}
	case "list_garbage":
		result(m.ID, `{"tools":"none today"}`)
	case "list_error":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the moon is full"}}`, m.ID)
	case "list_huge":
		result(m.ID, `{"tools":[%s],"pad":"%s"}`, tool("a", ""), strings.Repeat("x", 8<<20))
	case "changing":
		result(m.ID, `{"tools":[%s,%s]}`, tool("echo", ""), tool(fmt.Sprintf("generation_%d", times), ""))
	case "marked":
		result(m.ID, `{"tools":[%s,%s,%s,%s]}`,
			tool("read", `,"annotations":{"readOnlyHint":true,"destructiveHint":true}`), tool("wipe", `,"annotations":{"destructiveHint":true}`),
			tool("plain", ""), tool("drop_all", ""))
	case "typed":
		result(m.ID, `{"tools":[{"name":"create-issue","description":"Creates an issue. Needs a token.","inputSchema":{"type":"object",`+
			`"properties":{"owner":{"type":"string"},"count":{"type":"integer","minimum":1},"state":{"enum":["open","closed"]},"labels":{"type":"array","items":{"type":"string"}}},`+
			`"required":["owner"]},"outputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}]}`)
	default:
		var tools []string
		for _, name := range hostileTools {
			extra := ""
			if name == "wrong_output" {
				extra = `,"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
			}
			tools = append(tools, tool(name, extra))
		}
		result(m.ID, `{"tools":[%s]}`, strings.Join(tools, ","))
	}
}

func hostileCall(mode string, m wire) {
	text := func(s string) string {
		b, _ := json.Marshal(s)
		return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, b)
	}
	switch m.Params.Name {
	case "echo":
		if mode == "changing" {
			say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		result(m.ID, `{"content":[],"structuredContent":%s}`, m.Params.Arguments)
	case "steps":
		report := func(token json.RawMessage, rest string) {
			if token != nil {
				say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s%s}}`, token, rest)
			}
		}
		report(m.Params.Meta.Token, `,"progress":1,"total":3,"message":"fetching"`)
		report(json.RawMessage(`"someone-elses"`), `,"progress":9,"message":"not yours"`)
		report(m.Params.Meta.Token, `,"progress":"two","message":["no text"]`)
		report(m.Params.Meta.Token, `,"progress":2.5`)
		report(m.Params.Meta.Token, `,"progress":3,"total":3,"message":"the last line"`)
		result(m.ID, `{"content":[{"type":"text","text":"asked: %v"}]}`, m.Params.Meta.Token != nil)
	case "text":
		result(m.ID, `%s`, text("plain words <b>&"))
	case "list_text":
		result(m.ID, `{"content":[{"type":"text","text":"{\"id\": 30451149516}"},{"type":"text","text":"{\"id\": 9007199254740993}"}]}`)
	case "number_text":
		result(m.ID, `%s`, text("42"))
	case "image":
		result(m.ID, `{"content":[{"type":"text","text":"see"},{"type":"image","data":"iVBORw==","mimeType":"image/png"},`+
			`{"type":"image","data":"%%%%not base64","mimeType":"image/png"},`+
			`{"type":"resource_link","uri":"file:///a","name":"a","size":12},{"type":"resource","resource":{"uri":"x://b","mimeType":"text/plain","text":"inner"}},`+
			`{"type":"hologram","angle":3}]}`)
	case "failing":
		result(m.ID, `{"content":[{"type":"text","text":"no such repository"}],"isError":true}`)
	case "rpc_error":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unknown tool"}}`, m.ID)
	case "wrong_output":
		result(m.ID, `{"content":[],"structuredContent":{"n":"seven"}}`)
	case "no_content":
		result(m.ID, `{"answer":42}`)
	case "nothing":
		result(m.ID, `{"content":[]}`)
	case "deep":
		result(m.ID, `{"content":[],"structuredContent":%s1%s}`, strings.Repeat("[", 20_000), strings.Repeat("]", 20_000))
	case "garbage":
		say("Segmentation fault (core dumped)")
		say(`{"jsonrpc": "2.0", "id": %s, "result": {"content": [}`, m.ID)
	case "silent":
	case "die":
		os.Exit(7)
	case "die_loudly":
		fmt.Fprintln(os.Stderr, "panic: out of cheese\nredo from start")
		os.Exit(1)
	case "huge":
		say(`{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"%s"}]},"id":%s}`, strings.Repeat("x", 100<<20), m.ID)
	case "huge_id_first":
		result(m.ID, `%s`, text(strings.Repeat("\"id\":7,", 1<<20)))
	case "endless":
		block := strings.Repeat("x", 1<<20)
		fmt.Print(`{"jsonrpc":"2.0","id":1,"result":"`)
		for {
			if _, err := fmt.Print(block); err != nil {
				return
			}
		}
	case "wrong_id":
		result(json.RawMessage(`987654`), `%s`, text("for whom?"))
		result(json.RawMessage(`"1"`), `%s`, text("for whom?"))
		result(json.RawMessage(`{"a":1}`), `%s`, text("for whom?"))
	case "null_id":
		say(`{"jsonrpc":"2.0","id":null,"result":{}}`)
	case "not_an_object":
		result(m.ID, `[1,2,3]`)
	case "duplicate":
		for i := range 50 {
			result(m.ID, `%s`, text(fmt.Sprint("answer ", i)))
		}
	case "neither":
		say(`{"jsonrpc":"2.0","id":%s}`, m.ID)
	case "flood":
		for {
			if _, err := fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 4000) + `"}}`); err != nil {
				return
			}
		}
	case "stderr_flood":
		for range 1000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("e", 4000))
		}
		result(m.ID, `%s`, text("still here"))
	case "asks":
		for i := range 200 {
			say(`{"jsonrpc":"2.0","id":"r%d","method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}}`, i)
		}
		result(m.ID, `%s`, text("asked"))
	case "half":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"te`, m.ID)
		os.Exit(0)
	case "family":
		child := exec.Command("sleep", "3600")
		if err := child.Start(); err != nil {
			panic(err)
		}
		result(m.ID, `{"content":[],"structuredContent":{"parent":%d,"child":%d}}`, os.Getpid(), child.Process.Pid)
	case "pid":
		result(m.ID, `{"content":[],"structuredContent":{"parent":%d}}`, os.Getpid())
	case "secret":
		result(m.ID, `{"content":[{"type":"text","text":"401 for token %s"}],"isError":true}`, os.Getenv("API_TOKEN"))
	case "env":
		b, _ := json.Marshal(os.Environ())
		result(m.ID, `{"content":[],"structuredContent":{"env":%s}}`, b)
	default:
		result(m.ID, `%s`, text("called "+m.Params.Name))
	}
}
