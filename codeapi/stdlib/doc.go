// Package stdlib is the part of Python's standard library that programs may
// import: what is pure, bounded and of use to agents. Each file is one module and
// starts with the module's contract in Python's own syntax. A call gives what
// CPython gives, or a clear error; where a module differs (re is RE2), its
// contract says so. Golden results of CPython are in testdata. The modules are
// bound to the engine by [Modules]; codeapi calls it, in the child process.
package stdlib
