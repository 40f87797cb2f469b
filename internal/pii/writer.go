package pii

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"
)

const (
	// maxHeld is how much of a line a Writer holds back.
	maxHeld = 16 << 10
	// maxValue is longer than any value: an e-mail address with 64 and 253 bytes,
	// written with percent signs or entities.
	maxValue = 2 << 10
)

// Writer sanitizes what is written to it and passes it on, so that values that are
// split over several writes are found too. It passes on whole lines, and holds back the
// last one as long as it is not complete, or ends like the first part of a number that
// goes on in the next line. Of a line without an end it holds back 16 KiB. Flush passes
// on what is held; Close does so at the end. Names that only the line before tells are
// not found. It is not for concurrent use.
type Writer struct {
	ctx  context.Context
	w    io.Writer
	s    *Sanitizer
	held []byte
	safe int   // held[:safe] are lines that can be passed on
	err  error // the first of the Tokenizer
}

// NewWriter returns a Writer that passes on to w. The context is that of the whole
// stream: calls of the Tokenizer end with it.
func NewWriter(ctx context.Context, w io.Writer, s *Sanitizer) *Writer {
	return &Writer{ctx: ctx, w: w, s: s}
}

// Write takes all of p, or returns the error of the writer behind. When the Tokenizer
// fails, values are passed on as [EMAIL] and the like, and [Writer.Close] says so.
func (w *Writer) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	// What was held before has been looked through for the ends of lines.
	for end := len(p); ; {
		i := bytes.LastIndexByte(p[:end], '\n')
		if i < 0 {
			break
		}
		if at := len(w.held) - len(p) + i; !goesOn(w.held[:at]) {
			w.safe = at + 1
			break
		}
		end = i
	}
	n := w.safe
	if len(w.held)-n >= maxHeld {
		n += w.piece(w.held[n:])
	}
	if err := w.pass(n); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on all that is held. A value that goes on in the next write is not
// recognised then, so Flush at pauses only.
func (w *Writer) Flush() error {
	return w.pass(len(w.held))
}

// Close flushes. It returns the first error of the Tokenizer, if there was one. It does
// not close the writer behind.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	return w.err
}

func (w *Writer) pass(n int) error {
	w.safe = 0
	if n == 0 {
		return nil
	}
	text, err := w.s.Text(w.ctx, string(w.held[:n]))
	if err != nil && w.err == nil {
		w.err = err
	}
	w.held = w.held[:copy(w.held, w.held[n:])]
	_, err = io.WriteString(w.w, text)
	return err
}

// piece returns how much of a line without an end to pass on: all but what may be the
// beginning of a value, up to a space if there is one.
func (w *Writer) piece(line []byte) int {
	n := len(line) - maxValue
	for n > 0 && !utf8.RuneStart(line[n]) {
		n--
	}
	if i := bytes.LastIndexByte(line[maxHeld/2:n], ' '); i >= 0 {
		n = maxHeld/2 + i
	}
	for _, m := range Find(string(line), w.s.kinds()) {
		if m.Start < n && n < m.End {
			n = m.End
		}
	}
	return n
}

// goesOn reports whether a line may end with a part of a value: with an at sign, or
// with digits of a card, an IBAN or an international phone number.
func goesOn(line []byte) bool {
	end := len(line)
	for end > 0 && is(line[end-1], isSpace) {
		end--
	}
	if end == 0 {
		return false
	}
	if r, _ := utf8.DecodeLastRune(line[:end]); r >= utf8.RuneSelf {
		// Signs that fold may turn into digits or an at sign, or leave out.
		c, width := foldRune(r)
		return width == 0 || width == 1 && (c == '@' || c == ')' || is(c, isAlnum))
	}
	last := line[end-1]
	if last == '@' || bytes.HasSuffix(line[:end], []byte("%40")) || bytes.HasSuffix(line[:end], []byte("64;")) ||
		bytes.HasSuffix(line[:end], []byte("x40;")) || bytes.HasSuffix(line[:end], []byte("0040")) || bytes.HasSuffix(line[:end], []byte("commat;")) {
		return true
	}
	if !is(last, isAlnum) && last != ')' {
		return false
	}
	start := end
	for start > 0 && end-start < 64 && (is(line[start-1], isAlnum) || bytes.IndexByte([]byte(" -+()./"), line[start-1]) >= 0 || line[start-1] >= utf8.RuneSelf) {
		start--
	}
	tail := line[start:end]
	digits := 0
	for i, b := range tail {
		switch {
		case b == '+', b >= utf8.RuneSelf:
			return true
		case is(b, isDigit):
			digits++
			if digits >= 2 && i >= 3 && is(tail[i-1], isDigit) && is(tail[i-2], isAlpha) && is(tail[i-3], isAlpha) {
				return true // an IBAN may have begun
			}
		}
	}
	if !is(last, isDigit) {
		return false
	}
	n := 0
	for n < len(tail) && is(tail[len(tail)-1-n], isDigit) {
		n++
	}
	return n == 4 || n == 6 // a card's groups
}
