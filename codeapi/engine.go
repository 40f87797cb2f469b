package codeapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/stdlib"
	"github.com/bmcis/bmcis/internal/pylang"
	"github.com/bmcis/bmcis/sandbox"
)

// stepsBetweenChecks is how many steps of the interpreter pass before its
// counters are looked at.
const stepsBetweenChecks = 10_000

// Engine runs one program: it is the [sandbox.Engine] of the child process.
func Engine(ctx context.Context, p sandbox.Program, l sandbox.Limits, h sandbox.Host) sandbox.EngineResult {
	r := newRun(h)
	r.deferred = schedulesCalls(p.Source)
	vars, err := contextValues(p.Context)
	if err != nil {
		return failed(&sandbox.Error{Kind: sandbox.KindValidation, Message: err.Error()})
	}
	thread := &starlark.Thread{Name: "program"}
	r.thread = thread
	env := r.environment(&stdlib.Env{
		Sleep: func(seconds float64) error { return sleep(ctx, seconds) },
		Now:   time.Now,
	})
	r.source = p.Source
	r.cfg = pylang.Config{
		Modules: env.modules, Predeclared: env.predeclared, Signatures: env.signatures, Context: vars,
		FindModule: r.findModule,
		Print:      r.print,
		MaxDepth:   l.Depth,
		Cancelled:  func() bool { return ctx.Err() != nil },
		Sleep:      func(_ *starlark.Thread, seconds float64) error { return sleep(ctx, seconds) },
	}
	prog, problems := pylang.Compile(p.Source, r.cfg)
	problems = explained(problems, p.Source)
	if p.ValidateOnly {
		return validated(prog, problems, p.Source)
	}
	if len(problems) > 0 {
		return failed(problemError(problems))
	}
	limitThread(ctx, thread, l, h)
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	defer stop()
	value, err := prog.Run(thread)
	steps := int64(thread.ExecutionSteps())
	if err == nil && value != nil {
		value, err = pylang.Await(thread, value)
	}
	res := sandbox.EngineResult{Steps: steps}
	if err == nil && value != nil {
		var out encoded
		if it, once := value.(*pylang.Iter); once { // or it could not be written twice
			value, err = listOf(thread, it)
		}
		if err == nil {
			out, err = encodeResult(thread, value, int(l.ResultBytes))
		}
		if err == nil {
			res.Result = out.json
			if out.left != "" {
				res.Truncated = true
				r.tellCut(value, out, l)
			}
		}
	}
	if err != nil {
		res.Error = runError(ctx, thread, err)
		if res.Error.Hint == "" {
			res.Error.Hint = hiddenModule(res.Error, vars, env.predeclared)
		}
	}
	return res
}

// hiddenModule is the hint where a variable of the caller stands in the way of a module
// of the same name.
func hiddenModule(e *sandbox.Error, vars, predeclared starlark.StringDict) string {
	if !strings.HasPrefix(e.Message, "AttributeError: ") && !strings.HasSuffix(e.Message, "object is not callable") {
		return ""
	}
	for _, name := range vars.Keys() {
		if predeclared[name] != nil {
			return fmt.Sprintf("the context variable '%s' hides the module or function '%s' of the API; give it another name", name, name)
		}
	}
	return ""
}

// schedulesCalls reports whether a program may want several host calls under way
// at once. In all others a call's value is its answer and nothing needs to wait
// for it later.
func schedulesCalls(source string) bool {
	for _, word := range []string{"gather", "create_task", "ensure_future", "TaskGroup", "as_completed", "asyncio.wait"} {
		if strings.Contains(source, word) {
			return true
		}
	}
	return false
}

// limitThread counts steps, tells the host about them, and ends the program at
// its limit.
func limitThread(ctx context.Context, thread *starlark.Thread, l sandbox.Limits, h sandbox.Host) {
	meter, _ := h.(sandbox.Meter)
	next := func(done uint64) uint64 {
		return min(done+stepsBetweenChecks, uint64(l.MaxSteps)+1)
	}
	thread.OnMaxSteps = func(t *starlark.Thread) {
		done := t.ExecutionSteps()
		var err error
		if meter != nil {
			err = meter.Steps(int64(done))
		}
		switch {
		case err != nil:
			t.Cancel(err.Error())
		case done > uint64(l.MaxSteps):
			t.Cancel("too many steps")
		case ctx.Err() != nil:
			t.Cancel(context.Cause(ctx).Error())
		default:
			t.SetMaxExecutionSteps(next(done))
		}
	}
	thread.SetMaxExecutionSteps(next(0))
}

// sleep waits until the time has passed or the run ends.
func sleep(ctx context.Context, seconds float64) error {
	if !(seconds > 0) {
		return nil
	}
	timer := time.NewTimer(time.Duration(min(seconds, 1e6) * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return &pylang.Fatal{Kind: "cancelled", Message: context.Cause(ctx).Error()}
	}
}

func failed(e *sandbox.Error) sandbox.EngineResult { return sandbox.EngineResult{Error: e} }

// maxProblems is how many problems one error lists.
const maxProblems = 20

// problemError makes one error of all problems: the first is its place, the rest
// are in the message.
func problemError(problems []pylang.Problem) *sandbox.Error {
	first := problems[0]
	e := &sandbox.Error{Kind: sandbox.KindValidation, Message: first.Message, Line: first.Line, Column: first.Column, Hint: first.Hint}
	if first.Kind == "syntax" {
		e.Kind = sandbox.KindSyntax
	}
	var b strings.Builder
	b.WriteString(first.Message)
	for i, p := range problems[1:] {
		if i == maxProblems {
			fmt.Fprintf(&b, "\n%d more problems", len(problems)-1-i)
			break
		}
		fmt.Fprintf(&b, "\nalso line %d, column %d: %s", p.Line, p.Column, p.Message)
		if p.Hint != "" && p.Hint != first.Hint {
			fmt.Fprintf(&b, " (%s)", p.Hint)
		}
	}
	e.Message = b.String()
	return e
}

// runError says what ended a program.
func runError(ctx context.Context, thread *starlark.Thread, err error) *sandbox.Error {
	if stopped := sandbox.Stopped(ctx); stopped != nil {
		e := *stopped
		var x *pylang.Fatal
		if errors.As(err, &x) {
			e.Line, e.Column = x.Line, x.Column
		}
		return &e
	}
	x, fatal := pylang.AsException(thread, err)
	if fatal != nil {
		e := &sandbox.Error{Kind: sandbox.KindRuntime, Message: fatal.Message, Line: fatal.Line, Column: fatal.Column}
		switch fatal.Kind {
		case "memory":
			e.Kind = sandbox.KindMemory
		case "steps":
			e.Kind = sandbox.KindSteps
		case "recursion":
			e.Message = "RecursionError: " + fatal.Message
		case "calls":
			e.Kind = sandbox.KindCalls
		case "output":
			e.Kind = sandbox.KindOutput
		case "timeout":
			e.Kind = sandbox.KindTimeout
		case "cancelled":
			e.Kind = sandbox.KindCancelled
			if strings.Contains(fatal.Message, "steps") {
				e.Kind = sandbox.KindSteps
			}
		}
		return e
	}
	return &sandbox.Error{Kind: sandbox.KindRuntime, Message: x.Error(), Line: x.Line, Column: x.Column, Hint: x.Hint}
}

// report is the answer to validate_only.
type report struct {
	OK       bool            `json:"ok"`
	Problems []reportProblem `json:"problems"`
	// Calls are the functions of the API that the program may call, HostCalls
	// the requests to the host that they make.
	Calls     []string `json:"calls"`
	HostCalls []string `json:"host_calls"`
}

type reportProblem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func validated(prog *pylang.Program, problems []pylang.Problem, source string) sandbox.EngineResult {
	rep := report{OK: len(problems) == 0, Problems: []reportProblem{}, Calls: []string{}, HostCalls: []string{}}
	for i, p := range problems {
		if i == 1000 {
			break
		}
		rep.Problems = append(rep.Problems, reportProblem(p))
	}
	if prog != nil {
		for _, name := range prog.Calls() {
			if methods, ok := methodsOf(name); ok {
				rep.Calls = append(rep.Calls, name)
				for _, m := range methods {
					if !slices.Contains(rep.HostCalls, m) {
						rep.HostCalls = append(rep.HostCalls, m)
					}
				}
			}
		}
		// The whole text of a hit is fetched when it is read, under any name.
		if slices.ContainsFunc(rep.HostCalls, func(m string) bool { return strings.HasPrefix(m, "search.") }) &&
			readsText.MatchString(source) && !slices.Contains(rep.HostCalls, MethodTexts) {
			rep.HostCalls = append(rep.HostCalls, MethodTexts)
		}
		for _, m := range importCalls(source) {
			if !slices.Contains(rep.HostCalls, m) {
				rep.HostCalls = append(rep.HostCalls, m)
			}
		}
		sort.Strings(rep.HostCalls)
	}
	raw, err := json.Marshal(rep)
	if err != nil {
		return failed(&sandbox.Error{Kind: sandbox.KindHost, Message: "encode the report: " + err.Error()})
	}
	return sandbox.EngineResult{Report: raw}
}

var (
	importsServer = regexp.MustCompile(`(?m)^\s*(?:from|import)\s+servers\b`)
	importsSkill  = regexp.MustCompile(`(?m)^\s*(?:from\s+skills(?:\.\w+)?\s+import\b|import\s+skills\.)`)
)

// importCalls are the host calls of imports that only the host knows: tools of other
// servers, which are asked for and then called, and skills.
func importCalls(source string) (methods []string) {
	if importsServer.MatchString(source) {
		methods = append(methods, MethodDefinition, MethodCallTool)
	}
	if importsSkill.MatchString(source) {
		methods = append(methods, MethodLoadSkill)
	}
	return methods
}

// readsText finds programs that may read the text of a hit.
var readsText = regexp.MustCompile(`\.text\b|["']text["']`)

// methodsOf lists the host calls that a function of the API may make; false for
// functions of the standard library.
func methodsOf(name string) ([]string, bool) {
	module, fn, ok := strings.Cut(name, ".")
	switch {
	case !ok:
		module, fn = bareNames[name], name
	case module == "client", module == "tool_discovery":
		module = bareNames[fn]
	}
	if module == packages[0] {
		for _, a := range apiModules() {
			if a.contract().Func(fn) != nil {
				module = a.name
			}
		}
	}
	for _, a := range apiModules() {
		if a.name == module && a.contract().Func(fn) != nil {
			return hostCalls[fn], true
		}
	}
	return nil, false
}

// hostCalls are the requests of each function. Functions that work on results may
// fetch their texts.
var hostCalls = map[string][]string{
	"hybrid_search": {MethodHybrid}, "bm25_search": {MethodLexical}, "vector_search": {MethodVector},
	"hybrid_search_streaming": {MethodHybrid}, "batch_search": {MethodBatch},
	"get_document": {MethodDocument}, "similar": {MethodSimilar},
	"rerank": {MethodRerank}, "summarize": {MethodTexts}, "pack": {MethodTexts, MethodTokens},
	"count_tokens": {MethodTokens}, "get_execution_stats": {MethodStats},
	"search_tools": {MethodTools}, "get_tool_definition": {MethodDefinition}, "call_mcp_tool": {MethodCallTool},
	"save_skill": {MethodSaveSkill}, "load_skill": {MethodLoadSkill}, "list_skills": {MethodListSkills},
	"share_skill": {MethodShareSkill}, "unshare_skill": {MethodShareSkill}, "revoke_skill": {MethodRevoke},
	"write_file": {MethodWriteFile}, "read_file": {MethodReadFile}, "read_json": {MethodReadFile},
	"read_jsonl": {MethodReadFile}, "read_csv": {MethodReadFile}, "list_files": {MethodListFiles},
	"delete_file": {MethodDeleteFile}, "new_session": {MethodSession}, "list_sessions": {MethodSessions},
	"grant": {MethodGrant}, "revoke_grant": {MethodGrant},
	"sanitize_pii": {MethodSanitize}, "restore_pii": {MethodRestore},
}

var _ sandbox.Engine = Engine
