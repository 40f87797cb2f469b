package mcpserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/internal/spell"
)

// fault is what is wrong with a message, before the library sees it: its own words for
// that are Go's, or none. Nil for a message that makes sense so far.
func (s *Server) fault(message []byte) *mcp.JSONRPCError {
	message = bytes.TrimSpace(message)
	no := func(id json.RawMessage, code int, format string, args ...any) *mcp.JSONRPCError {
		var v any
		_ = json.Unmarshal(id, &v)
		e := mcp.NewJSONRPCError(mcp.NewRequestId(v), code, fmt.Sprintf(format, args...), nil)
		return &e
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	var wrongType *json.UnmarshalTypeError
	err := json.Unmarshal(message, &m)
	switch {
	case len(message) == 0:
		return no(nil, mcp.PARSE_ERROR, "the message is empty; send a JSON-RPC 2.0 request")
	case err != nil && !errors.As(err, &wrongType):
		return no(nil, mcp.PARSE_ERROR, "the message is no JSON: %v", err)
	case message[0] == '[':
		return no(nil, mcp.INVALID_REQUEST, "batches were taken out of the protocol in 2025-06-18; send one message at a time")
	case err != nil:
		return no(nil, mcp.INVALID_REQUEST, "the message is no object; send a JSON-RPC 2.0 request")
	}
	if kind := kindOf(m.ID); kind != "string" && kind != "number" && kind != "null" {
		return no(nil, mcp.INVALID_REQUEST, "id must be a string or a number, got %s", shown(m.ID))
	}
	var method string
	switch {
	case m.Method == nil && (m.Result != nil || m.Error != nil):
		return nil // an answer
	case m.Method == nil:
		return no(m.ID, mcp.INVALID_REQUEST, "the message has no method")
	case json.Unmarshal(m.Method, &method) != nil:
		return no(m.ID, mcp.INVALID_REQUEST, "method must be a string, got %s", shown(m.Method))
	case m.Params != nil && kindOf(m.Params) != "object" && kindOf(m.Params) != "null":
		return no(m.ID, mcp.INVALID_PARAMS, "params of %.60s must be an object, got %s", method, shown(m.Params))
	}
	var p struct {
		Name   *string `json:"name"`
		Cursor string  `json:"cursor"`
	}
	if json.Unmarshal(m.Params, &p) != nil && len(m.Params) > 0 {
		return nil // the library says which is of the wrong type
	}
	switch {
	case method == string(mcp.MethodToolsCall) && p.Name == nil:
		return no(m.ID, mcp.INVALID_PARAMS, "params of tools/call need the name of a tool")
	case method == string(mcp.MethodToolsCall) && s.schemas[*p.Name] == nil && fixtures == nil:
		hint := "tools/list has those that there are"
		if near := spell.Nearest(*p.Name, slices.Sorted(maps.Keys(s.schemas))); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return no(m.ID, mcp.INVALID_PARAMS, "there is no tool %.100q; %s", *p.Name, hint)
	case p.Cursor != "" && strings.HasSuffix(method, "/list"):
		raw, err := base64.StdEncoding.DecodeString(p.Cursor)
		if err == nil && method == string(mcp.MethodResourcesList) {
			err = json.Unmarshal(raw, new(resourceCursor))
		}
		if err != nil {
			return no(m.ID, mcp.INVALID_PARAMS, "cursor %.60q is none that this server gave out; begin without one", p.Cursor)
		}
	}
	return nil
}
