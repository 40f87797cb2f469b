package chunk

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Formats that Extract understands.
const (
	Markdown = "markdown"
	HTML     = "html"
	RST      = "rst"
	Text     = "text"
)

// Doc is a document as plain text with its structure.
type Doc struct {
	// Title is what the document calls itself; empty when it does not.
	Title string
	// Text is what byte offsets point into: valid UTF-8 without NUL, lines end in \n.
	// Markdown stays as it is, without its front matter; HTML becomes Markdown.
	Text string
	// Metadata comes from front matter or <meta>.
	Metadata map[string]any
	// Blocks cover Text: each begins where the one before ends.
	Blocks []Block
	// Replaced counts invalid bytes that became U+FFFD, and NULs that were dropped.
	Replaced int
}

// Kind is the kind of a block.
type Kind uint8

const (
	Paragraph Kind = iota
	Heading
	Code  // a fenced or indented block: cut only when it is too large by itself
	Table // cut between rows
	List  // cut between lines
)

// Block is a run of whole lines.
type Block struct {
	Kind       Kind
	Start, End int
	// Level (1 to 6) and Title belong to a Heading.
	Level int
	Title string
	// HeaderEnd is where a Table's first data row begins, and Title its header row.
	HeaderEnd int
}

// Extract reads a document. The format is one of the constants above, "" for text.
func Extract(format, raw string) (Doc, error) {
	raw, replaced := Clean(raw)
	var d Doc
	switch format {
	case Markdown:
		d = extractMarkdown(raw)
	case HTML:
		var err error
		if d, err = extractHTML(raw); err != nil {
			return Doc{}, err
		}
	case RST:
		d = Doc{Text: raw, Blocks: plainBlocks(raw, true)}
	case Text, "":
		d = Doc{Text: raw, Blocks: plainBlocks(raw, false)}
	default:
		return Doc{}, fmt.Errorf("format %q is none of markdown, html, rst, text", format)
	}
	d.Replaced = replaced
	if d.Title == "" {
		for _, b := range d.Blocks {
			if b.Kind == Heading && b.Level == 1 {
				d.Title = b.Title
				break
			}
		}
	}
	return d, nil
}

// Clean returns s as valid UTF-8 without NUL (which PostgreSQL refuses), without a
// byte order mark, with lines that end in \n, and how many bytes it had to replace or
// drop for the first two.
func Clean(s string) (string, int) {
	s = strings.TrimPrefix(s, "\ufeff")
	replaced := 0
	if !utf8.ValidString(s) {
		var b strings.Builder
		b.Grow(len(s) + 64)
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				replaced++
			}
			b.WriteRune(r)
			i += size
		}
		s = b.String()
	}
	if n := strings.Count(s, "\x00"); n > 0 {
		replaced += n
		s = strings.ReplaceAll(s, "\x00", "")
	}
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s, replaced
}

// cover makes blocks that know only where they begin cover the whole text.
func cover(blocks []Block, size int) []Block {
	if size == 0 {
		return nil
	}
	if len(blocks) == 0 {
		return []Block{{Kind: Paragraph, End: size}}
	}
	blocks[0].Start = 0
	for i := range blocks {
		if i+1 < len(blocks) {
			blocks[i].End = blocks[i+1].Start
		} else {
			blocks[i].End = size
		}
	}
	return blocks
}
