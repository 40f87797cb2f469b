package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// session is an MCP session of one user over streamable HTTP. Its calls may overlap.
type session struct {
	r *run

	opening sync.Mutex
	id      string
	opened  bool
}

const protocolVersion = "2025-11-25"

// The outcomes of calls that brought no answer of a program.
const (
	connectionLost = "connection"
	timedOut       = "timeout of the client"
)

// full is a server that says it has no room.
type full struct {
	outcome string
	retry   time.Duration // 0: it did not say when
}

func (f *full) Error() string { return f.outcome }

// fault is an answer that is none: an HTTP status, an error of the protocol or of the
// program.
type fault string

func (f fault) Error() string { return string(f) }

func outcomeOf(err error) string {
	var f *full
	var kind fault
	var timeout net.Error
	switch {
	case errors.As(err, &f):
		return f.outcome
	case errors.As(err, &kind):
		return string(kind)
	case errors.As(err, &timeout) && timeout.Timeout():
		return timedOut
	}
	return connectionLost
}

func (r *run) base() string {
	return strings.TrimSuffix(strings.TrimSuffix(r.o.URL, "/"), "/mcp")
}

// ready opens the session if it is not.
func (s *session) ready(ctx context.Context) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.opened {
		return nil
	}
	return s.open(ctx)
}

func (s *session) open(ctx context.Context) error {
	var hello struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	params := map[string]any{"protocolVersion": protocolVersion, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bmcis bench load", "version": "1"}}
	if err := s.request(ctx, "initialize", params, &hello); err != nil {
		return err
	}
	if hello.ProtocolVersion == "" {
		return fault("protocol: initialize without a version")
	}
	s.opened = true
	return s.request(ctx, "notifications/initialized", nil, nil)
}

// request sends one message; with into == nil a notification.
func (s *session) request(ctx context.Context, method string, params, into any) error {
	message := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		message["params"] = params
	}
	if into != nil {
		message["id"] = rand.Uint64() >> 12
	}
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.r.base()+"/mcp", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if s.r.o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+s.r.o.Token)
	}
	if s.id != "" {
		req.Header.Set("Mcp-Session-Id", s.id)
		req.Header.Set("MCP-Protocol-Version", protocolVersion)
	}
	resp, err := s.r.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	defer io.Copy(io.Discard, resp.Body) // so that the connection is used again
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		after, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return &full{refused429, time.Duration(after) * time.Second}
	case resp.StatusCode == http.StatusNotFound && s.id != "":
		s.opened = false // the server has forgotten the session
		return fault("HTTP 404 session")
	case resp.StatusCode >= 300:
		return fault("HTTP " + strconv.Itoa(resp.StatusCode))
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		s.id = id
	}
	if into == nil {
		return nil
	}
	return readAnswer(resp, into)
}

// readAnswer reads the result of a call, as JSON or as the last event of a stream.
func readAnswer(resp *http.Response, into any) error {
	var raw []byte
	var err error
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		lines := bufio.NewReader(resp.Body)
		for {
			var line []byte
			line, err = lines.ReadBytes('\n')
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && !bytes.Contains(data, []byte(`"method"`)) {
				raw = bytes.TrimSpace(data)
			}
			if err != nil {
				break
			}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
	} else {
		raw, err = io.ReadAll(resp.Body)
	}
	if err != nil {
		return err
	}
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(raw, &m); {
	case err != nil || m.Error == nil && m.Result == nil:
		return fault("protocol: no answer")
	case m.Error != nil:
		return fault("protocol error " + strconv.Itoa(m.Error.Code))
	}
	return json.Unmarshal(m.Result, into)
}

// toolAnswer is what matters of the answer of a tool.
type toolAnswer struct {
	IsError    bool `json:"isError"`
	Structured struct {
		Success bool            `json:"success"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Kind       string `json:"kind"`
			Message    string `json:"message"`
			RetryAfter int    `json:"retry_after"`
		} `json:"error"`
		Ledger struct {
			Touched  int `json:"tokens_touched"`
			Returned int `json:"tokens_returned"`
		} `json:"ledger"`
		Results json.RawMessage `json:"results"`
	} `json:"structuredContent"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
}

// program runs one program and returns its answer.
func (s *session) program(ctx context.Context, code string, vars map[string]any) (toolAnswer, error) {
	var a toolAnswer
	err := s.request(ctx, "tools/call", map[string]any{"name": "execute_code", "arguments": map[string]any{"code": code, "context": vars}}, &a)
	if err != nil {
		return a, err
	}
	if e := a.Structured.Error; e != nil && e.Kind == "busy" {
		return a, &full{refusedBusy, time.Duration(e.RetryAfter) * time.Second}
	} else if e != nil {
		return a, fault("program " + e.Kind)
	}
	if a.IsError || !a.Structured.Success {
		return a, fault("tool failed")
	}
	return a, nil
}

// do makes a scenario's call. An answer without a result counts as a failure: a server
// that finds nothing is quick.
func (s *session) do(ctx context.Context, rng *rand.Rand, c *call) error {
	sc, _ := scenario(c.scenario)
	query := func() string { return s.r.question(rng) }
	if sc.tool != "" {
		var a toolAnswer
		args := map[string]any{"query": query(), "limit": 10}
		if s.r.o.Collection != "" {
			args["collection"] = s.r.o.Collection
		}
		if err := s.request(ctx, "tools/call", map[string]any{"name": sc.tool, "arguments": args}, &a); err != nil {
			return err
		}
		switch {
		case a.IsError && len(a.Content) > 0 && strings.HasPrefix(a.Content[0].Text, "busy"):
			return &full{refusedBusy, time.Second}
		case a.IsError:
			return fault("tool failed")
		case len(a.Content) == 0 || len(a.Content[0].Text) < 20:
			return fault("empty answer")
		}
		c.outcome = outcomeOK
		return nil
	}
	vars := map[string]any{"query": query(), "other": query(), "third": query(), "where": nil}
	if s.r.o.Collection != "" {
		vars["where"] = s.r.o.Collection
	}
	a, err := s.program(ctx, sc.code, vars)
	if err != nil {
		return err
	}
	if text := string(bytes.TrimSpace(a.Structured.Result)); text == "" || text == "null" || text == "[]" || text == `""` || text == "{}" {
		return fault("empty answer")
	}
	c.outcome, c.touched, c.returned = outcomeOK, a.Structured.Ledger.Touched, a.Structured.Ledger.Returned
	return nil
}

// question is a drawn query and a word of another one: hardly ever asked before, so that
// the server's caches of questions help as little as they do with real users.
func (r *run) question(rng *rand.Rand) string {
	one, other := r.queries[rng.IntN(len(r.queries))], strings.Fields(r.queries[rng.IntN(len(r.queries))])
	if len(other) == 0 || len(r.o.Queries) > 0 {
		return one // given queries are asked as they are
	}
	return one + " " + other[rng.IntN(len(other))]
}

// drawQueries makes queries of the collection's own titles and headings, through the
// server, so that each finds something.
func (s *session) drawQueries(ctx context.Context) ([]string, error) {
	const code = `
seen = []
for word in ["the", "how to use", "error", "time", "data", "result", "effect", "function", "new", "value"]:
    for h in search.hybrid_search(word, top_k=100, collection=where, rerank=False):
        for text in [h.title] + list(h.headings or []):
            text = " ".join(text.split())
            if text and len(text) <= 80 and text not in seen:
                seen.append(text)
__result__ = seen[:400]
`
	var where any
	if s.r.o.Collection != "" {
		where = s.r.o.Collection
	}
	a, err := s.program(ctx, code, map[string]any{"where": where})
	if err != nil {
		if a.Structured.Error != nil {
			err = errors.New(a.Structured.Error.Message)
		}
		return nil, fmt.Errorf("load: draw queries from the collection: %w; give --queries FILE", err)
	}
	var queries []string
	if err := json.Unmarshal(a.Structured.Result, &queries); err != nil {
		return nil, fmt.Errorf("load: draw queries from the collection: %w", err)
	}
	if len(queries) == 0 {
		return nil, errors.New("load: the collection gave no titles to ask for; index something first, or give --queries FILE")
	}
	return queries, nil
}
