package onnx_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/onnx/onnxtest"
)

func TestInit(t *testing.T) {
	lib := onnxtest.Library(t)
	for range 2 { // the second call is free
		if err := onnx.Init(lib); err != nil {
			t.Fatal(err)
		}
	}
	if v := onnx.RuntimeVersion(); !strings.HasPrefix(v, "1.") {
		t.Errorf("version %q", v)
	}
	link := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.Symlink(lib, link); err != nil {
		t.Fatal(err)
	}
	if err := onnx.Init(link); err != nil {
		t.Errorf("the same library by another name: %v", err)
	}
	var bad *onnx.LibraryError
	if err := onnx.Init(os.Args[0]); !errors.As(err, &bad) || !strings.Contains(err.Error(), "already loaded") {
		t.Errorf("a second library: %v", err)
	}
}

// Each bad library is tried in a process of its own, because a process loads
// one library only.
func TestInitErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, path, want string }{
		{"not given", "", "no library given"},
		{"missing", filepath.Join(dir, "nowhere.so"), "no such file"},
		{"folder", dir, "is a folder"},
		{"empty file", write("empty.so", nil), "not a shared library"},
		{"text", write("text.so", []byte("hello")), "not a shared library"},
		{"a program", write("program", self), "not a shared library"},
	}
	if lib := os.Getenv(onnx.EnvLibrary); lib != "" {
		whole, err := os.ReadFile(lib)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, struct{ name, path, want string }{"cut off", write("cut.so", whole[:len(whole)/3]), "cut off"})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "INIT_CHILD="+c.path, onnx.EnvLibrary+"=")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("the process died: %v\n%s", err, out)
			}
			_, msg, ok := strings.Cut(string(out), "error: ")
			msg, _, _ = strings.Cut(msg, "\n")
			if !ok || !strings.Contains(msg, c.want) || !strings.Contains(msg, "bmcis setup") {
				t.Errorf("got %s\nwant %q and a remedy", out, c.want)
			}
			t.Log(msg)
		})
	}
}

// TestMain is also the process that TestInitErrors starts.
func TestMain(m *testing.M) {
	path, child := os.LookupEnv("INIT_CHILD")
	if !child {
		os.Exit(m.Run())
	}
	err := onnx.Init(path)
	var bad *onnx.LibraryError
	if !errors.As(err, &bad) {
		fmt.Printf("%T: %v", err, err)
		os.Exit(1)
	}
	fmt.Printf("error: %v\n", err)
}

func TestAdvice(t *testing.T) {
	for v, slow := range map[string]bool{"1.24.1": false, "1.26.0": false, "1.27.0": true, "1.29.3": true, "1.30.0": false, "1.31.1": false, "2.28.0": false, "": false, "x.y": false} {
		if got := onnx.Advice(v) != ""; got != slow {
			t.Errorf("Advice(%q) = %q", v, onnx.Advice(v))
		}
	}
}
