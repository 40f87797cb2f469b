// Package onnxtest finds the ONNX Runtime and the models for tests. A test
// that needs what is not there is skipped, and fails when CI is set: a skip
// there would hide that nothing was tested.
package onnxtest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/onnx"
)

// Library returns the path of libonnxruntime: BMCIS_ONNXRUNTIME, or what setup fetched.
func Library(t testing.TB) string {
	t.Helper()
	path, err := home.ONNXRuntime()
	need(t, err)
	return path
}

// EmbeddingModel returns the folder of the embedding model: BMCIS_MODEL_DIR, or what
// setup fetched.
func EmbeddingModel(t testing.TB) string {
	t.Helper()
	dir, _, _, err := home.EmbeddingModel()
	need(t, err)
	return dir
}

// Reranker returns the folder of the bundled reranker.
func Reranker(t testing.TB) string {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("cannot find the source tree")
	}
	return filepath.Join(filepath.Dir(here), "..", "..", "..", "models", "reranker")
}

// Init loads the runtime.
func Init(t testing.TB) {
	t.Helper()
	if err := onnx.Init(Library(t)); err != nil {
		t.Fatal(err)
	}
}

// SameKernels tells whether this processor computes the int8 models with the
// instructions that made the golden files (AVX-512 VNNI). With others the
// runtime rounds at other places, and without VNNI sums can saturate: then
// golden numbers are met only roughly.
func SameKernels() bool { return cpu.X86.HasAVX512VNNI }

func need(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%v; `make test` sets up what tests need", err)
	}
	t.Skipf("%v; `make test` sets up what tests need", err)
}
