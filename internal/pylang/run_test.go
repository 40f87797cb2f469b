package pylang_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/pylang"
	"go.starlark.net/starlark"
)

// outcome is what a program printed, answered, and how it ended.
type outcome struct {
	out      string
	result   starlark.Value
	err      error
	problems []pylang.Problem
	thread   *starlark.Thread
}

func run(src string, cfg pylang.Config) (o outcome) {
	var sb strings.Builder
	cfg.Print = func(s string) { sb.WriteString(s) }
	p, problems := pylang.Compile(src, cfg)
	if problems != nil {
		return outcome{problems: problems}
	}
	o.thread = &starlark.Thread{Name: "test"}
	o.thread.SetMaxExecutionSteps(20_000_000)
	o.result, o.err = p.Run(o.thread)
	o.out = sb.String()
	return o
}

// text is the outcome as goldens have it: output, then how it ended.
func (o outcome) text() string {
	var sb strings.Builder
	for _, p := range o.problems {
		fmt.Fprintf(&sb, "%s %d:%d: %s", p.Kind, p.Line, p.Column, p.Message)
		if p.Hint != "" {
			fmt.Fprintf(&sb, " [%s]", p.Hint)
		}
		sb.WriteByte('\n')
	}
	sb.WriteString(o.out)
	if o.err != nil {
		var e *pylang.Exception
		if errors.As(o.err, &e) {
			fmt.Fprintf(&sb, "line %d: %s\n", e.Line, e.Error())
		} else {
			fmt.Fprintf(&sb, "%v\n", o.err)
		}
	}
	return sb.String()
}

// TestTry runs the program named by PYLANG_TRY, for work on the front end.
func TestTry(t *testing.T) {
	name := os.Getenv("PYLANG_TRY")
	if name == "" {
		t.Skip("PYLANG_TRY names no program")
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	o := run(string(src), pylang.Config{})
	fmt.Print(o.text())
	if o.result != nil {
		fmt.Println("RESULT", o.result)
	}
}
