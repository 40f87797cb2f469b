package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bmcis/bmcis/sandbox/internal/early"
)

// IsChild reports whether this process was started to run one program.
func IsChild() bool { return early.Stage == 2 }

// ChildMain runs one program with e and ends the process. In a process that is
// not a child it returns at once, so that a hook is one line:
//
//	func init() { sandbox.ChildMain(engine) }
func ChildMain(e Engine) {
	if !IsChild() {
		return
	}
	os.Exit(childMain(e, os.Stdin, os.Stdout))
}

// Exit codes of a child that ends by itself. The parent does not depend on them.
const (
	exitDone     = 0
	exitProtocol = 3 // the parent's frames make no sense
	exitOrphan   = 4 // the parent is gone
)

func childMain(e Engine, in io.Reader, out io.Writer) int {
	debug.SetTraceback("none")
	debug.SetMaxStack(64 << 20)
	runtime.GOMAXPROCS(1)
	// The runtime opens its poller at the first timer, which is too late once
	// descriptors cannot be made.
	time.AfterFunc(time.Hour, func() {}).Stop()

	c := &childHost{
		w:       &frameWriter{w: out},
		pending: map[uint32]*pendingCall{},
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	base, layers, missing := confine()
	hello, err := json.Marshal(helloMsg{Protocol: protocolVersion, Layers: layers, Missing: missing})
	if err != nil {
		return exitProtocol
	}
	if err := c.w.write(frameHello, hello); err != nil {
		return exitOrphan
	}

	r := bufio.NewReaderSize(in, 16<<10)
	p, l, probe, err := readRun(r)
	if err != nil {
		if errors.Is(err, io.EOF) {
			return exitOrphan
		}
		fmt.Fprintln(os.Stderr, "sandbox child:", err)
		return exitProtocol
	}
	if probe {
		e = probeEngine
	}
	c.limits = l
	if err := limitRun(base, l); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox child: set the limits of the run:", err)
		return exitProtocol
	}
	if err := c.w.write(frameStarted); err != nil {
		return exitOrphan
	}
	go c.readReplies(r)
	go c.monitor()

	done := make(chan EngineResult, 1)
	go func() {
		done <- runEngine(e, c, p)
	}()
	var res EngineResult
	select {
	case res = <-done:
	case <-c.ctx.Done():
		select {
		case res = <-done:
		case <-time.After(engineGrace):
			res = EngineResult{Steps: c.steps.Load()}
		}
	}
	// A limit that was reached is the outcome, whatever the program made of it.
	if stopped := Stopped(c.ctx); stopped != nil {
		at := res.Error
		res = EngineResult{Error: stopped, Steps: res.Steps}
		if at != nil && at.Line > 0 {
			withPlace := *stopped
			withPlace.Line, withPlace.Column = at.Line, at.Column
			res.Error = &withPlace
		}
	}
	c.send(res)
	// Stay until the parent has read our peak memory; its end of the pipe closes.
	c.waitForParent()
	return exitDone
}

// runEngine turns a panic of the engine into an error of ours.
func runEngine(e Engine, c *childHost, p Program) (res EngineResult) {
	defer func() {
		if v := recover(); v != nil {
			res = EngineResult{Error: &Error{Kind: KindHost,
				Message: fmt.Sprintf("internal error of the sandbox engine: %.200v (%s)", v, panicPlace()),
				Hint:    "this is a fault of BMCIS, not of the program; please report it"}}
		}
	}()
	return e(c.ctx, p, c.limits, c)
}

// panicPlace names the function and line that panicked, for the bug report. It is
// called from the deferred function that recovered.
func panicPlace() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s, %s:%d", f.Function[strings.LastIndexByte(f.Function, '/')+1:], filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown place"
		}
	}
}

// readRun waits for the program.
func readRun(r io.Reader) (p Program, l Limits, probe bool, err error) {
	skipped := 0
	for {
		typ, payload, err := readFrame(r, func(typ byte) int {
			switch {
			case typ == frameRun:
				return 2*maxContext + maxSource
			case typ >= frameSkippable:
				return maxSkippable
			}
			return -1
		})
		if err != nil {
			return p, l, false, err
		}
		if typ >= frameSkippable {
			if skipped += len(payload) + frameHeader; skipped > maxSkippableTotal {
				return p, l, false, violation("%d bytes of frames to skip", skipped)
			}
			continue
		}
		var m runMsg
		src, err := decodeHeaded(payload, &m)
		if err != nil {
			return p, l, false, err
		}
		p = Program{Source: string(src), Name: m.Name, ValidateOnly: m.ValidateOnly}
		if len(m.Context) > 0 {
			// Each value stays as it was written: the engine keeps the order of keys
			// and the digits of numbers.
			var values map[string]json.RawMessage
			if err := json.Unmarshal(m.Context, &values); err != nil {
				return p, l, false, violation("context: %v", err)
			}
			p.Context = make(map[string]any, len(values))
			for name, v := range values {
				p.Context[name] = v
			}
		}
		return p, m.Limits, m.Probe, nil
	}
}
