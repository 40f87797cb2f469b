package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// protocolVersion is raised when a frame changes its meaning.
const protocolVersion = 1

// A frame is 4 bytes of payload length (big endian), one byte of type, and the
// payload. docs/worker-protocol.md is the contract.
const frameHeader = 5

// Frame types. Types from 0x80 may be skipped by a receiver that does not know
// them; an unknown type below is a violation.
const (
	frameRun    byte = 0x01 // parent: the program
	frameReply  byte = 0x02 // parent: answer to a call
	frameCancel byte = 0x03 // parent: end the run

	frameHello   byte = 0x41 // child: ready, and how confined
	framePrint   byte = 0x42 // child: text printed
	frameCall    byte = 0x43 // child: host call
	frameResult  byte = 0x44 // child: how it ended
	frameStarted byte = 0x45 // child: it has the program and begins

	frameSkippable byte = 0x80
)

// maxSkippable bounds what a receiver skips, each frame and all together.
const (
	maxSkippable      = 64 << 10
	maxSkippableTotal = 1 << 20
)

// errProtocol marks what the other side may not do.
var errProtocol = errors.New("protocol violation")

func violation(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errProtocol, fmt.Sprintf(format, args...))
}

// A frameWriter writes frames. It may be used concurrently.
type frameWriter struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// write sends one frame whose payload is the concatenation of parts. Small frames
// are one system call.
func (fw *frameWriter) write(typ byte, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	fw.mu.Lock()
	defer fw.mu.Unlock()
	var h [frameHeader]byte
	binary.BigEndian.PutUint32(h[:], uint32(n))
	h[4] = typ
	fw.buf = append(fw.buf[:0], h[:]...)
	if n <= 64<<10 {
		for _, p := range parts {
			fw.buf = append(fw.buf, p...)
		}
		_, err := fw.w.Write(fw.buf)
		return err
	}
	if _, err := fw.w.Write(fw.buf); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := fw.w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// readFrame reads one frame. limit says how long a payload of a type may be; a
// negative limit refuses the type. The payload is allocated as it arrives, so a
// length that lies costs nothing.
func readFrame(r io.Reader, limit func(typ byte) int) (typ byte, payload []byte, err error) {
	var h [frameHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, violation("stream ends inside a frame header")
		}
		return 0, nil, err
	}
	n, typ := int64(binary.BigEndian.Uint32(h[:])), h[4]
	max := int64(limit(typ))
	if max < 0 {
		return typ, nil, violation("frame type 0x%02x is not allowed here", typ)
	}
	if n > max {
		return typ, nil, violation("frame type 0x%02x of %d bytes, at most %d", typ, n, max)
	}
	payload, err = readN(r, int(n))
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return typ, nil, violation("stream ends inside a frame of type 0x%02x", typ)
		}
		return typ, nil, err
	}
	return typ, payload, nil
}

// readN reads n bytes in steps, so that memory follows what really arrives.
func readN(r io.Reader, n int) ([]byte, error) {
	const step = 256 << 10
	b := make([]byte, min(n, step))
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	for len(b) < n {
		have := len(b)
		grow := min(n-have, max(step, have))
		b = append(b, make([]byte, grow)...)
		if _, err := io.ReadFull(r, b[have:]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// The messages.

type helloMsg struct {
	Protocol int      `json:"protocol"`
	Layers   []string `json:"layers"`
	Missing  []string `json:"missing,omitempty"` // "layer: why"
}

type runMsg struct {
	Limits       Limits          `json:"limits"`
	Name         string          `json:"name"`
	Context      json.RawMessage `json:"context,omitempty"`
	ValidateOnly bool            `json:"validate_only,omitempty"`
	Probe        bool            `json:"probe,omitempty"` // try to break out, run nothing
}

type resultMsg struct {
	Error     *Error `json:"error,omitempty"`
	Steps     int64  `json:"steps"`
	Truncated bool   `json:"truncated,omitempty"`
	Result    int    `json:"result"` // length of what follows the header
	Report    int    `json:"report"`
}

// encodeHeaded returns the parts of a payload that starts with a JSON header and
// goes on with raw bytes.
func encodeHeaded(header any) ([]byte, error) {
	h, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 4, 4+len(h))
	binary.BigEndian.PutUint32(b, uint32(len(h)))
	return append(b, h...), nil
}

// decodeHeaded splits such a payload.
func decodeHeaded(payload []byte, header any) (rest []byte, err error) {
	if len(payload) < 4 {
		return nil, violation("payload of %d bytes has no header", len(payload))
	}
	n := binary.BigEndian.Uint32(payload)
	payload = payload[4:]
	if uint64(n) > uint64(len(payload)) {
		return nil, violation("header of %d bytes in a payload of %d", n, len(payload))
	}
	if err := json.Unmarshal(payload[:n], header); err != nil {
		return nil, violation("header: %v", err)
	}
	return payload[n:], nil
}

// A call is: id (4 bytes), length of the method's name (1 byte), name, arguments.

func encodeCall(id uint32, method string) []byte {
	b := make([]byte, 5, 5+len(method))
	binary.BigEndian.PutUint32(b, id)
	b[4] = byte(len(method))
	return append(b, method...)
}

func decodeCall(p []byte) (id uint32, method string, args []byte, err error) {
	if len(p) < 5 {
		return 0, "", nil, violation("call of %d bytes", len(p))
	}
	id = binary.BigEndian.Uint32(p)
	n := int(p[4])
	if len(p) < 5+n {
		return 0, "", nil, violation("call: method name of %d bytes in %d", n, len(p)-5)
	}
	method = string(p[5 : 5+n])
	if !validMethod(method) {
		return 0, "", nil, violation("call: method name %.40q", method)
	}
	return id, method, p[5+n:], nil
}

func validMethod(s string) bool {
	if s == "" || len(s) > maxMethodName {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_') {
			return false
		}
	}
	return true
}

// A reply is: id (4 bytes), 0 for a value or 1 for an Error, JSON.

func encodeReply(id uint32, failed bool) []byte {
	b := make([]byte, 5)
	binary.BigEndian.PutUint32(b, id)
	if failed {
		b[4] = 1
	}
	return b
}

func decodeReply(p []byte) (id uint32, failed bool, value []byte, err error) {
	if len(p) < 5 || p[4] > 1 {
		return 0, false, nil, violation("reply of %d bytes", len(p))
	}
	return binary.BigEndian.Uint32(p), p[4] == 1, p[5:], nil
}
