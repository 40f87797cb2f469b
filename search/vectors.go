package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bmcis/bmcis/internal/embed"
)

// vectorStore keeps the vectors of texts by their digests, in memory and, where it has a
// folder, in one file for each vector space. The file is a convenience: what is wrong
// with it is made again.
type vectorStore struct {
	dir string

	mu      sync.Mutex
	path    string
	width   int
	vectors map[[32]byte][]float32
	changed bool
}

// vectorMagic begins the file. Then come the width of a vector (uint32), records of a
// digest and that many float32, all little-endian and in the order of digests, and the
// SHA-256 of all before.
const vectorMagic = "BMCISVEC1\n"

// open reads the file of a vector space, the first time.
func (s *vectorStore) open(space embed.Space) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vectors != nil {
		return
	}
	s.vectors, s.width = map[[32]byte][]float32{}, space.Dimensions
	if s.dir == "" {
		return
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", space.ModelSHA256, space.Runtime, space.Dimensions))
	s.path = filepath.Join(s.dir, hex.EncodeToString(name[:8])+".vectors")
	if info, err := os.Stat(s.path); err != nil || info.Size() > int64(maxTexts)*int64(32+4*s.width)+1<<10 {
		return
	}
	if raw, err := os.ReadFile(s.path); err == nil {
		s.read(raw)
	}
}

// read takes the vectors of a file that is whole.
func (s *vectorStore) read(raw []byte) {
	end := len(raw) - sha256.Size
	head := len(vectorMagic) + 4
	size := 32 + 4*s.width
	if end < head || !bytes.HasPrefix(raw, []byte(vectorMagic)) || (end-head)%size != 0 ||
		int(binary.LittleEndian.Uint32(raw[len(vectorMagic):])) != s.width || sha256.Sum256(raw[:end]) != [32]byte(raw[end:]) {
		return
	}
	for at := head; at < end; at += size {
		v := make([]float32, s.width)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[at+32+4*i:]))
		}
		s.vectors[[32]byte(raw[at:at+32])] = v
	}
}

func (s *vectorStore) get(key [32]byte) ([]float32, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.vectors[key]
	return v, ok
}

func (s *vectorStore) put(key [32]byte, v []float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(v) == s.width {
		s.vectors[key], s.changed = v, true
	}
}

// save writes the file when there is something new in it. When there are too many
// vectors, those that are not wanted now are dropped.
func (s *vectorStore) save(wanted map[[32]byte]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.vectors) > maxTexts {
		maps.DeleteFunc(s.vectors, func(key [32]byte, _ []float32) bool { return !wanted[key] })
	}
	if !s.changed || s.path == "" {
		return
	}
	s.changed = false
	b := binary.LittleEndian.AppendUint32([]byte(vectorMagic), uint32(s.width))
	for _, key := range slices.SortedFunc(maps.Keys(s.vectors), func(x, y [32]byte) int { return bytes.Compare(x[:], y[:]) }) {
		b = append(b, key[:]...)
		for _, x := range s.vectors[key] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	sum := sha256.Sum256(b)
	_ = s.replace(append(b, sum[:]...)) // without the file it only costs time
}

func (s *vectorStore) replace(b []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, ".vectors-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone when all went well
	if _, err := f.Write(b); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path)
}
