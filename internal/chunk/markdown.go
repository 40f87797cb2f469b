package chunk

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxHeading bounds a heading's text in bytes.
const maxHeading = 200

// maxNesting is how many block quotes or list items may open on one line before the
// text is taken as plain: the time to parse grows with the square of the depth.
const maxNesting = 40

// blockParser finds blocks and leaves what is inside them alone: that is all that
// chunks need, and block structure is found in linear time.
var blockParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(
		util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
)

// inlineParser reads the text of headings.
var inlineParser = parser.NewParser(
	parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)),
	parser.WithInlineParsers(parser.DefaultInlineParsers()...),
)

func extractMarkdown(s string) Doc {
	meta, s := frontMatter(s)
	d := Doc{Text: s, Metadata: meta}
	if title, ok := meta["title"].(string); ok {
		d.Title = oneLine(title)
		delete(meta, "title")
	}
	if deeplyNested(s) {
		d.Blocks = plainBlocks(s, false)
		return d
	}
	source := []byte(s)
	root := blockParser.Parse(text.NewReader(source))
	var blocks []Block
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		pos := n.Pos()
		if pos < 0 || pos > len(s) {
			continue // it stays with the block before
		}
		b := Block{Kind: kindOf(n), Start: strings.LastIndexByte(s[:pos], '\n') + 1}
		if len(blocks) > 0 && b.Start <= blocks[len(blocks)-1].Start {
			continue
		}
		switch n := n.(type) {
		case *ast.Heading:
			b.Level = n.Level
			b.Title = headingText(n, source)
		case *extast.Table:
			end := lineEnd(s, b.Start)
			b.Title = tableHeader(s[b.Start:end])
			b.HeaderEnd = lineEnd(s, end)
		}
		blocks = append(blocks, b)
	}
	d.Blocks = cover(blocks, len(s))
	return d
}

func kindOf(n ast.Node) Kind {
	switch n.Kind() {
	case ast.KindHeading:
		return Heading
	case ast.KindFencedCodeBlock, ast.KindCodeBlock, ast.KindHTMLBlock:
		return Code
	case ast.KindList:
		return List
	case extast.KindTable:
		return Table
	}
	return Paragraph
}

// headingText is a heading without its markup.
func headingText(n *ast.Heading, source []byte) string {
	var raw strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		raw.Write(line.Value(source))
		raw.WriteByte(' ')
	}
	line := []byte(cutBytes(oneLine(raw.String()), 4*maxHeading))
	var b strings.Builder
	_ = ast.Walk(inlineParser.Parse(text.NewReader(line)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch t := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(util.ResolveEntityNames(util.UnescapePunctuations(t.Segment.Value(line))))
			}
		case *ast.AutoLink:
			if entering {
				b.Write(t.Label(line))
			}
		case *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return cutBytes(oneLine(b.String()), maxHeading)
}

// tableHeader turns "| a | b |" into "a | b".
func tableHeader(line string) string {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i := range cells {
		cells[i] = oneLine(cells[i])
	}
	return cutBytes(strings.Join(cells, " | "), maxHeading)
}

// deeplyNested reports a line that opens more containers than any honest text does.
func deeplyNested(s string) bool {
	depth, indent := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '>', '-', '+', '*':
			if indent > 4*maxNesting {
				return true
			}
			if depth++; depth > maxNesting && !strings.HasPrefix(s[i:], strings.Repeat(s[i:i+1], 3)) {
				return true
			}
		case ' ', '\t':
			if depth == 0 {
				indent++
			}
		case '\n':
			depth, indent = 0, 0
		default:
			// Digits open ordered items ("1."), which also nest; anything else ends the run.
			if s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i] == ')' {
				continue
			}
			next := strings.IndexByte(s[i:], '\n')
			if next < 0 {
				return false
			}
			i += next
			depth, indent = 0, 0
		}
	}
	return false
}
