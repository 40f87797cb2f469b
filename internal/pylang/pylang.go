// Package pylang lets ordinary agent Python run on go.starlark.net. A program's
// text goes in; Compile reports everything that can be known to be wrong with
// it before it runs, or returns a Program, and Run executes that on a Starlark
// thread. codeapi calls it, inside the worker process.
//
// The way of a program: pysyntax parses it, scope.go resolves its names, check*.go
// judge it, infer.go finds what kinds of values its variables can hold, lower*.go
// turn it into go.starlark.net/syntax nodes. Where an operator of Starlark means
// what Python means for the kinds at hand, the native operator is used; elsewhere
// the call of a helper, whose name begins with a character no agent can type.
//
// Where to look, when a program does the wrong thing:
//
//   - it is refused, or should be: check.go (names, calls), lower_import.go (modules),
//     pysyntax/explain.go (text that is no Python);
//   - an operator or a built-in gives the wrong value: ops.go and arith.go, compare.go,
//     contains.go, items.go and slices.go, builtins*.go, and *methods.go by type;
//   - it works in one place and not in another: native.go, which decides where Starlark's
//     own operator serves, on the kinds that infer*.go found;
//   - text comes out wrong: repr.go, format.go (f-strings, format), percent.go (%);
//   - classes: newclass.go (the class statement), class.go, instance.go (attributes),
//     descriptor.go (properties, methods), super.go (super and what object has),
//     subclass.go (classes that derive from dict, str, ...), dunder.go (operators as
//     methods), enum.go, dataclasses.go, generic.go, typing.go, annotations.go;
//   - keys of dicts that ought to be one: dict.go, sethash.go;
//   - text as bytes: encoding.go, bytes.go;
//   - exceptions: exceptions.go, translate.go (Starlark's messages into Python's), errors.go,
//     introspect.go (traceback, sys);
//   - generators and coroutines: coro.go; tasks: future.go and events.go, asyncio's own
//     parts in lib/asyncio.py; library.go runs what is written in Python;
//   - limits: runtime.go (alloc, work, enter).
//
// differential_test.go compares random programs with CPython, testdata/lang and
// testdata/agent chosen ones; PYLANG_TRY runs one program.
//
// Values at the boundary stay those of go.starlark.net: str is starlark.String,
// int starlark.Int, float starlark.Float, dict *starlark.Dict, list
// *starlark.List, tuple starlark.Tuple, bool starlark.Bool. Python's set is *Set.
package pylang

import (
	"sync"

	"go.starlark.net/starlark"
)

// Module is something a program may import: a bag of ordinary Starlark values.
type Module struct {
	// Name is the canonical name, for example "search" or "urllib.parse".
	Name string
	// Members are the values of the module.
	Members starlark.StringDict
	// Source is Python text whose public names are members, too; it runs when a
	// program first uses one of them. It may import private names of Members,
	// which begin with an underscore.
	Source string
	// Doc is shown by help texts and teaching errors.
	Doc string
	// Aliases are further names under which the same module may be imported,
	// for example "src.code_api.search".
	Aliases []string
	// Resolve, when set, gives members that Members lacks, at run time, such as
	// saved skills. It returns nil, nil for a name it does not know.
	Resolve func(name string) (starlark.Value, error)

	once     sync.Once
	inSource map[string]bool
}

// Signature describes a callable for the check of argument names before the run.
type Signature struct {
	// Params are the parameter names in positional order.
	Params []string
	// Required counts the leading parameters that must be given.
	Required int
	// Variadic allows further positional arguments; Open allows any keyword.
	Variadic, Open bool
	// Returns names the module whose functions the result has as methods, for
	// constructors such as search.HybridSearchAPI; empty for all others.
	Returns string
}

// Problem is one finding of Compile, placed in the agent's own text.
type Problem struct {
	// Line and Column count from one; Column in code points.
	Line, Column int
	// Kind is "syntax" or "validation".
	Kind string
	// Message says what is wrong; Hint what works instead, or is empty.
	Message, Hint string
}

// Config is what a program may see and spend. The zero value is a program
// without modules, context and output, under the default limits.
type Config struct {
	// Modules by canonical name; aliases are taken from the modules themselves.
	Modules map[string]*Module
	// FindModule, when set, is asked for modules that Modules lacks, such as
	// "servers.github". Nil means there is none.
	FindModule func(name string) *Module
	// Predeclared are names that need no import. They win over Python's own
	// built-ins of the same name.
	Predeclared starlark.StringDict
	// Context are the caller's variables. A program may assign to them.
	Context starlark.StringDict
	// Print receives what print writes, with separators and line ends, in order.
	// Nil drops it.
	Print func(string)
	// Signatures by qualified name, for example "search.hybrid_search".
	Signatures map[string]Signature
	// MaxAlloc bounds in bytes what one built-in operation may allocate where
	// that can be told beforehand. Defaults to 256 MiB.
	MaxAlloc int64
	// MaxDepth bounds nested calls, as Starlark counts them: one of Python inside a try
	// statement is three. Defaults to 4000.
	MaxDepth int
	// Cancelled, when set, is polled by long built-in operations; the
	// thread's own Cancel is always honoured as well.
	Cancelled func() bool
	// Sleep serves asyncio.sleep with seconds. Nil waits for real.
	Sleep func(thread *starlark.Thread, seconds float64) error
}

// Awaitable is a value that stands for work already started, such as a host
// call. Await waits for its end and returns its result; calling it again
// returns the same. The front end waits when the program awaits the value or
// gathers it.
type Awaitable interface {
	starlark.Value
	Await(thread *starlark.Thread) (starlark.Value, error)
}

// Program is a compiled program. It may be run once.
type Program struct {
	impl *compiled
}

// Compile checks and compiles a program. It has no side effects. With problems
// the Program is nil; the problems are all that were found, in source order.
func Compile(source string, cfg Config) (*Program, []Problem) {
	impl, problems := compile(source, cfg)
	if len(problems) > 0 {
		return nil, problems
	}
	return &Program{impl: impl}, nil
}

// Run executes the program on the thread, whose step limit and Cancel hold for
// all of it. The result is __result__, else result, else the value of the last
// top-level expression statement, else nil. The error is an *Exception for
// what Python calls an exception, a *Fatal when a limit ended the program.
func (p *Program) Run(thread *starlark.Thread) (starlark.Value, error) {
	return p.impl.run(thread)
}

// RunModule executes the program and returns its global variables: how a saved
// skill becomes a module. Its functions stay usable for the life of the thread.
func (p *Program) RunModule(thread *starlark.Thread) (starlark.StringDict, error) {
	return p.impl.runModule(thread)
}

// Calls lists the qualified names of the functions of Config.Signatures that
// the program mentions, sorted: what it may call, as far as can be told.
func (p *Program) Calls() []string { return p.impl.calls }
