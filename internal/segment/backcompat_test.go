package segment

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var writeOld = flag.Bool("write-backcompat", false, "write the file of the current format version, once, before its release")

// backcompatDocs are the documents of the stored file of a version. They never change.
func backcompatDocs(version int) []doc {
	var docs []doc
	for i := range 200 {
		d := doc{chunk: int64(100 + 3*i), birth: int64(1 + i/50)}
		d.fields[Title] = []string{"title", fmt.Sprintf("t%d", i%7)}
		for k := range 1 + i%11 {
			d.fields[Body] = append(d.fields[Body], "common", fmt.Sprintf("w%d", (i*k)%53), fmt.Sprintf("rare%d", i))
		}
		if i%3 == 0 {
			d.fields[Headings] = []string{"common", "heading"}
		}
		if i%5 == 0 {
			d.fields[Path] = []string{"src", fmt.Sprintf("f%d.go", i), "common"}
		}
		if version >= 2 && i%10 > 0 {
			d.record = &Record{"id": fmt.Sprint("document ", i), "source": "stored", ".n": fmt.Sprint(i % 4)}
			if i%3 == 0 {
				(*d.record)[".odd key"] = `{"deep": [1, "two"]}`
			}
			if i%10 > 5 {
				d.record = docs[i-1].record
			}
		}
		docs = append(docs, d)
	}
	return docs
}

// TestOldVersionsOpen reads a file of every format version that was ever written.
func TestOldVersionsOpen(t *testing.T) {
	current := filepath.Join("testdata", "backcompat", fmt.Sprintf("v%d.seg", FormatVersion))
	if *writeOld {
		if err := os.MkdirAll(filepath.Dir(current), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(current, build(t, backcompatDocs(FormatVersion)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for v := 1; v <= FormatVersion; v++ {
		b, err := os.ReadFile(filepath.Join("testdata", "backcompat", fmt.Sprintf("v%d.seg", v)))
		if err != nil {
			t.Fatalf("version %d has no stored file: %v", v, err)
		}
		f := check(t, b, backcompatDocs(v))
		if f.Version != v {
			t.Errorf("v%d.seg says version %d", v, f.Version)
		}
	}
}
