package segment

import "encoding/binary"

// reader walks bytes that may be damaged: after the first bad read it stays bad and
// yields zeros, so that callers check once.
type reader struct {
	b   []byte
	off int
	bad bool
}

func (r *reader) uvarint() uint64 {
	if r.off < len(r.b) && r.b[r.off] < 0x80 {
		r.off++
		return uint64(r.b[r.off-1])
	}
	v, n := binary.Uvarint(r.b[min(r.off, len(r.b)):])
	if n <= 0 {
		r.fail()
		return 0
	}
	r.off += n
	return v
}

// u32 is a uvarint that must fit 32 bits.
func (r *reader) u32() uint32 {
	v := r.uvarint()
	if v > 1<<32-1 {
		r.fail()
		return 0
	}
	return uint32(v)
}

// u32s reads as many u32 as dst holds. Columns of all documents come this way: most
// numbers take a byte, and a call for each would take most of the time of a cold query.
func (r *reader) u32s(dst []uint32) {
	for i := range dst {
		if r.off < len(r.b) && r.b[r.off] < 0x80 {
			dst[i] = uint32(r.b[r.off])
			r.off++
			continue
		}
		dst[i] = r.u32()
	}
}

// count is a uvarint that counts things of at least size bytes each, so that what is
// left bounds it: a damaged count can never ask for more memory than the input has.
func (r *reader) count(size int) int {
	v := r.uvarint()
	if v > uint64(len(r.b)-min(r.off, len(r.b)))/uint64(size) {
		r.fail()
		return 0
	}
	return int(v)
}

func (r *reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b)-min(r.off, len(r.b)) {
		r.fail()
		return nil
	}
	b := r.b[r.off : r.off+n]
	r.off += n
	return b
}

func (r *reader) byte() byte {
	if r.off >= len(r.b) {
		r.fail()
		return 0
	}
	r.off++
	return r.b[r.off-1]
}

func (r *reader) fail() { r.bad, r.off = true, len(r.b) }

func appendVarint(b []byte, v int64) []byte {
	return binary.AppendUvarint(b, uint64(v<<1)^uint64(v>>63))
}
