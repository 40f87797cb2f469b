// Package chunk turns a document into pieces that can be found one by one. Bytes in
// some format go in ([Extract]); plain text with its structure comes out; from that
// come chunks ([Split]) that fit the embedding model, each with its headings and its
// exact byte range. Pure functions; caller: internal/ingest.
//
// A document's text is a sequence of [Block]s that covers every byte. A heading opens
// a section; a section that fits is one chunk; one that does not is cut at its best
// breaks. Nothing is rewritten on the way: Text[Start:End] is the chunk.
package chunk

import (
	"strings"
	"unicode/utf8"
)

// Version is part of every document's content hash: a change here means that the
// next run cuts every document anew.
const Version = 1

// Chunk is one piece of a document's text.
type Chunk struct {
	// Text is the document's text from Start to End, without blank lines around it.
	Text       string
	Start, End int
	// Headings is the path from the outermost heading to the chunk. A later piece of a
	// table ends with the table's header row, so that its cells keep their meaning.
	Headings []string
}

// maxPrefix bounds the first line of a passage, in bytes, so that a long title cannot
// push the text out of the model's window.
const maxPrefix = 300

// Passage is the text to embed: the title and the path of headings on the first
// line, then the chunk. Headings that repeat the title, or that the chunk begins
// with, are not said twice.
func Passage(title string, headings []string, text string) string {
	p := prefix(title, headings, text)
	if p == "" {
		return text
	}
	return p + "\n" + text
}

func prefix(title string, headings []string, text string) string {
	parts := make([]string, 0, 1+len(headings))
	if title != "" {
		parts = append(parts, title)
	}
	for _, h := range headings {
		if h != "" && (len(parts) == 0 || parts[len(parts)-1] != h) {
			parts = append(parts, h)
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	first = strings.Trim(first, "# \t")
	if n := len(parts); n > 0 && parts[n-1] == first {
		parts = parts[:n-1]
	}
	return cutBytes(strings.Join(parts, " > "), maxPrefix)
}

// cutBytes shortens s to at most n bytes without cutting a rune.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// oneLine collapses white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
