package pysyntax

import (
	"fmt"
	"regexp"
	"strings"
)

// This file gives syntax errors the words for mistakes that are common where
// programs are written by other programs: prose, notebooks, other languages.

// prose guesses whether a text is sentences: most of its lines are words with
// spaces, or items of a list, and hardly anything that code has.
func prose(src string) bool {
	lines, wordy := 0, 0
	for _, l := range strings.Split(src, "\n") {
		t := strings.TrimSpace(l)
		if t == "" || strings.HasPrefix(t, "#") {
			continue
		}
		if lines++; lines > 50 {
			break
		}
		words := strings.Fields(t)
		if keywords[words[0]] || words[0] == "print" || strings.ContainsAny(t, "=()[]{}<>@") {
			continue
		}
		if len(words) >= 4 || reItem.MatchString(t) || len(words) >= 2 && strings.ContainsAny(t[len(t)-1:], ".!?") {
			wordy++
		}
	}
	return lines > 0 && wordy*2 > lines
}

var reItem = regexp.MustCompile(`^(\d+[.)]|[-*\x{2022}]) [A-Za-z]`)

// explained gives an error at a place that looks like something else than Python
// the words for it.
func explained(src string, e *Error) *Error {
	if prose(src) {
		return &Error{e.Pos, "this is prose, not a program", "send Python code only; put notes into comments that begin with #"}
	}
	line := ""
	if lines := strings.SplitN(src, "\n", int(e.Line)+1); int(e.Line) <= len(lines) {
		line = strings.TrimSpace(lines[e.Line-1])
	}
	for _, l := range looks {
		if l.re.MatchString(line) {
			out := &Error{e.Pos, l.msg, l.hint}
			if l.msg == "" {
				out.Msg = e.Msg
			}
			return out
		}
	}
	return e
}

// looks are lines of other languages. An empty message keeps the parser's.
var looks = []struct {
	re        *regexp.Regexp
	msg, hint string
}{
	{regexp.MustCompile(`^(>>>|In \[\d+\]:)`), "this is a session of an interactive prompt, not a program", "leave out the prompts and the answers between the lines"},
	{regexp.MustCompile(`^[!%]?\s*(pip3?|conda|uv|apt|apt-get|npm) install\b`), "nothing can be installed in this sandbox", "leave the line out; the modules that can be imported are there already"},
	{regexp.MustCompile(`^(!|%%?)\w`), "commands of notebooks are not available in this sandbox", "leave the line out"},
	{regexp.MustCompile(`^</?[A-Za-z!?][^<]*>`), "this looks like HTML or XML, not Python", "send a Python program"},
	{regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH)\s.*\b(FROM|INTO|SET|AS)\b`), "this looks like SQL, not Python", "send a Python program; searches are calls such as search.hybrid_search(...)"},
	{regexp.MustCompile(`^(const|let|var)\s+\w+\s*=|^function\s+\w+\s*\(|=>\s*\{|^console\.log\(.*;$`), "this looks like JavaScript, not Python", "write the program in Python"},
	{regexp.MustCompile(`^except\s+[\w.]+\s*,\s*\w+\s*:`), "", "this is Python 3: write except ... as ...:"},
	{regexp.MustCompile(`^raise\s+\w+\s*,`), "", "this is Python 3: write raise Class(message)"},
	{regexp.MustCompile(`^\w+(\+\+|--);?$`), "", "write += 1 or -= 1"},
	{regexp.MustCompile(`&&`), "", "write and"},
	{regexp.MustCompile(`\|\|`), "", "write or"},
}

// lookalikes are characters that are no part of Python, and what they stand for.
var lookalikes = map[rune]string{
	'\u2013': "-", '\u2014': "-", '\u2212': "-", '\u00d7': "*", '\u00f7': "/", '\u2264': "<=", '\u2265': ">=", '\u2260': "!=", '\u2192': "->", '\u2026': "...",
	'\u00ab': `"`, '\u00bb': `"`, '\u0060': "'", '\u00b4': "'", '\u3001': ",", '\u3002': ".",
}

// lookalike is the hint for a character that begins no token.
func lookalike(r rune) string {
	if r >= 0xff01 && r <= 0xff5e { // the wide forms of ASCII
		return fmt.Sprintf("write %c", r-0xfee0)
	}
	if s := lookalikes[r]; s != "" {
		return "write " + s
	}
	return "remove it, or put it into a string"
}
