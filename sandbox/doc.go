// Package sandbox runs one untrusted program in one throw-away process.
//
// In go a [Program], its [Limits] and a [Caller] that answers the program's
// requests; out comes an [Outcome], which is the program's fate whatever the
// program did. The caller of this package is the server (execute_code, bmcis
// exec); the other end, the process that runs the program, is the same binary
// started again and calls [ChildMain] with an [Engine].
//
//	runner, err := sandbox.NewRunner(sandbox.Config{})
//	outcome, err := runner.Run(ctx, sandbox.Program{Source: src}, sandbox.Limits{}, caller)
//
// The parent treats the child as hostile. What the child says about itself is
// used for messages to people; what it could evade (time, memory, sizes, number
// of host calls, number of processes) the parent or the kernel enforces. The
// protocol is written down in docs/worker-protocol.md, the layers of confinement
// in docs/sandbox.md.
//
// # Starting children
//
// A binary that uses a Runner must call ChildMain from the init function of a
// package that it imports, when [IsChild] says so. Package codeapi/child does
// this for bmcis and its tests.
package sandbox
