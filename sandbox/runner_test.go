package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var testCaller = CallerFunc(func(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "echo":
		return args, nil
	case "fail":
		return nil, &Error{Kind: KindRuntime, Message: "no such collection", Hint: "list them"}
	case "plain":
		return nil, errors.New("plain error")
	case "panic":
		panic("oops")
	case "slow":
		time.Sleep(20 * time.Millisecond)
		return args, nil
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "big":
		return json.Marshal(strings.Repeat("b", maxCallReply+1))
	}
	return nil, fmt.Errorf("no method %s", method)
})

func newTestRunner(t testing.TB, cfg Config) *Runner {
	t.Helper()
	r, err := NewRunner(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func mustRun(t testing.TB, r *Runner, src string, l Limits) Outcome {
	t.Helper()
	out, err := r.Run(context.Background(), Program{Source: src}, l, testCaller)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRun(t *testing.T) {
	r := newTestRunner(t, Config{})
	for _, tt := range []struct {
		src, result string
		kind        Kind
		message     string
	}{
		{src: "return 1", result: "1", kind: KindOK},
		{src: "", kind: KindOK},
		{src: "call echo {\"a\":[1,2]}", result: `{"a":[1,2]}`, kind: KindOK},
		{src: "calls 40 slow 3", result: "[" + strings.TrimSuffix(strings.Repeat("3,", 40), ",") + "]", kind: KindOK},
		{src: "bigcalls 12 3000000", result: "12", kind: KindOK},
		{src: "calltry fail 1", result: `{"kind":"runtime","message":"no such collection","hint":"list them"}`, kind: KindOK},
		{src: "calltry plain 1", result: `{"kind":"host","message":"plain error"}`, kind: KindOK},
		{src: "calltry nosuch 1", result: `{"kind":"host","message":"no method nosuch"}`, kind: KindOK},
		{src: "call panic 1", kind: KindRuntime, message: "internal error in panic"},
		{src: "call big 1", kind: KindRuntime, message: "answer of big"},
		{src: "call UPPER 1", kind: KindRuntime, message: "not a method name"},
		{src: "call echo {", kind: KindRuntime, message: "not valid JSON"},
		{src: "longerror", kind: KindRuntime, message: "\x01\x01"},
		{src: "error syntax", kind: KindSyntax, message: "as asked"},
		{src: "panic now", kind: KindHost, message: "engine_test.go:"},
		{src: "return {", kind: KindRuntime, message: "cannot be returned"},
		{src: "returnsize 2000000", kind: KindOutput, message: "the result is"},
		{src: "print a\x00", kind: KindValidation, message: "NUL"},
		{src: "print \xff", kind: KindValidation, message: "UTF-8"},
		{src: "print \u202e", kind: KindValidation, message: "U+202E"},
		{src: strings.Repeat("x", 300<<10), kind: KindValidation, message: "at most 256 KiB"},
		{src: "env", result: "[]", kind: KindOK},
		{src: "exit 0", kind: KindHost, message: "without a result"},
		{src: "recurse", kind: KindRuntime, message: "too deeply"},
	} {
		out := mustRun(t, r, tt.src, Limits{})
		name := cutUTF8(tt.src, 40)
		if out.Kind != tt.kind || string(out.Result) != tt.result {
			t.Errorf("%q: kind %s result %.200s error %+v; want %s %.200s", name, out.Kind, out.Result, out.Error, tt.kind, tt.result)
			continue
		}
		if tt.message != "" && !strings.Contains(out.Error.Message, tt.message) {
			t.Errorf("%q: message %q, want %q", name, out.Error.Message, tt.message)
		}
		if (out.Error == nil) != (out.Kind == KindOK) {
			t.Errorf("%q: kind %s with error %v", name, out.Kind, out.Error)
		}
	}
}
