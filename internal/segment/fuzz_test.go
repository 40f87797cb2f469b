package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bmcis/bmcis/internal/text"
)

// reseal makes checksums right again, so that the fuzzer gets behind them.
func reseal(b []byte) []byte {
	if len(b) < 4 {
		return b
	}
	b = slices.Clone(b)
	binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], castagnoli))
	return b
}

func seedFile(n int) []byte {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	var b Builder
	for _, d := range randomDocs(r, n, 10) {
		f := d.fields
		b.Add(d.chunk, d.birth, [NumFields][]text.Token{tokens(f[0]), tokens(f[1]), tokens(f[2]), tokens(f[3])})
		b.Describe(&Record{"id": fmt.Sprint("document ", d.chunk), ".n": fmt.Sprint(d.chunk % 3)})
	}
	out, _, err := b.Finish()
	if err != nil {
		panic(err)
	}
	return out
}

// FuzzOpenFile: damaged files give errors, never panics or endless reading.
func FuzzOpenFile(f *testing.F) {
	f.Add(seedFile(3), 0, byte(0))
	f.Add(seedFile(150), 100, byte(7))
	f.Fuzz(func(t *testing.T, b []byte, at int, flip byte) {
		if at >= 0 && at < len(b) {
			b[at] ^= flip
		}
		if n, err := MetaLen(b); err == nil && n >= 4 && n <= int64(len(b)) {
			copy(b, reseal(b[:n]))
			if m, err := ParseMeta(b[:n]); err == nil {
				if r := m.DocsRange(); r.Off+r.Len <= int64(len(b)) {
					copy(b[r.Off:], reseal(b[r.Off:r.Off+r.Len]))
				}
			}
		}
		file, err := OpenFile(b)
		if err != nil {
			return
		}
		_ = file.Verify()
		_, _ = file.Find("w010")
	})
}

// FuzzPage: dictionary pages with right checksums and wrong contents.
func FuzzPage(f *testing.F) {
	file, err := OpenFile(seedFile(140))
	if err != nil {
		f.Fatal(err)
	}
	for i := range file.Pages {
		b, err := file.Read(file.Pages[i].Page)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, "w100")
	}
	f.Fuzz(func(t *testing.T, b []byte, term string) {
		p, err := file.ParsePage(0, reseal(b))
		if err != nil {
			return
		}
		_, _, _ = p.Find(term)
		_ = p.Scan(term, func(e Entry) bool {
			if l, err := file.List(&e); err == nil {
				for i, d := range l.Docs {
					if int(d) >= file.Docs || i > 0 && d <= l.Docs[i-1] || int(l.Codes[i]) >= len(file.Shapes) {
						t.Fatalf("%q: posting %d is document %d, shape %d", e.Term, i, d, l.Codes[i])
					}
				}
				if p, err := file.Positions(&e, l); err == nil {
					_, _ = p.Of(nil, 0, Title)
					_, _ = p.Of(nil, len(l.Docs)-1, Body)
				}
			}
			return true
		})
	})
}

// FuzzList: long lists with any contents.
func FuzzList(f *testing.F) {
	file, err := OpenFile(seedFile(900))
	if err != nil {
		f.Fatal(err)
	}
	_ = file.EachTerm(func(e *Entry) error {
		if !e.Inline() {
			b, err := file.Read(e.List)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b[:len(b)-4], e.DF)
		}
		return nil
	})
	f.Fuzz(func(t *testing.T, b []byte, df int) {
		l, err := decodeList(b, df, file.Meta, file.Documents.Total)
		if err != nil {
			return
		}
		if len(l.Docs) != df || len(l.Codes) != df || l.Blocks() != (df+BlockSize-1)/BlockSize {
			t.Fatalf("%d postings in %d blocks, want %d", len(l.Docs), l.Blocks(), df)
		}
		for i, d := range l.Docs {
			if int(d) >= file.Docs || i > 0 && d <= l.Docs[i-1] || int(l.Codes[i]) >= len(file.Shapes) {
				t.Fatalf("posting %d is document %d, shape %d", i, d, l.Codes[i])
			}
		}
	})
}

// FuzzAttributes: directories and columns with right checksums and wrong contents.
func FuzzAttributes(f *testing.F) {
	file, err := OpenFile(seedFile(40))
	if err != nil {
		f.Fatal(err)
	}
	attributes, err := file.Attributes()
	if err != nil {
		f.Fatal(err)
	}
	for _, g := range []Range{file.AttributesRange(), attributes.Columns["id"], attributes.Columns[".n"]} {
		b, err := file.Read(g)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = reseal(b)
		if a, err := file.DecodeAttributes(b); err == nil {
			if len(a.Of) != file.Docs || slices.Max(a.Of) > uint32(a.Records) {
				t.Fatalf("%d records of %v", a.Records, a.Of)
			}
		}
		c, err := attributes.DecodeColumn("n", b)
		if err != nil {
			return
		}
		n := c.Entries(attributes.Records)
		if c.Codes != nil && len(c.Codes) != n || n > attributes.Records {
			t.Fatalf("%d entries, %d codes", n, len(c.Codes))
		}
		for i := range n {
			if record, _ := c.Entry(i); int(record) >= attributes.Records {
				t.Fatalf("entry %d is of record %d", i, record)
			}
		}
	})
}

// FuzzPacked: what goes in comes out.
func FuzzPacked(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(7))
	f.Add([]byte{255, 255, 255, 255, 0}, uint8(32))
	f.Fuzz(func(t *testing.T, b []byte, width uint8) {
		var in, out [BlockSize]uint32
		for i := range in {
			for k := range 4 {
				if len(b) > 0 {
					in[i] = in[i]<<8 | uint32(b[(i*5+k*3)%len(b)])
				}
			}
			if i%17 != 3 {
				in[i] >>= 32 - min(32, int(width))
			}
		}
		packed := appendPacked([]byte{9}, &in)
		r := reader{b: packed, off: 1}
		if r.unpack(&out); r.bad || r.off != len(packed) || in != out {
			t.Fatalf("%v\ncame back as\n%v", in, out)
		}
		r = reader{b: b}
		r.unpack(&out)
	})
}
