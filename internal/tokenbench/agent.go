package tokenbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/internal/render"
)

// A fleet is the servers that an agent is connected with, and their tools.
type fleet struct {
	clients   []*client.Client
	owner     map[string]*client.Client // by tool; the first server that has it
	catalogue string
	program   string // the part of the catalogue that is execute_code alone, with instructions
	tools     int
}

// join connects with one more server and lists its tools. The first server to bring a name
// keeps it, the tools of later ones still stand in the catalogue: clients tell them apart by
// a prefix.
func (f *fleet) join(ctx context.Context, c *client.Client) error {
	f.clients = append(f.clients, c)
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "bmcis-bench", Version: "1"}
	welcome, err := c.Initialize(ctx, hello)
	if err != nil {
		return fmt.Errorf("initialize MCP session: %w%s", err, lastWords(c))
	}
	var b strings.Builder
	b.WriteString(f.catalogue)
	if welcome.Instructions != "" {
		b.WriteString(welcome.Instructions + "\n")
		f.program = welcome.Instructions + "\n"
	}
	if f.owner == nil {
		f.owner = map[string]*client.Client{}
	}
	for request := (mcp.ListToolsRequest{}); ; {
		list, err := c.ListTools(ctx, request)
		if err != nil {
			return fmt.Errorf("list tools: %w%s", err, lastWords(c))
		}
		for _, t := range list.Tools {
			schema := t.RawInputSchema
			if schema == nil {
				if schema, err = json.Marshal(t.InputSchema); err != nil {
					return err
				}
			}
			var tight bytes.Buffer
			if err := json.Compact(&tight, schema); err != nil {
				return fmt.Errorf("input schema of %s: %w", t.Name, err)
			}
			definition := fmt.Sprintf("%s\n%s\n%s\n", t.Name, t.Description, tight.String())
			b.WriteString(definition)
			if t.Name == "execute_code" {
				f.program += definition
			}
			f.tools++
			if f.owner[t.Name] == nil {
				f.owner[t.Name] = c
			}
		}
		if list.NextCursor == "" {
			break
		}
		request.Params.Cursor = list.NextCursor
	}
	f.catalogue = b.String()
	return nil
}

// lastWords is what a server has said on standard error, for a message.
func lastWords(c *client.Client) string {
	out, ok := client.GetStderr(c)
	if !ok {
		return ""
	}
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(out, 4<<10))
		said <- strings.TrimSpace(string(text))
	}()
	select {
	case s := <-said:
		if s != "" {
			return "; its last words: " + s
		}
	case <-time.After(time.Second):
	}
	return ""
}

func (f *fleet) close() {
	for _, c := range slices.Backward(f.clients) {
		_ = c.Close()
	}
	f.clients = nil
}

// A call is a tool with its arguments.
type call struct {
	tool string
	args map[string]any
}

// An agent runs one script and writes down what crosses the boundary.
type agent struct {
	fleet *fleet
	log   Transcript
}

// turn makes calls that do not need each other's answers, at the same time, and returns
// what each said. The failure of a tool is an error: no script plans for one.
func (a *agent) turn(ctx context.Context, calls ...call) ([]string, error) {
	var t Turn
	for _, c := range calls {
		written, err := render.JSON(map[string]any{"name": c.tool, "arguments": c.args})
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", c.tool, err)
		}
		t.Calls = append(t.Calls, string(written))
	}
	t.Results = make([]string, len(calls))
	failures := make([]error, len(calls))
	start := time.Now()
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() { t.Results[i], failures[i] = a.fleet.call(ctx, c) })
	}
	wg.Wait()
	t.Elapsed = time.Since(start)
	a.log.Elapsed += t.Elapsed
	a.log.Turns = append(a.log.Turns, t)
	return t.Results, errors.Join(failures...)
}

// pause waits between two looks. It costs time and no tokens.
func (a *agent) pause(ctx context.Context, d time.Duration) error {
	start := time.Now()
	defer func() { a.log.Elapsed += time.Since(start) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (f *fleet) call(ctx context.Context, c call) (string, error) {
	server := f.owner[c.tool]
	if server == nil {
		return "", fmt.Errorf("no server has the tool %q; there are %s", c.tool, strings.Join(slices.Sorted(maps.Keys(f.owner)), ", "))
	}
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = c.tool, c.args
	result, err := server.CallTool(ctx, request)
	if err != nil {
		return "", fmt.Errorf("%s: %w%s", c.tool, err, lastWords(server))
	}
	var text strings.Builder
	for _, part := range result.Content {
		if t, ok := part.(mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if result.IsError {
		return "", fmt.Errorf("%s failed: %s", c.tool, text.String())
	}
	return text.String(), nil
}

// read decodes what a tool said.
func read[T any](text string) (v T, err error) {
	if err = json.Unmarshal([]byte(text), &v); err != nil {
		err = fmt.Errorf("the tool's answer is not what the script expects: %w in %.120q", err, text)
	}
	return v, err
}

// ask is a turn of one call with its answer decoded.
func ask[T any](ctx context.Context, a *agent, tool string, args map[string]any) (v T, err error) {
	results, err := a.turn(ctx, call{tool, args})
	if err != nil {
		return v, err
	}
	return read[T](results[0])
}

// execute sends a program and returns its answer. A timeout of 0 is the server's.
func (a *agent) execute(ctx context.Context, program string, timeout time.Duration) (json.RawMessage, error) {
	args := map[string]any{"code": program}
	if timeout > 0 {
		args["timeout"] = timeout.Seconds()
	}
	outcome, err := ask[struct {
		Result   json.RawMessage `json:"result"`
		Degraded []string        `json:"degraded"`
	}](ctx, a, "execute_code", args)
	if err == nil && len(outcome.Degraded) > 0 {
		err = fmt.Errorf("%w: %s", errDegraded, strings.Join(outcome.Degraded, "; "))
	}
	return outcome.Result, err
}

var errDegraded = errors.New("a search has failed in part")
