package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// errNotStarted says that the child died before it had the program, so that
// another child may run it.
var errNotStarted = errors.New("the child ended before the program started")

// A session is one run on one child, seen from the parent. The states: the child
// has said hello; the program is sent; the child says that it has started; print
// and call frames come in any number; one result ends it. Everything else ends the child.
type session struct {
	c      *child
	p      Program
	l      Limits
	caller Caller

	ctx    context.Context // of the host calls
	cancel context.CancelFunc
	calls  sync.WaitGroup
	flying atomic.Int64 // host calls under way
	held   atomic.Int64 // bytes of their arguments

	mu     sync.Mutex
	reason *Error // why we killed the child

	peak    atomic.Int64
	begun   bool // the child has the program
	made    int
	bytes   int64
	output  strings.Builder
	line    strings.Builder
	cut     bool
	skipped int
}

// stop kills the child for the reason e. The first reason counts.
func (s *session) stop(e *Error) {
	s.mu.Lock()
	if s.reason == nil {
		s.reason = e
	}
	s.mu.Unlock()
	s.c.kill()
	s.cancel()
	// What is already in the pipe is still read; nothing can hold us longer.
	_ = s.c.out.SetReadDeadline(time.Now().Add(2 * time.Second))
}

func (s *session) stopped() *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

// run sends the program and reads until the end of the child.
func (s *session) run(ctx context.Context, run []byte) (Outcome, error) {
	start := time.Now()
	s.ctx, s.cancel = context.WithCancel(ctx)
	defer s.cancel()

	// The child ends itself, with a better message, a little earlier.
	timer := time.AfterFunc(s.l.Wall+killGrace, func() { s.stop(errWall(s.l.Wall)) })
	defer timer.Stop()
	unhook := context.AfterFunc(ctx, func() { s.stop(givenUp(ctx)) })
	defer unhook()
	watched := make(chan struct{})
	defer close(watched)
	go s.watchMemory(watched)

	go s.c.w.write(frameRun, run, []byte(s.p.Source))

	res, err := s.read()
	if res == nil && !s.begun && s.stopped() == nil && !errors.Is(err, errProtocol) {
		// It was dead already, or died before it had the program.
		s.c.kill()
		state := s.c.wait()
		err := fmt.Errorf("sandbox: %w (%v) %s", errNotStarted, state, cutUTF8(s.c.stderr(), 300))
		s.c.close()
		return Outcome{}, err
	}
	duration := time.Since(start)
	if _, peak := s.c.memory(); peak > 0 {
		s.peak.Store(max(s.peak.Load(), peak))
	}
	s.c.kill()
	s.cancel()
	state := s.c.wait()
	s.flushLine()
	s.waitCalls()

	out := Outcome{
		Output: s.output.String(), Truncated: s.cut, Duration: duration, Layers: s.c.hello.Layers,
		Usage: Usage{MemoryBytes: s.peak.Load(), HostCalls: s.made, BytesOut: s.bytes},
	}
	if state != nil {
		out.Usage.CPU = state.UserTime() + state.SystemTime()
	}
	if res != nil && res.Error != nil && ctx.Err() != nil {
		// A host call failed because the caller went, and the program with it, before
		// the child was stopped.
		res.Error = givenUp(ctx)
	}
	if res != nil {
		s.finish(&out, res)
	} else {
		out.Error = s.diagnose(err, state, out.Usage.CPU)
		out.Kind = out.Error.Kind
	}
	if out.Kind == KindOutput {
		out.Truncated = true
	}
	s.c.close()
	return out, nil
}

// givenUp is why a run ends whose context has ended.
func givenUp(ctx context.Context) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Message: "the caller's deadline passed while the program ran",
			Hint: "do less in one run, or ask for a longer timeout"}
	}
	return &Error{Kind: KindCancelled, Message: "the run was cancelled by its caller"}
}

// A childResult is the result frame, taken apart.
type childResult struct {
	resultMsg
	result, report json.RawMessage
}

// read handles frames until the result, the end of the child, or a violation.
func (s *session) read() (*childResult, error) {
	for {
		typ, payload, err := readFrame(s.c.r, s.limit)
		if err != nil {
			return nil, err
		}
		s.bytes += int64(len(payload) + frameHeader)
		switch {
		case typ >= frameSkippable:
			if s.skipped += len(payload) + frameHeader; s.skipped > maxSkippableTotal {
				return nil, violation("%d bytes of frames to skip", s.skipped)
			}
		case typ == frameStarted:
			if s.begun {
				return nil, violation("started twice")
			}
			s.begun = true
		case !s.begun:
			return nil, violation("frame type 0x%02x before the start", typ)
		case typ == framePrint:
			if err := s.print(payload); err != nil {
				return nil, err
			}
		case typ == frameCall:
			if err := s.call(payload); err != nil {
				return nil, err
			}
		case typ == frameResult:
			return s.result(payload)
		}
	}
}

func (s *session) limit(typ byte) int {
	switch {
	case typ == frameStarted:
		return 0
	case typ == framePrint:
		return printChunk
	case typ == frameCall:
		return maxCallArgs + frameHeader + maxMethodName
	case typ == frameResult:
		// A message and a hint, each byte of which JSON may write as six.
		return int(s.l.ResultBytes) + maxReport + 2*6*maxMessage + 4<<10
	case typ >= frameSkippable:
		return maxSkippable
	}
	return -1
}

func (s *session) print(text []byte) error {
	room := int(s.l.OutputBytes) - s.output.Len()
	if len(text) > room {
		// The child stops by itself at the limit; this one did not.
		s.emit(cutUTF8(string(text), room))
		s.cut = true
		s.stop(errOutput(s.l.OutputBytes))
		return io.EOF
	}
	s.emit(string(text))
	return nil
}

// emit keeps text and passes on the lines that it completes.
func (s *session) emit(text string) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	s.output.WriteString(text)
	if s.p.Output == nil {
		return
	}
	for {
		head, tail, ok := strings.Cut(text, "\n")
		s.line.WriteString(head)
		if !ok {
			return
		}
		s.p.Output(s.line.String())
		s.line.Reset()
		text = tail
	}
}

// flushLine passes on what was printed after the last newline.
func (s *session) flushLine() {
	if s.line.Len() > 0 {
		s.p.Output(s.line.String())
		s.line.Reset()
	}
}

// call answers a host call in a goroutine of its own. The child keeps no more than
// maxInFlight under way.
func (s *session) call(payload []byte) error {
	id, method, args, err := decodeCall(payload)
	if err != nil {
		return err
	}
	if s.made++; s.made > s.l.HostCalls {
		s.stop(errCalls(s.l.HostCalls))
		return io.EOF
	}
	if id != uint32(s.made) {
		return violation("call has number %d, want %d", id, s.made)
	}
	if err := checkJSON(args); err != nil {
		return violation("arguments of %s: %v", method, err)
	}
	n, held := s.flying.Add(1), s.held.Add(int64(len(args)))
	if n > maxInFlight || n > 1 && held > maxFlying {
		return violation("%d calls with %d bytes at once", n, held)
	}
	s.calls.Add(1)
	go func() {
		defer s.calls.Done()
		value, err := s.answer(method, args)
		s.held.Add(-int64(len(args)))
		s.flying.Add(-1)
		if err == nil && len(value) > maxCallReply {
			err = &Error{Kind: KindHost, Message: fmt.Sprintf("the answer of %s is %s, at most %s can be passed on", method, size(int64(len(value))), size(maxCallReply)),
				Hint: "ask for fewer results or without full texts"}
		}
		if err != nil {
			b, merr := json.Marshal(wireError(err))
			if merr != nil {
				b = []byte(`{"kind":"host","message":"the host call failed"}`)
			}
			_ = s.c.w.write(frameReply, encodeReply(id, true), b)
			return
		}
		_ = s.c.w.write(frameReply, encodeReply(id, false), value)
	}()
	return nil
}

// answer calls the Caller and survives its panics.
func (s *session) answer(method string, args json.RawMessage) (value json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			buf := make([]byte, 4<<10)
			buf = buf[:runtime.Stack(buf, false)]
			value, err = nil, &Error{Kind: KindHost, Message: fmt.Sprintf("internal error in %s: %v", method, v),
				Hint: "this is a fault of BMCIS, not of the program; please report it"}
			s.c.logPanic(method, v, buf)
		}
	}()
	if s.caller == nil {
		return nil, &Error{Kind: KindHost, Message: "host calls are not available in this run"}
	}
	value, err = s.caller.Call(s.ctx, method, args)
	if err == nil && len(value) == 0 {
		value = json.RawMessage("null")
	}
	return value, err
}

// wireError makes an error fit to travel.
func wireError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		c := *e
		c.Message, c.Hint = cutUTF8(c.Message, maxMessage), cutUTF8(c.Hint, maxMessage)
		return &c
	}
	return &Error{Kind: KindHost, Message: cutUTF8(err.Error(), maxMessage)}
}

// waitCalls gives the host calls, whose context has ended, a moment to notice.
func (s *session) waitCalls() {
	done := make(chan struct{})
	go func() { s.calls.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(killGrace):
	}
}

func (s *session) result(payload []byte) (*childResult, error) {
	var r childResult
	rest, err := decodeHeaded(payload, &r.resultMsg)
	if err != nil {
		return nil, err
	}
	if r.Result < 0 || r.Report < 0 || r.Result > len(rest) || r.Report != len(rest)-r.Result {
		return nil, violation("result of %d and report of %d bytes in %d", r.resultMsg.Result, r.Report, len(rest))
	}
	r.result, r.report = rest[:r.Result], rest[r.Result:]
	for name, v := range map[string][]byte{"result": r.result, "report": r.report} {
		if len(v) == 0 {
			continue
		}
		if err := checkJSON(v); err != nil {
			return nil, violation("%s: %v", name, err)
		}
	}
	if int64(len(r.result)) > s.l.ResultBytes {
		return nil, violation("result of %d bytes, at most %d", len(r.result), s.l.ResultBytes)
	}
	if e := r.Error; e != nil {
		switch e.Kind {
		case KindValidation, KindSyntax, KindRuntime, KindTimeout, KindMemory, KindSteps, KindOutput, KindCalls, KindCancelled, KindHost:
		default:
			return nil, violation("result of kind %.20q", e.Kind)
		}
		e.Message = strings.ToValidUTF8(cutUTF8(e.Message, maxMessage), "\uFFFD")
		e.Hint = strings.ToValidUTF8(cutUTF8(e.Hint, maxMessage), "\uFFFD")
		e.Line, e.Column = max(e.Line, 0), max(e.Column, 0)
	}
	return &r, nil
}

// finish fills in what the child reported.
func (s *session) finish(out *Outcome, r *childResult) {
	out.Usage.Steps = max(r.Steps, 0)
	out.Truncated = out.Truncated || r.Truncated
	if len(r.report) > 0 {
		out.Report = r.report
	}
	if r.Error != nil {
		out.Kind, out.Error = r.Error.Kind, r.Error
		return
	}
	out.Kind = KindOK
	if len(r.result) > 0 {
		out.Result = r.result
	}
}

// diagnose says what ended a child that gave no result. What the child wrote to
// stderr can only choose between verdicts about this program.
func (s *session) diagnose(err error, state *os.ProcessState, cpu time.Duration) *Error {
	if e := s.stopped(); e != nil {
		return e
	}
	if errors.Is(err, errProtocol) {
		return &Error{Kind: KindHost, Message: "the process that ran the program broke the protocol: " + err.Error(),
			Hint: "the run was stopped; nothing it returned was used"}
	}
	text := s.c.stderr()
	signal := exitSignal(state)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("stack exceeds", "stack overflow"):
		return errNesting()
	case has("out of memory", "cannot allocate memory", "cannot allocate", "pthread_create failed", "failed to create new OS thread", "heap metadata", "errno=12"):
		return errMemory(s.l.MemoryBytes)
	case signal == "KILL" && cpu >= s.l.CPU:
		return errCPU(s.l.CPU)
	case signal == "SYS":
		return &Error{Kind: KindHost, Message: "the process that ran the program made a system call that it must not make and was killed"}
	}
	msg := "the process that ran the program ended without a result"
	if state != nil {
		msg += " (" + state.String() + ")"
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); line != "" {
		msg += ": " + strings.ToValidUTF8(cutUTF8(line, 200), "\uFFFD")
	}
	return &Error{Kind: KindHost, Message: msg, Hint: "run it again; if it happens again, please report it"}
}

// watchMemory notes the peak, and ends a child that the kernel's limit did not
// hold.
func (s *session) watchMemory(done <-chan struct{}) {
	const every = 20 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	ceiling := planMemory(s.l.MemoryBytes).hardRoom + 64<<20
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		now, peak := s.c.memory()
		if peak > s.peak.Load() {
			s.peak.Store(peak)
		}
		if now > ceiling {
			s.stop(errMemory(s.l.MemoryBytes))
			return
		}
	}
}
