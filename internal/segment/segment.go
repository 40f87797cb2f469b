// Package segment is the immutable file format of the lexical index: the terms of
// documents go in, bytes come out, and the way back is checked and bounded, whatever
// the bytes are. It knows no database: callers fetch byte ranges and hand them over.
// Caller: internal/lexical. The format and its reasons: docs/segment-format.md.
package segment

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// FormatVersion is the version this package writes. It reads every version that has
// ever been released (testdata/backcompat keeps one file of each).
const FormatVersion = 2

// BlockSize is the number of postings that share one header and one bound.
const BlockSize = 128

// The fields of a document, in the order in which they are stored.
const (
	Title = iota
	Headings
	Body
	Path
	NumFields
)

// Shape is how often a term occurs in each field of one document. Postings hold
// shape numbers, so weights of fields act at query time.
type Shape [NumFields]uint32

// Sum is the frequency over all fields.
func (s Shape) Sum() uint32 { return s[0] + s[1] + s[2] + s[3] }

// Range is a piece of a segment's bytes.
type Range struct{ Off, Len int64 }

// ErrCorrupt is wrapped by every error about bytes that are not what was written.
var ErrCorrupt = errors.New("corrupt segment")

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends the checksum of b[from:].
func seal(b []byte, from int) []byte {
	sum := crc32.Checksum(b[from:], castagnoli)
	return append(b, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
}

// unseal checks and strips the checksum at the end of b.
func unseal(what string, b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, corrupt("%s: %d bytes", what, len(b))
	}
	body, t := b[:len(b)-4], b[len(b)-4:]
	want := uint32(t[0]) | uint32(t[1])<<8 | uint32(t[2])<<16 | uint32(t[3])<<24
	if got := crc32.Checksum(body, castagnoli); got != want {
		return nil, corrupt("%s: checksum %08x, stored %08x", what, got, want)
	}
	return body, nil
}
