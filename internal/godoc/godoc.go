// Package godoc reads the documentation of a Go installation.
package godoc

// New returns the documentation of the Go installation at goroot.
func New(goroot string) *Source { return &Source{} }

// Source is an ingest.Source.
type Source struct{}
