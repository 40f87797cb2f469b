package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	_ "os/user" // links the C library, as the shipped program does
	"strconv"
	"strings"
	"time"
)

// The test binary is its own child. Each line of a program is one command.
func init() { ChildMain(testEngine) }

var keep []any // what commands keep alive

func testEngine(ctx context.Context, p Program, l Limits, h Host) EngineResult {
	var last json.RawMessage
	steps := int64(0)
	for n, line := range strings.Split(p.Source, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		fail := func(kind Kind, msg string) EngineResult {
			return EngineResult{Error: &Error{Kind: kind, Message: msg, Line: n + 1, Column: 1}, Steps: steps}
		}
		arg := func(i, def int) int {
			if len(f) > i {
				if v, err := strconv.Atoi(f[i]); err == nil {
					return v
				}
			}
			return def
		}
		rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), f[0]))
		switch f[0] {
		case "return":
			last = json.RawMessage(rest)
		case "returnsize":
			last, _ = json.Marshal(strings.Repeat("r", arg(1, 0)))
		case "print":
			h.Print(rest + "\n")
		case "printraw":
			h.Print(rest)
		case "flood":
			for i := 0; i < arg(1, 1); i++ {
				h.Print(strings.Repeat("x", arg(2, 99)) + "\n")
			}
		case "name":
			last, _ = json.Marshal(p.Name)
		case "context":
			last, _ = json.Marshal(p.Context)
		case "validate":
			return EngineResult{Report: json.RawMessage(fmt.Sprintf(`{"validate":%v}`, p.ValidateOnly))}
		case "env":
			last, _ = json.Marshal(os.Environ())
		case "sleep":
			d, _ := time.ParseDuration(f[1])
			select {
			case <-time.After(d):
			case <-ctx.Done():
				return fail(KindRuntime, "cancelled")
			}
		case "spin": // obeys the context
			for ctx.Err() == nil {
				steps++
				if steps%1000 == 0 {
					if h.(Meter).Steps(steps) != nil {
						return fail(KindRuntime, "stopped")
					}
				}
			}
			return fail(KindRuntime, "spun")
		case "spindeaf": // does not
			for {
				steps++
			}
		case "steps":
			for i := 0; i < arg(1, 0); i += 1000 {
				steps += 1000
				if err := h.(Meter).Steps(steps); err != nil && rest[len(rest)-1] != '!' {
					return fail(KindRuntime, err.Error())
				}
			}
		case "alloc": // alloc COUNT SIZE: live strings
			for i := 0; i < arg(1, 1); i++ {
				if ctx.Err() != nil {
					return fail(KindRuntime, "cancelled")
				}
				b := make([]byte, arg(2, 1<<20))
				for j := 0; j < len(b); j += 4096 {
					b[j] = 1
				}
				keep = append(keep, b)
			}
		case "garbage": // the same, but nothing is kept
			for i := 0; i < arg(1, 1); i++ {
				b := make([]byte, arg(2, 1<<20))
				b[i%len(b)] = 1
				keep = append(keep[:0], b)
			}
		case "allocsmall": // a linked list
			type node struct {
				next *node
				_    [4]int
			}
			var head *node
			for i := 0; i < arg(1, 1); i++ {
				if i%1000 == 0 && ctx.Err() != nil {
					return fail(KindRuntime, "cancelled")
				}
				head = &node{next: head}
			}
			keep = append(keep, head)
		case "recurse":
			last = json.RawMessage(strconv.Itoa(recurse(arg(1, 1<<30))))
		case "panic":
			panic(rest)
		case "exit":
			os.Exit(arg(1, 0))
		case "stderr":
			fmt.Fprintln(os.Stderr, rest)
		case "stderrflood":
			for {
				os.Stderr.Write(bytes.Repeat([]byte("e"), 1<<16))
			}
		case "call", "calltry":
			v, err := h.Call(f[1], json.RawMessage(strings.Join(f[2:], " ")))
			if err != nil && f[0] == "call" {
				return fail(KindRuntime, err.Error())
			} else if err != nil {
				v, _ = json.Marshal(err)
			}
			last = v
		case "calls": // calls N METHOD ARGS: at once, in order
			var waits []func() (json.RawMessage, error)
			for i := 0; i < arg(1, 1); i++ {
				waits = append(waits, h.Start(f[2], json.RawMessage(strings.Join(f[3:], " "))))
			}
			var all []json.RawMessage
			for _, w := range waits {
				v, err := w()
				if err != nil {
					return fail(KindRuntime, err.Error())
				}
				all = append(all, v)
			}
			last, _ = json.Marshal(all)
		case "bigcalls": // bigcalls N SIZE: at once
			arg1, _ := json.Marshal(strings.Repeat("a", arg(2, 1)))
			var waits []func() (json.RawMessage, error)
			for i := 0; i < arg(1, 1); i++ {
				waits = append(waits, h.Start("slow", arg1))
			}
			n := 0
			for _, w := range waits {
				if v, err := w(); err == nil && len(v) == len(arg1) {
					n++
				}
			}
			last = json.RawMessage(strconv.Itoa(n))
		case "error":
			return EngineResult{Error: &Error{Kind: Kind(f[1]), Message: "as asked", Line: n + 1, Column: 2, Hint: "a hint"}, Steps: 7}
		case "longerror":
			return EngineResult{Error: &Error{Kind: KindRuntime, Message: strings.Repeat("\x01", 1<<20), Hint: strings.Repeat("\u2028", 1<<20)}}
		case "lie":
			lie(h.(*childHost), f[1:])
		case "cpulimit":
			cpuLimit(uint64(arg(1, 1)))
		case "try":
			last, _ = json.Marshal(forbidden(rest))
		default:
			return fail(KindSyntax, "no command "+f[0])
		}
		if ctx.Err() != nil {
			return fail(KindRuntime, "cancelled")
		}
	}
	return EngineResult{Result: last, Steps: steps}
}

//go:noinline
func recurse(n int) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		return 0
	}
	return recurse(n-1) + pad[n%64] - n + 1
}

// lie breaks the protocol in the way that is asked for.
func lie(c *childHost, f []string) {
	raw := func(b []byte) { c.w.mu.Lock(); os.Stdout.Write(b); c.w.mu.Unlock() }
	switch f[0] {
	case "garbage":
		raw(bytes.Repeat([]byte("\xde\xad\xbe\xef"), 1000))
	case "zeros":
		raw(make([]byte, 1<<16))
	case "huge":
		raw([]byte{0xff, 0xff, 0xff, 0xff, frameResult})
	case "hugeprint":
		raw([]byte{0x00, 0x10, 0x00, 0x00, framePrint})
	case "cut":
		raw([]byte{0, 0, 0, 100, framePrint, 'x'})
		os.Exit(0)
	case "type":
		c.w.write(0x55, []byte("?"))
	case "parenttype":
		c.w.write(frameReply, encodeReply(1, false), []byte("1"))
	case "skippable":
		for range 10 {
			c.w.write(0x99, []byte("not known"))
		}
		return
	case "skipflood":
		for {
			c.w.write(0x99, make([]byte, maxSkippable))
		}
	case "hello":
		c.w.write(frameHello, []byte(`{"protocol":1,"layers":["everything"]}`))
	case "twice":
		c.send(EngineResult{Result: json.RawMessage("1")})
		c.send(EngineResult{Result: json.RawMessage("2")})
	case "badresult":
		h, _ := encodeHeaded(resultMsg{Result: 3})
		c.w.write(frameResult, h, []byte("{{{"))
	case "deepresult":
		v := []byte(strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000))
		h, _ := encodeHeaded(resultMsg{Result: len(v)})
		c.w.write(frameResult, h, v)
	case "nonutf8":
		h, _ := encodeHeaded(resultMsg{Result: 3})
		c.w.write(frameResult, h, []byte("\"\xff\""))
	case "lengths":
		h, _ := encodeHeaded(resultMsg{Result: 1 << 40, Report: -(1 << 40)})
		c.w.write(frameResult, h, []byte("1"))
	case "bigresult":
		v, _ := json.Marshal(strings.Repeat("x", int(c.limits.ResultBytes)+10))
		h, _ := encodeHeaded(resultMsg{Result: len(v)})
		c.w.write(frameResult, h, v)
	case "kind":
		h, _ := encodeHeaded(resultMsg{Error: &Error{Kind: "busy", Message: "not mine to say"}})
		c.w.write(frameResult, h)
	case "manycalls":
		for i := uint32(1); ; i++ {
			c.w.write(frameCall, encodeCall(i, "echo"), []byte("1"))
		}
	case "sameid":
		c.w.write(frameCall, encodeCall(1, "echo"), []byte("1"))
		c.w.write(frameCall, encodeCall(1, "echo"), []byte("1"))
	case "method":
		c.w.write(frameCall, encodeCall(1, "../../etc"), []byte("1"))
	case "badargs":
		c.w.write(frameCall, encodeCall(1, "echo"), []byte("{"))
	case "deepargs":
		c.w.write(frameCall, encodeCall(1, "echo"), bytes.Repeat([]byte("["), 1<<20))
	case "bigcalls": // fill the parent with arguments that nobody answers
		arg := []byte(`"` + strings.Repeat("a", maxCallArgs-2) + `"`)
		for i := uint32(1); ; i++ {
			c.w.write(frameCall, encodeCall(i, "wait"), arg)
		}
	case "printflood":
		for {
			c.w.write(framePrint, bytes.Repeat([]byte("f"), printChunk))
		}
	case "random":
		seed, _ := strconv.ParseUint(f[1], 10, 64)
		r := rand.New(rand.NewPCG(seed, 2))
		for range 10 {
			raw(randomFrame(r))
		}
		os.Exit(0)
	case "silent":
	}
	select {}
}
