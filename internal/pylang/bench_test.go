package pylang_test

import (
	"os"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/pylang"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The same loops under the front end and under plain go.starlark.net. Each is
// valid in both languages.
var loops = map[string]string{
	"arith": `
def f():
    total = 0
    for i in range(200000):
        if i % 3 == 0 or i % 5 == 0:
            total += i * 2 - 1
    return total
x = f()
`,
	"fib": `
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
x = fib(20)
`,
	"sieve": `
def sieve(n):
    flags = [True] * (n + 1)
    flags[0] = False
    flags[1] = False
    i = 2
    while i * i <= n:
        if flags[i]:
            for j in range(i * i, n + 1, i):
                flags[j] = False
        i += 1
    count = 0
    for k in range(n + 1):
        if flags[k]:
            count += 1
    return count
x = sieve(50000)
`,
	"bubble": `
def bubble(a):
    n = len(a)
    for i in range(n):
        for j in range(n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a
x = bubble([(k * 7919) % 1009 for k in range(300)])
`,
	"float": `
def f():
    x = 0.5
    n = 0
    for i in range(100000):
        x = 3.7 * x * (1.0 - x)
        if x > 0.5:
            n += 1
    return n
x = f()
`,
	"dict": `
def f():
    counts = {}
    for i in range(100000):
        k = "k" + str(i % 100)
        if k in counts:
            counts[k] += 1
        else:
            counts[k] = 1
    return len(counts)
x = f()
`,
	"list": `
def f():
    out = []
    for i in range(100000):
        out.append(i * i)
    s = 0
    for v in out:
        s += v
    return s
x = f()
`,
	"string": `
def f():
    n = 0
    for i in range(30000):
        parts = "a,b,c,d".split(",")
        n += len("-".join(parts))
    return n
x = f()
`,
	"toplevel": `
total = 0
for i in range(100000):
    if i % 2 == 0:
        total += i
    else:
        total -= 1
`,
}

func BenchmarkLoops(b *testing.B) {
	for name, src := range loops {
		b.Run(name+"/front", func(b *testing.B) {
			for range b.N {
				if o := run(src, pylang.Config{}); o.err != nil || o.problems != nil {
					b.Fatal(o.text())
				}
			}
		})
		b.Run(name+"/plain", func(b *testing.B) {
			opts := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
			for range b.N {
				if _, err := starlark.ExecFileOptions(opts, &starlark.Thread{}, "x", src, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSpeed compares the best of several runs of each loop with the best of
// plain go.starlark.net. PYLANG_SPEED=1 asks for it; the figure varies with the
// load of the machine.
func TestSpeed(t *testing.T) {
	if os.Getenv("PYLANG_SPEED") == "" {
		t.Skip("PYLANG_SPEED is not set: timing needs a quiet machine")
	}
	opts := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
	for name, src := range loops {
		front, plain := time.Hour, time.Hour
		for range 15 {
			start := time.Now()
			if o := run(src, pylang.Config{}); o.err != nil {
				t.Fatal(o.text())
			}
			front = min(front, time.Since(start))
			start = time.Now()
			if _, err := starlark.ExecFileOptions(opts, &starlark.Thread{}, "x", src, nil); err != nil {
				t.Fatal(err)
			}
			plain = min(plain, time.Since(start))
		}
		speed := float64(plain) / float64(front)
		t.Logf("%-10s front %7.2f ms, plain %7.2f ms, speed %.2f", name, front.Seconds()*1e3, plain.Seconds()*1e3, speed)
		if speed < 0.7 {
			t.Errorf("%s runs at %.2f of the plain speed, want at least 0.7", name, speed)
		}
	}
}
