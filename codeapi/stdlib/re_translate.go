package stdlib

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/pylang"
)

// translator turns a pattern of Python's into one of RE2 or, when that cannot say it,
// into one of the engine that backtracks, whose language is that of .NET.
type translator struct {
	src        string
	flags      int
	i          int
	out        strings.Builder
	backtracks bool // the language to translate to
	// groups are the names of the groups from 1 on, "" where none; open are those whose
	// end is still to come, 0 for groups without a number.
	groups []string
	open   []int
	depth  int
	// verbose at each open group, for scoped (?x:...)
	stack []int
}

// Unicode's classes for Python's \w, \d and \s.
const (
	classWord  = `\p{L}\p{N}_`
	classDigit = `\p{Nd}`
	classSpace = "\\t-\\r\\x1c-\\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
)

// outside are the ranges of characters that \W and \S mean, for use inside of [...].
var outside = sync.OnceValue(func() map[byte][][2]rune {
	out := map[byte][][2]rune{}
	for class, in := range map[byte]func(rune) bool{
		'W': func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) || r == '_' },
		'S': func(r rune) bool { return r >= 0x1c && r <= 0x1f || unicode.IsSpace(r) },
	} {
		from := rune(-1)
		for r := rune(0); r <= unicode.MaxRune+1; r++ {
			switch {
			case r <= unicode.MaxRune && !in(r):
				if from < 0 {
					from = r
				}
			case from >= 0:
				out[class] = append(out[class], [2]rune{from, r - 1})
				from = -1
			}
		}
	}
	return out
})

// errBacktracks is what RE2 has no words for.
var errBacktracks = errors.New("the pattern looks around or back")

func (t *translator) fail(at int, format string, args ...any) error {
	return raise("re.error", "%s at position %d", fmt.Sprintf(format, args...), utf8.RuneCountInString(t.src[:at]))
}

func (t *translator) lacking(what, instead string) error {
	e := pylang.Raise("re.error", "%s is not available here", what)
	e.Hint = instead
	return e
}

// char writes one character by its number.
func (t *translator) char(n rune) {
	switch {
	case !t.backtracks:
		fmt.Fprintf(&t.out, `\x{%x}`, n)
	case n > 0xffff:
		t.out.WriteRune(n)
	default:
		fmt.Fprintf(&t.out, `\u%04x`, n)
	}
}

func (t *translator) translate() (string, error) {
	if err := t.leadingFlags(); err != nil {
		return "", err
	}
	for t.i < len(t.src) {
		if err := t.step(); err != nil {
			return "", err
		}
	}
	if t.depth > 0 {
		return "", t.fail(len(t.src), "missing ), unterminated subpattern")
	}
	flags := ""
	for _, f := range [...]struct {
		bit  int
		name string
	}{{flagI, "i"}, {flagM, "m"}, {flagS, "s"}} {
		if t.flags&f.bit != 0 {
			flags += f.name
		}
	}
	if flags != "" {
		return "(?" + flags + ")" + t.out.String(), nil
	}
	return t.out.String(), nil
}

// leadingFlags reads (?imsx) at the start, which holds for all of the pattern.
func (t *translator) leadingFlags() error {
	for strings.HasPrefix(t.src[t.i:], "(?") {
		j := t.i + 2
		bits := 0
		for j < len(t.src) && t.src[j] != ')' {
			bit := flagBit(t.src[j])
			if bit == 0 {
				return nil
			}
			bits |= bit
			j++
		}
		if j == len(t.src) || bits == 0 {
			return nil
		}
		t.flags |= bits
		t.i = j + 1
	}
	return nil
}

func flagBit(c byte) int {
	switch c {
	case 'i':
		return flagI
	case 'm':
		return flagM
	case 's':
		return flagS
	case 'x':
		return flagX
	case 'a':
		return flagA
	case 'u':
		return flagU
	case 'L':
		return flagL
	}
	return 0
}

func (t *translator) step() error {
	c := t.src[t.i]
	if t.flags&flagX != 0 {
		if strings.IndexByte(" \t\n\r\f\v", c) >= 0 {
			t.i++
			return nil
		}
		if c == '#' {
			if end := strings.IndexByte(t.src[t.i:], '\n'); end >= 0 {
				t.i += end + 1
			} else {
				t.i = len(t.src)
			}
			return nil
		}
	}
	switch c {
	case '\\':
		return t.escape(false)
	case '[':
		return t.class()
	case '(':
		return t.group()
	case ')':
		if t.depth == 0 {
			return t.fail(t.i, "unbalanced parenthesis")
		}
		t.close()
	case '$':
		if t.flags&flagM == 0 {
			t.out.WriteString(`\z`)
			t.i++
			return nil
		}
	case '*', '+', '?':
		return t.repeat()
	case '{':
		return t.counted()
	}
	_, n := utf8.DecodeRuneInString(t.src[t.i:])
	if c == '}' || c == ']' {
		t.out.WriteByte('\\')
	}
	t.out.WriteString(t.src[t.i : t.i+n])
	t.i += n
	return nil
}

// close ends the innermost group.
func (t *translator) close() {
	t.depth--
	t.flags = t.stack[t.depth]
	t.stack, t.open = t.stack[:t.depth], t.open[:t.depth]
}

func (t *translator) repeat() error {
	if err := t.something(); err != nil {
		return err
	}
	t.out.WriteByte(t.src[t.i])
	t.i++
	return t.suffix()
}

// something checks that there is a thing to repeat.
func (t *translator) something() error {
	before := t.out.String()
	if before == "" || strings.HasSuffix(before, "|") && !strings.HasSuffix(before, `\|`) || strings.HasSuffix(before, "(") && !strings.HasSuffix(before, `\(`) ||
		strings.HasSuffix(before, "(?:") {
		return t.fail(t.i, "nothing to repeat")
	}
	return nil
}

// suffix reads the ? of a lazy repetition; the + of a possessive one is refused.
func (t *translator) suffix() error {
	if t.i < len(t.src) {
		switch t.src[t.i] {
		case '?':
			t.out.WriteByte('?')
			t.i++
		case '+':
			return t.lacking("possessive repetition", "write (?>...) around it, or leave out the second +")
		}
	}
	if t.i < len(t.src) && (t.src[t.i] == '*' || t.src[t.i] == '+' || t.src[t.i] == '?') {
		return t.fail(t.i, "multiple repeat")
	}
	return nil
}

// counted reads {m}, {m,}, {,n} and {m,n}; any other brace is a brace.
func (t *translator) counted() error {
	end := strings.IndexByte(t.src[t.i:], '}')
	inside := ""
	if end > 0 {
		inside = t.src[t.i+1 : t.i+end]
	}
	lo, hi, comma := strings.Cut(inside, ",")
	if end < 0 || inside == "" || strings.Trim(lo, "0123456789") != "" || strings.Trim(hi, "0123456789") != "" || lo == "" && hi == "" && !comma {
		t.out.WriteString(`\{`)
		t.i++
		return nil
	}
	if err := t.something(); err != nil {
		return err
	}
	for _, n := range []string{lo, hi} {
		if !t.backtracks && len(strings.TrimLeft(n, "0")) > 4 || len(strings.TrimLeft(n, "0")) == 4 && strings.TrimLeft(n, "0") > "1000" {
			return t.lacking("repetition of more than 1000 times", "repeat fewer times, or use * or +")
		}
	}
	if lo == "" {
		lo = "0"
	}
	t.out.WriteString("{" + lo)
	if comma {
		t.out.WriteString("," + hi)
	}
	t.out.WriteByte('}')
	t.i += end + 1
	return t.suffix()
}

func (t *translator) group() error {
	at := t.i
	t.depth++
	if t.depth > 500 {
		return t.fail(at, "groups are nested too deeply")
	}
	t.stack, t.open = append(t.stack, t.flags), append(t.open, 0)
	rest := t.src[t.i:]
	capture := func(name string) {
		t.groups = append(t.groups, name)
		t.open[t.depth-1] = len(t.groups)
	}
	if !strings.HasPrefix(rest, "(?") {
		capture("")
		t.out.WriteByte('(')
		t.i++
		return nil
	}
	for _, around := range [...]string{"(?=", "(?!", "(?<=", "(?<!", "(?>"} {
		if strings.HasPrefix(rest, around) {
			if !t.backtracks {
				return errBacktracks
			}
			t.out.WriteString(around)
			t.i += len(around)
			return nil
		}
	}
	switch {
	case strings.HasPrefix(rest, "(?:"):
		t.out.WriteString("(?:")
		t.i += 3
	case strings.HasPrefix(rest, "(?P<"):
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return t.fail(at+4, "missing >, unterminated name")
		}
		name := rest[4:end]
		if err := t.goodName(at+4, name); err != nil {
			return err
		}
		if slices.Contains(t.groups, name) {
			return t.fail(at+4, "redefinition of group name '%s'", name)
		}
		capture(name)
		t.out.WriteByte('(') // names stay with us: .NET numbers named groups last
		t.i += end + 1
	case strings.HasPrefix(rest, "(?P="):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return t.fail(at+4, "missing ), unterminated name")
		}
		if err := t.goodName(at+4, rest[4:end]); err != nil {
			return err
		}
		t.close()
		t.i += end + 1
		return t.reference(at+4, rest[4:end])
	case strings.HasPrefix(rest, "(?("):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return t.fail(at+3, "missing ), unterminated name")
		}
		n, err := t.groupNumber(at+3, rest[3:end])
		if err != nil {
			return err
		}
		if !t.backtracks {
			return errBacktracks
		}
		fmt.Fprintf(&t.out, "(?(%d)", n)
		t.i += end + 1
	case strings.HasPrefix(rest, "(?#"):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return t.fail(at, "missing ), unterminated comment")
		}
		t.i += end + 1
		t.close()
	default:
		return t.scoped(at, rest)
	}
	return nil
}

func (t *translator) goodName(at int, name string) error {
	if name == "" {
		return t.fail(at, "missing group name")
	}
	if !identifier(name) {
		return t.fail(at, "bad character in group name '%s'", name)
	}
	return nil
}

// groupNumber is the group that a name or a number means.
func (t *translator) groupNumber(at int, name string) (int, error) {
	n, err := strconv.Atoi(name)
	if err != nil {
		if n = slices.Index(t.groups, name) + 1; n == 0 {
			return 0, t.fail(at, "unknown group name '%s'", name)
		}
	}
	if n < 1 || n > len(t.groups) {
		return 0, t.fail(at, "invalid group reference %d", n)
	}
	return n, nil
}

// reference writes a backreference.
func (t *translator) reference(at int, name string) error {
	n, err := t.groupNumber(at, name)
	if err != nil {
		return err
	}
	if slices.Contains(t.open, n) {
		return t.fail(at, "cannot refer to an open group")
	}
	if !t.backtracks {
		return errBacktracks
	}
	fmt.Fprintf(&t.out, `(?:\%d)`, n)
	return nil
}

// scoped reads (?flags-flags:...).
func (t *translator) scoped(at int, rest string) error {
	j, minus, on, off := 2, false, "", ""
	for ; j < len(rest) && rest[j] != ':' && rest[j] != ')'; j++ {
		if rest[j] == '-' && !minus {
			minus = true
			continue
		}
		bit := flagBit(rest[j])
		if bit == 0 {
			return t.fail(at+1, "unknown extension ?%c", rest[2])
		}
		if minus {
			t.flags &^= bit
		} else {
			t.flags |= bit
		}
		if strings.IndexByte("ims", rest[j]) >= 0 {
			if minus {
				off += rest[j : j+1]
			} else {
				on += rest[j : j+1]
			}
		}
	}
	if j == len(rest) {
		return t.fail(at, "missing -, : or )")
	}
	if rest[j] == ')' {
		return t.fail(at, "global flags not at the start of the expression")
	}
	t.out.WriteString("(?" + on)
	if off != "" {
		t.out.WriteString("-" + off)
	}
	t.out.WriteByte(':')
	t.i += j + 1
	return nil
}

// escape translates a backslash sequence, outside or inside of [...].
func (t *translator) escape(inClass bool) error {
	at := t.i
	if t.i++; t.i == len(t.src) {
		return t.fail(at, "bad escape (end of pattern)")
	}
	c := t.src[t.i]
	t.i++
	ascii := t.flags&flagA != 0
	set := func(inside string, negated bool) {
		if inClass {
			t.out.WriteString(inside)
			return
		}
		if negated {
			t.out.WriteString("[^" + inside + "]")
		} else {
			t.out.WriteString("[" + inside + "]")
		}
	}
	switch c {
	case 'w', 'd', 's', 'W', 'D', 'S':
		if ascii {
			t.out.WriteString(map[byte]string{'w': `\w`, 'W': `\W`, 'd': `\d`, 'D': `\D`, 's': `\s\v`, 'S': `\S`}[c])
			if c == 's' && !inClass {
				s := strings.TrimSuffix(t.out.String(), `\s\v`)
				t.out.Reset()
				t.out.WriteString(s + `[\s\v]`)
			}
			return nil
		}
		inside := map[byte]string{'w': classWord, 'd': classDigit, 's': classSpace}[c|0x20]
		if c < 'a' && inClass {
			if c == 'D' {
				t.out.WriteString(`\P{Nd}`)
				return nil
			}
			for _, r := range outside()[c] {
				t.char(r[0])
				t.out.WriteByte('-')
				t.char(r[1])
			}
			return nil
		}
		set(inside, c < 'a')
		return nil
	case 'A':
		t.out.WriteString(`\A`)
		return nil
	case 'Z':
		t.out.WriteString(`\z`)
		return nil
	case 'b':
		if inClass {
			t.out.WriteString(`\x08`)
		} else {
			t.out.WriteString(`\b`)
		}
		return nil
	case 'B':
		if inClass {
			return t.fail(at, "bad escape \\B")
		}
		t.out.WriteString(`\B`)
		return nil
	case 'a', 'f', 'n', 'r', 't', 'v':
		t.out.WriteByte('\\')
		t.out.WriteByte(c)
		return nil
	case 'x', 'u', 'U':
		width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		end := min(t.i+width, len(t.src))
		digits := t.src[t.i:end]
		if len(digits) < width || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
			return t.fail(at, "incomplete escape %s", t.src[at:end])
		}
		n, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || n > utf8.MaxRune {
			return t.fail(at, "bad escape %s", t.src[at:end])
		}
		t.i = end
		t.char(rune(n))
		return nil
	}
	if c >= '0' && c <= '9' {
		return t.number(at, c, inClass)
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		return t.fail(at, "bad escape \\%c", c)
	}
	if c >= utf8.RuneSelf {
		_, n := utf8.DecodeRuneInString(t.src[t.i-1:])
		t.out.WriteString(t.src[t.i-1 : t.i-1+n])
		t.i += n - 1
		return nil
	}
	if c == '_' || c < ' ' || c == ' ' {
		t.out.WriteByte(c)
		return nil
	}
	t.out.WriteByte('\\')
	t.out.WriteByte(c)
	return nil
}

// number is an octal escape or a backreference.
func (t *translator) number(at int, c byte, inClass bool) error {
	j := t.i - 1
	for j < len(t.src) && j < t.i+2 && t.src[j] >= '0' && t.src[j] <= '7' {
		j++
	}
	if digits := t.src[t.i-1 : j]; c == '0' || len(digits) == 3 || inClass && len(digits) > 0 {
		n := 0
		for _, d := range digits {
			n = n*8 + int(d-'0')
		}
		if n > 0o377 {
			return t.fail(at, "octal escape value %s outside of range 0-0o377", t.src[at:j])
		}
		t.i = j
		t.char(rune(n))
		return nil
	}
	if inClass {
		return t.fail(at, "bad escape \\%c", c)
	}
	if j = t.i; j < len(t.src) && t.src[j] >= '0' && t.src[j] <= '9' {
		j++
	}
	digits := t.src[t.i-1 : j]
	t.i = j
	return t.reference(at+1, digits)
}

// class translates [...].
func (t *translator) class() error {
	at := t.i
	t.i++
	t.out.WriteByte('[')
	if t.i < len(t.src) && t.src[t.i] == '^' {
		t.out.WriteByte('^')
		t.i++
	}
	for first := true; ; first = false {
		if t.i >= len(t.src) {
			return t.fail(at, "unterminated character set")
		}
		c := t.src[t.i]
		switch {
		case c == ']' && !first:
			t.out.WriteByte(']')
			t.i++
			return nil
		case c == '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		case c == '[' || c == ']' || c == '&' || c == '~':
			t.out.WriteByte('\\')
			t.out.WriteByte(c)
			t.i++
		default:
			_, n := utf8.DecodeRuneInString(t.src[t.i:])
			t.out.WriteString(t.src[t.i : t.i+n])
			t.i += n
		}
	}
}
