package home

import (
	"os"
	"runtime"

	"golang.org/x/sys/cpu"
)

// EnvNoAVX2, when not empty, makes the program treat this processor as one
// without AVX2, so that the source fallback can be tried on any machine.
const EnvNoAVX2 = "BMCIS_NO_AVX2"

// HasAVX2 reports whether the processor runs AVX2 code. On other processors
// than x86, where nothing asks for it, true.
func HasAVX2() bool {
	if os.Getenv(EnvNoAVX2) != "" {
		return false
	}
	return runtime.GOARCH != "amd64" || cpu.X86.HasAVX2
}
