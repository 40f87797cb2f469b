package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// parentReads feeds a stream to the parent's side of a run.
func parentReads(stream []byte) (*childResult, *session, error) {
	c := &child{cmd: &exec.Cmd{}, r: bufio.NewReader(bytes.NewReader(stream)), w: &frameWriter{w: io.Discard}}
	s := &session{c: c, l: DefaultLimits(), caller: testCaller, p: Program{Output: func(string) {}}}
	s.l.HostCalls = 20
	s.ctx, s.cancel = context.WithCancel(context.Background())
	defer s.cancel()
	r, err := s.read()
	s.cancel()
	s.waitCalls()
	return r, s, err
}

// randomFrame makes a frame that is well formed, nearly so, or noise.
func randomFrame(r *rand.Rand) []byte {
	types := []byte{framePrint, framePrint, frameCall, frameCall, frameResult, frameHello, frameRun, frameReply, 0x99, 0x00, 0x55, 0xff}
	typ := types[r.IntN(len(types))]
	var payload []byte
	switch r.IntN(4) {
	case 0:
		payload = make([]byte, r.IntN(100))
		for i := range payload {
			payload[i] = byte(r.Uint32())
		}
	case 1:
		payload = append(encodeCall(uint32(1+r.IntN(3)), []string{"echo", "fail", "x.y", "", "A"}[r.IntN(5)]), `{"a":1}`...)
	case 2:
		payload, _ = encodeHeaded(resultMsg{Steps: int64(r.Uint64()), Result: r.IntN(8) - 1, Report: r.IntN(4) - 1})
		payload = append(payload, `[1,2]`...)
	case 3:
		payload = []byte(strings.Repeat("text\n", r.IntN(20)))
	}
	n := uint32(len(payload))
	if r.IntN(10) == 0 {
		n = r.Uint32()
	}
	b := binary.BigEndian.AppendUint32(nil, n)
	return append(append(b, typ), payload...)
}

func FuzzParent(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := []byte{0, 0, 0, 0, frameStarted}
		for range 1 + r.IntN(5) {
			b = append(b, randomFrame(r)...)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		res, s, err := parentReads(stream)
		if (res == nil) == (err == nil) {
			t.Fatalf("result %v and error %v", res, err)
		}
		if s.output.Len() > len(stream)*3 {
			t.Fatalf("%d bytes of output from %d", s.output.Len(), len(stream))
		}
		if res != nil && len(res.result) > 0 && checkJSON(res.result) != nil {
			t.Fatalf("result %q", res.result)
		}
	})
}

func FuzzChild(f *testing.F) {
	head, _ := encodeHeaded(runMsg{Limits: DefaultLimits(), Name: "n", Context: []byte(`{"a":1}`)})
	var ok bytes.Buffer
	(&frameWriter{w: &ok}).write(frameRun, head, []byte("source"))
	f.Add(ok.Bytes())
	f.Add([]byte{0, 0, 0, 1, 0x99, 1})
	f.Fuzz(func(t *testing.T, stream []byte) {
		_, _, _, err := readRun(bytes.NewReader(stream))
		_ = err
		if len(stream) > 5 {
			decodeReply(stream[5:])
		}
	})
}

func FuzzCheckJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\"]"]}`))
	f.Add([]byte(strings.Repeat("[", 300)))
	f.Fuzz(func(t *testing.T, data []byte) { checkJSON(data) })
}

// A frame that is written is read back, whatever its size.
func TestFrameRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 100, 65535, 65536, 65537, 3 << 20} {
		want := bytes.Repeat([]byte("ab"), n/2+1)[:n]
		var b bytes.Buffer
		if err := (&frameWriter{w: &b}).write(0x42, want[:n/3], want[n/3:]); err != nil {
			t.Fatal(err)
		}
		typ, got, err := readFrame(&b, func(byte) int { return 4 << 20 })
		if err != nil || typ != 0x42 || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: type %x, %d bytes, %v", n, typ, len(got), err)
		}
	}
}

// A length that lies does not make the reader allocate.
func TestFrameLengthLies(t *testing.T) {
	before := heap()
	b := []byte{0x3f, 0xff, 0xff, 0xff, 0x42, 1, 2, 3}
	if _, _, err := readFrame(bytes.NewReader(b), func(byte) int { return 1 << 30 }); err == nil {
		t.Error("accepted")
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("grew by %d bytes", grown)
	}
}

// A thousand random frames from a real child: every run ends in a verdict, and the
// next honest one is served.
func TestRandomFrames(t *testing.T) {
	r := newTestRunner(t, Config{})
	runs := 100
	if testing.Short() {
		runs = 20
	}
	kinds := map[Kind]int{}
	for seed := range runs {
		out := mustRun(t, r, fmt.Sprintf("lie random %d", seed), Limits{Wall: 5 * time.Second})
		kinds[out.Kind]++
		if !out.Kind.Valid() {
			t.Fatalf("seed %d: kind %q", seed, out.Kind)
		}
	}
	t.Log(kinds)
	if out := mustRun(t, r, "return 1", Limits{}); out.Kind != KindOK {
		t.Errorf("afterwards: %s %+v", out.Kind, out.Error)
	}
}
