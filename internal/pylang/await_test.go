package pylang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/pylang"
	"go.starlark.net/starlark"
)

// pendingCall is a host call that notes when it was started and waited for.
type pendingCall struct {
	object
	name string
	log  *[]string
	done bool
	fail bool
}

func (p *pendingCall) Await(*starlark.Thread) (starlark.Value, error) {
	if !p.done {
		p.done = true
		*p.log = append(*p.log, "wait "+p.name)
	}
	if p.fail {
		return nil, pylang.Raise("ValueError", "%s failed", p.name)
	}
	return starlark.NewList([]starlark.Value{starlark.String(p.name), starlark.String("x")}), nil
}

func runCalls(t *testing.T, src string) (outcome, string) {
	t.Helper()
	var log []string
	call := starlark.NewBuiltin("call", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		name, _ := starlark.AsString(args[0])
		log = append(log, "start "+name)
		return &pendingCall{name: name, log: &log, fail: strings.HasPrefix(name, "bad")}, nil
	})
	o := run(src, pylang.Config{Predeclared: starlark.StringDict{"call": call}})
	return o, strings.Join(log, ", ")
}

// TestAwaitables: calls gathered start before any is waited for, also through
// coroutines of the program, and come back in order.
func TestAwaitables(t *testing.T) {
	tests := []struct{ name, src, out, log string }{
		{"await", "r = await call('a')\nprint(r[0], len(r))", "a 2\n", "start a, wait a"},
		{"without await", "r = call('a')\nprint(r[0], len(r), [c for c in r], 'x' in r, r[:1])", "a 2 ['a', 'x'] True ['a']\n", "start a, wait a"},
		{"gather", "import asyncio\na, b = await asyncio.gather(call('a'), call('b'))\nprint(a[0], b[0])", "a b\n", "start a, start b, wait a, wait b"},
		{"gather coroutines", `
import asyncio
async def one(n):
    r = await call(n)
    s = await call(n + n)
    return s[0]
print(await asyncio.gather(*[one(n) for n in 'abc']))
`, "['aa', 'bb', 'cc']\n", "start a, start b, start c, wait a, start aa, wait b, start bb, wait c, start cc, wait aa, wait bb, wait cc"},
		{"tasks", `
import asyncio
async def one(n):
    r = await call(n)
    return r[0]
async def main():
    t = asyncio.create_task(one('t'))
    u = await call('u')
    return [await t, u[0]]
print(asyncio.run(main()))
`, "['t', 'u']\n", "start u, start t, wait u, wait t"},
		{"failure is caught", "import asyncio\ntry:\n    await asyncio.gather(call('a'), call('bad'))\nexcept ValueError as e:\n    print('caught', e)", "caught bad failed\n", "start a, start bad, wait a, wait bad"},
		{"failure without await", "try:\n    r = call('bad')\n    for x in r:\n        pass\nexcept ValueError as e:\n    print('caught', e)", "caught bad failed\n", "start bad, wait bad"},
		{"exceptions returned", "import asyncio\nr = await asyncio.gather(call('bad'), call('a'), return_exceptions=True)\nprint(type(r[0]).__name__, r[1])", "ValueError ['a', 'x']\n", "start bad, start a, wait bad, wait a"},
		{"truth and formats", "r = call('a')\nprint(f'{r}', bool(r), r == ['a', 'x'], isinstance(r, list), type(r).__name__)\nif r: print('yes')", "['a', 'x'] True True True list\nyes\n", "start a, wait a"},
		{"result", "result = call('a')", "", "start a, wait a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, log := runCalls(t, tt.src)
			if o.problems != nil || o.err != nil || o.out != tt.out || log != tt.log {
				t.Errorf("got %q, log %s\nwant %q, log %s", o.text(), log, tt.out, tt.log)
			}
		})
	}
}

// TestTraceback: errors have the agent's own line, column and frames.
func TestTraceback(t *testing.T) {
	o := run("def outer(xs):\n    return [inner(x) for x in xs]\n\ndef inner(x):\n    try:\n        return x['k']\n    finally:\n        pass\n\nouter([{}])\n", pylang.Config{})
	e, ok := o.err.(*pylang.Exception)
	if !ok {
		t.Fatal(o.text())
	}
	got := fmt.Sprint(e.Class, " ", e.Message, " ", e.Line, ":", e.Column, " ", e.Stack)
	if want := "KeyError 'k' 6:17 [{<module> 10 6} {outer 2 18} {inner 6 17}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRunModule(t *testing.T) {
	p, problems := pylang.Compile("LIMIT = 3\ndef top(xs):\n    return sorted(xs)[:LIMIT]\n", pylang.Config{})
	if problems != nil {
		t.Fatal(problems)
	}
	thread := &starlark.Thread{}
	globals, err := p.RunModule(thread)
	if err != nil {
		t.Fatal(err)
	}
	m := &pylang.Module{Name: "skills", Resolve: func(name string) (starlark.Value, error) { return globals[name], nil }}
	o := run("from skills import top\nresult = top([5, 4, 3, 2, 1])", pylang.Config{Modules: map[string]*pylang.Module{"skills": m}})
	if o.err != nil || o.problems != nil || o.result.String() != "[1, 2, 3]" {
		t.Errorf("%v %s", o.result, o.text())
	}
}
