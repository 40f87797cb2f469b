package ingest

import (
	"context"
	"fmt"
	"iter"
)

// Document is one document as a source hands it over.
type Document struct {
	// ID names the document within its collection. Required, at most 1,000 bytes.
	ID string
	// Title defaults to what the text itself says: its front matter, <title> or first
	// heading. A file without any has its name.
	Title string
	// Text is the raw text in Format.
	Text string
	// Source names where the document comes from, for filters and for pruning.
	Source string
	// URI is where a reader finds it.
	URI string
	// Format is markdown, html, rst or text. Defaults to text.
	Format string
	// Whole keeps the document in one chunk when it fits the embedding model, as
	// judged collections expect.
	Whole bool
	// Metadata holds JSON values. Filters reach them by name.
	Metadata map[string]any

	altID         string // takes over when ID belongs to another file
	fallbackTitle string // when neither Title nor the text says one
}

// Source hands over documents one by one.
type Source interface {
	// Documents returns the documents in any order. An error that is a [*Failure]
	// concerns one document, which is named in the report, and the rest goes on; any
	// other error ends the run. It stops soon after ctx ends.
	Documents(ctx context.Context) iter.Seq2[Document, error]
}

// Failure is one document that could not be read or indexed.
type Failure struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`

	// unnamed: it is not known which document failed.
	unnamed bool
	// uri protects what is stored of it, and of anything below it, from pruning.
	uri string
}

func (f *Failure) Error() string { return f.ID + ": " + f.Reason }

func failf(id, format string, args ...any) *Failure {
	return &Failure{ID: id, Reason: fmt.Sprintf(format, args...)}
}

// Scope describes stored documents that a source answers for: those with this
// Source, or whose URI is URI or begins with URIPrefix. Empty fields match nothing.
type Scope struct {
	Source    string
	URI       string
	URIPrefix string
}

// scoped is a Source that knows, beyond what it hands over, which stored documents
// are its own, so that pruning finds those that are gone. Without it a run prunes
// the documents of every Source that it saw.
type scoped interface{ Scopes() []Scope }

// counted is a Source that knows how many documents it will hand over; progress bars
// use it. Zero is unknown.
type counted interface{ Count(ctx context.Context) int }
