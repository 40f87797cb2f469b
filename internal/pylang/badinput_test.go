package pylang_test

import (
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/pylang"
)

// TestHostileSources: no text, however built, breaks the process; what took long would
// run into the time limit of the tests.
func TestHostileSources(t *testing.T) {
	rep := strings.Repeat
	sources := map[string]string{
		"empty":            "",
		"blank":            " \n\t\n",
		"parentheses":      rep("(", 100000),
		"lists":            "x = " + rep("[", 300) + rep("]", 300),
		"brackets closed":  "x = " + rep("(", 150) + "1" + rep(")", 150),
		"dicts":            "x = " + rep("{1:", 100000),
		"not":              "x = " + rep("not ", 100000) + "1",
		"minus":            "x = " + rep("-", 100000) + "1",
		"lambda":           "x = " + rep("lambda:", 100000) + "1",
		"sum":              "x = " + rep("1+", 250000) + "1",
		"sum short":        "x = " + rep("1+", 1900) + "1",
		"power":            "x = " + rep("1**", 100000) + "1",
		"attributes":       "x = a" + rep(".b", 250000),
		"attributes short": "a = 1\nx = a" + rep(".b", 400),
		"calls":            "x = a" + rep("()", 250000),
		"indexes":          "x = a" + rep("[0]", 150000),
		"conditions":       "x = " + rep("1 if 1 else ", 50000) + "1",
		"and":              "x = " + rep("1 and ", 100000) + "1",
		"and short":        "x = " + rep("1 and ", 1900) + "1",
		"compare":          "x = " + rep("1<", 200000) + "1",
		"assign":           rep("x = ", 100000) + "1",
		"elif":             "if 1: pass\n" + rep("elif 1: pass\n", 50000),
		"strings":          "x = " + rep("'a' ", 200000),
		"string":           "x = '" + rep("a", 1<<20) + "'",
		"open string":      "x = '''" + rep("a\n", 1<<19),
		"name":             rep("a", 1<<20) + " = 1",
		"statements":       rep("x = 1\n", 150000),
		"semicolons":       rep("x=1;", 200000),
		"list items":       "x = [" + rep("1,", 300000) + "]",
		"dict items":       "x = {" + rep("'a':1,", 150000) + "}",
		"arguments":        "print(" + rep("1,", 100000) + ")",
		"keywords":         "print(" + rep("a=1,", 100000) + ")",
		"parameters":       "def f(" + rep("a,", 100000) + "): pass",
		"decorators":       rep("@a\n", 100000) + "def f(): pass",
		"fstrings":         "x = " + rep("f'{", 100) + "1" + rep("}'", 100),
		"fstring braces":   "x = f'" + rep("{x}", 100000) + "'",
		"fstring open":     "x = f'" + rep("{", 100001),
		"indentation":      indented(500),
		"functions":        nested("def f():", 90),
		"classes":          nested("class A:", 90),
		"ifs":              nested("if 1:", 95),
		"tries":            nestedTry(60),
		"comprehension":    "x = " + rep("[", 100) + "1" + rep(" for i in [1]]", 100),
		"clauses":          "x = [1 " + rep("for i in [1] ", 10000) + "]",
		"digits":           "x = " + rep("9", 1<<20),
		"hex digits":       "x = 0x" + rep("f", 1<<20),
		"comments":         rep("#", 1<<20),
		"continuations":    "x = 1 " + rep("\\\n", 300000),
		"fences":           rep("```\n", 200000),
		"stars":            "f(" + rep("*a, ", 50000) + ")",
		"unpack":           "a = 1\n" + rep("(", 150) + "x" + rep(",)", 150) + " = a",
		"globals":          "def f():\n    global " + rep("a, ", 100000) + "b\n",
		"imports":          "import " + rep("a.", 100000) + "b",
		"prose":            rep("some words that mean nothing at all here\n", 20000),
		"nul":              "x = 1\x00",
		"match":            "match x:\n    case " + rep("[", 150) + rep("]", 150) + ": pass",
		"walrus":           "x = " + rep("(a:=", 150) + "1" + rep(")", 150),
		"names":            manyNames(20000),
		"self reference":   "x = x.a()\nx = x.b()\nf = f.g\n",
	}
	for name, src := range sources {
		t.Run(name, func(t *testing.T) {
			_, problems := pylang.Compile(src, pylang.Config{})
			for _, p := range problems {
				if p.Line < 1 || p.Column < 1 || len(p.Message) > 2000 {
					t.Errorf("problem %d:%d, %d bytes", p.Line, p.Column, len(p.Message))
				}
			}
		})
	}
}

func indented(n int) string {
	var sb strings.Builder
	for i := range n {
		sb.WriteString(strings.Repeat(" ", i) + "if 1:\n")
	}
	return sb.String()
}

func nested(head string, n int) string {
	var sb strings.Builder
	for i := range n {
		sb.WriteString(strings.Repeat(" ", i) + head + "\n")
	}
	return sb.String() + strings.Repeat(" ", n) + "pass\n"
}

func nestedTry(n int) string {
	var head, tail strings.Builder
	for i := range n {
		head.WriteString(strings.Repeat(" ", i) + "try:\n")
	}
	head.WriteString(strings.Repeat(" ", n) + "pass\n")
	for i := n - 1; i >= 0; i-- {
		tail.WriteString(strings.Repeat(" ", i) + "finally:\n" + strings.Repeat(" ", i+1) + "pass\n")
	}
	return head.String() + tail.String()
}

func manyNames(n int) string {
	var sb strings.Builder
	for i := range n {
		sb.WriteString("a" + strings.Repeat("b", i%50) + "c" + string(rune('a'+i%26)) + "x + undefined" + string(rune('a'+i%26)) + "\n")
	}
	return sb.String()
}

// TestLimits: what would take too much ends as a Fatal that nothing catches; calls that
// nest too deeply raise RecursionError first.
func TestLimits(t *testing.T) {
	tests := []struct{ name, src, kind string }{
		{"list", "x = [0] * (1 << 29)", "memory"},
		{"string", "x = 'a' * (1 << 40)", "memory"},
		{"string twice", "x = 'a' * (1 << 20)\ny = x * (1 << 20)", "memory"},
		{"power", "x = 10 ** 10 ** 10", "memory"},
		{"shift", "x = 1 << (1 << 40)", "memory"},
		{"format width", "x = '%2000000000d' % 1", "memory"},
		{"spec width", "x = f'{1:>2000000000}'", "memory"},
		{"ljust", "x = 'a'.ljust(1 << 40)", "memory"},
		{"range to list", "x = list(range(1 << 33))", "memory"},
		{"replace", "x = ('a' * 100000).replace('a', 'b' * 100000)", "memory"},
		{"join", "x = ('a' * 100000).join(['b'] * 100000)", "memory"},
		{"zfill", "x = 'a'.zfill(1 << 40)", "memory"},
		{"expandtabs", "x = ('\\t' * 10000).expandtabs(1 << 30)", "memory"},
		{"bytes", "x = bytes(1 << 40)", "memory"},
		{"generator without end", "def g():\n    while True:\n        yield 1\nx = list(g())", "memory steps"},
		{"recursion", "def f(n):\n    return f(n + 1)\nf(0)", "RecursionError"},
		{"mutual recursion", "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(0)", "RecursionError"},
		{"repr recursion", "class A:\n    def __repr__(self):\n        return repr(self)\nprint(A())", "RecursionError"},
		{"eq recursion", "class A:\n    def __eq__(self, o):\n        return self == o\nA() == A()", "RecursionError"},
		{"lambda recursion", "f = lambda: f()\nf()", "recursion"},
		{"generator recursion", "def g():\n    yield from g()\nlist(g())", "RecursionError"},
		{"deep list", "x = []\nfor i in range(100000):\n    x = [x]\nprint(x)", "RecursionError"},
		{"deep equality", "x = []\ny = []\nfor i in range(100000):\n    x = [x]\n    y = [y]\nx == y", "RecursionError"},
		{"deep hash", "x = ()\nfor i in range(100000):\n    x = (x,)\ny = {x}", "recursion"},
		{"steps", "while True:\n    pass", "steps cancelled"},
		{"steps in try", "while True:\n    try:\n        while True:\n            pass\n    except:\n        pass\n    finally:\n        print('never')", "steps cancelled"},
		{"recursion again and again", "def f():\n    try:\n        f()\n    finally:\n        f()\nf()", "recursion"},
		{"memory in try", "try:\n    x = [0] * (1 << 29)\nexcept:\n    print('caught')", "memory"},
		{"sum without end", "import asyncio\ndef g():\n    while True:\n        yield 1\nprint(sum(g()))", "steps cancelled"},
		{"sum of a range", "print(sum(range(10**12)))", "steps"},
		{"max of a range", "print(max(range(10**12)))", "steps"},
		{"any of a range", "print(any(x < 0 for x in range(10**12)))", "steps"},
		{"in a generator", "print(-1 in (x for x in range(10**12)))", "steps"},
		{"in map", "print(-1 in map(abs, range(10**12)))", "steps"},
		{"set update", "s = set()\ns.update(x % 7 for x in range(10**12))", "steps"},
		{"coroutines", "async def f():\n    await f()\nawait f()", "RecursionError"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := run(tt.src, pylang.Config{})
			if e, ok := o.err.(*pylang.Exception); ok && e.Class == tt.kind && e.Line > 0 {
				return
			}
			f, ok := o.err.(*pylang.Fatal)
			if !ok || !strings.Contains(tt.kind, f.Kind) {
				t.Errorf("ended with %.300v %s, want a Fatal of kind %s", o.err, o.text(), tt.kind)
			} else if f.Line == 0 {
				t.Errorf("no line: %v", f)
			}
			if o.out != "" {
				t.Errorf("printed %.100q", o.out)
			}
		})
	}
}
