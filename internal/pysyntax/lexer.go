package pysyntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxNesting bounds open brackets and indentation levels.
const (
	maxNesting = 200
	maxIndent  = 100
)

// lexer turns source into tokens. It panics with *Error; Parse recovers.
type lexer struct {
	src       string
	off, end  int
	line      int32
	lineStart int
	colOff    int // offset at which col was last known, on the current line
	col       int32
	toks      []token
	indents   []int
	altIndent []int // the same with tabs counted as one, to find mixtures
	brackets  []token
	fdepth    int // nesting of f-strings
}

// closers are the brackets that close others.
var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

func fail(pos Pos, hint, format string, args ...any) {
	panic(&Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

func newLexer(src string) *lexer {
	return &lexer{src: src, end: len(src), line: 1, col: 1, indents: []int{0}, altIndent: []int{0}}
}

// sub makes a lexer for an expression inside an f-string.
func (lx *lexer) sub(p fpart) *lexer {
	return &lexer{src: lx.src, off: p.start, end: p.end, line: p.pos.Line, lineStart: p.lineStart,
		colOff: p.start, col: p.pos.Col, indents: []int{0}, altIndent: []int{0}, fdepth: lx.fdepth + 1,
		brackets: []token{{text: "f"}}}
}

// posAt gives the position of an offset on the current line, not before the
// last one asked for.
func (lx *lexer) posAt(off int) Pos {
	if off > lx.colOff {
		lx.col += int32(utf8.RuneCountInString(lx.src[lx.colOff:off]))
		lx.colOff = off
	}
	return Pos{lx.line, lx.col}
}

func (lx *lexer) newline(off int) { // off: first byte of the next line
	lx.line++
	lx.lineStart, lx.colOff, lx.col = off, off, 1
}

func (lx *lexer) add(t token) {
	lx.toks = append(lx.toks, t)
}

// run tokenizes everything. inExpr is set for the inside of an f-string field.
func (lx *lexer) run(inExpr bool) []token {
	atLineStart := !inExpr
	for {
		if atLineStart {
			atLineStart = false
			if lx.indentation() {
				break
			}
		}
		space := lx.skipSpace()
		if lx.off >= lx.end {
			break
		}
		c := lx.src[lx.off]
		n := len(lx.toks)
		switch {
		case c == '\n':
			lx.off++
			if len(lx.brackets) == 0 {
				if n > 0 && lx.toks[n-1].kind != tNewline && lx.toks[n-1].kind != tIndent && lx.toks[n-1].kind != tDedent {
					lx.add(token{kind: tNewline, pos: lx.posAt(lx.off - 1), off: lx.off - 1, end: lx.off})
				}
				atLineStart = true
			}
			lx.newline(lx.off)
			continue
		case c == '#':
			lx.comment()
			continue
		case c >= '0' && c <= '9' || c == '.' && lx.off+1 < lx.end && isDigit(lx.src[lx.off+1]):
			lx.number()
		case c == '"' || c == '\'':
			lx.str(lx.off, "")
		case isNameStart(c):
			lx.name()
		default:
			lx.operator()
		}
		if len(lx.toks) > n {
			lx.toks[n].space = space
		}
	}
	if inExpr {
		if len(lx.brackets) > 1 {
			b := lx.brackets[len(lx.brackets)-1]
			fail(b.pos, "add the missing '"+closers[b.text]+"'", "'%s' was never closed", b.text)
		}
	} else if len(lx.brackets) > 0 {
		b := lx.brackets[len(lx.brackets)-1]
		fail(b.pos, "add the missing '"+closers[b.text]+"'", "'%s' was never closed", b.text)
	}
	if n := len(lx.toks); !inExpr && n > 0 && lx.toks[n-1].kind != tNewline && lx.toks[n-1].kind != tDedent {
		lx.add(token{kind: tNewline, pos: lx.posAt(lx.off), off: lx.off, end: lx.off})
	}
	if !inExpr {
		for range lx.indents[1:] {
			lx.add(token{kind: tDedent, pos: lx.posAt(lx.off), off: lx.off, end: lx.off})
		}
	}
	lx.add(token{kind: tEOF, pos: lx.posAt(lx.off), off: lx.off, end: lx.off})
	return lx.toks
}

func (lx *lexer) comment() {
	end := strings.IndexByte(lx.src[lx.off:lx.end], '\n')
	if end < 0 {
		lx.off = lx.end
	} else {
		lx.off += end
	}
}

// indentation handles the white space at the start of a logical line and
// reports whether the source ended. Blank lines and comments do not count.
func (lx *lexer) indentation() bool {
	for {
		col, alt := 0, 0
		i := lx.off
	scan:
		for i < lx.end {
			switch lx.src[i] {
			case ' ':
				col++
				alt++
			case '\t':
				col = (col/8 + 1) * 8
				alt++
			case '\f':
				col, alt = 0, 0
			default:
				break scan
			}
			i++
		}
		if i >= lx.end {
			lx.off = i
			return true
		}
		if lx.src[i] == '#' {
			lx.off = i
			lx.comment()
			i = lx.off
			if i >= lx.end {
				return true
			}
		}
		if lx.src[i] == '\n' {
			lx.off = i + 1
			lx.newline(lx.off)
			continue
		}
		if lx.src[i] == '\\' && i+1 < lx.end && lx.src[i+1] == '\n' {
			// a continued blank line: the indentation of this line counts
			lx.off = i
		}
		lx.off = i
		pos := lx.posAt(i)
		top := len(lx.indents) - 1
		switch {
		case col == lx.indents[top]:
			if alt != lx.altIndent[top] {
				fail(pos, "indent with spaces only", "inconsistent use of tabs and spaces in indentation")
			}
		case col > lx.indents[top]:
			if alt <= lx.altIndent[top] {
				fail(pos, "indent with spaces only", "inconsistent use of tabs and spaces in indentation")
			}
			if len(lx.indents) >= maxIndent {
				fail(pos, "move the inner part into a function", "too many levels of indentation (more than %d)", maxIndent)
			}
			lx.indents = append(lx.indents, col)
			lx.altIndent = append(lx.altIndent, alt)
			lx.add(token{kind: tIndent, pos: pos, off: i, end: i})
		default:
			for top > 0 && col < lx.indents[top] {
				top--
				lx.add(token{kind: tDedent, pos: pos, off: i, end: i})
			}
			lx.indents, lx.altIndent = lx.indents[:top+1], lx.altIndent[:top+1]
			if col != lx.indents[top] {
				fail(pos, "", "unindent does not match any outer indentation level")
			}
			if alt != lx.altIndent[top] {
				fail(pos, "indent with spaces only", "inconsistent use of tabs and spaces in indentation")
			}
		}
		return false
	}
}

// skipSpace skips blanks and continued lines.
func (lx *lexer) skipSpace() bool {
	start := lx.off
	for lx.off < lx.end {
		switch c := lx.src[lx.off]; {
		case c == ' ' || c == '\t' || c == '\f':
			lx.off++
		case c == '\\' && lx.off+1 < lx.end && lx.src[lx.off+1] == '\n':
			lx.off += 2
			lx.newline(lx.off)
		default:
			return lx.off > start
		}
	}
	return lx.off > start
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// name reads an identifier, or the prefix of a string.
func (lx *lexer) name() {
	start := lx.off
	pos := lx.posAt(start)
	ascii := true
	for lx.off < lx.end {
		c := lx.src[lx.off]
		if c < utf8.RuneSelf {
			if !isNameStart(c) && !isDigit(c) {
				break
			}
			lx.off++
			continue
		}
		r, n := utf8.DecodeRuneInString(lx.src[lx.off:lx.end])
		first := lx.off == start
		if !(unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || !first && (unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r) || unicode.Is(unicode.Pc, r))) {
			if first {
				lx.strange(r)
			}
			break
		}
		ascii = false
		lx.off += n
	}
	text := lx.src[start:lx.off]
	if ascii && len(text) <= 2 && lx.off < lx.end && (lx.src[lx.off] == '"' || lx.src[lx.off] == '\'') {
		switch p := strings.ToLower(text); p {
		case "r", "b", "u", "f", "rb", "br", "rf", "fr":
			lx.str(start, p)
			return
		}
	}
	if !ascii {
		text = norm.NFKC.String(text)
	}
	lx.add(token{kind: tName, text: text, pos: pos, off: start, end: lx.off})
}

// strange refuses a character that begins no token.
func (lx *lexer) strange(r rune) {
	pos := lx.posAt(lx.off)
	switch {
	case r == '\u2018' || r == '\u2019' || r == '\u201c' || r == '\u201d':
		fail(pos, `use straight quotes ' or "`, "invalid character '%c' (U+%04X): a typographic quote", r, r)
	case r == '\u00a0' || unicode.Is(unicode.Zs, r):
		fail(pos, "use an ordinary space", "invalid non-printable character U+%04X (a special space)", r)
	case !unicode.IsPrint(r):
		fail(pos, "remove it; inside a string write it as an escape", "invalid non-printable character U+%04X", r)
	}
	fail(pos, lookalike(r), "invalid character '%c' (U+%04X)", r, r)
}

func (lx *lexer) operator() {
	rest := lx.src[lx.off:lx.end]
	pos := lx.posAt(lx.off)
	op := ""
	for _, o := range operators {
		if strings.HasPrefix(rest, o) {
			op = o
			break
		}
	}
	switch op {
	case "":
		r, _ := utf8.DecodeRuneInString(rest)
		switch r {
		case '\\':
			fail(pos, "", "unexpected character after line continuation character")
		case '$', '?', '`':
			fail(pos, "", "invalid syntax: '%c' is not used in Python", r)
		}
		lx.strange(r)
	case "(", "[", "{":
		if len(lx.brackets) >= maxNesting {
			fail(pos, "build the value in steps", "too many nested parentheses (more than %d)", maxNesting)
		}
		lx.brackets = append(lx.brackets, token{text: op, pos: pos})
	case ")", "]", "}":
		n := len(lx.brackets)
		if n == 0 || lx.brackets[n-1].text == "f" {
			fail(pos, "", "unmatched '%s'", op)
		}
		open := lx.brackets[n-1]
		if want := map[string]string{"(": ")", "[": "]", "{": "}"}[open.text]; want != op {
			fail(pos, "", "closing parenthesis '%s' does not match opening parenthesis '%s' on line %d", op, open.text, open.pos.Line)
		}
		lx.brackets = lx.brackets[:n-1]
	}
	lx.add(token{kind: tOp, text: op, pos: pos, off: lx.off, end: lx.off + len(op)})
	lx.off += len(op)
}
