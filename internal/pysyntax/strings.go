package pysyntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// str reads a string literal whose prefix began at start; lx.off is at the quote.
func (lx *lexer) str(start int, prefix string) {
	pos := lx.posAt(start)
	quote := lx.src[lx.off : lx.off+1]
	if strings.HasPrefix(lx.src[lx.off:lx.end], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	lx.off += len(quote)
	raw := strings.Contains(prefix, "r")
	t := token{kind: tString, pos: pos, off: start, bytes: strings.Contains(prefix, "b")}
	if strings.Contains(prefix, "f") {
		if lx.fdepth >= 5 {
			fail(pos, "compute the inner text first", "f-string: expressions nested too deeply")
		}
		t.kind = tFString
		t.parts = lx.fparts(quote, raw, pos, 0)
		lx.off += len(quote)
	} else {
		t.text = lx.plain(quote, raw, t.bytes, pos)
	}
	t.end = lx.off
	lx.add(t)
}

// plain reads up to the closing quote and decodes.
func (lx *lexer) plain(quote string, raw, isBytes bool, pos Pos) string {
	var sb strings.Builder
	for {
		if lx.off >= lx.end {
			lx.unterminated(quote, pos)
		}
		c := lx.src[lx.off]
		switch {
		case c == quote[0] && strings.HasPrefix(lx.src[lx.off:lx.end], quote):
			lx.off += len(quote)
			return sb.String()
		case c == '\n':
			if len(quote) == 1 {
				lx.unterminated(quote, pos)
			}
			sb.WriteByte(c)
			lx.off++
			lx.newline(lx.off)
		case c == '\\' && lx.off+1 < lx.end:
			lx.escape(&sb, raw, isBytes)
		default:
			if isBytes && c >= utf8.RuneSelf {
				fail(lx.posAt(lx.off), `write it as \x escapes`, "bytes can only contain ASCII literal characters")
			}
			sb.WriteByte(c)
			lx.off++
		}
	}
}

func (lx *lexer) unterminated(quote string, pos Pos) {
	if len(quote) == 3 {
		fail(pos, "close it with "+quote, "unterminated triple-quoted string literal")
	}
	fail(pos, `close the quote on the same line, or use triple quotes for text of several lines`, "unterminated string literal")
}

// escape handles a backslash.
func (lx *lexer) escape(sb *strings.Builder, raw, isBytes bool) {
	c := lx.src[lx.off+1]
	if raw {
		sb.WriteByte('\\')
		sb.WriteByte(c)
		lx.off += 2
		if c == '\n' {
			lx.newline(lx.off)
		}
		return
	}
	simple := map[byte]byte{'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, '\\': '\\', '\'': '\'', '"': '"'}
	if v, ok := simple[c]; ok {
		sb.WriteByte(v)
		lx.off += 2
		return
	}
	put := func(v uint64) {
		switch {
		case isBytes:
			sb.WriteByte(byte(v))
		case v > utf8.MaxRune:
			fail(lx.posAt(lx.off), "", "illegal Unicode character in escape")
		case v >= 0xd800 && v < 0xe000:
			fail(lx.posAt(lx.off), `write the character itself or a \U escape`, "surrogate U+%04X cannot be part of a text", v)
		default:
			sb.WriteRune(rune(v))
		}
	}
	switch {
	case c == '\n':
		lx.off += 2
		lx.newline(lx.off)
	case c >= '0' && c <= '7':
		j := lx.off + 1
		v := uint64(0)
		for n := 0; n < 3 && j < lx.end && lx.src[j] >= '0' && lx.src[j] <= '7'; n++ {
			v = v*8 + uint64(lx.src[j]-'0')
			j++
		}
		put(v)
		lx.off = j
	case c == 'x' || !isBytes && (c == 'u' || c == 'U'):
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		j := lx.off + 2
		if j+n > lx.end {
			n = 0
		}
		v, err := strconv.ParseUint(lx.src[j:j+n], 16, 32)
		if err != nil {
			fail(lx.posAt(lx.off), `double the backslash, or use a raw string r"..."`, "truncated \\%c escape in string", c)
		}
		put(v)
		lx.off = j + n
	case c == 'N' && !isBytes:
		fail(lx.posAt(lx.off), "write the character itself or its \\u escape", "named characters (\\N{...}) are not available")
	default:
		sb.WriteByte('\\')
		lx.off++ // the character itself is read next, whatever it is
	}
}

// fparts reads the pieces of an f-string up to its quote (depth 0) or, inside
// a format spec, up to the closing brace. lx.off ends on that terminator.
func (lx *lexer) fparts(quote string, raw bool, pos Pos, depth int) []fpart {
	var parts []fpart
	var sb strings.Builder
	flush := func() {
		if sb.Len() > 0 {
			parts = append(parts, fpart{text: sb.String()})
			sb.Reset()
		}
	}
	for {
		if lx.off >= lx.end {
			lx.unterminated(quote, pos)
		}
		c := lx.src[lx.off]
		switch {
		case depth == 0 && c == quote[0] && strings.HasPrefix(lx.src[lx.off:lx.end], quote):
			flush()
			return parts
		case depth > 0 && c == '}':
			flush()
			return parts
		case depth > 0 && c == quote[0] && strings.HasPrefix(lx.src[lx.off:lx.end], quote):
			fail(lx.posAt(lx.off), "", "f-string: expecting '}'")
		case c == '\n':
			if len(quote) == 1 {
				lx.unterminated(quote, pos)
			}
			sb.WriteByte(c)
			lx.off++
			lx.newline(lx.off)
		case c == '\\' && lx.off+1 < lx.end:
			if next := lx.src[lx.off+1]; raw && (next == '{' || next == '}') {
				sb.WriteByte('\\')
				lx.off++
				continue
			}
			lx.escape(&sb, raw, false)
		case c == '{' && depth == 0 && lx.peek(1) == '{', c == '}' && depth == 0 && lx.peek(1) == '}':
			sb.WriteByte(c)
			lx.off += 2
		case c == '{':
			flush()
			if depth > 1 {
				fail(lx.posAt(lx.off), "compute the format first", "f-string: expressions nested too deeply")
			}
			parts = append(parts, lx.field(quote, raw, depth))
		case c == '}':
			fail(lx.posAt(lx.off), "write }} for a literal brace", "f-string: single '}' is not allowed")
		default:
			sb.WriteByte(c)
			lx.off++
		}
	}
}

func (lx *lexer) peek(n int) byte {
	if lx.off+n < lx.end {
		return lx.src[lx.off+n]
	}
	return 0
}

// field reads {expr=!conv:spec}, finding where the expression ends by skipping
// over nested brackets and strings.
func (lx *lexer) field(quote string, raw bool, depth int) fpart {
	open := lx.posAt(lx.off)
	lx.off++
	p := fpart{isExpr: true, start: lx.off, pos: lx.posAt(lx.off), lineStart: lx.lineStart}
	var closers []byte
	for {
		if lx.off >= lx.end {
			fail(open, "", "f-string: expecting '}'")
		}
		c := lx.src[lx.off]
		top := len(closers) == 0
		switch {
		case c == '\n':
			lx.off++
			lx.newline(lx.off)
			continue
		case c == '#':
			fail(lx.posAt(lx.off), "", "f-string expression part cannot include '#'")
		case c == '"' || c == '\'':
			if c == quote[0] && strings.HasPrefix(lx.src[lx.off:lx.end], quote) && !lx.closesLater(quote) {
				fail(open, "", "f-string: expecting '}'")
			}
			lx.skipString()
			continue
		case c == '(' || c == '[' || c == '{':
			if len(closers) >= maxNesting {
				fail(open, "", "too many nested parentheses (more than %d)", maxNesting)
			}
			closers = append(closers, map[byte]byte{'(': ')', '[': ']', '{': '}'}[c])
		case !top && c == closers[len(closers)-1]:
			closers = closers[:len(closers)-1]
		case top && c == '!' && lx.peek(1) != '=':
			p.end = lx.off
			lx.off++
			p.conv = lx.peek(0)
			if p.conv != 's' && p.conv != 'r' && p.conv != 'a' {
				fail(lx.posAt(lx.off), "", "f-string: invalid conversion character: expected 's', 'r', or 'a'")
			}
			lx.off++
			lx.skipSpace()
			if n := lx.peek(0); n != ':' && n != '}' {
				fail(lx.posAt(lx.off), "", "f-string: expecting '}'")
			}
			return lx.fieldEnd(p, quote, raw, depth)
		case top && c == '=' && lx.peek(1) != '=' && (lx.off == p.start || !strings.ContainsRune("=!<>:", rune(lx.src[lx.off-1]))):
			p.end = lx.off
			lx.off++
			lx.skipSpace()
			p.debug = lx.src[p.start:lx.off]
			if n := lx.peek(0); n == '!' {
				lx.off++
				p.conv = lx.peek(0)
				lx.off++
			} else if n == '}' {
				p.conv = 'r'
			} else if n != ':' {
				fail(lx.posAt(lx.off), "", "f-string: expecting '}'")
			}
			return lx.fieldEnd(p, quote, raw, depth)
		case top && (c == ':' || c == '}'):
			p.end = lx.off
			return lx.fieldEnd(p, quote, raw, depth)
		case c == ')' || c == ']' || c == '}':
			fail(lx.posAt(lx.off), "", "f-string: unmatched '%c'", c)
		}
		lx.off++
	}
}

func (lx *lexer) fieldEnd(p fpart, quote string, raw bool, depth int) fpart {
	if strings.TrimSpace(lx.src[p.start:p.end]) == "" {
		fail(p.pos, "write {{ and }} for literal braces", "f-string: empty expression not allowed")
	}
	switch lx.peek(0) {
	case ':':
		lx.off++
		p.hasSpec = true
		p.spec = lx.fparts(quote, raw, p.pos, depth+1)
	case '}':
	default:
		fail(lx.posAt(lx.off), "", "f-string: expecting '}'")
	}
	lx.off++
	return p
}

// closesLater tells a nested string in the same quotes from the end of the
// f-string: the same quote follows again on this line (or anywhere, for triple quotes).
func (lx *lexer) closesLater(quote string) bool {
	rest := lx.src[lx.off+len(quote) : lx.end]
	if len(quote) == 1 {
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
	}
	return strings.Contains(rest, quote)
}

// skipString steps over a string literal inside a field.
func (lx *lexer) skipString() {
	pos := lx.posAt(lx.off)
	quote := lx.src[lx.off : lx.off+1]
	if strings.HasPrefix(lx.src[lx.off:lx.end], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	lx.off += len(quote)
	for {
		if lx.off >= lx.end {
			lx.unterminated(quote, pos)
		}
		switch c := lx.src[lx.off]; {
		case strings.HasPrefix(lx.src[lx.off:lx.end], quote):
			lx.off += len(quote)
			return
		case c == '\\' && lx.off+1 < lx.end:
			lx.off++
			if lx.src[lx.off] == '\n' {
				lx.newline(lx.off + 1)
			}
		case c == '\n':
			if len(quote) == 1 {
				lx.unterminated(quote, pos)
			}
			lx.newline(lx.off + 1)
		}
		lx.off++
	}
}
