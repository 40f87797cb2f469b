package segment

import (
	"cmp"
	"slices"
)

// docRef is a document of a source.
type docRef struct {
	src int
	doc uint32
}

// mergeAttributes unites the attributes of sources for the documents of a merged
// segment, in their order. Without the attributes of one of them the result is nil: the
// merged segment then has none.
func mergeAttributes(sources []Source, docs []docRef) (*attributesWriter, error) {
	attrs := make([]*Attributes, len(sources))
	for s, src := range sources {
		var err error
		if attrs[s], err = src.Attributes(); err != nil {
			return nil, err
		}
		if attrs[s] == nil && src.Records == nil {
			return nil, nil
		}
	}
	// Records are numbered anew, in the order of the documents that have them.
	w := &attributesWriter{}
	numbers := make([][]uint32, len(sources)) // per source: old record → new + 1
	given := map[*Record]uint32{nil: 0}
	for s, a := range attrs {
		if a != nil {
			numbers[s] = make([]uint32, a.Records+1)
		}
	}
	for _, d := range docs {
		var n uint32
		if a := attrs[d.src]; a == nil {
			r := sources[d.src].Records[d.doc]
			var ok bool
			if n, ok = given[r]; !ok {
				n = w.add(*r)
				given[r] = n
			}
		} else if old := a.Of[d.doc]; old > 0 {
			if n = numbers[d.src][old]; n == 0 {
				w.records++
				n = uint32(w.records)
				numbers[d.src][old] = n
			}
		}
		w.of = append(w.of, n)
	}
	for s, a := range attrs {
		if a == nil {
			continue
		}
		for name := range a.Columns {
			if err := w.take(sources[s], a, name, numbers[s]); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range w.columns {
		c.sort()
	}
	return w, nil
}

// take adds a source's column.
func (w *attributesWriter) take(src Source, a *Attributes, name string, numbers []uint32) error {
	old, err := src.Column(a, name)
	if err != nil {
		return err
	}
	if old == nil {
		w.column(name).tooLong = true
		return nil
	}
	c := w.columns[name]
	codes := make([]uint32, len(old.Values)) // plus one
	for i := range old.Entries(a.Records) {
		to := numbers[old.record(i)+1]
		if to == 0 {
			continue // none of its documents is left
		}
		if c == nil {
			c = w.column(name)
		}
		code := old.code(i)
		if codes[code] == 0 {
			codes[code] = c.number(old.Values[code]) + 1
		}
		c.records = append(c.records, to-1)
		c.codes = append(c.codes, codes[code]-1)
	}
	return nil
}

// sort brings the entries into the order of records and numbers the values as they come.
func (c *columnWriter) sort() {
	if slices.IsSorted(c.records) {
		return
	}
	type entry struct{ record, code uint32 }
	entries := make([]entry, len(c.records))
	for i := range entries {
		entries[i] = entry{c.records[i], c.codes[i]}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.record, b.record) })
	renumbered := make([]uint32, len(c.values)) // plus one
	values := make([]string, 0, len(c.values))
	for i, e := range entries {
		if renumbered[e.code] == 0 {
			values = append(values, c.values[e.code])
			renumbered[e.code] = uint32(len(values))
		}
		c.records[i], c.codes[i] = e.record, renumbered[e.code]-1
	}
	c.values = values
}
