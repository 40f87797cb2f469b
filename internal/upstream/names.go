package upstream

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	qualifiedPrefix = "mcp__"
	separator       = "__"
	maxToolName     = 128 // as the specification's rules for tool names say
)

// Letters, digits, dot, hyphen and single underscores, so that the name of a server
// ends where the first "__" of a qualified name begins.
var serverName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9.-]|_[A-Za-z0-9.-])*$`)

// qualifiedName puts a tool's name behind its server's. What is outside letters,
// digits, "_", "-" and "." becomes "_" and leading dots go, so that the name is safe
// as a file's or a URL's; see [uniqueNames] for what happens when two become one.
func qualifiedName(server, tool string) string {
	var b strings.Builder
	b.WriteString(qualifiedPrefix + server + separator)
	for _, r := range strings.TrimLeft(tool, ".") {
		if r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

// splitQualified takes a qualified name apart.
func splitQualified(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, qualifiedPrefix)
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, separator)
	return server, tool, ok && server != "" && tool != ""
}

// Python's keywords and the constants that cannot be assigned.
var keywords = strings.Fields(`False None True and as assert async await break class continue def
	del elif else except finally for from global if import in is lambda nonlocal not or pass raise
	return try while with yield load`)

// pythonName makes a name that can stand in `from servers.github import create_issue`:
// hyphens, dots and all else that is not a letter, digit or "_" of ASCII become "_",
// a leading digit gets a "_" before it, and a keyword one behind it.
func pythonName(name string) string {
	b := []byte(nil)
	for _, r := range name {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			b = append(b, byte(r))
		} else {
			b = append(b, '_')
		}
	}
	s := string(b)
	// Names with a leading underscore are private by custom; one that stood for
	// punctuation is not needed.
	if trimmed := strings.Trim(s, "_"); trimmed == "" {
		s = "tool"
	} else if name[0] != '_' {
		s = strings.TrimLeft(s, "_")
	}
	if s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	if slices.Contains(keywords, s) {
		s += "_"
	}
	return s
}

// uniqueNames maps each name, by f, to a name of its own. A name that f leaves as it
// is keeps it; the others come in order of the alphabet, and one whose place is taken
// gets "_2", "_3" and so on. So the outcome does not depend on the order in which a
// server lists its tools, and a strange name never takes the place of a plain one.
func uniqueNames(names []string, f func(string) string, unchanged func(name, mapped string) bool) map[string]string {
	out := make(map[string]string, len(names))
	taken := make(map[string]bool, len(names))
	rest := make([]string, 0, len(names))
	for _, name := range names {
		if mapped := f(name); unchanged(name, mapped) && !taken[mapped] {
			out[name], taken[mapped] = mapped, true
		} else {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	next := map[string]int{} // so that 10,000 names that become one stay linear
	for _, name := range rest {
		mapped := f(name)
		free := mapped
		for n := max(next[mapped], 2); taken[free]; n++ {
			free = mapped + "_" + strconv.Itoa(n)
			next[mapped] = n + 1
		}
		out[name], taken[free] = free, true
	}
	return out
}

// matches reports whether name fits the pattern, in which "*" stands for any run of
// characters, an empty one too.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}
