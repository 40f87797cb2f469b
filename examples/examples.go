// Package examples holds the three programs that the demo runs: search; search +
// rerank + filter; conditional search. They are ordinary agents' Python, to be copied.
package examples

import "embed"

//go:embed *.py
var Programs embed.FS
