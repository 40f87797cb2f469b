package codeapi

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/codeapi/stdlib"
)

var update = flag.Bool("update", false, "write docs/code-api.md anew")

const docsFile = "../docs/code-api.md"

// TestDocsAreCurrent compares docs/code-api.md with the contracts of the modules.
func TestDocsAreCurrent(t *testing.T) {
	want := writeDocs()
	if *update {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/code-api.md is not what the contracts say; run make docs")
	}
}

const docsHead = `# The code API

What a program sees that runs through ` + "`execute_code` or `bmcis exec`" + `. This page is generated from the contracts on top of the module files (` + "`make docs`" + `); a program can ask for the same with ` + "`help()`, `help(search)` or `help(\"search.hybrid_search\")`" + `.

## The shape of a program

` + "```python" + `
from bmcis_knowledge import search, reranking, results   # optional: all of it is there without

hits = await search.hybrid_search("raft leader election", top_k=20)   # await is optional, too
best = reranking.rerank(documents=hits, top_k=3)
__result__ = results.format_for_agent(best)
` + "```" + `

- The answer is ` + "`__result__`, else `result`" + `, else the value of the last line. What is printed comes back as output.
- Variables of the caller's context (` + "`query`, `user_id`" + `, ...) are there by name, and in the dict ` + "`context`" + `.
- An answer is JSON: hits are written as their ` + "`to_dict()`" + `, sets as sorted lists, dates in ISO 8601, data classes as their fields. A value that JSON does not know is an error that says where it stands. An answer beyond the limit (32 KiB over MCP, 1 MiB with ` + "`bmcis exec`" + `) is cut between elements, marked ` + "`truncated`" + `; a line at the end of the output says how long the whole was, what was left out and where, and, where the server keeps such answers, the handle with which ` + "`read_file`" + ` reads all of it.
- Calls inside ` + "`asyncio.gather`" + ` run at the same time and come back in order.
- Unknown names and wrong argument names are reported before anything runs; a wrong value raises a ValueError such as ` + "`top_k must be 1..1000, got -1`" + `.

## Names

All of these are the same:

| what | spellings |
|---|---|
`

func writeDocs() string {
	var b strings.Builder
	b.WriteString(docsHead)
	for _, a := range apiModules() {
		names := append([]string{a.name}, a.other...)
		fmt.Fprintf(&b, "| %s | no import: `%s`", a.name, strings.Join(names, "`, `"))
		fmt.Fprintf(&b, " · `from %s import %s`", packages[0], a.name)
		if a.class != "" {
			fmt.Fprintf(&b, " · `from src.code_api.%s import %s` · `from %s import %s`", a.name, a.class, a.name, a.class)
		}
		if len(a.contract().Funcs) > 0 {
			fmt.Fprintf(&b, " · `from %s.%s import %s`", packages[0], a.name, a.contract().Funcs[0].Name)
		}
		b.WriteString(" |\n")
	}
	fmt.Fprintf(&b, "\nThe packages `%s` are one. `filter` is Python's function as well as the module.\n", strings.Join(packages, "`, `"))
	for _, a := range apiModules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", a.name, prose(a.contract().Doc))
		writeFunctions(&b, a.name+".", a.contract())
	}
	fmt.Fprintf(&b, "\n## Hits\n\n%s\n", prose(hitDoc().Doc))
	writeFunctions(&b, "hit.", hitDoc())
	fmt.Fprintf(&b, "\n## Names that need no import\n\n")
	writeFunctions(&b, "", builtinDoc())
	fmt.Fprintf(&b, "\n## Which Python this is\n\n%s\n", pythonText)
	b.WriteString("\n## Python's standard library\n\nWhat is there gives CPython's results; where a module differs, it says so. " +
		"`asyncio`, `typing`, `dataclasses`, `enum`, `abc`, `contextlib` (contextmanager, suppress, nullcontext), `copy`, `types`, `collections.abc`, `sys`, `traceback` and `inspect` may be imported as well.\n")
	stdlib.Contracts(func(name string, c *guest.Contract) {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", name, prose(c.Doc))
		var heads []string
		for _, f := range c.Funcs {
			heads = append(heads, "`"+f.Text()+"`")
		}
		if heads != nil {
			fmt.Fprintf(&b, "\n%s\n", strings.Join(heads, ", "))
		}
	})
	return b.String()
}

// prose is a docstring as a paragraph: its line breaks are not Markdown's.
func prose(doc string) string {
	parts := strings.Split(doc, "\n\n")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, "\n", " ")
	}
	return strings.Join(parts, "\n\n")
}

func writeFunctions(b *strings.Builder, prefix string, c *guest.Contract) {
	for _, f := range c.Funcs {
		fmt.Fprintf(b, "\n`%s%s`\n\n%s\n", prefix, f.Text(), prose(f.Doc))
	}
}

func TestEveryFunctionIsDescribed(t *testing.T) {
	for _, a := range apiModules() {
		for _, f := range a.contract().Funcs {
			if f.Doc == "" {
				t.Errorf("%s.%s has no description", a.name, f.Name)
			}
		}
	}
}
