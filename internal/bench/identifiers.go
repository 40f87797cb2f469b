package bench

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/search"
)

// Identifier is a name that stands in one document only.
type Identifier struct {
	Text     string `json:"text"`
	Kind     string `json:"kind"`
	Document string `json:"document"`
}

// IdentifierReport says how often the document that holds an identifier is found.
type IdentifierReport struct {
	Collection  string  `json:"collection"`
	Identifiers int     `json:"identifiers"`
	Recall1     float64 `json:"R@1"`
	Recall10    float64 `json:"R@10"`
	// Kinds has recall@1 by kind.
	Kinds []KindRecall `json:"kinds"`
	// Missed are those whose document is not first.
	Missed []Identifier `json:"missed,omitempty"`
}

// KindRecall is recall@1 of one kind of identifiers.
type KindRecall struct {
	Kind        string  `json:"kind"`
	Identifiers int     `json:"identifiers"`
	Recall1     float64 `json:"R@1"`
}

// String is the report for people.
func (r *IdentifierReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d identifiers that stand in one document each: recall@1 %.4f, recall@10 %.4f", r.Collection, r.Identifiers, r.Recall1, r.Recall10)
	for _, k := range r.Kinds {
		fmt.Fprintf(&b, "\n  %-10s %4d  recall@1 %.4f", k.Kind, k.Identifiers, k.Recall1)
	}
	for _, m := range r.Missed[:min(20, len(r.Missed))] {
		fmt.Fprintf(&b, "\n  not first: %s (%s) of %s", m.Text, m.Kind, m.Document)
	}
	return b.String()
}

const (
	// maxRead bounds the text that is read to draw identifiers.
	maxRead       = 64 << 20
	maxIdentifier = 80
)

// DrawIdentifiers finds names that are in one document of a collection and nowhere else,
// not even as a part of another word, and takes up to n of them, each kind in turn.
// Equal collections give equal identifiers.
func DrawIdentifiers(ctx context.Context, pool *pgxpool.Pool, collection int64, n int) ([]Identifier, error) {
	rows, err := pool.Query(ctx, `select external_id, title || E'\n' || body from documents
		where collection_id = $1 order by md5(external_id), external_id`, collection)
	if err != nil {
		return nil, fmt.Errorf("draw identifiers: %w", err)
	}
	defer rows.Close()
	type found struct {
		Identifier
		documents int
	}
	seen := map[string]*found{}
	var texts, ids []string
	size := 0
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, fmt.Errorf("draw identifiers: %w", err)
		}
		if size += len(text); size > maxRead {
			break
		}
		texts, ids = append(texts, strings.ToLower(text)), append(ids, id)
		here := map[string]bool{}
		for w := range strings.FieldsSeq(text) {
			w = strings.TrimRight(strings.Trim(w, "`'\"“”‘’,;!?()[]{}<>*"), ".:")
			kind := kindOf(w)
			key := strings.ToLower(w)
			if kind == "" || here[key] {
				continue
			}
			here[key] = true
			if f := seen[key]; f != nil {
				f.documents++
			} else {
				seen[key] = &found{Identifier{w, kind, id}, 1}
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("draw identifiers: %w", err)
	}
	kinds := map[string][]Identifier{}
	for _, f := range seen {
		if f.documents == 1 {
			kinds[f.Kind] = append(kinds[f.Kind], f.Identifier)
		}
	}
	for _, list := range kinds {
		slices.SortFunc(list, func(a, b Identifier) int {
			return cmp.Or(cmp.Compare(shuffle(a.Text), shuffle(b.Text)), cmp.Compare(a.Text, b.Text))
		})
	}
	alone := func(x Identifier) bool {
		for i, text := range texts {
			if ids[i] != x.Document && strings.Contains(text, strings.ToLower(x.Text)) {
				return false
			}
		}
		return true
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for k := range kinds {
			if !yield(k) {
				return
			}
		}
	})
	var drawn []Identifier
	for more := true; more && len(drawn) < n; {
		more = false
		for _, k := range names {
			for len(kinds[k]) > 0 && len(drawn) < n {
				x := kinds[k][0]
				kinds[k], more = kinds[k][1:], true
				if alone(x) {
					drawn = append(drawn, x)
					break
				}
			}
		}
	}
	return drawn, nil
}

func shuffle(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

var (
	versionForm = regexp.MustCompile(`^[vV]?[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.-]+)?$`)
	codeForm    = regexp.MustCompile(`^([A-Z][A-Z0-9]*-[0-9][A-Z0-9-]*|[A-Z]{1,6}[0-9]{2,}[A-Z]?|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)$`)
)

// kindOf names the kind of an identifier; "" is none, or one that people would not type.
func kindOf(w string) string {
	switch {
	case len(w) < 4 || len(w) > maxIdentifier || !route.IsIdentifier(w) || strings.ContainsAny(w, "<>(") || strings.Contains(w, "://"):
		return ""
	case versionForm.MatchString(w):
		return "version"
	case codeForm.MatchString(w):
		return "code"
	case strings.ContainsAny(w, `/\`):
		if inner := strings.Trim(w, `/\`); !strings.ContainsAny(inner, `/\`) && !strings.Contains(inner, ".") {
			return "" // a word between slashes is no path
		}
		return "path"
	case strings.HasPrefix(w, "--"):
		return "flag"
	case strings.HasPrefix(w, "-"):
		return "" // a word after a dash
	case strings.ContainsAny(w, ".:") || strings.Contains(w, "->"):
		return "qualified"
	}
	return "name"
}

// Identifiers asks for each identifier, with the router's own choices, and looks where
// its document is.
func Identifiers(ctx context.Context, engine *search.Engine, collection string, list []Identifier, progress func(done, total int64)) (*IdentifierReport, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("collection %s holds no identifier that stands in one document only", collection)
	}
	r := &IdentifierReport{Collection: collection, Identifiers: len(list)}
	kinds := map[string]*KindRecall{}
	for i, x := range list {
		res, err := engine.Search(ctx, search.Request{Query: x.Text, Plain: true, Collection: collection, GroupBy: "document"})
		if err != nil {
			return nil, fmt.Errorf("ask for %q: %w", x.Text, err)
		}
		k := kinds[x.Kind]
		if k == nil {
			k = &KindRecall{Kind: x.Kind}
			kinds[x.Kind] = k
		}
		k.Identifiers++
		at := slices.IndexFunc(res.Hits, func(h search.Hit) bool { return h.DocumentID == x.Document })
		if at == 0 {
			k.Recall1++
			r.Recall1++
		} else {
			r.Missed = append(r.Missed, x)
		}
		if at >= 0 && at < 10 {
			r.Recall10++
		}
		if progress != nil {
			progress(int64(i+1), int64(len(list)))
		}
	}
	r.Recall1, r.Recall10 = r.Recall1/float64(len(list)), r.Recall10/float64(len(list))
	for _, k := range kinds {
		k.Recall1 /= float64(k.Identifiers)
		r.Kinds = append(r.Kinds, *k)
	}
	slices.SortFunc(r.Kinds, func(a, b KindRecall) int { return cmp.Compare(a.Kind, b.Kind) })
	return r, nil
}
