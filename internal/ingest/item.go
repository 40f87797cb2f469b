package ingest

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/chunk"
	"github.com/bmcis/bmcis/internal/lexical"
)

const (
	maxIDBytes    = 1000
	maxTitleBytes = 2000
	maxURIBytes   = 8000
)

// item is one document on its way through the stages.
type item struct {
	doc      Document
	metadata []byte // JSON of doc.Metadata
	hash     [32]byte
	replaced int

	// Set by prepare, for documents that changed.
	text   string // extracted
	chunks []piece
	state  state
	late   bool // its vectors are made after it is written
}

type state uint8

const (
	toWrite state = iota
	unchanged
	failed
)

// piece is a chunk with its public id.
type piece struct {
	chunk.Chunk
	stableID string
	ordinal  int
}

// newItem checks a document and hashes it.
func newItem(d Document) (*item, *Failure) {
	switch {
	case d.ID == "":
		return nil, failf("(no id)", "the document has an empty id")
	case len(d.ID) > maxIDBytes:
		return nil, failf(d.ID[:60]+"…", "the id has %d bytes; at most %d are stored", len(d.ID), maxIDBytes)
	case !utf8.ValidString(d.ID) || strings.ContainsRune(d.ID, 0):
		return nil, failf(strings.ToValidUTF8(strings.ReplaceAll(d.ID, "\x00", "␀"), "\ufffd"), "the id is not valid UTF-8 or holds NUL")
	case len(d.Source) > maxIDBytes:
		return nil, failf(d.ID, "the source has %d bytes; at most %d are stored", len(d.Source), maxIDBytes)
	case len(d.URI) > maxURIBytes:
		return nil, failf(d.ID, "the uri has %d bytes; at most %d are stored", len(d.URI), maxURIBytes)
	case len(d.Text) > maxFileBytes:
		return nil, failf(d.ID, "the text has %d MiB; at most %d MiB are indexed", len(d.Text)>>20, maxFileBytes>>20)
	}
	it := &item{doc: d}
	for _, s := range []*string{&it.doc.Title, &it.doc.Source, &it.doc.URI} {
		var n int
		*s, n = chunk.Clean(*s)
		it.replaced += n
	}
	it.doc.Title = cutTitle(it.doc.Title)
	if fail := it.setMetadata(d.Metadata); fail != nil {
		return nil, fail
	}
	h := sha256.New()
	field := func(s string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:])
		h.Write([]byte(s))
	}
	whole := "0"
	if d.Whole {
		whole = "1"
	}
	for _, s := range []string{string(rune('0' + chunk.Version)), it.doc.Title, d.Text, it.doc.Source, it.doc.URI, d.Format, whole, d.fallbackTitle} {
		field(s)
	}
	h.Write(it.metadata)
	h.Sum(it.hash[:0])
	return it, nil
}

func (it *item) setMetadata(m map[string]any) *Failure {
	cleaned, _ := cleanJSON(m, 0).(map[string]any)
	if cleaned == nil {
		cleaned = map[string]any{}
	}
	data, err := json.Marshal(cleaned) // sorts keys: equal metadata, equal hash
	if err != nil {
		return failf(it.doc.ID, "its metadata is not JSON: %v", err)
	}
	it.doc.Metadata, it.metadata = cleaned, data
	return nil
}

// maxMetadataDepth keeps metadata within what JSON parsers accept.
const maxMetadataDepth = 64

// cleanJSON drops from metadata what PostgreSQL refuses: NUL and invalid UTF-8 in
// keys and texts, and nesting without end. A number that no float64 holds (1e400)
// stays as its text: PostgreSQL would keep it, and nothing that reads it back could.
func cleanJSON(v any, depth int) any {
	if depth > maxMetadataDepth {
		return nil
	}
	switch v := v.(type) {
	case string:
		s, _ := chunk.Clean(v)
		return s
	case json.Number:
		if !storable(v) {
			return v.String()
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			k, _ = chunk.Clean(k)
			out[k] = cleanJSON(x, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = cleanJSON(x, depth+1)
		}
		return out
	}
	return v
}

// maxNumberBytes is more digits than any number has that a float64 was printed from.
const maxNumberBytes = 400

func storable(n json.Number) bool {
	if len(n) > maxNumberBytes {
		return false
	}
	if _, err := n.Float64(); err != nil {
		return false
	}
	_, exponent, ok := strings.Cut(strings.ToLower(n.String()), "e")
	if !ok {
		return true
	}
	e, err := strconv.Atoi(exponent)
	return err == nil && max(e, -e) <= maxNumberBytes
}

func cutTitle(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxTitleBytes {
		s = strings.ToValidUTF8(s[:maxTitleBytes], "")
	}
	return s
}

// split extracts and cuts the document.
func (it *item) split(count func(string) int) *Failure {
	d, err := chunk.Extract(it.doc.Format, it.doc.Text)
	if err != nil {
		return failf(it.doc.ID, "%v", err)
	}
	it.replaced += d.Replaced
	it.text = d.Text
	for _, title := range []string{d.Title, it.doc.fallbackTitle} {
		if it.doc.Title == "" {
			it.doc.Title = cutTitle(title)
		}
	}
	if len(d.Metadata) > 0 {
		merged := d.Metadata
		for k, v := range it.doc.Metadata { // what the source says goes first
			merged[k] = v
		}
		if fail := it.setMetadata(merged); fail != nil {
			return fail
		}
	}
	chunks := chunk.Split(d, it.doc.Title, chunk.Options{Count: count, Whole: it.doc.Whole})
	if len(chunks) == 0 && it.doc.Title != "" {
		// A title alone can be found too. It stands at the head of the text.
		it.text = it.doc.Title + it.text
		chunks = []chunk.Chunk{{Text: it.doc.Title, End: len(it.doc.Title)}}
	}
	it.chunks = make([]piece, len(chunks))
	times := map[string]int{}
	for i, c := range chunks {
		key := it.doc.Title + "\x00" + it.path() + "\x00" + strings.Join(c.Headings, "\x00") + "\x00\x00" + c.Text
		it.chunks[i] = piece{Chunk: c, ordinal: i, stableID: stableID(it.doc.ID, key, times[key])}
		times[key]++
	}
	return nil
}

// path is what the lexical field "path" holds.
func (it *item) path() string { return lexical.PathOf(it.doc.URI, it.doc.ID) }

// stableID makes the public id of a chunk from its document's id and from everything
// that its vector and its postings are made from; nth tells equal chunks of one
// document apart. 80 bits: among a million chunks of one collection, two would share
// an id with a chance of 4 in 10^13.
func stableID(document, content string, nth int) string {
	h := sha256.New()
	h.Write([]byte(document))
	h.Write([]byte{0, byte(nth), byte(nth >> 8), byte(nth >> 16), 0})
	h.Write([]byte(content))
	return strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil)[:10]))
}
