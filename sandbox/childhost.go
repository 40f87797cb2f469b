package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// childHost is the child's end: the Host and Meter of the engine.
type childHost struct {
	w      *frameWriter
	limits Limits
	ctx    context.Context
	cancel context.CancelCauseFunc
	steps  atomic.Int64

	mu      sync.Mutex
	made    int                     // calls started
	nextID  uint32                  // of the last call sent
	pending map[uint32]*pendingCall // sent, at most maxInFlight
	flying  int                     // bytes of their arguments
	queue   []queuedCall            // not sent yet

	printMu sync.Mutex
	printed int64
}

type pendingCall struct {
	done  chan struct{}
	value json.RawMessage
	err   error
	bytes int // of arguments
}

// A queuedCall waits until fewer than maxInFlight are under way.
type queuedCall struct {
	p      *pendingCall
	method string
	args   json.RawMessage
}

func (p *pendingCall) finish(v json.RawMessage, err error) {
	p.value, p.err = v, err
	close(p.done)
}

// stop ends the run for the reason e. The first reason counts.
func (c *childHost) stop(e *Error) *Error {
	c.cancel(e)
	return Stopped(c.ctx)
}

// Call implements Host.
func (c *childHost) Call(method string, args json.RawMessage) (json.RawMessage, error) {
	return c.Start(method, args)()
}

// Start implements Host.
func (c *childHost) Start(method string, args json.RawMessage) func() (json.RawMessage, error) {
	p := &pendingCall{done: make(chan struct{})}
	if err := c.start(p, method, args); err != nil {
		p.finish(nil, err)
	}
	return func() (json.RawMessage, error) {
		select {
		case <-p.done:
			return p.value, p.err
		case <-c.ctx.Done():
			return nil, Stopped(c.ctx)
		}
	}
}

func (c *childHost) start(p *pendingCall, method string, args json.RawMessage) error {
	if s := Stopped(c.ctx); s != nil {
		return s
	}
	if !validMethod(method) {
		return &Error{Kind: KindHost, Message: fmt.Sprintf("host call %.40q is not a method name", method)}
	}
	if len(args) > maxCallArgs {
		return &Error{Kind: KindRuntime, Message: fmt.Sprintf("the arguments of %s are %d bytes, at most %d", method, len(args), maxCallArgs),
			Hint: "send fewer or shorter values in one call"}
	}
	if err := checkJSON(args); err != nil {
		return &Error{Kind: KindRuntime, Message: fmt.Sprintf("the arguments of %s: %v", method, err)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made++; c.made > c.limits.HostCalls {
		return c.stop(errCalls(c.limits.HostCalls))
	}
	q := queuedCall{p, method, args}
	c.queue = append(c.queue, q)
	c.sendCalls()
	return nil
}

// sendCalls sends what may be under way; c.mu is held, so that numbers go out in
// order.
func (c *childHost) sendCalls() {
	for len(c.queue) > 0 && len(c.pending) < maxInFlight {
		q := c.queue[0]
		if len(c.pending) > 0 && c.flying+len(q.args) > maxFlying {
			return
		}
		c.queue = c.queue[1:]
		c.nextID++
		c.pending[c.nextID] = q.p
		q.p.bytes = len(q.args)
		c.flying += len(q.args)
		if err := c.w.write(frameCall, encodeCall(c.nextID, q.method), q.args); err != nil {
			os.Exit(exitOrphan)
		}
	}
}

// Print implements Host.
func (c *childHost) Print(s string) {
	c.printMu.Lock()
	defer c.printMu.Unlock()
	if Stopped(c.ctx) != nil {
		return
	}
	cut := false
	if room := c.limits.OutputBytes - c.printed; int64(len(s)) > room {
		s, cut = cutUTF8(s, int(room)), true
	}
	c.printed += int64(len(s))
	for len(s) > 0 {
		chunk := s
		if len(chunk) > printChunk {
			chunk = cutUTF8(s, printChunk)
			if chunk == "" {
				chunk = s[:printChunk]
			}
		}
		if err := c.w.write(framePrint, []byte(chunk)); err != nil {
			os.Exit(exitOrphan)
		}
		s = s[len(chunk):]
	}
	if cut {
		c.stop(errOutput(c.limits.OutputBytes))
	}
}

// Steps implements Meter.
func (c *childHost) Steps(total int64) error {
	c.steps.Store(total)
	if total > c.limits.MaxSteps {
		c.stop(errSteps(c.limits.MaxSteps))
	}
	if s := Stopped(c.ctx); s != nil {
		return s
	}
	return nil
}

// readReplies hands the parent's answers to those who wait. It ends the process
// when the parent is gone or sends what it may not.
func (c *childHost) readReplies(r io.Reader) {
	skipped := 0
	for {
		typ, payload, err := readFrame(r, func(typ byte) int {
			switch {
			case typ == frameReply:
				return maxCallReply + frameHeader
			case typ == frameCancel:
				return maxSkippable
			case typ >= frameSkippable:
				return maxSkippable
			}
			return -1
		})
		if err != nil {
			if errors.Is(err, errProtocol) {
				fmt.Fprintln(os.Stderr, "sandbox child:", err)
				os.Exit(exitProtocol)
			}
			os.Exit(exitOrphan)
		}
		switch {
		case typ >= frameSkippable:
			if skipped += len(payload) + frameHeader; skipped > maxSkippableTotal {
				os.Exit(exitProtocol)
			}
		case typ == frameCancel:
			e := &Error{Kind: KindCancelled, Message: "the run was cancelled"}
			_ = json.Unmarshal(payload, e)
			c.stop(e)
		case typ == frameReply:
			id, failed, value, err := decodeReply(payload)
			if err != nil {
				os.Exit(exitProtocol)
			}
			c.mu.Lock()
			p := c.pending[id]
			delete(c.pending, id)
			if p != nil {
				c.flying -= p.bytes
				c.sendCalls()
			}
			c.mu.Unlock()
			if p == nil {
				os.Exit(exitProtocol)
			}
			if failed {
				e := &Error{Kind: KindHost}
				if json.Unmarshal(value, e) != nil || e.Message == "" {
					e.Message = "the host refused the call without a reason"
				}
				p.finish(nil, e)
			} else {
				p.finish(value, nil)
			}
		}
	}
}

// send sends the result. A result that is not what it should be becomes an error.
func (c *childHost) send(res EngineResult) {
	if res.Error == nil && res.Result != nil {
		if int64(len(res.Result)) > c.limits.ResultBytes {
			res.Error = errResult(int64(len(res.Result)), c.limits.ResultBytes)
		} else if err := checkJSON(res.Result); err != nil {
			res.Error = &Error{Kind: KindRuntime, Message: "the result cannot be returned: " + err.Error()}
		}
	}
	if res.Report != nil && (len(res.Report) > maxReport || checkJSON(res.Report) != nil) {
		res.Report = nil
		if res.Error == nil {
			res.Error = &Error{Kind: KindHost, Message: "the report on the program is too long"}
		}
	}
	if res.Error != nil {
		res.Result = nil
		e := *res.Error
		e.Message, e.Hint = cutUTF8(e.Message, maxMessage), cutUTF8(e.Hint, maxMessage)
		res.Error = &e
	}
	head, err := encodeHeaded(resultMsg{Error: res.Error, Steps: max(res.Steps, c.steps.Load()),
		Truncated: res.Truncated, Result: len(res.Result), Report: len(res.Report)})
	if err != nil {
		os.Exit(exitProtocol)
	}
	if err := c.w.write(frameResult, head, res.Result, res.Report); err != nil {
		os.Exit(exitOrphan)
	}
}

// waitForParent blocks; readReplies ends the process when the pipe closes, and the
// parent kills it in any case.
func (c *childHost) waitForParent() { select {} }

// cutUTF8 returns at most n bytes of s, not ending inside a character.
func cutUTF8(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	for i := n; i > n-4 && i > 0; i-- {
		if s[i]&0xC0 != 0x80 {
			return s[:i]
		}
	}
	return s[:n]
}
