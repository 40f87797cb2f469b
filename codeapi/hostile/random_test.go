package hostile

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bmcis/bmcis/sandbox"
)

// words from which random programs are made.
var words = strings.Fields(`if else elif for while in not and or is def class return yield lambda try except finally raise
	import from as with async await global del assert pass break continue match case None True False
	x y z i n s self print len range list dict set str int float sorted sum max min map filter zip enumerate json re math
	search hybrid_search results asyncio gather open eval __class__ __import__ result attempt
	0 1 -1 2 10 100 1000 10**6 1<<20 1e308 0x10 'a' "b" f'{x}' f'{x:10}' r'\d' b'c' '' 'é' '%s' '{}'
	( ) [ ] { } , : ; . = == != < > <= >= + - * / // % ** @ & | ^ ~ << >> := -> += *= **= ... # \ ` + "`")

// randomProgram makes a soup of words, or lines of hostile programs mixed, or one
// of these with bytes changed.
func randomProgram(r *rand.Rand, lines []string) string {
	var b strings.Builder
	switch r.IntN(6) {
	case 0, 1, 2:
		// Names have values and errors are caught, so that most of it runs.
		b.WriteString("x, y, z, n = 3, [1, 2], {'a': 1}, 'text'\n")
		for range 1 + r.IntN(8) {
			b.WriteString("try:\n")
			statement(&b, r, "    ", 0)
			b.WriteString("except Exception:\n    pass\n")
		}
		return b.String()
	case 3:
		for range 1 + r.IntN(60) {
			b.WriteString(words[r.IntN(len(words))])
			switch r.IntN(6) {
			case 0:
				b.WriteString("\n" + strings.Repeat("    ", r.IntN(3)))
			case 1:
			default:
				b.WriteByte(' ')
			}
		}
	default:
		for range 1 + r.IntN(12) {
			b.WriteString(lines[r.IntN(len(lines))])
			b.WriteByte('\n')
		}
	}
	p := []byte(b.String())
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(5) {
			switch i := r.IntN(len(p)); r.IntN(3) {
			case 0:
				p[i] = byte(32 + r.IntN(95))
			case 1:
				p = append(p[:i], p[i+1:]...)
			case 2:
				p = append(p[:i], append([]byte(words[r.IntN(len(words))]), p[i:]...)...)
			}
			if len(p) == 0 {
				break
			}
		}
	}
	return string(p)
}

// statement writes one statement, indented.
func statement(b *strings.Builder, r *rand.Rand, indent string, depth int) {
	block := func() {
		for range 1 + r.IntN(3) {
			statement(b, r, indent+"    ", depth+1)
		}
	}
	kind := r.IntN(12)
	if depth > 3 {
		kind %= 5
	}
	name := []string{"x", "y", "z", "n"}[r.IntN(4)]
	b.WriteString(indent)
	switch kind {
	case 0, 1:
		b.WriteString(name + " = " + expression(r, 0) + "\n")
	case 2:
		b.WriteString(name + []string{" += ", " *= ", " -= ", " //= ", " %= "}[r.IntN(5)] + expression(r, 0) + "\n")
	case 3:
		b.WriteString("print(" + expression(r, 0) + ")\n")
	case 4:
		b.WriteString("result = " + expression(r, 0) + "\n")
	case 5:
		b.WriteString("for x in " + expression(r, 1) + ":\n")
		block()
	case 6:
		b.WriteString("while " + expression(r, 1) + ":\n")
		block()
	case 7:
		b.WriteString("if " + expression(r, 1) + ":\n")
		block()
		b.WriteString(indent + "else:\n")
		block()
	case 8:
		b.WriteString("try:\n")
		block()
		b.WriteString(indent + []string{"except Exception as e", "except", "finally", "except (TypeError, ValueError)"}[r.IntN(4)] + ":\n")
		block()
	case 9:
		b.WriteString("def f(x, *a, y=1, **k):\n" + indent + "    global z, n\n")
		block()
		b.WriteString(indent + "    return " + expression(r, 1) + "\n" + indent + "x = f(" + expression(r, 1) + ")\n")
	case 10:
		b.WriteString("class A:\n" + indent + "    def __init__(self, v):\n" + indent + "        self.v = v\n" + indent + "x = A(" + expression(r, 1) + ").v\n")
	case 11:
		b.WriteString("y = search.hybrid_search(str(" + expression(r, 1) + "), top_k=" + expression(r, 2) + ")\n")
	}
}

// expression returns one expression.
func expression(r *rand.Rand, depth int) string {
	e := func() string { return expression(r, depth+1) }
	kind := r.IntN(22)
	if depth > 3 {
		kind %= 6
	}
	switch kind {
	case 0, 1, 2:
		return []string{"x", "y", "z", "n"}[r.IntN(4)]
	case 3:
		return []string{"0", "1", "-1", "7", "1000", "10 ** 9", "2.5", "1e308", "1 << 62"}[r.IntN(9)]
	case 4:
		return []string{"''", "'ab'", "'é'", "'%s'", "'{}'", "b'x'"}[r.IntN(6)]
	case 5:
		return []string{"None", "True", "False", "[]", "{}", "()", "set()"}[r.IntN(7)]
	case 6, 7, 8:
		return "(" + e() + " " + []string{"+", "-", "*", "/", "//", "%", "**", "<<", "|", "&"}[r.IntN(10)] + " " + e() + ")"
	case 9:
		return "(" + e() + " " + []string{"==", "<", ">=", "!=", "in", "not in", "is", "and", "or"}[r.IntN(9)] + " " + e() + ")"
	case 10:
		return "[" + e() + ", " + e() + "]"
	case 11:
		return "{" + e() + ": " + e() + "}"
	case 12:
		return "(" + e() + ")[" + e() + "]"
	case 13:
		return "(" + e() + ")[" + e() + ":" + e() + "]"
	case 14, 15, 16:
		f := []string{"len", "list", "str", "int", "float", "sorted", "sum", "max", "min", "range", "set", "tuple", "dict", "repr", "abs",
			"reversed", "enumerate", "any", "all", "type", "hash", "bool", "round", "chr", "ord", "hex", "bin"}
		return f[r.IntN(len(f))] + "(" + e() + ")"
	case 17:
		m := []string{"upper()", "split()", "join(y)", "format(x)", "append(x)", "pop()", "keys()", "items()", "get(x)", "replace('a', n)", "sort()",
			"encode()", "strip()", "copy()", "index(x)", "count(x)", "zfill(x)", "center(x)", "extend(y)", "update(z)"}
		return "(" + e() + ")." + m[r.IntN(len(m))]
	case 18:
		return "[" + e() + " for x in " + e() + "]"
	case 19:
		return "(lambda x: " + e() + ")(" + e() + ")"
	case 20:
		return "(" + e() + " if " + e() + " else " + e() + ")"
	}
	return "f'{(" + strings.NewReplacer("'", "\"", "\\", "", "{", "[", "}", "]", ":", ",").Replace(expression(r, 4)) + ")}'"
}

// Programs made at random end in a verdict on the program, never in a fault of
// ours. HOSTILE_RANDOM is how many (default 150), HOSTILE_SEED where to begin.
func TestRandomPrograms(t *testing.T) {
	n, seed := 150, uint64(1)
	if v, err := strconv.Atoi(os.Getenv("HOSTILE_RANDOM")); err == nil {
		n = v
	}
	if v, err := strconv.ParseUint(os.Getenv("HOSTILE_SEED"), 10, 64); err == nil {
		seed = v
	}
	if testing.Short() {
		n = min(n, 30)
	}
	var lines []string
	for _, p := range load(t) {
		if len(p.source) < 2000 {
			lines = append(lines, strings.Split(strings.TrimSpace(p.source), "\n")...)
		}
	}
	r, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var mu sync.Mutex
	kinds := map[sandbox.Kind]int{}
	var wg sync.WaitGroup
	next := make(chan uint64)
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for s := range next {
				source := randomProgram(rand.New(rand.NewPCG(s, 3)), lines)
				out, err := r.Run(context.Background(), sandbox.Program{Source: source},
					sandbox.Limits{Wall: 500 * time.Millisecond, MemoryBytes: 128 << 20}, sandbox.CallerFunc(fakeHost))
				if err != nil || out.Kind == sandbox.KindHost || !out.Kind.Valid() {
					t.Errorf("seed %d: %s %v %+v\n%s", s, out.Kind, err, out.Error, source)
				}
				if out.Duration > 1500*time.Millisecond {
					t.Errorf("seed %d took %v", s, out.Duration)
				}
				mu.Lock()
				kinds[out.Kind]++
				mu.Unlock()
			}
		}()
	}
	for i := range n {
		next <- seed + uint64(i)
	}
	close(next)
	wg.Wait()
	t.Logf("%d programs from seed %d: %v", n, seed, kinds)
	out, err := r.Run(context.Background(), sandbox.Program{Source: "result = 1 + 1"}, sandbox.Limits{}, nil)
	if err != nil || string(out.Result) != "2" {
		t.Errorf("afterwards: %s %v", out.Kind, err)
	}
}
