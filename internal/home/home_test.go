package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/models"
)

func TestDir(t *testing.T) {
	for _, c := range []struct{ home, xdg, user, want string }{
		{"/a/b", "/x", "/home/u", "/a/b"},
		{"", "/x", "/home/u", "/x/bmcis"},
		{"", "relative", "/home/u", "/home/u/.local/share/bmcis"},
		{"", "", "/home/u", "/home/u/.local/share/bmcis"},
	} {
		t.Setenv(EnvHome, c.home)
		t.Setenv("XDG_DATA_HOME", c.xdg)
		t.Setenv("HOME", c.user)
		want := c.want
		if os.Geteuid() == 0 && c.home == "" {
			want = "/var/lib/bmcis"
		}
		if got, err := Dir(); err != nil || got != want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	t.Setenv(EnvHome, "here")
	if got, err := Dir(); err != nil || !filepath.IsAbs(got) {
		t.Errorf("relative: %q, %v", got, err)
	}
}

func TestLocateNamesEachMissingThing(t *testing.T) {
	t.Setenv(EnvHome, t.TempDir())
	for _, name := range []string{EnvDatabaseURL, EnvONNXRuntime, EnvModelDir} {
		t.Setenv(name, "")
	}
	_, err := Locate()
	if err == nil {
		t.Fatal("found something in an empty folder")
	}
	for _, want := range []string{"postgres is missing", "onnxruntime is missing", "bge-small-en-v1.5 is missing", "run: bmcis setup"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	var missing *MissingError
	if _, err := ONNXRuntime(); !errors.As(err, &missing) || missing.Name != models.ONNXRuntime {
		t.Errorf("%v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := os.Getenv(EnvHome)
	t.Setenv(EnvHome, file) // no folder at all: nothing is damaged there
	if _, err := ONNXRuntime(); err == nil || strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "set "+EnvHome) {
		t.Errorf("%v", err)
	}
	t.Setenv(EnvHome, folder)
	t.Setenv(EnvDatabaseURL, "postgres://elsewhere")
	if _, err := Locate(); err == nil || strings.Contains(err.Error(), "postgres is missing") {
		t.Errorf("a given database is not enough: %v", err)
	}
}

func TestGivenPathsAreChecked(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvONNXRuntime, dir)
	if _, err := ONNXRuntime(); err == nil || !strings.Contains(err.Error(), EnvONNXRuntime) {
		t.Errorf("a folder as library: %v", err)
	}
	t.Setenv(EnvModelDir, dir)
	if _, _, _, err := EmbeddingModel(); err == nil || !strings.Contains(err.Error(), "0 *.onnx") || !strings.Contains(err.Error(), EnvModelDir) {
		t.Errorf("an empty model folder: %v", err)
	}
	t.Setenv(EnvModelDir, filepath.Join(dir, "nowhere"))
	if _, _, _, err := EmbeddingModel(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no model folder: %v", err)
	}
	for _, name := range []string{"m.onnx", "m-tokenizer.json", "config.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(EnvModelDir, dir)
	if _, model, tokenizer, err := EmbeddingModel(); err != nil || filepath.Base(model) != "m.onnx" || filepath.Base(tokenizer) != "m-tokenizer.json" {
		t.Errorf("%s %s %v", model, tokenizer, err)
	}
}

func TestInstalledModelIsCheckedWhenLocated(t *testing.T) {
	root := t.TempDir()
	t.Setenv(EnvHome, root)
	t.Setenv(EnvModelDir, "")
	a, _ := models.ByName(models.EmbeddingModel)
	dir := filepath.Join(root, "artifacts", a.Sources[0].Folder(a))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{models.ModelFile, models.TokenizerFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteRecord(dir, Record{Artifact: a.Name, Release: "int8"}); err != nil {
		t.Fatal(err)
	}
	if _, model, _, err := EmbeddingModel(); err != nil || filepath.Dir(model) != dir {
		t.Fatalf("%s %v", model, err)
	}
	if err := os.WriteFile(filepath.Join(dir, models.ModelFile), []byte("cantent"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, _, err := EmbeddingModel()
	var damage *DamageError
	if !errors.As(err, &damage) || filepath.Base(damage.File) != models.ModelFile || !strings.Contains(err.Error(), "run: bmcis setup") {
		t.Errorf("a changed model: %v", err)
	}
}
