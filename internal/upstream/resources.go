package upstream

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// Servers that have resources get two tools more, by which programs list and read them:
// so policies, audit and search hold for resources as they do for tools. A server that
// has a tool of the name itself keeps it.
const (
	listResources = "list_resources"
	readResource  = "read_resource"
)

var resourceTools = map[string]json.RawMessage{
	listResources: json.RawMessage(`{"name":"list_resources","title":"List resources","description":"Lists the resources of this server: uri, name, mimeType. A page at a time; cursor is nextCursor of the page before.",` +
		`"inputSchema":{"type":"object","properties":{"cursor":{"type":"string"}},"additionalProperties":false},` +
		`"outputSchema":{"type":"object","properties":{"resources":{"type":"array","items":{"type":"object"}},"nextCursor":{"type":"string"}},"required":["resources"]},` +
		`"annotations":{"readOnlyHint":true},"_meta":{"bmcis/resources":"list_resources"}}`),
	readResource: json.RawMessage(`{"name":"read_resource","title":"Read a resource","description":"Reads one resource of this server by its URI: contents with uri, mimeType and text, or blob in base64.",` +
		`"inputSchema":{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"],"additionalProperties":false},` +
		`"outputSchema":{"type":"object","properties":{"contents":{"type":"array","items":{"type":"object"}}},"required":["contents"]},` +
		`"annotations":{"readOnlyHint":true},"_meta":{"bmcis/resources":"read_resource"}}`),
}

// withResources adds the tools for resources to a server's own.
func (c *conn) withResources(tools []json.RawMessage) []json.RawMessage {
	if c.client.GetServerCapabilities().Resources == nil {
		return tools
	}
	for _, name := range []string{listResources, readResource} {
		taken := slices.ContainsFunc(tools, func(raw json.RawMessage) bool {
			var t struct{ Name string }
			return json.Unmarshal(raw, &t) == nil && t.Name == name
		})
		if !taken {
			tools = append(tools, resourceTools[name])
		}
	}
	return tools
}

// onResources is a call of one of these tools, as the request that it stands for.
func (c *conn) onResources(ctx context.Context, tool string, args json.RawMessage) error {
	var a struct {
		Cursor mcp.Cursor `json:"cursor"`
		URI    string     `json:"uri"`
	}
	if err := json.Unmarshal(args, &a); err != nil && len(args) > 0 {
		return err // they have passed the schema
	}
	if tool == listResources {
		request := mcp.ListResourcesRequest{}
		request.Params.Cursor = a.Cursor
		_, err := c.client.ListResourcesByPage(ctx, request)
		return err
	}
	request := mcp.ReadResourceRequest{}
	request.Params.URI = a.URI
	_, err := c.client.ReadResource(ctx, request)
	return err
}

// resourcesResult is what the program gets of the answer to it.
func resourcesResult(tool string, raw json.RawMessage) (Result, error) {
	var m struct {
		Resources  []json.RawMessage `json:"resources,omitempty"`
		NextCursor json.RawMessage   `json:"nextCursor,omitempty"`
		Contents   []json.RawMessage `json:"contents,omitempty"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return Result{}, err
	}
	value := map[string]any{"contents": append([]json.RawMessage{}, m.Contents...)}
	if tool == listResources {
		value = map[string]any{"resources": append([]json.RawMessage{}, m.Resources...)}
		if m.NextCursor != nil {
			value["nextCursor"] = m.NextCursor
		}
	}
	text, err := json.Marshal(value)
	return Result{Value: text, Source: FromStructured}, err
}
