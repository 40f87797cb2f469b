// Package codeapi is what a program sees: the modules search, reranking,
// filtering, results and stats, the part of Python's standard library that is
// allowed (codeapi/stdlib), and the engine that compiles and runs a program with
// them. In goes a program, out comes its answer as JSON; [Engine] runs inside the
// child process of package sandbox, and whatever needs the database goes through
// sandbox.Host to codeapi/host, in the messages of protocol.go.
//
// Each module file starts with the module's contract in the program's own
// syntax. The contract is not only told but used: argument names, defaults and
// checks, the help that an agent can ask for, and docs/code-api.md come from it.
package codeapi

//go:generate go test . -run TestDocsAreCurrent -args -update
