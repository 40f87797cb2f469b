package upstream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// lineReader reads a stdio server's messages, one a line, without ever holding more
// than max bytes of one. A longer line is read to its end and thrown away; only the
// id of its message is kept, so that the call it belongs to can be told.
type lineReader struct {
	r   *bufio.Reader
	max int
	// partial is set when the last line came without its end: its writer died over it.
	partial bool
}

// endless is how many times the limit a line may have before the connection is given
// up: reading on costs time, and there may be no end.
const endless = 64

var errEndless = errors.New("sent a line without an end")

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next returns the next line without its end. When it was longer than the limit, line
// is nil, id is what the message's "id" holds (nil when it has none) and n its length.
// The last line may lack its end.
func (l *lineReader) next() (line, id []byte, n int64, err error) {
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.max+1 { // 1 for the line's end
			return l.skip(append(line, part...), err)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil, int64(len(line)), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0 && errors.Is(err, io.EOF):
			l.partial = true
			return line, nil, int64(len(line)), nil
		default:
			return nil, nil, 0, err
		}
	}
}

func (l *lineReader) skip(part []byte, err error) (_, id []byte, n int64, _ error) {
	var s idScanner
	for {
		s.feed(part)
		n += int64(len(part))
		switch {
		case err == nil:
			return nil, s.id, n, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, nil, n, err
		case n > int64(l.max)*endless:
			return nil, nil, n, fmt.Errorf("%w: more than %s", errEndless, size(n))
		}
		part, err = l.r.ReadSlice('\n')
	}
}

// idScanner finds the value of the top-level key "id" in a JSON object that comes in
// pieces, in constant memory. It takes well-formed JSON for granted: of anything else
// it returns some bytes or none, which then match no call.
type idScanner struct {
	depth             int
	inString, escaped bool
	inValue           bool // at depth 1: behind the colon
	key               []byte
	id                []byte
}

func (s *idScanner) feed(b []byte) {
	for i := 0; i < len(b); i++ {
		if s.inString && !s.escaped && !s.keeps() {
			// Most of a large message is the inside of strings.
			n := bytes.IndexAny(b[i:], `"\\`)
			if n < 0 {
				return
			}
			i += n
		}
		c := b[i]
		if s.inString {
			switch {
			case s.escaped:
				s.escaped = false
			case c == '\\':
				s.escaped = true
			case c == '"':
				s.inString = false
			}
			s.keep(c)
			continue
		}
		switch c {
		case '"':
			s.inString = true
			if s.depth == 1 && !s.inValue {
				s.key = s.key[:0]
			}
			s.keep(c)
		case '{', '[':
			s.depth++
		case '}', ']':
			s.depth--
		case ':':
			if s.depth == 1 {
				s.inValue = true
			}
		case ',':
			if s.depth == 1 {
				s.inValue = false
			}
		case ' ', '\t', '\r', '\n':
		default:
			s.keep(c)
		}
	}
}

// keeps reports whether the bytes that come now are of a key or of the id.
func (s *idScanner) keeps() bool {
	return s.depth == 1 && (!s.inValue || string(s.key) == `"id"`)
}

func (s *idScanner) keep(c byte) {
	switch {
	case !s.keeps():
	case !s.inValue:
		if len(s.key) < 8 {
			s.key = append(s.key, c)
		}
	case len(s.id) < 80:
		s.id = append(s.id, c)
	}
}

// flood limits what a server may send unasked. Each message costs its bytes and a fee;
// credit comes back with time.
type flood struct {
	mu     sync.Mutex
	credit int64
	last   time.Time
}

// floodCredit is a variable for tests, which have not the time for a real flood.
var floodCredit int64 = 64 << 20

const (
	floodRefill  = 256 << 10 // a second: some 250 small messages
	messageFee   = 1 << 10
	floodMessage = "flooded this client with messages nobody asked for"
)

var errFlood = errors.New(floodMessage)

// pay returns errFlood when the credit is used up.
func (f *flood) pay(n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if f.last.IsZero() {
		f.credit = floodCredit
	} else {
		f.credit = min(floodCredit, f.credit+int64(now.Sub(f.last).Seconds()*floodRefill))
	}
	f.last = now
	f.credit -= n + messageFee
	if f.credit < 0 {
		return errFlood
	}
	return nil
}
