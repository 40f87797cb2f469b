package models

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var hexSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

func TestEverythingIsPinned(t *testing.T) {
	folders := map[string]string{}
	for _, a := range All() {
		if a.Name == "" || a.Purpose == "" || a.Given == "" || len(a.Sources) == 0 {
			t.Errorf("%+v lacks something", a)
		}
		if got, ok := ByName(a.Name); !ok || got.Name != a.Name {
			t.Errorf("ByName(%q) = %v, %v", a.Name, got.Name, ok)
		}
		for _, s := range a.Sources {
			if s.Client == "" || s.Package == "" || s.Release == "" || s.Licence == "" {
				t.Errorf("%s: %+v lacks something", a.Name, s)
			}
			files := append([]File{}, s.Files...)
			if s.Client != "hub" {
				if s.Version == "" {
					t.Errorf("%s: %s %s has no version", a.Name, s.Client, s.Package)
				}
				files = append(files, s.Archive)
			}
			for _, f := range files {
				if !hexSum.MatchString(f.SHA256) || f.Size <= 0 || f.Path == "" {
					t.Errorf("%s: %s: %+v is no pin", a.Name, s.Package, f)
				}
			}
			// Two sources may share a folder only when they bring the same files.
			key, want := s.Folder(a)+s.Arch, ""
			for _, f := range s.Files {
				want += f.Path + f.SHA256
			}
			if have, ok := folders[key]; ok && have != want {
				t.Errorf("%s: sources of the folder %s differ", a.Name, key)
			}
			folders[key] = want
		}
	}
}

func TestEveryCommonMachineIsServed(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		for _, avx2 := range []bool{true, false} {
			for _, a := range All() {
				n := 0
				for _, s := range a.Sources {
					if s.Fits("linux", arch, avx2) {
						n++
					}
				}
				if n == 0 {
					t.Errorf("%s: nothing for linux/%s, avx2 %v", a.Name, arch, avx2)
				}
			}
		}
	}
	a, _ := ByName(Postgres)
	for _, s := range a.Sources {
		if s.NeedsAVX2 && s.Fits("linux", "amd64", false) {
			t.Errorf("%s would crash without AVX2", s.Package)
		}
	}
}

func TestRerankerIsWhatItsCardSays(t *testing.T) {
	if err := VerifyReranker(); err != nil {
		t.Fatal(err)
	}
	model, tokenizer := Reranker()
	files := RerankerFiles()
	if int64(len(model)) != files[0].Size || int64(len(tokenizer)) != files[1].Size {
		t.Errorf("model of %d bytes, tokenizer of %d", len(model), len(tokenizer))
	}
	card, err := os.ReadFile("reranker/README.md")
	if err != nil || !strings.Contains(string(card), RerankerName) || !strings.Contains(string(card), "Apache-2.0") {
		t.Errorf("the card lacks name or licence (%v)", err)
	}
}

// The package clients know where things are; this package must not.
func TestNoServerIsNamed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	server := regexp.MustCompile(`(?i)https?:/` + `/|\.(co|com|org|io)/`)
	for _, name := range append(files, "reranker/README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := server.Find(text); found != nil {
			t.Errorf("%s names a server: %q", name, found)
		}
	}
}
