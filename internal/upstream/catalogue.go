package upstream

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/spell"
)

// Tool is one tool of one server, as the server describes it. The descriptions are the
// server's words: text to show, not to obey.
type Tool struct {
	Server string `json:"server"` // as in the config
	Name   string `json:"name"`   // the server's own name for it
	// QualifiedName is mcp__server__tool, unique among all tools.
	QualifiedName string `json:"qualified_name"`
	// Module and Function stand in `from servers.Module import Function`.
	Module   string `json:"module"`
	Function string `json:"function"`

	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// InputSchema is a JSON Schema object; OutputSchema is nil when the server gives
	// none.
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  Annotations     `json:"annotations"`

	destructive bool   // by the config
	resources   string // listResources or readResource: the tool is ours
}

// Annotations are a server's claims about a tool; nil is no claim.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Destructive reports whether the tool is marked so: by its server, unless that also
// marks it read-only, or by the config. A tool without marks is not destructive here,
// although the specification would presume it: most servers mark nothing.
func (t Tool) Destructive() bool {
	is := func(b *bool) bool { return b != nil && *b }
	return t.destructive || is(t.Annotations.Destructive) && !is(t.Annotations.ReadOnly)
}

// Import returns the line by which a program imports the tool.
func (t Tool) Import() string { return "from servers." + t.Module + " import " + t.Function }

// Problem is something wrong with a server or one of its tools.
type Problem struct {
	Server string `json:"server"`
	// Message is one line.
	Message string `json:"message"`
	// Unusable is set when nothing of the server can be used now. Otherwise the
	// catalogue holds what is left.
	Unusable bool `json:"unusable"`
}

const (
	maxDescription = 16 << 10
	maxTitle       = 256
	maxSchema      = 256 << 10
	maxProblems    = 20 // told of one server
)

// parseTools makes tools of what a server lists. What cannot be used is left out and
// told.
func parseTools(s Server, module string, raw []json.RawMessage) (tools []Tool, problems []string) {
	left := map[string]int{} // reasons to leave out, counted
	first := map[string]string{}
	leave := func(why, name string) {
		if left[why]++; left[why] == 1 {
			first[why] = clip(name, 60)
		}
	}
	seen := map[string]bool{}
	var hidden int
	for _, r := range raw {
		var m struct {
			Name        string          `json:"name"`
			Title       string          `json:"title"`
			Description string          `json:"description"`
			Input       json.RawMessage `json:"inputSchema"`
			Output      json.RawMessage `json:"outputSchema"`
			Annotations json.RawMessage `json:"annotations"`
		}
		if err := json.Unmarshal(r, &m); err != nil {
			leave("is not described as tools are", string(r))
			continue
		}
		switch {
		case m.Name == "":
			leave("has no name", string(r))
			continue
		case len(m.Name) > maxToolName:
			leave(fmt.Sprintf("has a name of more than %d bytes", maxToolName), m.Name)
			continue
		case !printable(m.Name):
			leave("has a name with invisible characters", fmt.Sprintf("%q", m.Name))
			continue
		case seen[m.Name]:
			leave("is listed twice", m.Name)
			continue
		case len(m.Input) > maxSchema || len(m.Output) > maxSchema:
			leave("has a schema of more than "+size(maxSchema), m.Name)
			continue
		}
		seen[m.Name] = true
		if !s.shows(m.Name) {
			hidden++
			continue
		}
		t := Tool{
			Server: s.Name, Name: m.Name, Module: module,
			Title: clip(m.Title, maxTitle), Description: clip(m.Description, maxDescription),
			InputSchema: m.Input, OutputSchema: m.Output,
			destructive: matchesAny(s.DestructiveTools, m.Name),
		}
		if ours := resourceTools[m.Name]; ours != nil && bytes.Equal(r, ours) {
			t.resources = m.Name
		}
		var a struct {
			Annotations
			Title string `json:"title"`
		}
		if len(m.Annotations) > 0 && json.Unmarshal(m.Annotations, &a) != nil {
			// Nothing is known, and it was meant to be: the careful reading.
			yes := true
			a.Annotations = Annotations{Destructive: &yes}
			leave("has annotations that cannot be read and counts as destructive", m.Name)
		}
		t.Annotations = a.Annotations
		if t.Title == "" {
			t.Title = clip(a.Title, maxTitle)
		}
		if b := bytes.TrimSpace(t.InputSchema); len(b) == 0 || b[0] != '{' {
			t.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		if b := bytes.TrimSpace(t.OutputSchema); len(b) == 0 || b[0] != '{' {
			t.OutputSchema = nil
		}
		tools = append(tools, t)
	}
	for _, why := range sortedKeys(left) {
		if n := left[why]; n == 1 {
			problems = append(problems, fmt.Sprintf("tool %q %s", first[why], why))
		} else {
			problems = append(problems, fmt.Sprintf("tool %q and %d more: each %s", first[why], n-1, why))
		}
	}
	problems = append(problems, s.emptyPatterns(seen)...)

	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	qualified := uniqueNames(names, func(n string) string { return qualifiedName(s.Name, n) },
		func(n, mapped string) bool { return mapped == qualifiedPrefix+s.Name+separator+n })
	functions := uniqueNames(names, pythonName, func(n, mapped string) bool { return n == mapped })
	collisions := 0
	for i := range tools {
		t := &tools[i]
		t.QualifiedName, t.Function = qualified[t.Name], functions[t.Name]
		if plain := pythonName(t.Name); t.Function != plain {
			if collisions++; collisions <= 3 {
				problems = append(problems, fmt.Sprintf("tool %q is %s in programs: another one is %s", clip(t.Name, 60), t.Function, plain))
			}
		}
	}
	if collisions > 3 {
		problems = append(problems, fmt.Sprintf("%d more tools have a number behind their name in programs", collisions-3))
	}
	slices.SortFunc(tools, func(a, b Tool) int { return cmp.Compare(a.QualifiedName, b.QualifiedName) })
	if len(problems) > maxProblems {
		problems = append(problems[:maxProblems-1], fmt.Sprintf("and %d more", len(problems)-maxProblems+1))
	}
	return tools, problems
}

// shows reports whether the config lets the tool into the catalogue.
func (s Server) shows(tool string) bool {
	return !matchesAny(s.DeniedTools, tool) && (s.AllowedTools == nil || matchesAny(s.AllowedTools, tool))
}

// emptyPatterns tells of patterns that fit no tool: one that denies would be thought
// to protect.
func (s Server) emptyPatterns(names map[string]bool) (problems []string) {
	var all []string
	for name := range names {
		all = append(all, name)
	}
	slices.Sort(all)
	for _, list := range []struct {
		key      string
		patterns []string
	}{{"allowedTools", s.AllowedTools}, {"deniedTools", s.DeniedTools}, {"destructiveTools", s.DestructiveTools}} {
		for _, p := range list.patterns {
			if slices.ContainsFunc(all, func(n string) bool { return matches(p, n) }) {
				continue
			}
			text := fmt.Sprintf("%s: no tool is called %q", list.key, p)
			if near := spell.Nearest(p, all); near != "" {
				text += fmt.Sprintf("; did you mean %q?", near)
			}
			problems = append(problems, text)
		}
	}
	return problems
}

// printable refuses names that show less than they hold.
func printable(name string) bool {
	if !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		return false
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// catalogueFile is what is kept on disk of one server's tools, so that they can be
// searched before the server has been started.
type catalogueFile struct {
	Version int               `json:"version"`
	Listed  time.Time         `json:"listed"`
	Tools   []json.RawMessage `json:"tools"`
}

const (
	catalogueVersion = 1
	catalogueMaxAge  = 7 * 24 * time.Hour
)

// cachePath names the file by what decides which tools there are: the server and all
// of its config, in a hash, because there are secrets in it.
func cachePath(dir string, s Server) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q", s.Name, s.Command, s.Args, s.Cwd, s.URL)
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for _, k := range sortedKeys(m) {
			fmt.Fprintf(h, "%q=%q", k, m[k])
		}
	}
	return filepath.Join(dir, s.Name+"-"+hex.EncodeToString(h.Sum(nil)[:8])+".json")
}

// readCache returns what was kept, nil when there is nothing of use.
func readCache(path string, maxBytes int64) []json.RawMessage {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxBytes {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var f catalogueFile
	if json.Unmarshal(b, &f) != nil || f.Version != catalogueVersion || time.Since(f.Listed) > catalogueMaxAge {
		return nil
	}
	return f.Tools
}

func writeCache(path string, tools []json.RawMessage) error {
	b, err := json.Marshal(catalogueFile{Version: catalogueVersion, Listed: time.Now().UTC(), Tools: tools})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".catalogue-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(b); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
