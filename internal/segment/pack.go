package segment

import (
	"encoding/binary"
	"math/bits"
)

// A packed group is BlockSize numbers with one bit width, the few larger ones patched
// (PFOR; Zukowski et al., ICDE 2006): width, number of patches, 16·width bytes, then
// per patch its place and its high bits.

// appendPacked appends v with the width that takes the fewest bytes.
func appendPacked(dst []byte, v *[BlockSize]uint32) []byte {
	var hist [33]int
	for _, x := range v {
		hist[bits.Len32(x)]++
	}
	best, bestCost := 32, 16*32
	patches := 0
	for w := 32; w >= 0; w-- {
		if patches > 40 {
			break
		}
		cost := 16 * w
		for l := w + 1; l <= 32; l++ {
			cost += hist[l] * (1 + (l-w+6)/7)
		}
		if cost <= bestCost {
			best, bestCost = w, cost
		}
		patches += hist[w]
	}
	w := best
	n := 0
	for l := w + 1; l <= 32; l++ {
		n += hist[l]
	}
	dst = append(dst, byte(w), byte(n))
	var acc uint64
	filled := 0
	mask := uint64(1)<<w - 1
	for _, x := range v {
		acc |= (uint64(x) & mask) << filled
		filled += w
		for filled >= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
			filled -= 8
		}
	}
	for i, x := range v {
		if bits.Len32(x) > w {
			dst = append(dst, byte(i))
			dst = binary.AppendUvarint(dst, uint64(x)>>w)
		}
	}
	return dst
}

// unpack reads what appendPacked wrote.
func (r *reader) unpack(v *[BlockSize]uint32) {
	w, n := int(r.byte()), int(r.byte())
	if w > 32 {
		r.fail()
	}
	src := r.bytes(16 * w)
	if r.bad {
		return
	}
	mask := uint64(1)<<w - 1
	// Whole 8-byte loads up to the last few numbers, whose loads would run over.
	i, bit := 0, 0
	if len(src) >= 8 {
		last := (len(src) - 8) * 8
		for ; i < BlockSize && bit <= last; i++ {
			v[i] = uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
			bit += w
		}
	}
	for ; i < BlockSize; i++ {
		var x uint64
		for j, at := 0, bit>>3; j < 8 && at < len(src); j, at = j+1, at+1 {
			x |= uint64(src[at]) << (8 * j)
		}
		v[i] = uint32(x >> (bit & 7) & mask)
		bit += w
	}
	for ; n > 0; n-- {
		at, high := r.byte(), r.u32()
		if at >= BlockSize || r.bad || w == 32 || uint64(high)<<w > 1<<32-1 {
			r.fail()
			return
		}
		v[at] |= high << w
	}
}
