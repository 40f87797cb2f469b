package pylang_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random small programs that end, for the differential test.
// Most of what it writes is meaningful; some fails, which must fail alike.
type generator struct {
	r      *rand.Rand
	sb     strings.Builder
	depth  int
	vars   []string // names that are surely bound
	funcs  []string
	inLoop int
	inFunc int
	nloops int
	id     int
}

func program(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 77))}
	for _, v := range []string{"a", "b", "c", "d"} {
		g.line(0, "%s = %s", v, g.value(2))
		g.vars = append(g.vars, v)
	}
	n := 4 + g.r.IntN(8)
	for range n {
		g.stmt(0)
	}
	g.line(0, "print(%s)", strings.Join(g.vars, ", "))
	return g.sb.String()
}

func (g *generator) line(ind int, format string, args ...any) {
	g.sb.WriteString(strings.Repeat("    ", ind))
	fmt.Fprintf(&g.sb, format, args...)
	g.sb.WriteByte('\n')
}

func pick[T any](g *generator, xs ...T) T { return xs[g.r.IntN(len(xs))] }

func (g *generator) name() string { return g.vars[g.r.IntN(len(g.vars))] }

func (g *generator) fresh(prefix string) string {
	g.id++
	return fmt.Sprintf("%s%d", prefix, g.id)
}

func (g *generator) int() string {
	return pick(g, "0", "1", "2", "3", "-1", "5", "7", "10", "-4", "255", "2**40", "12345678901234567890", "True", "False")
}

func (g *generator) float() string {
	return pick(g, "0.5", "1.0", "-2.25", "3.14159", "1e10", "1e-7", "0.1", "1e16", "2.0", "-0.0")
}

func (g *generator) str() string {
	return pick(g, `""`, `"a"`, `"abc"`, `"hello world"`, `"é☕x"`, `"a,b,c"`, `" pad "`, `"12"`, `"Zz"`, `"it's"`, `"x\ny"`)
}

func (g *generator) key() string {
	return pick(g, `"a"`, `"b"`, `"k"`, "1", "2", "(1, 2)", "True", "0.5", "None")
}

// value writes a literal.
func (g *generator) value(d int) string {
	switch g.r.IntN(11) {
	case 0, 1, 2:
		return g.int()
	case 3:
		return g.float()
	case 4, 5:
		return g.str()
	case 6:
		return pick(g, "None", "True", "False")
	case 7, 8:
		if d > 0 {
			return "[" + g.list(d-1) + "]"
		}
		return "[1, 2, 3]"
	case 9:
		if d > 0 {
			var parts []string
			for range g.r.IntN(4) {
				parts = append(parts, g.key()+": "+g.value(d-1))
			}
			return "{" + strings.Join(parts, ", ") + "}"
		}
		return `{"a": 1, "b": 2}`
	}
	if d > 0 {
		return pick(g, "("+g.value(d-1)+", "+g.value(d-1)+")", "("+g.value(d-1)+",)", "{1, 2, 3}", "{"+g.int()+", "+g.int()+"}", "set()", "range(4)", "()")
	}
	return "(1, 2)"
}

func (g *generator) list(d int) string {
	var parts []string
	for range g.r.IntN(5) {
		parts = append(parts, g.value(d))
	}
	return strings.Join(parts, ", ")
}

// expr writes an expression of any kind.
func (g *generator) expr(d int) string {
	if d <= 0 {
		if g.r.IntN(3) > 0 {
			return g.name()
		}
		return g.value(1)
	}
	e := func() string { return g.expr(d - 1) }
	switch g.r.IntN(34) {
	case 0, 1, 2, 3:
		return "(" + e() + " " + pick(g, "+", "-", "*", "/", "//", "%", "+", "-", "*") + " " + e() + ")"
	case 4:
		return "(" + e() + " " + pick(g, "&", "|", "^", "<<", ">>", "**") + " " + pick(g, "1", "2", "3", g.name()) + ")"
	case 5, 6:
		return "(" + e() + " " + pick(g, "==", "!=", "<", "<=", ">", ">=", "in", "not in", "==", "==") + " " + e() + ")"
	case 7:
		return "(" + e() + " < " + e() + " <= " + e() + ")"
	case 8:
		return "(" + e() + " " + pick(g, "and", "or") + " " + e() + ")"
	case 9:
		return pick(g, "not ", "-", "+", "~") + e()
	case 10:
		return "(" + e() + " if " + e() + " else " + e() + ")"
	case 11, 12:
		return g.name() + "[" + pick(g, g.int(), g.key(), "0", "-1", "1") + "]"
	case 13:
		return g.name() + "[" + pick(g, "", "1", "-2") + ":" + pick(g, "", "3", "-1") + pick(g, "", ":2", ":-1", ":1") + "]"
	case 14, 15:
		return pick(g, "len", "str", "repr", "bool", "list", "sorted", "tuple", "sum", "abs", "int", "float", "max", "min", "set", "type", "any", "all", "dict", "hash") + "(" + e() + ")"
	case 16:
		v := g.fresh("v")
		src := e()
		return "[" + g.with(v, func() string { return g.expr(d - 1) }) + " for " + v + " in " + src + pick(g, "", " if "+v, " if "+v+" != 1") + "]"
	case 17:
		v := g.fresh("v")
		src := e()
		return pick(g, "sum", "list", "any", "all", "sorted", "max", "set", "tuple") + "(" + g.with(v, func() string { return g.expr(d - 1) }) + " for " + v + " in " + src + ")"
	case 18:
		v := g.fresh("v")
		return "{" + v + ": " + g.with(v, func() string { return g.expr(d - 1) }) + " for " + v + " in " + e() + "}"
	case 19:
		return "f\"{" + g.fexpr(d-1) + pick(g, "", "!r", "!s", ":>6", ":.2f", ":05d", ":,", ":x", ":<8", ":^7", ":+", ":e", ":g", ":%", ":.3", ":b") + "} " + "{" + g.name() + "}\""
	case 20:
		return pick(g, "'%s'", "'%r|%s'", "'%d'", "'%.2f'", "'%5s|'", "'%05d'", "'%x'") + " % (" + e() + ",)"
	case 21, 22, 23:
		return g.name() + g.method(d)
	case 24:
		return g.str() + g.strMethod(d)
	case 25:
		if len(g.funcs) > 0 {
			f := pick(g, g.funcs...)
			return f + "(" + e() + ", " + e() + ")"
		}
		return e()
	case 26:
		return "isinstance(" + e() + ", " + pick(g, "int", "str", "(list, tuple)", "float", "dict", "bool") + ")"
	case 27:
		return "(lambda p, q=2: " + g.with("p", func() string { return g.expr(d - 1) }) + ")(" + e() + ")"
	case 28:
		return "[*" + e() + ", " + e() + "]"
	case 29:
		return "{**" + e() + ", \"z\": " + e() + "}"
	case 30:
		return pick(g, "list(zip("+e()+", "+e()+"))", "list(enumerate("+e()+"))", "list(map(str, "+e()+"))", "list(reversed("+e()+"))", "dict(zip("+e()+", "+e()+"))", "sorted("+e()+", key=str)", "sorted("+e()+", reverse=True)", "round("+e()+", 1)", "round("+e()+")", "divmod("+e()+", "+e()+")", "list(filter(None, "+e()+"))")
	case 31:
		return "\"{} {:>5} {!r}\".format(" + e() + ", " + e() + ", " + e() + ")"
	case 32:
		return "(" + e() + " is " + pick(g, "None", "True", "not None") + ")"
	}
	return e()
}

// fexpr is an expression without quotes or backslashes, for f-strings of 3.11.
func (g *generator) fexpr(d int) string {
	for range 20 {
		s := g.expr(d)
		if !strings.ContainsAny(s, "\"'\\{}:!#=") && !strings.Contains(s, "lambda") {
			return s
		}
	}
	return g.name()
}

func (g *generator) with(v string, f func() string) string {
	g.vars = append(g.vars, v)
	s := f()
	g.vars = g.vars[:len(g.vars)-1]
	return s
}

func (g *generator) method(d int) string {
	e := func() string { return g.expr(d - 1) }
	return pick(g,
		".get("+g.key()+")", ".get("+g.key()+", "+e()+")", ".items()", ".keys()", ".values()", ".copy()", ".index("+e()+")", ".count("+e()+")",
		".upper()", ".split(',')", ".strip()", ".pop()", ".pop("+g.key()+", None)", ".setdefault("+g.key()+", 5)", ".union([1, 9])", ".find('b')", ".replace('a', 'Q')", ".startswith('a')", ".join(['x', 'y'])")
}

func (g *generator) strMethod(d int) string {
	return pick(g,
		".upper()", ".lower()", ".title()", ".capitalize()", ".swapcase()", ".strip()", ".split()", ".split(',')", ".replace('a', 'bb')", ".find('a')", ".count('a')", ".center(9, '*')", ".zfill(6)", ".isdigit()", ".isalpha()", ".splitlines()", ".partition(',')",
		".rsplit(',', 1)", ".ljust(6) + '|'", ".encode()", ".startswith(('a', 'h'))", " * 2", "[::-1]", "[1:4]", "[-1:]", ".join(['1', '2'])", ".index('a')")
}

func (g *generator) block(ind int, n int) {
	g.depth++
	saved := len(g.vars)
	for range 1 + g.r.IntN(n) {
		g.stmt(ind)
	}
	g.vars = g.vars[:saved]
	g.depth--
}

func (g *generator) stmt(ind int) {
	if g.sb.Len() > 6000 {
		g.line(ind, "pass")
		return
	}
	deep := g.depth > 3
	switch k := g.r.IntN(30); {
	case k < 5:
		g.line(ind, "%s = %s", g.name(), g.expr(3))
	case k < 7:
		v := g.fresh("x")
		g.line(ind, "%s = %s", v, g.expr(3))
		if g.depth == 0 {
			g.vars = append(g.vars, v)
		}
	case k < 9:
		g.line(ind, "%s %s= %s", g.name(), pick(g, "+", "-", "*", "//", "%", "|", "&", "+", "+"), g.expr(2))
	case k < 10:
		g.line(ind, "%s[%s] = %s", g.name(), pick(g, "0", "1", "-1", g.key()), g.expr(2))
	case k < 11:
		g.line(ind, "%s[%s] %s= %s", g.name(), pick(g, "0", "-1", g.key()), pick(g, "+", "-", "*"), g.expr(2))
	case k < 12:
		g.line(ind, "%s.%s", g.name(), pick(g, "append("+g.expr(2)+")", "extend("+g.expr(2)+")", "update("+g.expr(1)+")", "add("+g.expr(1)+")", "sort()", "reverse()", "insert(0, "+g.expr(1)+")", "remove("+g.expr(1)+")", "clear()", "pop()"))
	case k < 14:
		g.line(ind, "print(%s)", g.expr(3))
	case k < 15:
		g.line(ind, "%s, %s = %s", g.name(), g.name(), pick(g, g.expr(2), g.expr(1)+", "+g.expr(1)))
	case k < 16:
		g.line(ind, "%s, *%s = %s", g.name(), g.name(), g.expr(2))
	case k < 19 && !deep:
		g.line(ind, "if %s:", g.expr(2))
		g.block(ind+1, 2)
		if g.r.IntN(2) == 0 {
			g.line(ind, "else:")
			g.block(ind+1, 2)
		}
	case k < 22 && !deep && g.nloops < 3:
		v := g.fresh("i")
		g.nloops++
		g.line(ind, "for %s in %s:", v, pick(g, "range(3)", "range(4)", "list("+g.name()+")[:4]", g.value(2), "enumerate("+g.value(1)+")", "'héy'"))
		g.inLoop++
		g.vars = append(g.vars, v)
		g.block(ind+1, 3)
		g.vars = g.vars[:len(g.vars)-1]
		g.inLoop--
		if g.r.IntN(4) == 0 {
			g.line(ind, "else:")
			g.block(ind+1, 1)
		}
		g.nloops--
	case k < 23 && !deep && g.nloops < 3:
		v := g.fresh("n")
		g.nloops++
		g.line(ind, "%s = 0", v)
		g.line(ind, "while %s < 3:", v)
		g.line(ind+1, "%s += 1", v)
		g.inLoop++
		g.block(ind+1, 2)
		g.inLoop--
		g.nloops--
	case k < 26 && !deep:
		g.line(ind, "try:")
		g.block(ind+1, 3)
		switch g.r.IntN(4) {
		case 0:
			g.line(ind, "except (TypeError, KeyError) as err:")
			g.line(ind+1, "print(\"E1\", type(err).__name__, err)")
			g.line(ind, "except Exception as err:")
			g.line(ind+1, "print(\"E2\", type(err).__name__, err)")
		case 1:
			g.line(ind, "except Exception as err:")
			g.line(ind+1, "print(\"E\", type(err).__name__, err)")
			g.line(ind, "else:")
			g.block(ind+1, 1)
			g.line(ind, "finally:")
			g.block(ind+1, 1)
		case 2:
			g.line(ind, "except ValueError:")
			g.block(ind+1, 1)
			g.line(ind, "except Exception:")
			g.line(ind+1, "print('exc')")
		default:
			g.line(ind, "except Exception as err:")
			g.line(ind+1, "print(type(err).__name__, err)")
		}
	case k < 27 && g.inLoop > 0:
		g.line(ind, "if %s:", g.expr(1))
		g.line(ind+1, "%s", pick(g, "break", "continue"))
	case k < 29 && g.depth == 0:
		g.function(ind)
	case k < 30 && g.inFunc > 0:
		g.line(ind, "return %s", g.expr(2))
	default:
		g.line(ind, "print(%s, %s)", g.expr(2), g.name())
	}
}

func (g *generator) function(ind int) {
	f := g.fresh("f")
	outer, loops := g.vars, g.inLoop
	g.inLoop = 0
	g.inFunc++
	dflt := pick(g, "", "=3", "=None", "='d'")
	gen := g.r.IntN(5) == 0
	g.line(ind, "def %s(p, q%s):", f, dflt)
	// Functions read the module's variables but do not assign them, unless global.
	if g.r.IntN(4) == 0 {
		g.line(ind+1, "global %s", pick(g, "a", "b"))
		g.vars = append([]string{"p", "q"}, outer...)
		g.line(ind+1, "%s = %s", pick(g, "a", "b"), g.expr(2))
	}
	g.vars = []string{"p", "q"}
	if g.r.IntN(3) == 0 {
		g.line(ind+1, "loc = %s", g.expr(2))
		g.vars = append(g.vars, "loc")
	}
	funcs := g.funcs
	g.block(ind+1, 4)
	if gen {
		g.line(ind+1, "yield %s", g.expr(1))
		g.line(ind+1, "yield %s", g.expr(1))
	} else {
		g.line(ind+1, "return %s", g.expr(2))
	}
	g.vars, g.inLoop, g.funcs = outer, loops, funcs
	g.inFunc--
	g.funcs = append(g.funcs, f)
	if gen {
		g.line(ind, "print(list(%s(%s, %s)))", f, g.expr(1), g.expr(1))
		g.funcs = g.funcs[:len(g.funcs)-1]
		return
	}
	g.line(ind, "print(%s(%s, %s))", f, g.expr(1), g.expr(1))
}
