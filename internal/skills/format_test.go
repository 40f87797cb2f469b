package skills

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// agentSkillName is the rule of the Agent Skills specification.
var agentSkillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const foreign = `---
name: pdf-tables
description: >-
  Reads tables
  out of PDFs.
license: MIT
metadata:
  author: somebody
  version: 1.0
  nested: [1, 2]
---
# Tables

` + "```bash\npip install x\n```\n\n```python\ndef pdf_tables(path):\n    return path\n```\n"

func TestForeignSkill(t *testing.T) {
	d, err := ParseMarkdown([]byte(foreign))
	if err != nil || d.Name != "pdf_tables" || d.Description != "Reads tables out of PDFs." || d.Code != "def pdf_tables(path):\n    return path\n" {
		t.Errorf("%+v, %v", d, err)
	}
	windows := "\ufeff" + strings.ReplaceAll(foreign, "\n", "\r\n")
	if again, err := ParseMarkdown([]byte(windows)); err != nil || again != d {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestRefusedFiles(t *testing.T) {
	k := Skill{Name: "x", Owner: "a", Description: "d", Code: "x = 1\n", Version: 1, Digest: DigestOf("x = 1\n")}
	ours := string(k.Markdown())
	if _, err := ParseMarkdown([]byte(ours)); err != nil {
		t.Fatal(err)
	}
	for what, file := range map[string]string{
		"empty": "", "no front matter": "# x\n```python\nx = 1\n```\n", "unclosed": "---\nname: x\n",
		"no YAML": "---\n\t{[\n---\n```python\nx = 1\n```\n", "a list": "---\n- a\n---\n```python\nx\n```\n", "no name": "---\ndescription: x\n---\n```python\nx = 1\n```\n",
		"no code": "---\nname: x\n---\nwords\n", "code not marked": "---\nname: x\n---\n```\nx = 1\n```\n", "two codes": foreign + "```py\ny = 1\n```\n",
		"changed code": strings.Replace(ours, "x = 1", "x = 2", 1), "no digest": strings.Replace(ours, "sha256:", "sha1:", 1),
		"bomb":      "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nname: *e\n---\n```python\nx\n```\n",
		"too large": ours + strings.Repeat("x", maxFile), "name is a map": "---\nname: {a: b}\n---\n```python\nx = 1\n```\n",
	} {
		if d, err := ParseMarkdown([]byte(file)); !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %+v, %v", what, d, err)
		}
	}
	for what, file := range map[string]string{
		"empty": "", "no object": "[]", "unknown key": `{"name": "x", "code": "x = 1", "exec": "y"}`, "two": `{"name": "x"}{"name": "y"}`, "rest": `{"name": "x"} x`,
		"wrong type": `{"name": 1}`, "changed code": `{"name": "x", "code": "x = 2", "digest": "` + k.Digest.String() + `"}`,
		"bad digest": `{"name": "x", "code": "x = 2", "digest": "sha256:00"}`, "too large": `{"code": "` + strings.Repeat("x", 6*maxFile) + `"}`,
	} {
		if d, err := ParseJSON([]byte(file)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %+v, %v", what, d, err)
		}
	}
}

// FuzzMarkdown: whatever is read as a skill and may be saved comes back from its own
// Markdown and JSON.
func FuzzMarkdown(f *testing.F) {
	f.Add([]byte(foreign))
	f.Add([]byte("---\nname: x\ndescription: d\n---\n````python\nx = '```'\n````\n"))
	f.Add([]byte("---\nname: x\ndescription: \"a\\u0085b\"\n---\n~~~ py\n\tx\n~~~\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := ParseMarkdown(file)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Error(err)
			}
			return
		}
		p, err := d.prepare()
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Error(err)
			}
			return
		}
		roundTrip(t, p)
	})
}

// FuzzDraft is FuzzMarkdown from the other end: any code and description that may be
// saved come back.
func FuzzDraft(f *testing.F) {
	f.Add("does: things", "x = 1")
	f.Add("- a", "x = 'a\n---\nb'\n```\n\ty\n")
	f.Add("|", "x = '\x0c\x0b\u0085\u2028'\n~~~\n    ```python\n")
	f.Fuzz(func(t *testing.T, description, code string) {
		for _, c := range []string{code, "'''\n" + code + "\n'''"} { // in quotes, most is code
			if p, err := (Draft{"x", description, c}).prepare(); err == nil {
				roundTrip(t, p)
			}
		}
	})
}

func roundTrip(t *testing.T, p prepared) {
	t.Helper()
	k := Skill{Name: p.name, Owner: "o", Description: p.description, Code: p.code, Digest: p.digest, Version: 1, Modules: p.modules, Inputs: p.inputs}
	want := Draft{p.name, p.description, p.code}
	again, err := ParseMarkdown(k.Markdown())
	if err != nil || again != want {
		t.Errorf("%+v, %v; want %+v\n%s", again, err, want, k.Markdown())
	}
	text, err := k.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseJSON(text); err != nil || again != want {
		t.Errorf("%+v, %v; want %+v", again, err, want)
	}
	k.Entry()
}

// FuzzName: a name that is taken is an identifier, and its form for Agent Skills obeys
// their rule.
func FuzzName(f *testing.F) {
	for _, s := range []string{"a_b", "__x", "class", "a-b", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkName(name) != nil {
			return
		}
		if h := hyphenated(name); !agentSkillName.MatchString(h) || len(h) > MaxName {
			t.Errorf("%q becomes %q", name, h)
		}
		if owner, plain := split(name); owner != "" || plain != name {
			t.Errorf("%q is split into %q and %q", name, owner, plain)
		}
	})
}
