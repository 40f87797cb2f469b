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
)

// Stage is 0 in an ordinary process, 2 in a child that is ready for ChildMain.
var Stage = stage()

// Done holds the names of the layers that the first image put in place, Failed
// the reasons for those it could not, both separated by commas and semicolons.
var Done, Failed, Statm string

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
	syscall.Clearenv()
	return 2
}
