// Package early is the first thing that a sandbox child runs.
//
// Go initialises packages in the order of their import paths as soon as their
// dependencies are ready. This package depends on nothing but syscall, so in a
// child its init runs within about two milliseconds, before the heavy packages of
// the server. On Linux it takes away what can only be taken away before the
// program image starts (limits that the C library reads, privileges and files,
// which the kernel keeps per thread) and executes the same binary again; the
// second image inherits all of it on every thread. Elsewhere it only notes that
// the process is a child.
//
// In: environment variables that the parent sets. Out: [Stage], [Done]. Package
// sandbox imports it; nobody else does.
package early

import "syscall"

// Environment variables between parent, first and second image.
const (
	EnvStage  = "BMCIS_SANDBOX_STAGE"
	EnvDone   = "BMCIS_SANDBOX_DONE"
	EnvStatm  = "BMCIS_SANDBOX_STATM"
	EnvFailed = "BMCIS_SANDBOX_FAILED"
	EnvMemory = "BMCIS_SANDBOX_MEMORY" // largest Limits.MemoryBytes
	EnvCPU    = "BMCIS_SANDBOX_CPU"    // largest Limits.CPU, seconds

	EnvRefused = "BMCIS_SANDBOX_REFUSED" // why user or namespaces are not as they should be
)

// passOn names the variables that the first image hands to the second.
var passOn = []string{EnvMemory, EnvCPU, EnvRefused}

// Stage is 0 in an ordinary process, 2 in a child that is ready for ChildMain.
var Stage int

func init() { Stage = stage() }

// What the first image found out, empty in an ordinary process. Done names the
// layers in place and Failed those that are not, with reasons, separated by
// semicolons; Statm is the number of a descriptor of /proc/self/statm; Memory, CPU
// and Refused are the parent's.
var Done, Failed, Statm, Memory, CPU, Refused string

func stage() int {
	v, ok := syscall.Getenv(EnvStage)
	if !ok || v == "" {
		return 0
	}
	if v == "1" {
		first() // does not return where there is a second image
	}
	Done, _ = syscall.Getenv(EnvDone)
	Failed, _ = syscall.Getenv(EnvFailed)
	Statm, _ = syscall.Getenv(EnvStatm)
	Memory, _ = syscall.Getenv(EnvMemory)
	CPU, _ = syscall.Getenv(EnvCPU)
	Refused, _ = syscall.Getenv(EnvRefused)
	syscall.Clearenv()
	return 2
}
