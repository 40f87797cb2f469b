package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// PreviewRunes is the length of a lean preview, in characters.
const PreviewRunes = 200

// A Hit is one chunk that answers a query, as far as it is printed.
type Hit struct {
	ID, DocumentID, Title, Source, URI string
	Headings                           []string
	Metadata                           map[string]any
	Text                               string
	Score                              float64
	// Nil and 0 where that stage did not see the hit.
	LexicalScore, VectorScore, RerankScore *float64
	LexicalRank, VectorRank                int
}

// A Document is a whole document, as far as it is printed.
type Document struct {
	ID, Title, Source, URI, Text string
	Metadata                     map[string]any
	Created, Updated             time.Time
}

// Style says how much of a text is printed.
type Style int

const (
	Full Style = iota // whole texts
	Lean              // the first PreviewRunes characters, as "content"
)

// Hits prints hits as a direct tool does: a JSON object {"hits": [...]}, two
// lines a hit, scores first. The parts of the print begin and end at token
// boundaries: see [HitTokens].
func Hits(hits []Hit, style Style) []byte {
	var b bytes.Buffer
	b.WriteString(hitsHead)
	for i, h := range hits {
		b.WriteString(hitScores(h))
		b.WriteString(hitBody(h, style))
		if i < len(hits)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(hitsTail)
	return b.Bytes()
}

const (
	hitsHead = "{\"hits\":[\n"
	hitsTail = "]}\n"
)

// hitScores is the line of a hit that depends on the query.
func hitScores(h Hit) string {
	b := make([]byte, 0, 96)
	b = append(b, `{"score":`...)
	b = AppendScore(b, h.Score)
	for _, f := range [...]struct {
		name  string
		score *float64
	}{{"lexical_score", h.LexicalScore}, {"vector_score", h.VectorScore}, {"rerank_score", h.RerankScore}} {
		if f.score != nil {
			b = append(append(append(b, `,"`...), f.name...), `":`...)
			b = AppendScore(b, *f.score)
		}
	}
	return string(append(b, ",\n"...))
}

// hitBody is the line of a hit that depends on the chunk alone.
func hitBody(h Hit, style Style) string {
	var b bytes.Buffer
	b.WriteByte(' ')
	field(&b, `"id":`, h.ID)
	field(&b, `,"document_id":`, h.DocumentID)
	field(&b, `,"title":`, h.Title)
	field(&b, `,"source":`, h.Source)
	if h.URI != "" {
		field(&b, `,"uri":`, h.URI)
	}
	if len(h.Headings) > 0 {
		field(&b, `,"headings":`, h.Headings)
	}
	if len(h.Metadata) > 0 {
		field(&b, `,"metadata":`, h.Metadata)
	}
	if style == Lean {
		field(&b, `,"content":`, Cut(h.Text, PreviewRunes))
	} else {
		field(&b, `,"text":`, h.Text)
	}
	b.WriteByte('}')
	return b.String()
}

// HitTokens counts the o200k tokens that one hit adds to the print of [Hits] in
// full, using the cache for the part that does not depend on the query. The
// print of n hits has the sum of their counts plus [HitsOverhead] tokens; a test
// holds it to within one token a hit.
func HitTokens(c *TokenCache, h Hit) int {
	return CountTokens(hitScores(h)) + c.Count(hitBody(h, Full)+",\n")
}

// HitsOverhead is the number of o200k tokens of an empty print of Hits.
func HitsOverhead() int { return CountTokens(hitsHead + hitsTail) }

// DocumentJSON prints one document as a direct tool does.
func DocumentJSON(d Document, style Style) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	field(&b, `"document_id":`, d.ID)
	field(&b, `,"title":`, d.Title)
	field(&b, `,"source":`, d.Source)
	if d.URI != "" {
		field(&b, `,"uri":`, d.URI)
	}
	if len(d.Metadata) > 0 {
		field(&b, `,"metadata":`, d.Metadata)
	}
	for _, t := range [...]struct {
		name string
		t    time.Time
	}{{`,"created":`, d.Created}, {`,"updated":`, d.Updated}} {
		if !t.t.IsZero() {
			field(&b, t.name, t.t.UTC().Format(time.RFC3339))
		}
	}
	if style == Lean {
		field(&b, `,"content":`, Cut(d.Text, PreviewRunes))
	} else {
		field(&b, `,"text":`, d.Text)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// JSON encodes v in one line and leaves <, > and & as they are: escaped, each would cost
// the model several tokens.
func JSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func field(b *bytes.Buffer, name string, v any) {
	b.WriteString(name)
	text, err := JSON(v)
	if err != nil {
		// Strings, string lists and decoded JSON always encode; a metadata
		// value from elsewhere might not, and is then named instead.
		fmt.Fprintf(b, "%q", err.Error())
		return
	}
	b.Write(text)
}

// AppendScore appends a score with at most four decimals. A value that JSON does
// not know is printed as null.
func AppendScore(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, Round(x, 4), 'f', -1, 64)
}

// Round rounds x to so many decimals, half away from zero.
func Round(x float64, decimals int) float64 {
	p := math.Pow10(decimals)
	if r := math.Round(x*p) / p; !math.IsInf(r, 0) && !math.IsNaN(r) {
		return r
	}
	return x
}

// Cut returns the first n characters of s; s itself when it has no more.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Preview returns s in one line: runs of white space become one space, and a
// text longer than n characters is cut at a word, with an ellipsis.
func Preview(s string, n int) string {
	var b strings.Builder
	runes, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = runes > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			runes++
			space = false
		}
		b.WriteRune(r)
		if runes++; runes > n {
			break
		}
	}
	out := b.String()
	if runes <= n {
		return out
	}
	out = Cut(out, n-1)
	if i := strings.LastIndexByte(out, ' '); i > 0 && utf8.RuneCountInString(out[i:]) <= 20 {
		out = out[:i]
	}
	return strings.TrimRight(out, " ,;:") + "…"
}
