package pysyntax

import (
	"strings"
	"testing"
)

func TestPositions(t *testing.T) {
	f, err := Parse("x = 1\n\nif x:\n    é = 'ü' + foo(bar)\n")
	if err != nil {
		t.Fatal(err)
	}
	a := f.Body[1].(*If).Bodies[0][0].(*Assign)
	b := a.Value.(*Binary)
	if b.OpPos != (Pos{4, 13}) || b.Y.(*Call).Args[0].X.Position() != (Pos{4, 19}) {
		t.Errorf("positions %v %v", b.OpPos, b.Y.(*Call).Args[0].X.Position())
	}
}

// TestFencesKeepLines: a program inside Markdown keeps the line numbers of the
// text, and blocks in other languages are left out.
func TestFencesKeepLines(t *testing.T) {
	f, err := Parse("Some words here about it.\n\n```bash\nls -l\n```\n```python\nx = 1\n```\nand\n```\ny = 2\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Body) != 2 || f.Body[0].Position().Line != 7 || f.Body[1].Position().Line != 11 {
		t.Errorf("%d statements at %v", len(f.Body), f.Body[0].Position())
	}
	if _, err := Parse("x = '''\n```python\nnot code here\n```\n'''\n"); err != nil {
		t.Error("a fence inside a string:", err)
	}
	_, err = Parse("```python\nx = (\n```")
	if e, ok := err.(*Error); !ok || e.Line != 2 {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ src, want string }{
		{"x = \x00", "null bytes"},
		{"x = \xff", "not valid UTF-8"},
		{"x = 1 # \u202e", "text-direction"},
		{"x\u200b = 1", "U+200B"},
		{"x = 1\u00a0+ 2", "special space"},
		{"if True:\n\tx = 1\n        y = 2\n", "tabs and spaces"},
		{"def f():\n    x\n  y\n", "unindent does not match"},
		{"  x = 1", "unexpected indent"},
		{"x = 'abc", "unterminated string literal"},
		{"x = '''abc", "unterminated triple-quoted"},
		{"x = f'{a'", "expecting '}'"},
		{"x = f'{}'", "empty expression"},
		{"x = f'}'", "single '}'"},
		{"x = 0777", "leading zeros"},
		{"x = 1__0", "invalid decimal"},
		{"x = " + strings.Repeat("9", 5000), "integer literal of 5000 digits"},
		{"f(a for a in b, 1)", "must be parenthesized"},
		{"f(a=1, 2)", "positional argument follows keyword"},
		{"def f(a, a): pass", "duplicate argument"},
		{"def f(a=1, b): pass", "non-default argument"},
		{"f() = 1", "cannot assign to function call"},
		{"1 = x", "cannot assign to literal"},
		{"x + 1 = 2", "cannot assign to expression"},
		{"*a = b", "must be in a list or tuple"},
		{"else:\n    pass", "without a matching block"},
		{"x = [1, 2", "never closed"},
		{"x = (1]", "does not match"},
		{"x = )", "unmatched"},
		{"x = a b", "unexpected 'b'"},
		{"x = !a", "'!' is not an operator"},
		{"try:\n    pass\n", "expected 'except' or 'finally'"},
		{"class: pass", "expected a name"},
		{"class = 1", "expected a name"},
		{"for x of y: pass", "expected 'in'"},
		{"import a.b.", "expected a name"},
		{"lambda x: yield", "unexpected keyword 'yield'"},
		{"[x for x in y for]", "invalid syntax"},
		{"x = $a", "'$' is not used"},
		{"if x: if y: pass", "cannot follow ':'"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.src)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: got %v, want %q", tt.src, err, tt.want)
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, src := range []string{
		"", "\n\n", "# only a comment", "\ufeffx = 1", "x = 1\r\ny = 2\r\n", "x = 1;y = 2;", "if x: pass\nelif y: pass\nelse: pass", "x = (1,\n     2)\n", "x = 1 + \\\n    2\n",
		"def f(a, /, b, *, c): pass", "print(*a, **b, sep='')", "x: int", "a.b: int = 1", "async def f():\n    async with a as b, c: pass\n    async for x in y: pass\n    return [z async for z in w]",
		"match = 1\nmatch(x)\nmatch.a\nmatch [0]\ncase = 2", "type = 5", "x = yield_ = 1", "d = {**a, 'b': 1, **c}", "a[b:c, d] = 1", "a[1:2:3], b[::] = c", "x = not a in b", "print(f'{a:{b}}' 'c' rf'\\d{e}')", "x = 1if y else 2",
		"while x: break\nelse: pass", "from a import (b, c as d,)", "with (a as b, c as d,):\n    pass", "with (a): pass", "with (yield): pass", "raise", "return", "x = a @ b", "x = ...", "'\U0001f468\u200d\U0001f469'", "ﬁ = 1",
		"\f\nx = 1", "if x:\n    pass\n\n    # comment\n\ny", "x = '\\\n'", "@a\n@b.c\n\ndef f(): pass", "def f() -> int | None: pass", "lambda: (yield)",
	} {
		if _, err := Parse(src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}
