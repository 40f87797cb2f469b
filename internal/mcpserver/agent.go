package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
)

// acts are what a tool does, for its annotations.
type acts struct{ writes, destroys, repeats, outside bool }

func agentTool(name, title, description string, does acts, input, output string) mcp.Tool {
	tool := mcp.NewToolWithRawSchema(name, description, json.RawMessage(input))
	for _, option := range []mcp.ToolOption{
		mcp.WithToolTitle(title), mcp.WithToolIcons(icon(iconOf[name])), mcp.WithRawOutputSchema(json.RawMessage(output)),
		mcp.WithReadOnlyHintAnnotation(!does.writes), mcp.WithDestructiveHintAnnotation(does.destroys),
		mcp.WithIdempotentHintAnnotation(does.repeats), mcp.WithOpenWorldHintAnnotation(does.outside),
	} {
		option(&tool)
	}
	return tool
}

const (
	toolOutput = `{"type": "object", "properties": {"name": {"type": "string"}, "server": {"type": "string"}, "category": {"type": "string"},
 "description": {"type": "string"}, "import": {"type": "string"}, "signature": {"type": "string"}, "input_schema": {"type": "object"},
 "output_schema": {"type": "object"}, "destructive": {"type": "boolean"}, "parameters": {"type": "array", "items": {"type": "string"}}}, "required": ["name"]}`
	skillOutput = `{"type": "object", "properties": {"name": {"type": "string"}, "owner": {"type": "string"}, "description": {"type": "string"},
 "version": {"type": "integer"}, "digest": {"type": "string"}, "shared": {"type": "string"}, "modules": {"type": "array", "items": {"type": "string"}},
 "inputs": {"type": "array", "items": {"type": "object"}}, "import": {"type": "string"}, "code": {"type": "string"}, "new_version": {"type": "boolean"},
 "updated": {"type": "string"}}, "required": ["name", "owner", "version", "digest"]}`
	fileOutput = `{"type": "object", "properties": {"name": {"type": "string"}, "path": {"type": "string"}, "type": {"type": "string"}, "size": {"type": "integer"},
 "etag": {"type": "string"}, "updated": {"type": "string"}, "writer": {"type": "string"}, "expires": {"type": "string", "description": "empty: it stays"}},
 "required": ["name", "path", "size", "etag"]}`
	readOutput = `{"type": "object", "properties": {"path": {"type": "string"}, "type": {"type": "string"}, "size": {"type": "integer"}, "etag": {"type": "string"},
 "expires": {"type": "string"}, "content": {"type": "string"}, "offset": {"type": "integer"}, "next_offset": {"type": "integer", "description": "of what was left out"}},
 "required": ["path", "size", "content", "offset"]}`
	valueOutput = `{"type": "object", "properties": {"value": {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "array"}]}}, "required": ["value"]}`
	statsOutput = `{"type": "object", "properties": {"identity": {"type": "string"}, "runs": {"type": "integer"}, "outcomes": {"type": "object"}, "tools": {"type": "object"},
 "methods": {"type": "object"}, "host_calls": {"type": "integer"}, "tokens_touched": {"type": "integer"}, "tokens_returned": {"type": "integer"},
 "p50_ms": {"type": "number"}, "p95_ms": {"type": "number"}, "recent": {"type": "array", "items": {"type": "object"}}}, "required": ["identity", "runs", "recent"]}`

	propName    = `"name": {"type": "string"}`
	propSession = `"session": {"type": "string", "description": "handle; without: your own files"}`
	propValue   = `"value": {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "array"}]}`
)

func object(required string, properties ...string) string {
	return string(schema(required, properties...))
}

func listOf(key, item string) string {
	return `{"type": "object", "properties": {"` + key + `": {"type": "array", "items": ` + item + `}, "next": {"type": "string"}, "total": {"type": "integer"},
 "total_files": {"type": "integer"}, "total_bytes": {"type": "integer"}, "quota_files": {"type": "integer"}, "quota_bytes": {"type": "integer"},
 "expires": {"type": "string"}, "degraded": {"type": "array", "items": {"type": "string"}}}, "required": ["` + key + `"]}`
}

// addAgentTools adds the rest of the code table, as far as the server has the services. A
// tool that is not built is not listed.
func (s *Server) addAgentTools() {
	add := func(tool mcp.Tool, handler server.ToolHandlerFunc) { s.mcp.AddTool(tool, handler) }
	reads := acts{repeats: true}

	add(agentTool("search_tools", "Find tools", "Finds functions, tools of other servers and saved skills for execute_code by what they do.", reads,
		object("", `"query": {"type": "string"}`, `"detail_level": {"type": "string", "enum": ["name_only", "with_description", "full"]}`,
			`"category": {"type": "string", "description": "a server, module, or skills"}`, `"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "default 20"}`),
		listOf("tools", toolOutput)), s.searchTools)
	add(agentTool("get_tool_definition", "Describe a tool", "Signature, import line and schemas of one tool.", reads,
		object(`"name"`, propName, `"category": {"type": "string"}`), toolOutput), service[codeapi.DefinitionArgs](s, codeapi.MethodDefinition))

	if s.services.Skills != nil {
		add(agentTool("save_skill", "Save code", "Saves Python for later programs: from skills import NAME.", acts{writes: true, repeats: true},
			object(`"name", "code"`, `"name": {"type": "string", "description": "identifier"}`, `"code": {"type": "string"}`, `"description": {"type": "string", "description": "default: its docstring"}`),
			skillOutput), service[codeapi.SaveSkillArgs](s, codeapi.MethodSaveSkill))
		add(agentTool("load_skill", "Read a skill", "The code of a saved skill.", reads,
			object(`"name"`, propName, `"version": {"type": "integer", "minimum": 1}`), skillOutput), service[codeapi.LoadSkillArgs](s, codeapi.MethodLoadSkill))
		add(agentTool("list_skills", "List skills", "Saved skills that you may load.", reads,
			object("", `"query": {"type": "string"}`, `"own": {"type": "boolean"}`, `"limit": {"type": "integer", "minimum": 1, "maximum": 1000}`, `"after": {"type": "string", "description": "next of the page before"}`),
			listOf("skills", skillOutput)), service[codeapi.ListSkillsArgs](s, codeapi.MethodListSkills))
	}
	if s.vaults {
		add(agentTool("sanitize_pii", "Hide personal data", "Puts tokens such as [EMAIL_ab12cd] in the place of e-mail, phone, SSN, card, IBAN and IP.", acts{writes: true, repeats: true},
			object(`"value"`, propValue, `"kinds": {"type": "array", "items": {"type": "string", "enum": ["email", "phone", "ssn", "card", "iban", "ip", "name"]}, "minItems": 1}`),
			valueOutput), s.pii(codeapi.MethodSanitize))
		add(agentTool("restore_pii", "Show personal data", "Puts the values back, for those who may.", reads, object(`"value"`, propValue), valueOutput), s.pii(codeapi.MethodRestore))
	}
	if s.services.Workspace != nil {
		add(agentTool("write_workspace_file", "Write a file", "Writes a file that programs read with read_file.", acts{writes: true, destroys: true},
			object(`"name", "content"`, propName, `"content": {"type": "string"}`, propSession, `"append": {"type": "boolean", "description": "add lines"}`,
				`"if_match": {"type": "string", "description": "etag of the file it replaces, * or new"}`),
			fileOutput), s.writeFile)
		add(agentTool("read_workspace_file", "Read a file", "The text of a file, or of an answer that was kept whole.", reads,
			object(`"name"`, propName, propSession, `"offset": {"type": "integer", "minimum": 0}`, `"max_bytes": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "default 20000"}`),
			readOutput), s.readFile)
		add(agentTool("list_workspace_files", "List files", "Files by name.", reads,
			object("", `"prefix": {"type": "string"}`, propSession, `"limit": {"type": "integer", "minimum": 1, "maximum": 1000}`, `"after": {"type": "string", "description": "next of the page before"}`),
			listOf("files", fileOutput)), service[codeapi.ListFilesArgs](s, codeapi.MethodListFiles))
	}
	if s.log != nil {
		add(agentTool("get_execution_stats", "Own statistics", "Your runs: outcomes, tokens, times, the latest ones.", reads,
			object("", `"days": {"type": "number", "exclusiveMinimum": 0, "maximum": 3650, "description": "default 30"}`, `"limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "latest runs, default 5"}`),
			statsOutput), s.executionStats)
	}
}

// service is a tool that is one call of a service.
func service[T any](s *Server, method string) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a T
		if err := decode(r, &a); err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		value, err := s.host.Service(ctx, method, a)
		if err != nil {
			return serviceError(ctx, err)
		}
		return printed(value), nil
	}
}

// searchTools finds tools. Its text, which models read, says each server once; the
// structured content is the whole answer in its order.
func (s *Server) searchTools(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a codeapi.SearchToolsArgs
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	value, err := s.host.Service(ctx, codeapi.MethodTools, a)
	if err != nil {
		return serviceError(ctx, err)
	}
	result := printed(value)
	var list codeapi.ToolList
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, err
	}
	if text := host.ToolsAsText(list, cmp.Or(a.Detail, codeapi.DetailDescription)); text != "" {
		result.Content = []mcp.Content{mcp.NewTextContent(text)}
	}
	return result, nil
}

// serviceError is a failure in words for the model.
func serviceError(ctx context.Context, err error) (*mcp.CallToolResult, error) {
	var f *codeapi.Failure
	if errors.As(err, &f) {
		if f.Class == "PermissionError" {
			refused(ctx)
		}
		if f.Hint != "" {
			return mcp.NewToolResultErrorf("%s; %s", f.Message, f.Hint), nil
		}
		return mcp.NewToolResultError(f.Message), nil
	}
	return toolError(ctx, err)
}

func (s *Server) pii(method string) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var a codeapi.PIIArgs
		if err := decode(r, &a); err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		value, err := s.host.Service(ctx, method, a)
		if err != nil {
			return serviceError(ctx, err)
		}
		return structured(map[string]json.RawMessage{"value": value}, false)
	}
}

func (s *Server) writeFile(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a struct {
		Name    string `json:"name"`
		Content string `json:"content"`
		Session string `json:"session"`
		Append  bool   `json:"append"`
		IfMatch string `json:"if_match"`
	}
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	value, err := s.host.Service(ctx, codeapi.MethodWriteFile, codeapi.WriteFileArgs{
		FileArgs: codeapi.FileArgs{Name: a.Name, Session: a.Session, IfMatch: a.IfMatch}, Data: []byte(a.Content), Append: a.Append})
	if err != nil {
		return serviceError(ctx, err)
	}
	return printed(value), nil
}

// defaultRead is how much of a file a call returns that does not say.
const defaultRead = 20_000

func (s *Server) readFile(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a struct {
		Name     string `json:"name"`
		Session  string `json:"session"`
		Offset   int64  `json:"offset"`
		MaxBytes int    `json:"max_bytes"`
	}
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	if a.MaxBytes == 0 {
		a.MaxBytes = defaultRead
	}
	part, err := s.filePart(ctx, codeapi.ReadFileArgs{FileArgs: codeapi.FileArgs{Name: a.Name, Session: a.Session}, Offset: a.Offset})
	if err != nil {
		return serviceError(ctx, err)
	}
	text, ok := textPart(part.Data, a.MaxBytes)
	if !ok {
		return mcp.NewToolResultErrorf("%s is %s and no text; programs can pass it on, and resources/read gives its bytes", part.Path, part.Type), nil
	}
	out := struct {
		Path    string `json:"path"`
		Type    string `json:"type"`
		Size    int64  `json:"size"`
		ETag    string `json:"etag"`
		Expires string `json:"expires"`
		Content string `json:"content"`
		Offset  int64  `json:"offset"`
		Next    int64  `json:"next_offset,omitempty"`
	}{part.Path, part.Type, part.Size, part.ETag, part.Expires, text, a.Offset, 0}
	if end := a.Offset + int64(len(text)); end < part.Size {
		out.Next = end
	}
	return structured(out, false)
}

func (s *Server) filePart(ctx context.Context, a codeapi.ReadFileArgs) (part codeapi.FilePart, err error) {
	raw, err := s.host.Service(ctx, codeapi.MethodReadFile, a)
	if err != nil {
		return part, err
	}
	return part, json.Unmarshal(raw, &part)
}

// textPart is at most n bytes of text, not ending inside a character; false for what is
// none.
func textPart(data []byte, n int) (string, bool) {
	cut := data
	if len(cut) > n {
		cut = cut[:n]
	}
	for i := 0; i < utf8.UTFMax && len(cut) > 0 && !utf8.Valid(cut[max(0, len(cut)-utf8.UTFMax):]); i++ {
		cut = cut[:len(cut)-1]
	}
	return string(cut), utf8.Valid(cut) && (len(cut) > 0 || len(data) == 0)
}

// executionStats adds up the caller's own runs. The identity is the connection's.
func (s *Server) executionStats(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	a := struct {
		Days  float64 `json:"days"`
		Limit int     `json:"limit"`
	}{30, 5}
	if err := decode(r, &a); err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	ctx, id, err := s.identify(ctx)
	if err != nil {
		return nil, err
	}
	if s.audit != nil { // what was just run is to be in it
		wait, cancel := context.WithTimeout(ctx, 2*time.Second)
		_ = s.audit.Flush(wait) // else it shows the next time
		cancel()
	}
	f := audit.Own(id.ID)
	f.Since = time.Now().Add(-time.Duration(a.Days * 24 * float64(time.Hour)))
	st, err := s.log.Stats(ctx, f)
	if err != nil {
		return toolError(ctx, err)
	}
	runs, _, err := s.log.List(ctx, f, a.Limit, 0)
	if err != nil {
		return toolError(ctx, err)
	}
	type run struct {
		Started     time.Time `json:"started"`
		Tool        string    `json:"tool"`
		Description string    `json:"description,omitempty"`
		Outcome     string    `json:"outcome"`
		Error       string    `json:"error,omitempty"`
		Millis      float64   `json:"ms"`
	}
	out := struct {
		Identity string `json:"identity"`
		audit.Stats
		Recent []run `json:"recent"`
	}{id.Name, st, []run{}}
	for _, x := range runs {
		out.Recent = append(out.Recent, run{x.Started.UTC(), x.Tool, x.Description, x.Outcome, x.Error, float64(x.Duration.Microseconds()) / 1000})
	}
	return structured(out, false)
}
