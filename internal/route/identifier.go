package route

import (
	"regexp"
	"strings"
	"unicode"
)

// identifierForms are the spellings that only names have. Each is anchored and
// linear; queries are short.
var identifierForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`), // UUID
	regexp.MustCompile(`(?i)^0x[0-9a-f]+$`),
	regexp.MustCompile(`^[A-Z][A-Z0-9]+-[0-9][A-Z0-9-]*$`),                       // CVE-2024-3094, JIRA-123, ORA-00942
	regexp.MustCompile(`^[A-Z]{1,6}[0-9]{2,}[A-Z]?$`),                            // E0308, HTTP404, SQLSTATE's 42P01 is below
	regexp.MustCompile(`^[0-9]{2}[0-9A-Z]*[A-Z][0-9A-Z]*[0-9]$`),                 // 42P01
	regexp.MustCompile(`^[vV]?[0-9]+\.[0-9]+(\.[0-9]+)*([-+.][0-9A-Za-z.-]+)?$`), // 1.2, v1.2.3-rc1
	regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)+(\(.*\))?$`),       // os.path.join, main.go
	regexp.MustCompile(`^[\pL_][\pL\pN_]*((::|->|#)~?[\pL_][\pL\pN_]*)+(\(.*\))?$`),
	regexp.MustCompile(`^[\pL_][\pL\pN_]*\([^()]*\)$`),           // f(), f(x)
	regexp.MustCompile(`^--?[a-z][a-z0-9]*(-[a-z0-9]+)*(=.*)?$`), // --no-cache
	regexp.MustCompile(`^[$@%#][\pL_][\pL\pN_-]*$`),              // $HOME, @dataclass
	regexp.MustCompile("^`[^`]+`$"),
}

// notIdentifiers look like dotted names and are none.
var notIdentifiers = set("e.g i.e a.m p.m u.s u.k vs.etc et.al ph.d")

// IsIdentifier reports whether a word is a name to be found as written: a function, an
// error code, a version, a path.
func IsIdentifier(w string) bool { return isIdentifier(w) }

// isIdentifier reports whether a word of a query is a name to be found as written.
func isIdentifier(w string) bool {
	if len(w) < 2 || notIdentifiers[strings.ToLower(w)] {
		return false
	}
	for _, form := range identifierForms {
		if form.MatchString(w) {
			return true
		}
	}
	return isSnake(w) || isCamel(w) || isHash(w) || isPath(w)
}

// isSnake: an underscore between letters or digits.
func isSnake(w string) bool {
	if strings.IndexFunc(w, func(r rune) bool { return !isLetterOrDigit(r) && r != '_' && r != '-' }) >= 0 {
		return false
	}
	i := strings.IndexByte(w, '_')
	return i >= 0 && strings.IndexFunc(w, unicode.IsLetter) >= 0 && len(strings.Trim(w, "_-")) > 1
}

// isCamel: a capital after a small letter (runTarget), and not just a proper name such
// as McDonald, iPhone or GitHub, which is as likely to stand in prose: it takes two
// changes, or a small first letter and a part of two letters before the capital.
func isCamel(w string) bool {
	changes, first, prev := 0, -1, rune(0)
	for i, r := range w {
		if !isLetterOrDigit(r) {
			return false
		}
		if unicode.IsUpper(r) && unicode.IsLower(prev) {
			if changes++; first < 0 {
				first = i
			}
		}
		prev = r
	}
	start := rune(w[0])
	return changes >= 2 || changes == 1 && unicode.IsLower(start) && first >= 2 ||
		changes == 1 && unicode.IsUpper(start) && first >= 3 && len(w)-first >= 4 && !knownNames[w]
}

// knownNames are everyday names in camel case.
var knownNames = set("GitHub GitLab JavaScript TypeScript PostgreSQL MySQL YouTube LinkedIn OpenAI DeepMind MacBook PowerPoint WordPress FaceTime SharePoint PayPal")

// isHash: hexadecimal of six characters or more with digits and letters, as commits are.
func isHash(w string) bool {
	if len(w) < 6 {
		return false
	}
	digits := 0
	for _, c := range []byte(w) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return digits >= 2 && digits < len(w)
}

// isPath: /etc/hosts, ./x, src/main.go, C:\x; but not and/or.
func isPath(w string) bool {
	if strings.Contains(w, "://") {
		return true
	}
	if len(w) > 2 && w[1] == ':' && w[2] == '\\' {
		return true
	}
	slashes := strings.Count(w, "/")
	if slashes == 0 {
		return false
	}
	last := w[strings.LastIndexByte(w, '/')+1:]
	return slashes >= 2 || strings.HasPrefix(w, "/") || strings.HasPrefix(w, "./") || strings.HasPrefix(w, "~/") ||
		strings.IndexByte(last, '.') > 0
}
