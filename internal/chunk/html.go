package chunk

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	tag "golang.org/x/net/html/atom"
)

// extractHTML writes the main part of a page as Markdown: headings, paragraphs,
// lists, fenced code and tables by rows. Scripts, styles, navigation and what is
// hidden are left out. When a page marks its main part (<main>, <article>), the rest
// is left out too.
func extractHTML(s string) (Doc, error) {
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return Doc{}, fmt.Errorf("parse HTML: %w", err)
	}
	w := &htmlWriter{meta: map[string]any{}}
	w.head(root)
	main := find(root, tag.Main)
	if main == nil {
		if main = find(root, tag.Article); main != nil && next(main, root) {
			main = nil // several articles: a list page
		}
	}
	if main == nil {
		main = find(root, tag.Body)
	}
	if main != nil {
		w.children(main)
	}
	w.endBlock()
	d := Doc{Title: w.title, Text: w.b.String(), Blocks: cover(w.blocks, w.b.Len())}
	if len(w.meta) > 0 {
		d.Metadata = w.meta
	}
	return d, nil
}

// htmlWriter collects text. Inline text gathers in line until a block ends.
type htmlWriter struct {
	b      strings.Builder
	blocks []Block
	line   strings.Builder
	list   []int // an entry per open list: 0 unordered, else the next number
	title  string
	meta   map[string]any
}

// head reads <title> and the description.
func (w *htmlWriter) head(root *html.Node) {
	if t := find(root, tag.Title); t != nil {
		w.title = oneLine(textOf(t))
	}
	for n := range root.Descendants() {
		if n.DataAtom == tag.Meta && strings.EqualFold(attr(n, "name"), "description") {
			if c := oneLine(attr(n, "content")); c != "" {
				w.meta["description"] = c
			}
			return
		}
	}
}

func (w *htmlWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

func (w *htmlWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.line.WriteString(n.Data)
		return
	case html.ElementNode:
	default:
		return
	}
	if skipped(n) {
		return
	}
	switch n.DataAtom {
	case tag.H1, tag.H2, tag.H3, tag.H4, tag.H5, tag.H6:
		w.heading(n, int(n.Data[1]-'0'))
	case tag.Pre:
		w.code(n)
	case tag.Table:
		w.table(n)
	case tag.Ul, tag.Ol:
		w.endBlock()
		start := 0
		if n.DataAtom == tag.Ol {
			start = 1
		}
		w.list = append(w.list, start)
		w.children(n)
		w.endBlock()
		w.list = w.list[:len(w.list)-1]
	case tag.Li:
		w.endBlock()
		w.children(n)
		w.endItem()
	case tag.Br:
		w.line.WriteByte(' ')
	case tag.Code:
		// Fences would need escaping inside; single back quotes are what readers expect.
		if t := oneLine(textOf(n)); t != "" && !strings.Contains(t, "`") {
			w.line.WriteString("`" + t + "`")
		} else {
			w.line.WriteString(t)
		}
	case tag.Img:
		if alt := oneLine(attr(n, "alt")); alt != "" {
			w.line.WriteString(alt)
		}
	default:
		if inline[n.DataAtom] {
			w.children(n)
			return
		}
		w.endBlock()
		w.children(n)
		w.endBlock()
	}
}

var inline = map[tag.Atom]bool{
	tag.A: true, tag.Abbr: true, tag.B: true, tag.Bdi: true, tag.Bdo: true, tag.Cite: true,
	tag.Del: true, tag.Dfn: true, tag.Em: true, tag.Font: true, tag.I: true, tag.Ins: true,
	tag.Kbd: true, tag.Label: true, tag.Mark: true, tag.Q: true, tag.S: true, tag.Samp: true,
	tag.Small: true, tag.Span: true, tag.Strike: true, tag.Strong: true, tag.Sub: true,
	tag.Sup: true, tag.Time: true, tag.Tt: true, tag.U: true, tag.Var: true, tag.Wbr: true,
}

func skipped(n *html.Node) bool {
	switch n.DataAtom {
	case tag.Script, tag.Style, tag.Nav, tag.Noscript, tag.Template, tag.Svg, tag.Iframe,
		tag.Object, tag.Canvas, tag.Select, tag.Button, tag.Footer:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return a.Val == "true"
		case "role":
			if a.Val == "navigation" {
				return true
			}
		}
	}
	return false
}

// open begins a block at the end of what is written.
func (w *htmlWriter) open(kind Kind) *Block {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.blocks = append(w.blocks, Block{Kind: kind, Start: w.b.Len()})
	return &w.blocks[len(w.blocks)-1]
}

// endBlock writes the gathered inline text as a paragraph, or as a list item.
func (w *htmlWriter) endBlock() {
	text := oneLine(w.line.String())
	w.line.Reset()
	if text == "" {
		return
	}
	if len(w.list) == 0 {
		w.open(Paragraph)
		w.b.WriteString(text + "\n")
		return
	}
	if n := len(w.blocks); n == 0 || w.blocks[n-1].Kind != List {
		w.open(List)
	}
	depth := len(w.list) - 1
	marker := "- "
	if k := w.list[depth]; k > 0 {
		marker = fmt.Sprintf("%d. ", k)
	}
	w.b.WriteString(strings.Repeat("  ", min(depth, 8)) + marker + text + "\n")
}

func (w *htmlWriter) endItem() {
	w.endBlock()
	if d := len(w.list) - 1; d >= 0 && w.list[d] > 0 {
		w.list[d]++
	}
}

func (w *htmlWriter) heading(n *html.Node, level int) {
	w.endBlock()
	text := oneLine(textOf(n))
	text = strings.TrimSpace(strings.TrimRight(text, "¶#§")) // permalinks
	if text == "" {
		return
	}
	b := w.open(Heading)
	b.Level, b.Title = level, cutBytes(text, maxHeading)
	w.b.WriteString(strings.Repeat("#", level) + " " + text + "\n")
}

func (w *htmlWriter) code(n *html.Node) {
	w.endBlock()
	text := strings.Trim(textOf(n), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	w.open(Code)
	w.b.WriteString(fence + "\n" + strings.TrimRightFunc(text, unicode.IsSpace) + "\n" + fence + "\n")
}

func (w *htmlWriter) table(n *html.Node) {
	w.endBlock()
	var rows [][]string
	var caption string
	for r := range n.Descendants() {
		switch r.DataAtom {
		case tag.Caption:
			caption = oneLine(textOf(r))
		case tag.Tr:
			var cells []string
			for c := r.FirstChild; c != nil; c = c.NextSibling {
				if c.DataAtom == tag.Td || c.DataAtom == tag.Th {
					cells = append(cells, strings.ReplaceAll(oneLine(textOf(c)), "|", `\|`))
				}
			}
			if strings.Join(cells, "") != "" {
				rows = append(rows, cells)
			}
		}
	}
	if caption != "" {
		w.open(Paragraph)
		w.b.WriteString(caption + "\n")
	}
	if len(rows) == 0 {
		return
	}
	b := w.open(Table)
	for i, cells := range rows {
		line := "| " + strings.Join(cells, " | ") + " |"
		w.b.WriteString(line + "\n")
		if i == 0 {
			w.b.WriteString(strings.Repeat("| --- ", len(cells)) + "|\n")
			b.Title, b.HeaderEnd = tableHeader(line), w.b.Len()
		}
	}
}

func find(n *html.Node, a tag.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.DataAtom == a && d.Type == html.ElementNode {
			return d
		}
	}
	return nil
}

// next reports whether root holds a second element like n outside n.
func next(n, root *html.Node) bool {
	for d := range root.Descendants() {
		if d.DataAtom != n.DataAtom || d == n {
			continue
		}
		inside := false
		for p := d.Parent; p != nil; p = p.Parent {
			inside = inside || p == n
		}
		if !inside {
			return true
		}
	}
	return false
}

// textOf is the text below n, without scripts and styles, as it stands in the source.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode && !(d.Parent != nil && (d.Parent.DataAtom == tag.Script || d.Parent.DataAtom == tag.Style)):
			b.WriteString(d.Data)
		case d.DataAtom == tag.Br:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
