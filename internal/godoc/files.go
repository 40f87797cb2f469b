package godoc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmcis/bmcis/internal/ingest"
)

// WriteFiles writes the documents as files below dir, so that what is indexed can be
// read, and that `bmcis index` does with it what it does for anybody. It returns how many
// documents there are. A file whose text is the same is left alone. keep chooses documents
// by id; nil keeps all. What cannot be read is left out and told to warn.
func (s *Source) WriteFiles(ctx context.Context, dir string, keep func(id string) bool, warn func(error)) (int, error) {
	n := 0
	for doc, err := range s.Documents(ctx) {
		var unreadable *ingest.Failure
		if errors.As(err, &unreadable) {
			warn(unreadable)
			continue
		}
		if err != nil {
			return n, err
		}
		if keep != nil && !keep(doc.ID) {
			continue
		}
		suffix, text := ".md", frontMatter(doc.Title, doc.URI, doc.Metadata)+doc.Text
		if doc.Format == "html" {
			suffix, text = ".html", doc.Text
		}
		path := filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(doc.ID, ":", "/"))+suffix)
		if err := writeIfChanged(path, text); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// frontMatter is a YAML header, which `bmcis index` reads into title and metadata.
func frontMatter(title, uri string, metadata map[string]any) string {
	var b strings.Builder
	b.WriteString("---\n")
	fmt.Fprintf(&b, "title: %q\n", title)
	if uri != "" {
		fmt.Fprintf(&b, "uri: %q\n", uri)
	}
	for _, key := range []string{"domain", "kind", "package"} {
		if v, ok := metadata[key]; ok {
			fmt.Fprintf(&b, "%s: %q\n", key, v)
		}
	}
	b.WriteString("---\n\n")
	return b.String()
}

func writeIfChanged(path, text string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
