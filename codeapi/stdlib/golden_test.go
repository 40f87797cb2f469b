package stdlib_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/sandbox"
)

// helpers are the functions that the golden expressions use besides the library.
const helpers = `
import base64, bisect, collections, copy, datetime, functools, hashlib, heapq, itertools, json, math, operator
import random, re, statistics, string, textwrap, urllib.parse
import difflib, pprint, unicodedata

def message(f):
    try:
        f()
        return "no error"
    except Exception as e:
        return str(e)

def seeded(s, f):
    random.seed(s)
    return f()

def shuffled(xs):
    random.shuffle(xs)
    return xs

def rotated(xs, n):
    d = collections.deque(xs)
    d.rotate(n)
    return list(d)

def span(m):
    return m and (m.span(), m.groups())

out = []
`

type noHost struct{}

func (noHost) Print(string) {}
func (noHost) Call(method string, _ json.RawMessage) (json.RawMessage, error) {
	return nil, &sandbox.Error{Kind: sandbox.KindHost, Message: "no call of " + method + " is expected"}
}
func (h noHost) Start(method string, args json.RawMessage) func() (json.RawMessage, error) {
	return func() (json.RawMessage, error) { return h.Call(method, args) }
}

// TestGolden compares thousands of calls with what CPython gave for them; see
// testdata/golden.py. Calls on which a module is allowed to differ are listed in
// allowed, by a part of their text.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d golden files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			bad := 0
			for start := 0; start < len(lines); start += 200 {
				bad += compare(t, lines[start:min(start+200, len(lines))])
			}
			t.Logf("%d of %d calls differ", bad, len(lines))
		})
	}
}

func compare(t *testing.T, lines []string) (bad int) {
	t.Helper()
	got, err := evaluate(lines)
	if err != nil { // find the line that does not even compile
		for _, l := range lines {
			one, err := evaluate([]string{l})
			if err != nil {
				one = []string{"?" + err.Error()}
			}
			bad += judge(t, l, one[0])
		}
		return bad
	}
	for i, l := range lines {
		bad += judge(t, l, got[i])
	}
	return bad
}

func evaluate(lines []string) ([]string, error) {
	var b strings.Builder
	b.WriteString(helpers)
	for _, l := range lines {
		expr, _, _ := strings.Cut(l, "\t")
		fmt.Fprintf(&b, "try:\n    out.append(repr(%s))\nexcept Exception as e:\n    out.append('!' + type(e).__name__)\n", expr)
	}
	b.WriteString("__result__ = out\n")
	limits := sandbox.DefaultLimits()
	limits.ResultBytes = 16 << 20
	res := codeapi.Engine(context.Background(), sandbox.Program{Source: b.String()}, limits, noHost{})
	if res.Error != nil {
		return nil, res.Error
	}
	var out []string
	err := json.Unmarshal(res.Result, &out)
	return out, err
}

func judge(t *testing.T, line, got string) int {
	t.Helper()
	expr, want, _ := strings.Cut(line, "\t")
	got = strings.ReplaceAll(got, "\n", "\\n")
	// Exceptions of modules carry the module in their name here.
	if i := strings.LastIndexByte(got, '.'); strings.HasPrefix(got, "!") && i > 0 {
		got = "!" + got[i+1:]
	}
	if got == want || allowed(expr, want, got) {
		return 0
	}
	t.Errorf("%s\n got  %s\n want %s", expr, got, want)
	return 1
}
