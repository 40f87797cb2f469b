package pysyntax

import "testing"

var seeds = []string{
	"x = 1\nprint(f'{x!r:>{10}} {x=}')\n", "def f(a, *b, c=1, **d):\n    return a\n", "for i in range(3):\n    pass\nelse:\n    x = [*a, *b]\n",
	"try:\n    pass\nexcept (A, B) as e:\n    raise X from e\nfinally:\n    pass\n", "class A(B, metaclass=C):\n    x: int = 1\n    async def f(self): await g()\n",
	"match x:\n    case {'a': [1, *_], **r} if r: pass\n    case A(b=1) | None: pass\n", "x = 0xff + 1_000 + 1e5 + .5 # c\n", "\tx = '''a\n'''\n", "a = b'\\x00' rb'\\d'\n", "(yield)\nlambda *a, b=1: a if b else c\n",
	"```python\nx = 1\n```", "x = f\"{d[\"a\"]}\"", "with (open(a) as b, c as d): pass", "@a.b(c)\ndef f(): ...", "a, *b = c = d[1:2, ::3]\ndel a[0], b.c\nassert a, b\n", "\ufeffx = 1\r\ny = 2\r",
	"f'{a['", "f'{x:{y:{z}}}'", "'\\N{DASH}'", "if x:\n\ty\n        z", "not not - ~ await x ** -y\n", "global a; nonlocal b; import a.b as c; from . import d\n",
}

// FuzzParse: any text is parsed or refused, without a panic.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse(src)
		if err == nil && file == nil {
			t.Error("neither a tree nor an error")
		}
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Msg == "" || e.Line < 1 || e.Col < 1 {
				t.Errorf("error without a place: %#v", err)
			}
		}
	})
}
