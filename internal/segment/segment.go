// Package segment is the immutable file format of the lexical index: documents'
// terms go in, bytes come out, and back. It knows no database. Caller:
// internal/lexical. The format is described in docs/segment-format.md.
package segment
