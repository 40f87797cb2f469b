package guest

import (
	"strings"
	"testing"

	"go.starlark.net/starlark"
)

const sampleText = `
"""A module.

It has functions."""

def plain(a, b=1): """Adds."""
def only(x, /): ...
def search(query: str, top_k: int = 10, *, filters: dict = {"a": (1, 2)}, text="a, b)") -> list[Hit]:
    """Searches.

        indented
    """
def rest(first, *args, key=None, **kwargs): ...
`

func TestParse(t *testing.T) {
	c, err := Parse(sampleText)
	if err != nil {
		t.Fatal(err)
	}
	if c.Doc != "A module.\n\nIt has functions." || len(c.Funcs) != 4 {
		t.Fatalf("%q, %d functions", c.Doc, len(c.Funcs))
	}
	for name, want := range map[string]string{
		"plain": "plain(a, b=1)", "only": "only(x, /)",
		"search": `search(query, top_k=10, *, filters={"a": (1, 2)}, text="a, b)")`,
		"rest":   "rest(first, *args, key=None, **kwargs)",
	} {
		if got := c.Func(name).Text(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	f := c.Func("search")
	if f.Doc != "Searches.\n\nindented" || f.Returns != "list[Hit]" || f.Params[0].Type != "str" {
		t.Errorf("%q %q %+v", f.Doc, f.Returns, f.Params)
	}
	if s := f.Signature(); strings.Join(s.Params, " ") != "query top_k filters text" || s.Required != 1 || s.Variadic || s.Open {
		t.Errorf("signature %+v", s)
	}
	if s := c.Func("rest").Signature(); strings.Join(s.Params, " ") != "first" || !s.Variadic || !s.Open {
		t.Errorf("signature %+v", s)
	}
	for _, broken := range []string{"x = 1", "def f", "def f(a", "def f(a)", "def f('a)", `def f(: int): ...`} {
		if _, err := Parse(broken); err == nil {
			t.Errorf("%q was taken", broken)
		}
	}
}

func TestCall(t *testing.T) {
	c := MustParse(sampleText)
	str := func(s string) starlark.Value { return starlark.String(s) }
	kw := func(pairs ...string) (out []starlark.Tuple) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, starlark.Tuple{str(pairs[i]), str(pairs[i+1])})
		}
		return out
	}
	for _, x := range []struct {
		fn   string
		args starlark.Tuple
		kw   []starlark.Tuple
		want string // of the values, or of the error
	}{
		{"plain", starlark.Tuple{str("1")}, nil, `"1" -`},
		{"plain", nil, kw("b", "2", "a", "1"), `"1" "2"`},
		{"plain", nil, nil, "plain() misses the argument 'a'"},
		{"plain", starlark.Tuple{str("1"), str("2"), str("3")}, nil, "plain() takes 1 to 2 positional arguments, got 3"},
		{"plain", starlark.Tuple{str("1")}, kw("a", "1"), "multiple values for argument 'a'"},
		{"only", nil, kw("x", "1"), "only() has no parameter 'x'"},
		{"only", starlark.Tuple{str("1"), str("2")}, nil, "only() takes 1 positional argument, got 2"},
		{"search", starlark.Tuple{str("q")}, kw("limit", "5"), "search() has no parameter 'limit'; did you mean 'top_k'?"},
		{"search", starlark.Tuple{str("q")}, kw("filterz", "5"), "did you mean 'filters'?"},
		{"search", starlark.Tuple{str("q"), str("5"), str("x")}, nil, "search() takes 1 to 2 positional arguments, got 3"},
		{"rest", starlark.Tuple{str("1"), str("2")}, kw("key", "k", "other", "o"), `"1" "k" + ("2",) + [("other", "o")]`},
	} {
		a, err := c.Func(x.fn).Call(x.args, x.kw)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			for _, v := range a.V {
				if v == nil {
					got += "- "
				} else {
					got += v.String() + " "
				}
			}
			if a.Rest != nil {
				got += "+ " + a.Rest.String() + " "
			}
			if a.Kw != nil {
				got += "+ [" + a.Kw[0].String() + "]"
			}
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s%v %v: %s, want %s", x.fn, x.args, x.kw, got, x.want)
		}
	}
}

func TestBindFindsSlips(t *testing.T) {
	c := MustParse("def a(): ...")
	for name, impls := range map[string]map[string]Impl{"missing": {}, "extra": {"a": nil, "b": nil}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s implementation went unnoticed", name)
				}
			}()
			c.Bind("m", impls)
		}()
	}
}

func TestArguments(t *testing.T) {
	f := MustParse("def f(n=None): ...").Func("f")
	with := func(v starlark.Value) *Args { return &Args{Fn: f, V: []starlark.Value{v}} }
	for _, x := range []struct {
		v    starlark.Value
		want string
	}{
		{starlark.MakeInt(-1), "n must be 1..9, got -1"}, {starlark.MakeInt(10), "n must be 1..9, got 10"},
		{starlark.String("5"), "n must be an int, got str '5'"}, {starlark.Float(2.5), "n must be an int, got float 2.5"},
		{starlark.True, "n must be an int, got True"}, {starlark.MakeInt(1).Lsh(500), "got an int of 501 bits"},
	} {
		if _, err := with(x.v).Int(0, 1, 1, 9); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %v, want %q", x.v, err, x.want)
		}
	}
	for _, v := range []starlark.Value{nil, starlark.None, starlark.MakeInt(5), starlark.Float(5)} {
		if n, err := with(v).Int(0, 5, 1, 9); err != nil || n != 5 {
			t.Errorf("%v: %d %v", v, n, err)
		}
	}
	if _, err := with(starlark.Float(2)).Float(0, 0, 0, 1); err == nil || !strings.Contains(err.Error(), "n must be 0..1, got 2.0") {
		t.Errorf("%v", err)
	}
}

func TestFormatFloat(t *testing.T) {
	tenth := 0.1
	for x, want := range map[float64]string{0: "0.0", 1: "1.0", -2.5: "-2.5", 1e16: "1e+16", 123456789012345680: "1.2345678901234568e+17",
		1e15: "1000000000000000.0", 0.0001: "0.0001", 0.00001: "1e-05", 5e-324: "5e-324", tenth + 0.2: "0.30000000000000004"} {
		if got := FormatFloat(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sampleText)
	f.Fuzz(func(t *testing.T, s string) {
		if c, err := Parse(s); err == nil {
			for _, fn := range c.Funcs {
				_ = fn.Text()
				_ = fn.Signature()
			}
		}
	})
}
