package segment

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
)

// A blob is bytes that may be deflated: the length they have, how many of them are
// stored, and those; as many as they have when deflating does not pay.

// minDeflate is the length below which it is not tried.
const minDeflate = 64

// deflater writes blobs. The zero value is ready.
type deflater struct {
	w   *flate.Writer
	buf bytes.Buffer
}

func (z *deflater) appendBlob(dst, raw []byte) []byte {
	stored := raw
	if len(raw) >= minDeflate {
		z.buf.Reset()
		if z.w == nil {
			z.w, _ = flate.NewWriter(&z.buf, flate.BestSpeed) // fails on wrong levels only
		} else {
			z.w.Reset(&z.buf)
		}
		// Writes to a buffer do not fail.
		_, _ = z.w.Write(raw)
		_ = z.w.Close()
		if z.buf.Len() < len(raw) {
			stored = z.buf.Bytes()
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(raw)))
	dst = binary.AppendUvarint(dst, uint64(len(stored)))
	return append(dst, stored...)
}

// maxBlob bounds what a blob may become: a column's values with their lengths, and its
// numbers.
const maxBlob = 2*maxColumn + 1<<28

// blob reads a blob; the reader of what was in it is bad when it is damaged.
func (r *reader) blob() *reader {
	n := r.uvarint()
	stored := r.bytes(r.count(1))
	if r.bad || n > maxBlob {
		r.fail()
		return &reader{bad: true}
	}
	if n == uint64(len(stored)) {
		return &reader{b: stored}
	}
	// Grown while reading, so that a damaged length asks for little more than is there.
	var out bytes.Buffer
	out.Grow(int(min(n, max(4<<20, uint64(len(stored))*8))))
	z := flate.NewReader(bytes.NewReader(stored))
	if got, err := io.Copy(&out, io.LimitReader(z, int64(n)+1)); err != nil || uint64(got) != n {
		r.fail()
		return &reader{bad: true}
	}
	return &reader{b: out.Bytes()}
}
