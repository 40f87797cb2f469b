package setup

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/models"
)

// world is a machine with package clients of our own making.
type world struct {
	t        *testing.T
	home     string // BMCIS_HOME
	bin      string // the only folder on PATH
	shop     string // what the clients bring
	register []models.Artifact
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), bin: t.TempDir(), shop: t.TempDir()}
	t.Setenv(home.EnvHome, w.home)
	for _, name := range []string{home.EnvDatabaseURL, home.EnvModelDir, home.EnvONNXRuntime, home.EnvNoAVX2} {
		t.Setenv(name, "")
	}
	// Shell, cp, sleep and the like for the clients below, but no real client.
	for _, tool := range []string{"sh", "cp", "sleep", "echo", "cat", "mkdir"} {
		for _, dir := range []string{"/bin", "/usr/bin"} {
			if _, err := os.Stat(filepath.Join(dir, tool)); err == nil {
				if err := os.Symlink(filepath.Join(dir, tool), filepath.Join(w.bin, tool)); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	t.Setenv("PATH", w.bin)
	wheel := w.zip("lib.whl", map[string]string{"lib/thing.so": "a library", "LICENSE": "do what you want"})
	jar := w.zip("lib.jar", map[string]string{"native/thing.so": "a library"})
	lib := models.File{Path: "thing.so", Size: 9, SHA256: sum("a library")}
	w.register = []models.Artifact{{
		Name: "thing", Purpose: "for tests", Given: "BMCIS_TEST_GIVEN",
		Sources: []models.Source{
			{Client: "pip", Package: "thing", Version: "1.0", Release: "1.0", Arch: "", Archive: wheel,
				Members: []models.Member{{From: "lib/", To: ""}, {From: "LICENSE", To: "LICENSE"}}, Files: []models.File{lib}},
			{Client: "mvn", Package: "org:thing", Version: "1.0", Release: "1.0-jar", Archive: jar,
				Members: []models.Member{{From: "native/thing.so", To: "thing.so"}}, Files: []models.File{lib}},
		},
	}}
	return w
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// zip puts an archive into the shop and returns its pin.
func (w *world) zip(name string, files map[string]string) models.File {
	w.t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for path, text := range files {
		f, err := z.Create(path)
		if err != nil {
			w.t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	if err := z.Close(); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.shop, name), b.Bytes(), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return models.File{Path: name, Size: int64(b.Len()), SHA256: sum(b.String())}
}

// client makes a program on PATH. Each call of it leaves a line in calls.
func (w *world) client(name, script string) {
	w.t.Helper()
	text := "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; esac\necho " + name + " >> " + filepath.Join(w.shop, "calls") + "\nSHOP=" + w.shop + "\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(w.bin, name), []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) calls() string {
	text, _ := os.ReadFile(filepath.Join(w.shop, "calls"))
	return strings.Join(strings.Fields(string(text)), " ")
}

// In the clients' own forms: pip's folder is the word after --dest, mvn's an option.
const (
	pipScript = `while [ "$1" != --dest ]; do shift; done; cp "$SHOP/lib.whl" "$2"`
	mvnScript = `for a; do case "$a" in -DoutputDirectory=*) cp "$SHOP/lib.jar" "${a#*=}";; esac; done`
)

func (w *world) run(o Options) ([]Item, error) {
	return runOn(w.t.Context(), w.register, o, nil)
}

// clean checks that nothing half-done is left.
func (w *world) clean() {
	w.t.Helper()
	left, _ := filepath.Glob(filepath.Join(w.home, "artifacts", tempPrefix+"*"))
	if len(left) > 0 {
		w.t.Errorf("left behind: %v", left)
	}
}

func TestFetchesOnceAndMendsDamage(t *testing.T) {
	w := newWorld(t)
	w.client("pip3", pipScript)
	items, err := w.run(Options{})
	if err != nil || len(items) != 1 || items[0].State != Ready {
		t.Fatalf("first: %+v, %v", items, err)
	}
	w.clean()
	lib := filepath.Join(items[0].Where, "thing.so")
	if text, err := os.ReadFile(lib); err != nil || string(text) != "a library" {
		t.Fatalf("%q, %v", text, err)
	}
	if items, err = w.run(Options{}); err != nil || items[0].State != Present || w.calls() != "pip3" {
		t.Fatalf("second: %+v, %v; calls: %s", items, err, w.calls())
	}

	damage := map[string]struct {
		do   func() error
		full bool // found only by hashing
	}{
		"cut":     {do: func() error { return os.Truncate(lib, 3) }},
		"removed": {do: func() error { return os.Remove(lib) }},
		"changed": {do: func() error { return os.WriteFile(lib, []byte("a librarY"), 0o644) }},
		"changed, with its old time": {full: true, do: func() error {
			info, err := os.Stat(lib)
			if err != nil {
				return err
			}
			err = os.WriteFile(lib, []byte("a librarY"), 0o644)
			return errors.Join(err, os.Chtimes(lib, time.Time{}, info.ModTime()))
		}},
		"record cut": {do: func() error { return os.Truncate(filepath.Join(items[0].Where, home.RecordFile), 20) }},
	}
	for name, d := range damage {
		if err := d.do(); err != nil {
			t.Fatal(err)
		}
		items, err := w.run(Options{Full: d.full})
		if err != nil || items[0].State != Ready {
			t.Errorf("%s: %+v, %v", name, items, err)
		}
		if text, _ := os.ReadFile(lib); string(text) != "a library" {
			t.Errorf("%s: not mended: %q", name, text)
		}
		w.clean()
	}
}

func TestTouchedFileIsNoDamage(t *testing.T) {
	w := newWorld(t)
	w.client("pip3", pipScript)
	items, err := w.run(Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(items[0].Where, "thing.so"), now, now); err != nil {
		t.Fatal(err)
	}
	if items, err = w.run(Options{}); err != nil || items[0].State != Present {
		t.Errorf("%+v, %v", items, err)
	}
}

func TestFallsBackToTheNextSource(t *testing.T) {
	for name, pip := range map[string]string{
		"pip fails":                `echo "ERROR: no matching distribution" >&2; exit 1`,
		"pip brings nothing":       `exit 0`,
		"pip brings another file":  `while [ "$1" != --dest ]; do shift; done; echo rubbish > "$2/lib.whl"`,
		"pip brings a changed one": `while [ "$1" != --dest ]; do shift; done; cat "$SHOP/lib.whl" > "$2/lib.whl"; echo x >> "$2/lib.whl"`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.client("pip3", pip)
			w.client("mvn", mvnScript)
			var why string
			items, err := runOn(t.Context(), w.register, Options{}, func(e Event) {
				if e.Stage == Fallback {
					why = e.Detail
				}
			})
			if err != nil || items[0].Source != "mvn org:thing 1.0" {
				t.Fatalf("%+v, %v", items, err)
			}
			if !strings.HasPrefix(why, "pip thing 1.0: ") {
				t.Errorf("the first failure is told as %q", why)
			}
			w.clean()
			// The next run keeps what there is.
			if items, err = w.run(Options{}); err != nil || items[0].State != Present {
				t.Errorf("second: %+v, %v", items, err)
			}
		})
	}
}

func TestMissingClientsAreNamedWithTheRemedy(t *testing.T) {
	w := newWorld(t)
	w.client("apt-get", "")
	_, err := w.run(Options{})
	if err == nil {
		t.Fatal("no error without any client")
	}
	for _, want := range []string{"set up thing", "pip is not installed", "apt-get install python3-pip", "mvn is not installed", "apt-get install maven", "BMCIS_TEST_GIVEN"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	var tool *ToolError
	if e := missingTool("pip"); !errors.As(error(e), &tool) || tool.Tool != "pip" {
		t.Error("no ToolError")
	}
	w.clean()
}

func TestEmptyPath(t *testing.T) {
	w := newWorld(t)
	t.Setenv("PATH", "")
	_, err := w.run(Options{})
	if err == nil || !strings.Contains(err.Error(), "python3-pip (Debian, Ubuntu)") {
		t.Errorf("%v", err)
	}
}

func TestInterruptedAndRunAgain(t *testing.T) {
	w := newWorld(t)
	w.client("pip3", `sleep 30`)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := runOn(ctx, w.register, Options{}, nil)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "run `bmcis setup` again") {
		t.Errorf("interrupted: %v", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the client ran on for %s", took)
	}
	// Killed, it could not even clean up.
	if err := os.MkdirAll(filepath.Join(w.home, "artifacts", tempPrefix+"123", "tree"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.client("pip3", pipScript)
	if items, err := w.run(Options{}); err != nil || items[0].State != Ready {
		t.Errorf("again: %+v, %v", items, err)
	}
	w.clean()
}

func TestConcurrentSetupsFetchOnce(t *testing.T) {
	w := newWorld(t)
	w.client("pip3", "sleep 0.3\n"+pipScript)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if items, err := w.run(Options{}); err != nil || len(items) != 1 {
				t.Errorf("%+v, %v", items, err)
			}
		})
	}
	all.Wait()
	if got := w.calls(); got != "pip3" {
		t.Errorf("clients called: %s", got)
	}
}

func TestReadableByOthersWhateverTheUmask(t *testing.T) {
	w := newWorld(t)
	w.client("pip3", "umask 077\n"+pipScript)
	items, err := w.run(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Join(items[0].Where, "thing.so"); len(dir) >= len(w.home); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o444 != 0o444 {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
}

func TestHub(t *testing.T) {
	w := newWorld(t)
	w.register = []models.Artifact{{Name: "model", Sources: []models.Source{{
		Client: "hub", Package: "someone/model", Release: "int8",
		Files: []models.File{
			{Path: "model.onnx", From: "onnx/model_quantized.onnx", Size: 5, SHA256: sum("model")},
			{Path: "tokenizer.json", From: "tokenizer.json", Size: 2, SHA256: sum("{}")},
		},
	}}}}
	w.client("hf", `
[ "$1 $2 $3 $4 $5" = "download someone/model onnx/model_quantized.onnx tokenizer.json --local-dir" ] || exit 9
mkdir -p "$6/onnx"; echo -n model > "$6/onnx/model_quantized.onnx"; echo -n '{}' > "$6/tokenizer.json"`)
	items, err := w.run(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(items[0].Where, "model.onnx")); err != nil || string(text) != "model" {
		t.Errorf("%q %v", text, err)
	}
}

func TestUnknownNameAndNothingFits(t *testing.T) {
	w := newWorld(t)
	if _, err := w.run(Options{Only: []string{"thingy"}}); err == nil || !strings.Contains(err.Error(), `"thingy"`) {
		t.Error(err)
	}
	for i := range w.register[0].Sources {
		w.register[0].Sources[i].OS = "plan9"
	}
	if _, err := w.run(Options{}); err == nil || !strings.Contains(err.Error(), "nothing fits") || !strings.Contains(err.Error(), "BMCIS_TEST_GIVEN") {
		t.Error(err)
	}
}
