package upstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Result is what a tool answered.
type Result struct {
	// Value is the answer as a program gets it, as JSON with its numbers as the server
	// wrote them: the structured content when there is some; else the text as JSON when
	// it is an object or a list; else a list when there are several texts and each is an
	// object or a list; else the text as a string; null when there is no text.
	Value json.RawMessage
	// Source says which of these Value is.
	Source Source
	// Text of all text items, joined by new lines.
	Text string
	// Contents are the items that are not plain text, in their order: images, sounds,
	// resources and links to them. They are in no Value.
	Contents []Content
	// Note is set when the structured content does not fit the output schema. It is
	// passed on all the same: the work is done.
	Note string
}

// Source is where a result's value comes from.
type Source string

// The sources of a value.
const (
	FromStructured Source = "structured"
	FromJSONText   Source = "json"
	FromText       Source = "text"
	FromNothing    Source = "none"
)

// Content describes an item that is not plain text.
type Content struct {
	Type        string `json:"type"` // image, audio, resource, resource_link, or a word of the server's
	MIMEType    string `json:"mime_type,omitempty"`
	URI         string `json:"uri,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Text of an embedded text resource.
	Text string `json:"text,omitempty"`
	// Bytes counts Data; for a link it is what the server says of the resource.
	Bytes  int64  `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// Data is not for the model: whoever wants it saves it.
	Data []byte `json:"-"`
	// Raw is the item as it came, when its type is unknown.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// parseResult reads a tools/call result. The error text is that of a result that is an
// error.
func parseResult(t Tool, raw json.RawMessage) (r Result, failed bool, err error) {
	var m struct {
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		IsError    bool              `json:"isError"`
		Legacy     json.RawMessage   `json:"toolResult"` // 2024-10-07
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return r, false, fmt.Errorf("its result is none: %w", err)
	}
	if m.Content == nil && isNull(m.Structured) {
		if isNull(m.Legacy) {
			return r, false, fmt.Errorf("its result has neither content nor structuredContent: %s", clip(string(raw), 100))
		}
		m.Structured = m.Legacy
	}
	var texts []string
	for _, item := range m.Content {
		c, text, isText := parseContent(item)
		if isText {
			texts = append(texts, text)
		} else {
			r.Contents = append(r.Contents, c)
		}
	}
	r.Text = strings.Join(texts, "\n")
	switch {
	case !isNull(m.Structured):
		r.Value, r.Source = m.Structured, FromStructured
		if t.OutputSchema != nil && !m.IsError {
			r.Note = outputMismatch(t.OutputSchema, m.Structured)
		}
	case len(texts) == 0:
		r.Value, r.Source = json.RawMessage("null"), FromNothing
	default:
		if v, ok := asJSON(texts); ok {
			r.Value, r.Source = v, FromJSONText
		} else {
			r.Value, r.Source = quote(r.Text), FromText
		}
	}
	return r, m.IsError, nil
}

func isNull(b json.RawMessage) bool {
	return len(b) == 0 || bytes.Equal(bytes.TrimSpace(b), []byte("null"))
}

// quote writes s as JSON without escaping what only HTML minds.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a form
	return bytes.TrimRight(b.Bytes(), "\n")
}

// asJSON takes texts for JSON when they are objects or lists. A number or a word is
// left text, because whether a tool's text happens to read as a number should not
// change the type of its answer.
func asJSON(texts []string) (json.RawMessage, bool) {
	compound := func(s string) (json.RawMessage, bool) {
		b := bytes.TrimSpace([]byte(s))
		if len(b) == 0 || b[0] != '{' && b[0] != '[' || !json.Valid(b) {
			return nil, false
		}
		return b, true
	}
	if len(texts) == 1 {
		return compound(texts[0])
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for i, t := range texts {
		v, ok := compound(t)
		if !ok {
			return nil, false
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(v)
	}
	b.WriteByte(']')
	return b.Bytes(), true
}

func parseContent(raw json.RawMessage) (c Content, text string, isText bool) {
	var m struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Data        string `json:"data"`
		MIMEType    string `json:"mimeType"`
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Size        int64  `json:"size"`
		Resource    *struct {
			URI      string `json:"uri"`
			MIMEType string `json:"mimeType"`
			Text     string `json:"text"`
			Blob     string `json:"blob"`
		} `json:"resource"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return Content{Type: "unknown", Raw: raw}, "", false
	}
	c = Content{Type: m.Type, MIMEType: clip(m.MIMEType, 200), URI: m.URI, Name: m.Name, Title: m.Title, Description: m.Description}
	switch {
	case m.Type == "text":
		return c, m.Text, true
	case m.Type == "image", m.Type == "audio":
		c.setData(m.Data, raw)
	case m.Type == "resource" && m.Resource != nil:
		c.URI, c.MIMEType, c.Text = m.Resource.URI, clip(m.Resource.MIMEType, 200), m.Resource.Text
		if m.Resource.Blob != "" {
			c.setData(m.Resource.Blob, raw)
		}
	case m.Type == "resource_link":
		c.Bytes = m.Size
	default:
		return Content{Type: clip(m.Type, 60), Raw: raw}, "", false
	}
	return c, "", false
}

// setData decodes base64 as servers write it, with or without padding; what is none
// stays as it came.
func (c *Content) setData(encoded string, raw json.RawMessage) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	}
	if err != nil {
		c.Raw = raw
		return
	}
	sum := sha256.Sum256(data)
	c.Data, c.Bytes, c.SHA256 = data, int64(len(data)), hex.EncodeToString(sum[:])
}

func outputMismatch(schema, value json.RawMessage) string {
	s, err := decodeNumbers(schema)
	if err != nil {
		return ""
	}
	v, err := decodeNumbers(value)
	if err != nil {
		return ""
	}
	c := &schemaCheck{root: s, fuel: schemaFuel}
	if m := c.check(s, v, "", 0); m != nil {
		name := "the answer"
		if m.path != "" {
			name = fmt.Sprintf("%q in the answer", clip(m.path, 100))
		}
		return fmt.Sprintf("%s does not fit the tool's output schema: it %s", name, m.message)
	}
	return ""
}
