package segment

// File is a whole segment in memory: what merging, verifying and tests read.
type File struct {
	*Meta
	Documents *Docs
	b         []byte
}

// OpenFile reads the head of a whole segment.
func OpenFile(b []byte) (*File, error) {
	n, err := MetaLen(b)
	if err != nil {
		return nil, err
	}
	if n > int64(len(b)) {
		return nil, corrupt("segment of %d bytes, metadata of %d", len(b), n)
	}
	m, err := ParseMeta(b[:n])
	if err != nil {
		return nil, err
	}
	if m.Size != int64(len(b)) {
		return nil, corrupt("segment of %d bytes, metadata says %d", len(b), m.Size)
	}
	f := &File{Meta: m, b: b}
	section, err := f.Read(m.DocsRange())
	if err != nil {
		return nil, err
	}
	f.Documents, err = DecodeDocs(m, section)
	return f, err
}

// Read gives the bytes of a range.
func (f *File) Read(r Range) ([]byte, error) {
	if r.Off < 0 || r.Len < 0 || r.Off > int64(len(f.b)) || r.Len > int64(len(f.b))-r.Off {
		return nil, corrupt("range %d+%d of %d bytes", r.Off, r.Len, len(f.b))
	}
	return f.b[r.Off : r.Off+r.Len], nil
}

// Page reads page i.
func (f *File) Page(i int) (*Page, error) {
	b, err := f.Read(f.Pages[i].Page)
	if err != nil {
		return nil, err
	}
	return f.ParsePage(i, b)
}

// List reads the postings of an entry.
func (f *File) List(e *Entry) (*List, error) {
	var b []byte
	if !e.Inline() {
		var err error
		if b, err = f.Read(e.List); err != nil {
			return nil, err
		}
	}
	return f.DecodeList(e, f.Documents, b)
}

// Positions reads the positions of an entry with its list.
func (f *File) Positions(e *Entry, l *List) (*Positions, error) {
	b, err := f.Read(e.PositionsRange())
	if err != nil {
		return nil, err
	}
	return f.DecodePositions(e, l, b)
}

// EachTerm calls fn for every entry in order, until it returns an error.
func (f *File) EachTerm(fn func(*Entry) error) error {
	for i := range f.Pages {
		p, err := f.Page(i)
		if err != nil {
			return err
		}
		var inner error
		if err := p.Scan("", func(e Entry) bool { inner = fn(&e); return inner == nil }); err != nil {
			return err
		}
		if inner != nil {
			return inner
		}
	}
	return nil
}

// Find looks a term up; nil when it is not there.
func (f *File) Find(term string) (*Entry, error) {
	i := f.PageOf(term)
	if i < 0 {
		return nil, nil
	}
	p, err := f.Page(i)
	if err != nil {
		return nil, err
	}
	e, ok, err := p.Find(term)
	if err != nil || !ok {
		return nil, err
	}
	return &e, nil
}

// Attributes reads the directory of the attributes; nil when there are none.
func (f *File) Attributes() (*Attributes, error) {
	g := f.AttributesRange()
	if g.Len == 0 {
		return nil, nil
	}
	b, err := f.Read(g)
	if err != nil {
		return nil, err
	}
	return f.DecodeAttributes(b)
}

// Column reads a column; nil when it was too long to be kept.
func (f *File) Column(a *Attributes, name string) (*Column, error) {
	g := a.Columns[name]
	if g.Len == 0 {
		return nil, nil
	}
	b, err := f.Read(g)
	if err != nil {
		return nil, err
	}
	return a.DecodeColumn(name, b)
}

// Verify reads everything and checks what checksums cannot: order and counts.
func (f *File) Verify() error {
	var terms, postings int64
	prev := ""
	err := f.EachTerm(func(e *Entry) error {
		if terms > 0 && e.Term <= prev {
			return corrupt("term %q after %q", e.Term, prev)
		}
		prev = e.Term
		l, err := f.List(e)
		if err != nil {
			return err
		}
		p, err := f.Positions(e, l)
		if err != nil {
			return err
		}
		last := len(l.Docs) - 1
		for field := range NumFields {
			if _, err := p.Of(nil, last, field); err != nil {
				return err
			}
		}
		terms++
		postings += int64(e.DF)
		return nil
	})
	if err == nil && (terms != f.Meta.Terms || postings != f.Postings) {
		err = corrupt("%d terms and %d postings, metadata says %d and %d", terms, postings, f.Meta.Terms, f.Postings)
	}
	if err != nil {
		return err
	}
	a, err := f.Attributes()
	if err != nil || a == nil {
		return err
	}
	for name := range a.Columns {
		if _, err := f.Column(a, name); err != nil {
			return err
		}
	}
	return nil
}
