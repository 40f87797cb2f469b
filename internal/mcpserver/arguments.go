package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/internal/spell"
)

// An argSchema is an input schema, as far as our tools use JSON Schema. A keyword that is
// not here is an error of the tool, found when the server is made.
type argSchema struct {
	Type             string                `json:"type"`
	Title            string                `json:"title"`
	Description      string                `json:"description"`
	Default          json.RawMessage       `json:"default"`
	Properties       map[string]*argSchema `json:"properties"`
	Required         []string              `json:"required"`
	Additional       *bool                 `json:"additionalProperties"`
	Items            *argSchema            `json:"items"`
	AnyOf            []*argSchema          `json:"anyOf"`
	Enum             []string              `json:"enum"`
	Minimum          *float64              `json:"minimum"`
	Maximum          *float64              `json:"maximum"`
	ExclusiveMinimum *float64              `json:"exclusiveMinimum"`
	MinLength        int                   `json:"minLength"`
	MaxLength        *int                  `json:"maxLength"`
	MinItems         int                   `json:"minItems"`
	MaxItems         *int                  `json:"maxItems"`
}

// readSchemas reads the input schemas of the tools.
func readSchemas(tools map[string]*server.ServerTool) (map[string]*argSchema, error) {
	out := make(map[string]*argSchema, len(tools))
	for name, tool := range tools {
		dec := json.NewDecoder(bytes.NewReader(tool.Tool.RawInputSchema))
		dec.DisallowUnknownFields()
		s := new(argSchema)
		if err := dec.Decode(s); err != nil {
			return nil, fmt.Errorf("input schema of %s: %w", name, err)
		}
		out[name] = s
	}
	return out, nil
}

// checkArguments is a middleware for all tools: it hands on arguments that fit the
// tool's schema, and answers all others with one line that names the tool, each
// argument, what is wrong with it and what would be right. What models write by habit
// and can only mean one thing is put right: "10" and 10.0 for 10, "true" for true,
// null for nothing, an object as the text of its JSON.
func (s *Server) checkArguments(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		schema, ok := s.schemas[r.Params.Name]
		if !ok {
			return next(ctx, r)
		}
		raw := r.Params.RawArguments
		if len(raw) == 0 { // not from a transport
			var err error
			if raw, err = json.Marshal(r.Params.Arguments); err != nil {
				return nil, err
			}
		}
		if string(raw) == "null" {
			raw = json.RawMessage("{}")
		}
		c := checker{tool: r.Params.Name}
		fixed := c.value("", schema, raw)
		if len(c.problems) > 0 {
			return mcp.NewToolResultError(r.Params.Name + ": " + strings.Join(c.problems, "; ")), nil
		}
		if !bytes.Equal(fixed, raw) || len(r.Params.RawArguments) == 0 {
			r.Params.RawArguments = fixed
			r.Params.Arguments = nil
			if err := json.Unmarshal(fixed, &r.Params.Arguments); err != nil {
				return nil, err
			}
		}
		return next(ctx, r)
	}
}

// A checker collects what is wrong with the arguments of one call.
type checker struct {
	tool     string
	problems []string
}

// maxProblems is how many problems one answer lists.
const maxProblems = 8

func (c *checker) fail(format string, args ...any) {
	switch {
	case len(c.problems) < maxProblems:
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	case len(c.problems) == maxProblems:
		c.problems = append(c.problems, "and more")
	}
}

// value checks one value and returns it, put right where that loses nothing. at is
// its path, "" for the arguments as a whole.
func (c *checker) value(at string, s *argSchema, raw json.RawMessage) json.RawMessage {
	kind := kindOf(raw)
	want := s.Type
	for _, o := range s.AnyOf {
		if o.Type == kind {
			return c.value(at, o, raw)
		}
		want += " or " + o.Type
	}
	want = strings.TrimPrefix(want, " or ")
	switch fixed, ok := asType(s.Type, kind, raw); {
	case ok && s.AnyOf == nil:
		raw = fixed
	case at == "":
		c.fail("arguments must be an object such as {%s}, got %s", example(s), shown(raw))
		return raw
	case want == "array" && kind == "string":
		c.fail("%s must be an array%s, got %s; write [%s]", at, about(s), shown(raw), shown(raw))
		return raw
	default:
		such := about(s)
		if such == "" && want == "object" {
			such = " such as {" + example(s) + "}"
		}
		c.fail("%s must be %s%s, got %s", at, withArticle(want), such, shown(raw))
		return raw
	}
	switch s.Type {
	case "object":
		return c.object(at, s, raw)
	case "array":
		return c.array(at, s, raw)
	case "string":
		return c.text(at, s, raw)
	case "integer", "number":
		c.number(at, s, raw)
	}
	return raw
}

// kindOf names the JSON type of a value that is known to be JSON.
func kindOf(raw json.RawMessage) string {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return "null"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// asType returns the value as the wanted type if it can only mean that.
func asType(want, kind string, raw json.RawMessage) (json.RawMessage, bool) {
	if want == kind || want == "" {
		return raw, true
	}
	var text string
	if kind == "string" {
		if json.Unmarshal(raw, &text) != nil {
			return raw, false
		}
		text = strings.TrimSpace(text)
	}
	switch want {
	case "integer":
		if kind == "string" {
			raw, kind = json.RawMessage(text), kindOf(json.RawMessage(text))
		}
		if kind != "number" || !json.Valid(raw) {
			return raw, false
		}
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || f != math.Trunc(f) {
			return raw, false
		}
		if bytes.ContainsAny(raw, ".eE") && math.Abs(f) < 1<<53 {
			raw = strconv.AppendInt(nil, int64(f), 10)
		}
		return raw, true
	case "number":
		return json.RawMessage(text), kind == "string" && kindOf(json.RawMessage(text)) == "number" && json.Valid([]byte(text))
	case "boolean":
		if kind == "number" {
			text = string(raw)
		}
		switch strings.ToLower(text) {
		case "true", "1":
			return json.RawMessage("true"), true
		case "false", "0":
			return json.RawMessage("false"), true
		}
	case "object", "array":
		if kind == "string" && kindOf(json.RawMessage(text)) == want && json.Valid([]byte(text)) {
			return json.RawMessage(text), true
		}
	}
	return raw, false
}

func (c *checker) object(at string, s *argSchema, raw json.RawMessage) json.RawMessage {
	if s.Properties == nil && s.Additional == nil {
		return raw // of any keys
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		c.fail("%s: %v", at, err)
		return raw
	}
	changed := false
	meant := map[string]bool{} // by names that are not known
	inside := func(name string) string {
		if at == "" {
			return name
		}
		return at + "." + name
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		p, known := s.Properties[name]
		switch {
		case !known:
			meant[c.unknown(at, s, name)] = true
		case kindOf(members[name]) == "null" && p.Type != "" && p.Type != "null":
			delete(members, name)
			changed = true
		default:
			fixed := c.value(inside(name), p, members[name])
			changed = changed || !bytes.Equal(fixed, members[name])
			members[name] = fixed
		}
	}
	for _, name := range s.Required {
		if _, ok := members[name]; !ok && !meant[name] {
			c.fail("%s is missing%s", inside(name), about(s.Properties[name]))
		}
	}
	if !changed {
		return raw
	}
	fixed, err := render.JSON(members)
	if err != nil {
		c.fail("%s: %v", at, err)
		return raw
	}
	return fixed
}

// otherNames are words for arguments that models know from elsewhere.
var otherNames = map[string][]string{
	"limit": {"top_k", "topk", "k", "n", "max_results", "num_results", "count", "size"},
	"query": {"q", "question", "search", "search_query", "text"},
	"id":    {"document_id", "doc_id", "documentid"}, "ids": {"id", "hits", "documents", "results", "chunk_ids"},
	"filter": {"filters", "where", "expr"}, "code": {"script", "program", "source", "python"},
	"context": {"variables", "vars", "inputs", "args"}, "timeout": {"timeout_seconds", "timeout_s", "max_time"},
	"lexical": {"bm25", "bm25_weight", "keyword"}, "vector": {"vector_weight", "semantic", "dense"},
	"validate_only": {"dry_run", "validate", "check"},
	"name":          {"path", "file", "filename", "file_name", "skill", "skill_name", "tool", "tool_name"},
	"content":       {"text", "data", "body"}, "session": {"handle", "session_id", "workspace"},
	"detail_level": {"detail", "level"}, "value": {"text", "data", "input"},
}

// unknown says that an object has no such key, and which one was meant; it returns
// that, "" for none.
func (c *checker) unknown(at string, s *argSchema, name string) string {
	names := s.names()
	meant := spell.Nearest(name, names)
	for _, known := range names {
		if meant == "" && slices.Contains(otherNames[known], strings.ToLower(name)) {
			meant = known
		}
	}
	argument, it := shownName(name), c.tool
	if at != "" {
		argument, it = at+"."+argument, at
	}
	switch {
	case meant != "":
		c.fail("unknown argument %s, did you mean %s?", argument, meant)
	case len(names) == 0:
		c.fail("unknown argument %s, %s takes none", argument, it)
	default:
		c.fail("unknown argument %s, %s takes %s", argument, it, strings.Join(names, ", "))
	}
	return meant
}

// names are the properties of an object, required ones first.
func (s *argSchema) names() []string {
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (c *checker) array(at string, s *argSchema, raw json.RawMessage) json.RawMessage {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		c.fail("%s: %v", at, err)
		return raw
	}
	switch n := len(items); {
	case s.MaxItems != nil && n > *s.MaxItems:
		c.fail("%s must hold %d to %d items, got %d", at, s.MinItems, *s.MaxItems, n)
		return raw
	case n < s.MinItems:
		c.fail("%s must not be empty%s", at, about(s))
		return raw
	}
	if s.Items == nil {
		return raw
	}
	changed := false
	for i, item := range items {
		fixed := c.value(fmt.Sprintf("%s[%d]", at, i), s.Items, item)
		changed = changed || !bytes.Equal(fixed, item)
		items[i] = fixed
	}
	if !changed {
		return raw
	}
	return slices.Concat([]byte("["), bytes.Join(rawBytes(items), []byte(",")), []byte("]"))
}

func rawBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

func (c *checker) text(at string, s *argSchema, raw json.RawMessage) json.RawMessage {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		c.fail("%s: %v", at, err)
		return raw
	}
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		for _, one := range s.Enum {
			if strings.EqualFold(one, strings.TrimSpace(text)) {
				return json.RawMessage(strconv.Quote(one))
			}
		}
		c.fail("%s must be %s, got %s", at, oneOf(s.Enum), shown(raw))
		return raw
	}
	switch n := utf8.RuneCountInString(text); {
	case n < s.MinLength:
		c.fail("%s must not be empty%s", at, about(s))
	case s.MaxLength != nil && n > *s.MaxLength:
		c.fail("%s must be at most %d characters, got %d", at, *s.MaxLength, n)
	}
	return raw
}

func (c *checker) number(at string, s *argSchema, raw json.RawMessage) {
	x, err := strconv.ParseFloat(string(raw), 64)
	below := s.Minimum != nil && x < *s.Minimum || s.ExclusiveMinimum != nil && x <= *s.ExclusiveMinimum
	if err == nil && !below && !(s.Maximum != nil && x > *s.Maximum) {
		return
	}
	least := ""
	switch {
	case s.ExclusiveMinimum != nil:
		least = fmt.Sprintf("more than %v", *s.ExclusiveMinimum)
	case s.Minimum != nil && s.Maximum == nil:
		least = fmt.Sprintf("%v or more", *s.Minimum)
	case s.Minimum != nil:
		c.fail("%s must be %v to %v%s, got %s", at, *s.Minimum, *s.Maximum, about(s), shown(raw))
		return
	}
	if s.Maximum != nil {
		least = strings.TrimPrefix(fmt.Sprintf("%s and at most %v", least, *s.Maximum), " and ")
	}
	c.fail("%s must be %s%s, got %s", at, least, about(s), shown(raw))
}

// about is what the schema says of a value, in brackets.
func about(s *argSchema) string {
	if s == nil || s.Description == "" {
		return ""
	}
	return " (" + s.Description + ")"
}

// shown is a value as a message shows it, on one line and cut.
func shown(raw json.RawMessage) string {
	const most = 60
	text := render.Cut(string(raw), 4*most)
	if text = strings.Join(strings.Fields(text), " "); utf8.RuneCountInString(text) <= most && len(raw) <= 4*most {
		return text
	}
	return render.Cut(text, most) + "…"
}

// shownName is an unknown name as a message shows it.
func shownName(name string) string {
	if raw, err := json.Marshal(name); err == nil && (len(name) > 40 || len(raw) != len(name)+2 || strings.Contains(name, " ")) {
		return shown(raw)
	}
	return name
}

func withArticle(kind string) string {
	switch {
	case kind == "integer":
		return "a whole number"
	case strings.HasPrefix(kind, "object"), strings.HasPrefix(kind, "array"):
		return "an " + kind
	}
	return "a " + strings.ReplaceAll(kind, "or object", "or an object")
}

func oneOf(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " or " + quoted[n-1]
	}
	return quoted[0]
}

// example is an object's required members, or all where none is, with dots for values.
func example(s *argSchema) string {
	names := s.Required
	if len(names) == 0 {
		names = s.names()
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = strconv.Quote(name) + ": …"
	}
	return strings.Join(parts, ", ")
}
