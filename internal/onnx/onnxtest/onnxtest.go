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

	"github.com/bmcis/bmcis/internal/onnx"
)

// Library returns the path of libonnxruntime, named by BMCIS_ONNXRUNTIME.
func Library(t testing.TB) string {
	t.Helper()
	return need(t, onnx.EnvLibrary)
}

// EmbeddingModel returns the folder of the embedding model, named by
// BMCIS_MODEL_DIR.
func EmbeddingModel(t testing.TB) string {
	t.Helper()
	return need(t, "BMCIS_MODEL_DIR")
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

func need(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set: run `make test`, which sets up what tests need", name)
		}
		t.Skipf("%s is not set: run `make test`, which sets up what tests need", name)
	}
	return value
}
