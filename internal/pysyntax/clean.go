package pysyntax

import (
	"strings"
	"unicode/utf8"
)

// clean normalises line ends and refuses what is not text. Every byte of a line
// stays at its column; only line ends change.
func clean(src string) (string, *Error) {
	src = strings.TrimPrefix(src, "\ufeff")
	if strings.IndexByte(src, '\r') >= 0 {
		src = strings.ReplaceAll(src, "\r\n", "\n")
		src = strings.ReplaceAll(src, "\r", "\n")
	}
	line, start := int32(1), 0
	for i := 0; i < len(src); {
		c := src[i]
		if c == '\n' {
			line++
			i++
			start = i
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(src[i:])
			at := func() Pos { return Pos{line, int32(utf8.RuneCountInString(src[start:i])) + 1} }
			switch {
			case r == utf8.RuneError && n == 1:
				return "", &Error{at(), "the source is not valid UTF-8", "send the program as UTF-8 text"}
			case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
				return "", &Error{at(), "invisible text-direction character in the source", `inside a string write it as an escape such as "\u202e"`}
			}
			i += n
			continue
		}
		if c < ' ' && c != '\t' && c != '\f' || c == 0x7f {
			if c == 0 {
				return "", &Error{Pos{line, int32(utf8.RuneCountInString(src[start:i])) + 1}, "source code cannot contain null bytes", "remove them; inside a string write \\x00"}
			}
			return "", &Error{Pos{line, int32(utf8.RuneCountInString(src[start:i])) + 1}, "invalid control character in the source", "remove it; inside a string write an escape such as \\x1b"}
		}
		i++
	}
	return src, nil
}

// unfence blanks everything outside the fenced blocks of a Markdown text, so
// that line numbers stay. ok is false when there is no fence.
func unfence(src string) (string, bool) {
	lines := strings.Split(src, "\n")
	inside, found := false, false
	fence, indent := "", ""
	for i, l := range lines {
		t := strings.TrimSpace(l)
		if !inside && (strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")) {
			lang := strings.ToLower(strings.Trim(t, "`~ "))
			if f := strings.Fields(lang); len(f) > 0 {
				lang = f[0]
			}
			inside, found, fence = true, true, t[:3]
			indent = l[:len(l)-len(strings.TrimLeft(l, " \t"))]
			if lang != "" && lang != "python" && lang != "py" && lang != "python3" && lang != "starlark" && lang != "code" {
				// A block in another language is not part of the program.
				for j := i + 1; j < len(lines); j++ {
					if strings.HasPrefix(strings.TrimSpace(lines[j]), fence) {
						break
					}
					lines[j] = ""
				}
			}
			lines[i] = ""
			continue
		}
		if inside && strings.HasPrefix(t, fence) && strings.Trim(t, "`~") == "" {
			inside = false
			lines[i] = ""
			continue
		}
		if !inside {
			lines[i] = ""
		} else {
			lines[i] = strings.TrimPrefix(l, indent)
		}
	}
	return strings.Join(lines, "\n"), found
}
