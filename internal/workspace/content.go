package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"
	"unicode/utf8"
)

// Media types that the store knows something about.
const (
	typeJSON     = "application/json"
	typeJSONL    = "application/jsonl"
	typeCSV      = "text/csv"
	typeText     = "text/plain"
	typeMarkdown = "text/markdown"
	typeBinary   = "application/octet-stream"
)

var shortTypes = map[string]string{
	"json": typeJSON, "jsonl": typeJSONL, "csv": typeCSV, "text": typeText, "markdown": typeMarkdown, "binary": typeBinary,
}

var endings = map[string]string{
	".json": typeJSON, ".jsonl": typeJSONL, ".ndjson": typeJSONL, ".csv": typeCSV, ".md": typeMarkdown, ".markdown": typeMarkdown,
	".txt": typeText, ".log": typeText, ".tsv": "text/tab-separated-values", ".html": "text/html", ".py": "text/x-python",
}

// contentType decides the type of a file from what the writer says, else from its
// name's ending, else from its bytes.
func contentType(name, said string, data []byte) (string, error) {
	if said == "" {
		if t, ok := endings[strings.ToLower(path.Ext(name))]; ok {
			return t, nil
		}
		if utf8.Valid(data) && !bytes.ContainsRune(data, 0) {
			return typeText, nil
		}
		return typeBinary, nil
	}
	if t, ok := shortTypes[strings.ToLower(said)]; ok {
		return t, nil
	}
	t, _, err := mime.ParseMediaType(said)
	if err != nil || !strings.Contains(t, "/") || len(t) > 100 {
		return "", fmt.Errorf("%w: content type %.80q; use json, jsonl, csv, text, markdown, binary, or a media type such as image/png", ErrInvalid, said)
	}
	if t == "application/x-ndjson" || t == "application/x-jsonlines" {
		t = typeJSONL
	}
	return t, nil
}

func isJSON(t string) bool { return t == typeJSON || strings.HasSuffix(t, "+json") }

// isText reports whether a type promises characters.
func isText(t string) bool { return strings.HasPrefix(t, "text/") || t == typeJSONL || isJSON(t) }

// isLines reports whether lines can be appended.
func isLines(t string) bool { return isText(t) && !isJSON(t) }

// checkContent refuses what the next reader could not read.
func checkContent(name, t string, data []byte) error {
	if isText(t) && !utf8.Valid(data) {
		return fmt.Errorf("%w: %q is to be %s and its content is not UTF-8; write it with content type binary", ErrInvalid, name, t)
	}
	switch {
	case isJSON(t):
		if line, err := checkJSON(data); err != nil {
			return fmt.Errorf("%w: %q is to be JSON: line %d: %w; write json.dumps(value), or give content type text", ErrInvalid, name, line, err)
		}
	case t == typeJSONL:
		n := 0
		for line := range bytes.Lines(data) {
			n++
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if _, err := checkJSON(line); err != nil {
				return fmt.Errorf("%w: %q is to be JSON lines: line %d: %w; write json.dumps(value) on one line each, or give content type text", ErrInvalid, name, n, err)
			}
		}
	}
	return nil
}

// checkJSON returns the line of the first mistake.
func checkJSON(data []byte) (line int, err error) {
	if json.Valid(data) {
		return 0, nil
	}
	var v json.RawMessage
	err = json.Unmarshal(data, &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), err
	}
	return 1, err
}

// preview returns the beginning of a text in at most limit bytes, and the number of
// its lines.
func preview(t string, data []byte, limit int) (text string, lines int) {
	if !isText(t) {
		return "", 0
	}
	lines = bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	if len(data) <= limit {
		return string(data), lines
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(data[cut]) {
		cut--
	}
	if end := bytes.LastIndexByte(data[:cut], '\n') + 1; end > cut*3/4 {
		cut = end
	}
	return string(data[:cut]), lines
}
