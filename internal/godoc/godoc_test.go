package godoc

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/chunk"
	"github.com/bmcis/bmcis/internal/ingest"
)

func TestStandardLibrary(t *testing.T) {
	src := New("")
	docs := map[string]ingest.Document{}
	chunks, tokens, bytes := 0, 0, 0
	for d, err := range src.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := docs[d.ID]; twice {
			t.Errorf("%s comes twice", d.ID)
		}
		docs[d.ID] = d
		e, err := chunk.Extract(d.Format, d.Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Split(e, d.Title, chunk.Options{}) {
			chunks++
			tokens += chunk.Estimate(chunk.Passage(d.Title, c.Headings, c.Text))
		}
		bytes += len(d.Text)
	}
	t.Logf("%d documents, %.1f MB, %d chunks of %d tokens on average (estimated)", len(docs), float64(bytes)/1e6, chunks, tokens/max(1, chunks))
	if n := src.Count(t.Context()); n < len(docs) || n > len(docs)+25 {
		t.Errorf("Count says %d, handed over %d", n, len(docs))
	}
	for _, want := range []struct{ id, text string }{
		{"net/http", "### func (*Client) Do\n\n```go\nfunc (c *Client) Do(req *Request) (*Response, error)\n```\n\nDo sends an HTTP request"},
		{"net/http", "import \"net/http\""},
		{"io", "## type Reader\n"},
		{"builtin", "## func append"},
		{"os", "## Constants"},
		{"strings", "## func Cut\n"},
		{"errors", "## func Is\n"},
	} {
		if !strings.Contains(docs[want.id].Text, want.text) {
			t.Errorf("%s lacks %q", want.id, want.text)
		}
	}
	http := docs["net/http"]
	if http.Metadata["domain"] != "net" || http.Metadata["package"] != "net/http" || http.Source != "go" {
		t.Errorf("%+v", http.Metadata)
	}
	if strings.Contains(http.Text, "{#") || strings.Contains(http.Text, "](/") {
		t.Error("net/http holds heading ids or links that lead nowhere")
	}
	for id := range docs {
		if strings.Contains(id, "internal") || strings.HasPrefix(id, "cmd") || strings.Contains(id, "vendor") {
			t.Errorf("%s is not public", id)
		}
	}
	if chunks < 3000 || chunks > 20000 {
		t.Errorf("%d chunks: the demo's time was planned for fewer than 20,000", chunks)
	}
	missing := src.Missing()
	for _, spec := range specs {
		if _, ok := docs["doc/"+spec.file]; ok == slices.ContainsFunc(missing, func(m string) bool { return strings.Contains(m, spec.file) }) {
			t.Errorf("%s: handed over and missing disagree", spec.file)
		}
	}
}

func TestInstallationWithoutDocs(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"src/fmt/fmt.go":             "// Package fmt prints.\npackage fmt\n\n// Print prints.\nfunc Print() { println() }\n\nfunc Silent() {}\n",
		"src/fmt/fmt_test.go":        "package fmt\n",
		"src/internal/x/x.go":        "// Package x is internal.\npackage x\n",
		"src/cmd/go/main.go":         "package main\n",
		"src/broken/broken.go":       "// Package broken\npackage broken\n\nfunc {\n",
		"src/other/other_plan9_s.go": "package other\n",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src := New(root)
	if n := len(src.Missing()); n != 2 {
		t.Errorf("%d texts missing, want 2", n)
	}
	var ids, failed []string
	for d, err := range src.Documents(t.Context()) {
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		ids = append(ids, d.ID)
		if d.ID == "fmt" && (!strings.Contains(d.Text, "Print prints.") || strings.Contains(d.Text, "Silent") || strings.Contains(d.Text, "println")) {
			t.Errorf("fmt: %s", d.Text)
		}
	}
	if !slices.Contains(ids, "fmt") || slices.Contains(ids, "internal/x") || slices.Contains(ids, "cmd/go") {
		t.Errorf("documents %q", ids)
	}
	if len(failed) != 1 || !strings.Contains(failed[0], "broken") {
		t.Errorf("failures %q", failed)
	}
	for _, err := range New(filepath.Join(root, "nothing")).Documents(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "GOROOT") {
			t.Errorf("no installation: %v", err)
		}
	}
}

func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	keep := func(id string) bool { return id == "errors" || id == "os/signal" }
	for range 2 { // the second time nothing changes
		n, err := New("").WriteFiles(t.Context(), dir, keep, func(err error) { t.Error(err) })
		if err != nil || n != 2 {
			t.Fatalf("%d documents, %v", n, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "os", "signal.md"))
	if err != nil || !strings.HasPrefix(string(text), "---\ntitle: \"os/signal\"\n") || !strings.Contains(string(text), "\ndomain: \"os\"\n") {
		t.Errorf("%.200s, %v", text, err)
	}
}
