package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bmcis/bmcis/codeapi"
	_ "github.com/bmcis/bmcis/codeapi/child"
	"github.com/bmcis/bmcis/sandbox"
)

// wall is the time limit of a program. Whether one that runs for ever is stopped after
// a second or a minute is the same test; those that must reach another limit get what
// that takes on a slow and busy machine.
func (p program) wall() time.Duration {
	if slices.Contains(p.want, "timeout") {
		return time.Second
	}
	return longWall
}

// memory is the limit of programs that do not ask for more: with less to fill they are
// the same programs, and done sooner. TestMemoryPromise has the default limit.
const memory = 96 << 20

// longWall is more time than a program needs that ends otherwise.
const longWall = 100 * time.Second

// A program with what must become of it.
type program struct {
	class, name string
	source      string
	memory      int64    // limit, if not memory
	want        []string // kinds, any of them
	says        string   // part of the error's message or hint
	result      string   // as JSON
	context     map[string]json.RawMessage
}

// load reads testdata: the first lines of each program are comments that say what
// is expected.
func load(t *testing.T) []program {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	var out []program
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			p := program{class: strings.TrimSuffix(filepath.Base(name), ".txtar"), name: f.Name}
			text := string(f.Data)
			for {
				line, rest, _ := strings.Cut(text, "\n")
				if v, ok := strings.CutPrefix(line, "# want: "); ok {
					p.want = strings.Split(v, "|")
				} else if v, ok := strings.CutPrefix(line, "# says: "); ok {
					p.says = v
				} else if v, ok := strings.CutPrefix(line, "# result: "); ok {
					p.result = v
				} else if v, ok := strings.CutPrefix(line, "# MiB: "); ok {
					if p.memory, err = strconv.ParseInt(v, 10, 64); err != nil {
						t.Fatalf("%s/%s: %v", p.class, p.name, err)
					}
					p.memory <<= 20
				} else if v, ok := strings.CutPrefix(line, "# context: "); ok {
					if err := json.Unmarshal([]byte(v), &p.context); err != nil {
						t.Fatalf("%s/%s: context: %v", p.class, p.name, err)
					}
				} else {
					break
				}
				text = rest
			}
			p.source = text
			for _, k := range p.want {
				if !sandbox.Kind(k).Valid() {
					t.Fatalf("%s/%s: unknown kind %q", p.class, p.name, k)
				}
			}
			out = append(out, p)
		}
	}
	return append(out, generated()...)
}

// generated are programs that cannot be written down in a text file.
func generated() []program {
	var out []program
	add := func(class, name, source string, want ...string) {
		out = append(out, program{class: class, name: name, source: source, want: want})
	}
	rep := strings.Repeat
	fits := 250_000 // bytes, below the limit of a source

	add("bytes", "empty", "", "ok", "syntax", "validation")
	add("bytes", "spaces", "   \n\n\t\n", "ok", "syntax", "validation")
	add("bytes", "comment only", "# nothing\n", "ok", "syntax", "validation")
	add("bytes", "NUL", "x = 1\x00\nimport os", "validation")
	add("bytes", "NUL in string", "x = 'a\x00b'", "validation")
	add("bytes", "invalid UTF-8", "x = '\xff\xfe'", "validation")
	add("bytes", "overlong UTF-8", "x = '\xc0\xaf'", "validation")
	add("bytes", "UTF-8 of a surrogate", "x = '\xed\xa0\x80'", "validation")
	add("bytes", "UTF-16", "\xff\xfei\x00m\x00p\x00o\x00r\x00t\x00", "validation")
	add("bytes", "Latin-1 coding line", "# -*- coding: latin-1 -*-\nx = '\xe9'", "validation")
	add("bytes", "UTF-7 coding line", "# -*- coding: utf-7 -*-\n+AGkAbQBwAG8AcgB0-", "syntax", "validation")
	add("bytes", "BOM", "\ufeffresult = 1", "ok")
	add("bytes", "BOM inside", "x = 1\n\ufeffresult = 1", "syntax", "validation", "ok")
	add("bytes", "CRLF", "x = 1\r\nresult = x\r\n", "ok")
	add("bytes", "CR", "x = 1\rimport os\r", "validation", "syntax")
	add("bytes", "form feed", "x = 1\n\x0cimport os\n", "validation", "syntax")
	add("bytes", "line separator", "# comment\u2028import os\nresult = 1", "ok", "validation", "syntax")
	add("bytes", "bidi override", "x = '\u202e' # \u2066 }import os", "validation")
	add("bytes", "bidi isolate in comment", "# \u2067 hidden\nresult = 1", "validation")
	add("bytes", "escape sequence", "print('\x1b[2J')", "ok", "syntax", "validation")
	add("bytes", "soft hyphen in name", "im\u00adport os", "syntax", "validation")
	add("bytes", "1 MB", "x = 1\n"+rep("# padding padding padding\n", 40_000), "validation")
	add("bytes", "10 MB", rep("x = 1\n", 1_700_000), "validation")
	add("bytes", "just below the limit", rep("#", fits)+"\nresult = 1", "ok")

	add("deep source", "parentheses", rep("(", fits/2)+"1"+rep(")", fits/2), "syntax", "validation")
	add("deep source", "open parentheses", rep("(", fits), "syntax", "validation")
	add("deep source", "brackets", "x = "+rep("[", fits/2-10)+rep("]", fits/2-10), "syntax", "validation")
	add("deep source", "braces", "x = "+rep("{1:", fits/4-10)+"1"+rep("}", fits/4-10), "syntax", "validation")
	add("deep source", "mixed", rep("([{1:", fits/10)+"1"+rep("}])", fits/10), "syntax", "validation")
	add("deep source", "sum", "result = "+rep("1 + ", fits/4-10)+"1", "ok", "syntax", "validation")
	add("deep source", "power", "result = "+rep("1 ** ", fits/5-10)+"1", "ok", "syntax", "validation", "runtime")
	add("deep source", "attributes", "x = 1\nx"+rep(".a", fits/2-10), "syntax", "validation", "runtime")
	add("deep source", "indexes", "x = [1]\nx"+rep("[0]", fits/3-10), "syntax", "validation", "runtime")
	add("deep source", "calls", "print"+rep("()", fits/2-10), "syntax", "validation", "runtime")
	add("deep source", "not", "result = "+rep("not ", fits/4-10)+"True", "ok", "syntax", "validation")
	add("deep source", "minus", "result = "+rep("-", fits-20)+"1", "ok", "syntax", "validation")
	add("deep source", "lambda", "f = "+rep("lambda:", fits/7-10)+"1", "ok", "syntax", "validation")
	add("deep source", "conditional", "result = "+rep("1 if 0 else ", fits/12-10)+"1", "ok", "syntax", "validation")
	add("deep source", "comparison", "result = 1"+rep(" < 2", fits/4-10), "ok", "syntax", "validation")
	add("deep source", "and", "result = True"+rep(" and True", fits/9-10), "ok", "syntax", "validation")
	add("deep source", "strings", "result = len("+rep("'a' ", fits/4-10)+")", "ok", "syntax", "validation")
	add("deep source", "assignments", rep("x = ", fits/4-10)+"1", "ok", "syntax", "validation")
	add("deep source", "elif", "if 0:\n  pass\n"+rep("elif 0:\n  pass\n", fits/16), "ok", "syntax", "validation")
	add("deep source", "statements", rep("x=1\n", fits/4), "ok")
	add("deep source", "semicolons", rep("x=1;", fits/4)+"\n", "ok", "syntax", "validation")
	add("deep source", "functions", rep("def f():pass\n", fits/13), "ok")
	add("deep source", "backslashes", "x = 1"+rep("\\\n", fits/2-10), "ok", "syntax", "validation")
	add("deep source", "decorators", rep("@f\n", fits/3-10)+"def g(): pass", "ok", "syntax", "validation", "runtime")
	add("deep source", "arguments", "print("+rep("1,", fits/2-10)+")", "ok", "syntax", "validation", "runtime", "output")
	add("deep source", "keywords", "dict("+func() string {
		var b strings.Builder
		for i := 0; b.Len() < fits-20; i++ {
			fmt.Fprintf(&b, "a%d=1,", i)
		}
		return b.String()
	}()+")", "ok", "syntax", "validation", "runtime")
	add("deep source", "comprehensions", "x = "+rep("[", 5000)+"1"+rep(" for i in [1]]", 5000), "ok", "syntax", "validation", "runtime")
	add("deep source", "for clauses", "x = [1"+rep(" for i in [1]", fits/14)+"]", "ok", "syntax", "validation", "runtime")
	add("deep source", "f-strings", "x = 1\nresult = "+rep("f'{", 200)+"x"+rep("}'", 200), "ok", "syntax", "validation")
	add("deep source", "f-string braces", "result = f'"+rep("{{", fits/2-20)+"'", "ok", "syntax", "validation")
	add("deep source", "f-string specs", "x = 1\nresult = f'"+rep("{x:", 1000)+rep("}", 1000)+"'", "syntax", "validation", "runtime")
	var b strings.Builder
	for i := range 900 {
		b.WriteString(rep(" ", i) + "if 1:\n")
		if b.Len() > fits-2000 {
			break
		}
	}
	add("deep source", "if", b.String()+rep(" ", 901)+"x = 1\n", "ok", "syntax", "validation")
	b.Reset()
	for i := range 400 {
		b.WriteString(rep(" ", i) + "def f():\n")
	}
	add("deep source", "def", b.String()+rep(" ", 401)+"pass\n", "ok", "syntax", "validation")
	b.Reset()
	for i := range 400 {
		b.WriteString(rep(" ", i) + "try:\n")
	}
	add("deep source", "try", b.String(), "syntax", "validation")
	add("deep source", "integer literal", "x = "+rep("9", fits-10), "syntax", "validation", "runtime", "ok")
	add("deep source", "hex literal", "x = 0x"+rep("f", fits-10), "syntax", "validation", "runtime", "ok")
	add("deep source", "float literal", "x = 1e"+rep("9", fits-10), "syntax", "validation", "runtime", "ok")
	add("deep source", "long name", rep("a", fits-10)+" = 1", "ok", "syntax", "validation")
	add("deep source", "long unknown name", rep("a", fits-10), "syntax", "validation")
	add("deep source", "many unknown names", func() string {
		var b strings.Builder
		for i := 0; b.Len() < fits-20; i++ {
			fmt.Fprintf(&b, "unknown%d\n", i)
		}
		return b.String()
	}(), "validation", "timeout")
	add("deep source", "many imports", rep("import os\n", fits/10), "validation")
	add("deep source", "long string", "result = len('"+rep("a", fits-30)+"')", "ok")
	add("deep source", "fences", "```python\n"+rep("```\n", fits/4-10), "syntax", "validation", "ok")
	add("deep source", "global", "def f():\n  global "+rep("a,", fits/2-20)+"a\n", "ok", "syntax", "validation")
	add("deep source", "match", "match 1:\n"+rep("  case 2: pass\n", fits/15-10), "ok", "syntax", "validation")
	add("deep source", "patterns", "match 1:\n  case "+rep("[", 10000)+rep("]", 10000)+": pass\n", "syntax", "validation")
	add("deep source", "unpacking", rep("(a,", 10000)+rep(")", 10000)+" = 1", "syntax", "validation")
	return out
}

// fakeHost answers as codeapi/host does, without a database.
func fakeHost(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error) {
	hits := func(n int) codeapi.SearchReply {
		r := codeapi.SearchReply{Collection: "default"}
		for i := range n {
			r.Hits = append(r.Hits, codeapi.Hit{ID: fmt.Sprint("c", i), DocumentID: fmt.Sprint("d", i), Title: "title",
				Source: "test", Content: "some text", Whole: true, Score: 1 / float64(i+1)})
		}
		return r
	}
	switch method {
	case codeapi.MethodHybrid, codeapi.MethodLexical, codeapi.MethodVector:
		var a codeapi.SearchArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		switch a.Query {
		case "slow":
			<-ctx.Done()
			return nil, ctx.Err()
		case "fail":
			return nil, &sandbox.Error{Kind: sandbox.KindRuntime, Message: "failed as asked"}
		}
		return json.Marshal(hits(3))
	case codeapi.MethodBatch:
		var a codeapi.BatchArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		var r codeapi.BatchReply
		for range a.Queries {
			h := hits(3)
			r.Replies = append(r.Replies, codeapi.BatchAnswer{SearchReply: &h})
		}
		return json.Marshal(r)
	}
	return nil, &sandbox.Error{Kind: sandbox.KindValidation, Message: "no such thing: " + method}
}

// Every program ends in its outcome in time; the host stays as it was, and the next
// program is served at once.
func TestHostile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("full confinement is Linux only")
	}
	programs := load(t)
	t.Logf("%d programs", len(programs))
	r, err := sandbox.NewRunner(sandbox.Config{Slots: 8, Spares: 4, Limits: sandbox.Limits{MemoryBytes: memory, Wall: longWall, CPU: longWall}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	only := os.Getenv("HOSTILE") // part of a name, to look at one
	var mu sync.Mutex
	var late []program // beside others; each is held to its time once more, alone
	// Those that end by the clock run many at a time, the others, which want a
	// processor, as many as there are.
	endless := func(p program) bool { return len(p.want) == 1 && p.want[0] == "timeout" }
	for _, group := range []string{"endless", "programs"} {
		t.Run(group, func(t *testing.T) {
			room := make(chan struct{}, 8)
			if group == "programs" {
				room = make(chan struct{}, runtime.GOMAXPROCS(0))
			}
			var all sync.WaitGroup
			defer all.Wait()
			for i, p := range programs {
				name := p.class + "/" + p.name
				if endless(p) != (group == "endless") || !strings.Contains(name, only) || testing.Short() && i%7 != 0 {
					continue
				}
				room <- struct{}{}
				all.Go(func() {
					defer func() { <-room }()
					fate, err := hostile(r, p)
					if testing.Verbose() {
						t.Logf("%s: %s", name, fate)
					}
					if errors.Is(err, errLate) {
						mu.Lock()
						late = append(late, p)
						mu.Unlock()
					} else if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
		})
	}
	for _, p := range late {
		if _, err := hostile(r, p); err != nil {
			t.Errorf("%s/%s, alone: %v", p.class, p.name, err)
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 50<<20 {
		t.Errorf("the host's heap is %d MiB", m.HeapAlloc>>20)
	}
}

// errLate marks a program that ended later than a second beyond its limit.
var errLate = errors.New("late")

// hostile runs one program and tells its fate, and what is wrong with that.
func hostile(r *sandbox.Runner, p program) (fate string, err error) {
	out, err := r.Run(context.Background(), sandbox.Program{Source: p.source, Name: p.name, Context: sandbox.RawContext(p.context)},
		sandbox.Limits{Wall: p.wall(), MemoryBytes: p.memory}, sandbox.CallerFunc(fakeHost))
	if err != nil {
		return "", err
	}
	message, hint := "", ""
	if out.Error != nil {
		message, hint = out.Error.Message, out.Error.Hint
	}
	fate = fmt.Sprintf("%s after %v, %d MiB: %.200s (%.100s) result %.100s", out.Kind, out.Duration.Round(time.Millisecond),
		out.Usage.MemoryBytes>>20, message, hint, out.Result)
	found := false
	for _, k := range p.want {
		found = found || k == string(out.Kind)
	}
	switch {
	case !found:
		return fate, fmt.Errorf("want %s: %s", strings.Join(p.want, " or "), fate)
	case p.says != "" && !strings.Contains(message+hint, p.says):
		return fate, fmt.Errorf("says %q %q, want %q", message, hint, p.says)
	case p.result != "" && string(out.Result) != p.result:
		return fate, fmt.Errorf("result %.100s, want %s", out.Result, p.result)
	case strings.Contains(string(out.Result), "survived"):
		return fate, fmt.Errorf("a limit was caught: %s", out.Result)
	case out.Duration > p.wall()+time.Second:
		return fate, fmt.Errorf("%w: took %v", errLate, out.Duration)
	case out.Usage.MemoryBytes > max(p.memory, memory)*9/8+160<<20:
		return fate, fmt.Errorf("peak memory %d MiB", out.Usage.MemoryBytes>>20)
	case len(message) > 6<<10:
		return fate, fmt.Errorf("message of %d bytes", len(message))
	}
	if out.Kind == sandbox.KindValidation || out.Kind == sandbox.KindSyntax {
		return fate, nil // it has not run; the next hostile one is the next program
	}
	out, err = r.Run(context.Background(), sandbox.Program{Source: "result = 1 + 1"}, sandbox.Limits{}, nil)
	if err != nil || out.Kind != sandbox.KindOK || string(out.Result) != "2" {
		return fate, fmt.Errorf("the next program: %s %s %v", out.Kind, out.Result, err)
	}
	return fate, nil
}
