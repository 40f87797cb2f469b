package codeapi

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/internal/pylang"
	"github.com/bmcis/bmcis/sandbox"
)

func (r *run) print(text string) {
	r.printed += int64(len(text))
	r.midLine = text != "" && text[len(text)-1] != '\n'
	r.host.Print(text)
}

// listOf is what is left in an iterator.
func listOf(t *starlark.Thread, it *pylang.Iter) (starlark.Value, error) {
	elems, err := pylang.List(t, it)
	if err != nil {
		return nil, err
	}
	return starlark.NewList(elems), nil
}

// tellCut says in the output what was left out of an answer, and gives the whole of it
// to the host to keep, where that keeps things. The note is not worth a run: it is left
// out where it would reach a limit of the program.
func (r *run) tellCut(v starlark.Value, out encoded, l sandbox.Limits) {
	size, kept := "", ""
	whole, err := encodeJSON(r.thread, v, "result", MaxKeepBytes)
	switch {
	case !out.again:
		size = "the result"
	case err != nil:
		size = fmt.Sprintf("the result of more than %d bytes", MaxKeepBytes)
	default:
		size = fmt.Sprintf("the result of %d bytes", len(whole))
		if r.calls < l.HostCalls {
			var k Kept
			if r.askNow(MethodKeep, KeepArgs{Value: whole}, &k) == nil && k.Handle != "" {
				kept = "; " + k.Where()
			}
		}
	}
	note := fmt.Sprintf("[%s was cut to %d bytes; left out: %s%s]\n", size, len(out.json), out.left, kept)
	if r.midLine {
		note = "\n" + note
	}
	if r.printed+int64(len(note)) <= l.OutputBytes {
		r.print(note)
	}
}
