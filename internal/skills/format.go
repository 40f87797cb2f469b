package skills

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v3"
)

// frontMatter is the head of a SKILL.md as we write it: the fields of Agent Skills, and
// ours as their free metadata, whose values are strings.
type frontMatter struct {
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Metadata    metadata `yaml:"metadata"`
}

type metadata struct {
	BMCISName string `yaml:"bmcis-name"`
	Author    string `yaml:"author"`
	Version   string `yaml:"version"`
	Digest    string `yaml:"digest"` // of the code
	Modules   string `yaml:"modules,omitempty"`
	Inputs    string `yaml:"inputs,omitempty"`
}

// hyphenated is a name as Agent Skills want it: lower-case letters, digits and single
// hyphens between them.
func hyphenated(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' })
	if len(parts) == 0 {
		return "skill"
	}
	return strings.Join(parts, "-")
}

func (k Skill) front() []byte {
	var inputs []string
	for _, in := range k.Inputs {
		s := in.Name
		if !in.Required {
			s += "?"
		}
		if in.Type != "" {
			s += ": " + in.Type
		}
		inputs = append(inputs, s)
	}
	out, err := yaml.Marshal(frontMatter{hyphenated(k.Name), k.Description, metadata{
		BMCISName: k.Name, Author: k.Owner, Version: strconv.Itoa(k.Version), Digest: k.Digest.String(),
		Modules: strings.Join(k.Modules, " "), Inputs: strings.Join(inputs, "; "),
	}})
	if err != nil {
		panic("skills: strings as YAML: " + err.Error()) // cannot be
	}
	return out
}

// Markdown writes a skill as SKILL.md of Agent Skills: front matter with name (in their
// spelling, filter-rows for filter_rows), description and metadata, then the code in a
// fence. The bytes of one version are always the same, but for its description and for
// the name of its owner.
func (k Skill) Markdown() []byte {
	fence := "```"
	for strings.Contains(k.Code, fence) {
		fence += "`"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\n%s---\n\n# %s\n\nIn a program: `from skills import %s`\n\n%spython\n%s%s\n", k.front(), k.Name, k.Name, fence, k.Code, fence)
	return b.Bytes()
}

// asJSON is a skill as a JSON object.
type asJSON struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Code        string   `json:"code"`
	Version     int      `json:"version,omitempty"`
	Digest      *Digest  `json:"digest,omitempty"`
	Author      string   `json:"author,omitempty"`
	Modules     []string `json:"modules,omitempty"`
	Inputs      []Input  `json:"inputs,omitempty"`
}

// JSON writes a skill as a JSON object with name, description, code, version, digest,
// author, modules and inputs.
func (k Skill) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // code is read by people
	e.SetIndent("", "  ")
	err := e.Encode(asJSON{k.Name, k.Description, k.Code, k.Version, &k.Digest, k.Owner, k.Modules, k.Inputs})
	return b.Bytes(), err
}

// Entry is a skill as the MCP extension io.modelcontextprotocol/skills lists it.
type Entry struct {
	// URI is skill://OWNER/NAME/SKILL.md.
	URI string `json:"uri"`
	// Frontmatter is that of [Skill.Markdown].
	Frontmatter map[string]any  `json:"frontmatter"`
	Resources   []EntryResource `json:"resources"`
}

// EntryResource is a file of a skill: its SKILL.md.
type EntryResource struct {
	URI    string `json:"uri"`
	Digest Digest `json:"digest"`
	Size   int    `json:"size"`
}

// Entry lists the skill, which has its code, as the MCP extension does.
func (k Skill) Entry() Entry {
	uri := "skill://" + k.Qualified() + "/SKILL.md"
	file := k.Markdown()
	e := Entry{URI: uri, Resources: []EntryResource{{uri, sha256.Sum256(file), len(file)}}}
	if err := yaml.Unmarshal(k.front(), &e.Frontmatter); err != nil {
		panic("skills: our own YAML: " + err.Error()) // cannot be
	}
	return e
}

// maxFile bounds what is parsed: the code, the head, and words around them.
const maxFile = 2 * MaxCode

// ParseMarkdown reads a SKILL.md: ours, or another's whose code is in exactly one fence
// marked python. A digest in it must be that of the code. Version and author are not
// taken over: the skill becomes a version of who saves it.
func ParseMarkdown(file []byte) (d Draft, err error) {
	if len(file) > maxFile {
		return d, fmt.Errorf("%w: the file has %d bytes, at most %d", ErrInvalid, len(file), maxFile)
	}
	file = bytes.ReplaceAll(bytes.TrimPrefix(file, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	body, found := bytes.CutPrefix(file, []byte("---\n"))
	head, body, closed := bytes.Cut(body, []byte("\n---\n"))
	if !found || !closed {
		return d, fmt.Errorf("%w: the file does not begin with front matter; a SKILL.md begins with --- and lines such as `name: …` and `description: …`, then ---", ErrInvalid)
	}
	var front struct {
		Name        string    `yaml:"name"`
		Description string    `yaml:"description"`
		Metadata    yaml.Node `yaml:"metadata"`
	}
	if err := yaml.Unmarshal(head, &front); err != nil {
		return d, fmt.Errorf("%w: the front matter cannot be read: %s", ErrInvalid, strings.Join(strings.Fields(err.Error()), " "))
	}
	var ours struct {
		Name   string `yaml:"bmcis-name"`
		Digest string `yaml:"digest"`
	}
	// Another's metadata may be anything; then it says nothing to us.
	if front.Metadata.Kind == yaml.MappingNode && front.Metadata.Decode(&ours) != nil {
		ours.Name, ours.Digest = "", ""
	}
	d = Draft{Name: strings.ReplaceAll(front.Name, "-", "_"), Description: front.Description}
	if ours.Name != "" {
		d.Name = ours.Name
	}
	if d.Name == "" {
		return Draft{}, fmt.Errorf("%w: the front matter has no name", ErrInvalid)
	}
	if d.Code, err = pythonOf(body); err != nil {
		return Draft{}, err
	}
	if ours.Name != "" && ours.Digest != "" { // another's digest may be of something else
		var digest Digest
		if err := digest.UnmarshalText([]byte(ours.Digest)); err != nil {
			return Draft{}, err
		}
		if err := compare(d.Code, digest); err != nil {
			return Draft{}, err
		}
	}
	return d, nil
}

// compare checks code against the digest that came with it.
func compare(code string, want Digest) error {
	clean, err := cleanCode(code)
	if err != nil {
		return err
	}
	if got := DigestOf(clean); got != want {
		return fmt.Errorf("%w: the code was changed: its digest is %s, and the file says %s; take the digest out if you trust the change", ErrInvalid, got, want)
	}
	return nil
}

// pythonOf returns the one fenced block of Markdown that is marked as Python.
func pythonOf(body []byte) (string, error) {
	var blocks []string
	root := goldmark.DefaultParser().Parse(text.NewReader(body))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		switch strings.ToLower(string(block.Language(body))) {
		case "python", "py", "python3", "starlark":
			blocks = append(blocks, string(block.Lines().Value(body)))
		}
		return ast.WalkSkipChildren, nil
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: the Markdown cannot be read: %w", ErrInvalid, err)
	case len(blocks) == 0:
		return "", fmt.Errorf("%w: the file has no code; put it between ```python and ```", ErrInvalid)
	case len(blocks) > 1:
		return "", fmt.Errorf("%w: the file has %d blocks marked python, and one of them must be the skill; mark the others as text", ErrInvalid, len(blocks))
	}
	return blocks[0], nil
}

// ParseJSON reads what [Skill.JSON] wrote. Unknown keys are refused; a digest must be
// that of the code; version, author, modules and inputs are not taken over.
func ParseJSON(file []byte) (Draft, error) {
	if len(file) > 6*maxFile { // escapes make code longer
		return Draft{}, fmt.Errorf("%w: the file has %d bytes, at most %d", ErrInvalid, len(file), 6*maxFile)
	}
	var k asJSON
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&k); err != nil {
		return Draft{}, fmt.Errorf("%w: this is not a skill as JSON: %w", ErrInvalid, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Draft{}, fmt.Errorf("%w: something follows the JSON object; one file is one skill", ErrInvalid)
	}
	if k.Digest != nil {
		if err := compare(k.Code, *k.Digest); err != nil {
			return Draft{}, err
		}
	}
	return Draft{k.Name, k.Description, k.Code}, nil
}
