package lexical

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bmcis/bmcis/internal/segment"
)

// mergedPrefix is the union of the lists of a prefix's expansions in one segment: the
// frequencies of a document are added up, so that the prefix scores as one term.
type mergedPrefix struct {
	list   *segment.List
	shapes []segment.Shape
}

// docsIn gives the documents with the prefix in a field.
func (m *mergedPrefix) docsIn(field int) []uint32 {
	if m == nil {
		return nil
	}
	if field == anyField {
		return m.list.Docs
	}
	var docs []uint32
	for i, d := range m.list.Docs {
		if m.shapes[m.list.Codes[i]][field] > 0 {
			docs = append(docs, d)
		}
	}
	return docs
}

// expand looks the prefixes up in every segment.
func (x *execution) expand(ctx context.Context) error {
	x.merged = make([][]*mergedPrefix, len(x.view.segs))
	for i := range x.merged {
		x.merged[i] = make([]*mergedPrefix, len(x.parsed.prefixes))
	}
	for k, p := range x.parsed.prefixes {
		terms, err := x.expansions(ctx, p)
		if err != nil {
			return err
		}
		states, err := x.read.load(ctx, x.view.segs, terms)
		if err != nil {
			return err
		}
		for i, s := range x.view.segs {
			x.merged[i][k] = mergePrefix(states[i], s)
		}
	}
	return nil
}

// expansions are the terms of the collection that begin with a prefix: the most
// frequent ones when there are too many.
func (x *execution) expansions(ctx context.Context, p prefix) ([]string, error) {
	count := map[string]int{}
	for _, s := range x.view.segs {
		pages, err := x.read.pagesFrom(ctx, s.segState, p.text)
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			err := page.Scan(p.text, func(e segment.Entry) bool {
				if !strings.HasPrefix(e.Term, p.text) {
					return false
				}
				count[e.Term] += e.DF
				return true
			})
			if err != nil {
				x.read.fail(s.segState, err)
			}
		}
	}
	terms := make([]string, 0, len(count)+1)
	for t := range count {
		terms = append(terms, t)
	}
	slices.SortFunc(terms, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	if len(terms) > maxExpansions {
		x.parsed.note("%s* stands for %d terms; the %d most frequent ones were taken", p.text, len(terms), maxExpansions)
		terms = terms[:maxExpansions]
	}
	if p.stem != "" {
		terms = append(terms, p.stem)
	}
	return terms, nil
}

// maxPrefixPages bounds the pages of the dictionary that one prefix reads in a segment.
const maxPrefixPages = 64

// pagesFrom reads the pages of a segment that can hold terms with a prefix.
func (r *reading) pagesFrom(ctx context.Context, s *segState, prefix string) ([]*segment.Page, error) {
	var from []*segState
	var ranges []segment.Range
	var at []int
	var pages []*segment.Page
	for i := max(0, s.meta.PageOf(prefix)); i < len(s.meta.Pages) && len(pages) < maxPrefixPages; i++ {
		if first := s.meta.Pages[i].First; first > prefix && !strings.HasPrefix(first, prefix) {
			break
		}
		if p := s.pages[i].Load(); p != nil {
			p.touch()
			pages = append(pages, p.Page)
			continue
		}
		pages = append(pages, nil)
		from, ranges, at = append(from, s), append(ranges, s.meta.Pages[i].Page), append(at, i)
	}
	got, err := r.fetch(ctx, from, ranges)
	if err != nil {
		return nil, err
	}
	k := 0
	out := pages[:0]
	for _, p := range pages {
		if p == nil {
			i, b := at[k], got[k]
			k++
			if b == nil {
				continue
			}
			if p, err = s.meta.ParsePage(i, b); err != nil {
				r.fail(s, err)
				continue
			}
			r.ix.keepPage(s, i, p)
		}
		out = append(out, p)
	}
	return out, nil
}

// mergePrefix unites lists.
func mergePrefix(states []*termState, s *viewSeg) *mergedPrefix {
	type post struct {
		doc   uint32
		shape segment.Shape
	}
	var all []post
	for _, t := range states {
		if t.list == nil {
			continue
		}
		for i, d := range t.list.Docs {
			all = append(all, post{d, s.meta.Shapes[t.list.Codes[i]]})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b post) int { return cmp.Compare(a.doc, b.doc) })
	m := &mergedPrefix{list: &segment.List{}}
	numbers := map[segment.Shape]uint16{}
	for i := 0; i < len(all); {
		doc, sum := all[i].doc, segment.Shape{}
		for ; i < len(all) && all[i].doc == doc; i++ {
			for f, tf := range all[i].shape {
				sum[f] += tf
			}
		}
		number, ok := numbers[sum]
		if !ok {
			if len(m.shapes) == 1<<16 {
				continue // more shapes than numbers: these documents are left to the words
			}
			number = uint16(len(m.shapes))
			numbers[sum] = number
			m.shapes = append(m.shapes, sum)
		}
		m.list.Docs = append(m.list.Docs, doc)
		m.list.Codes = append(m.list.Codes, number)
	}
	m.list.Bound(m.shapes, s.docs.Total)
	return m
}
