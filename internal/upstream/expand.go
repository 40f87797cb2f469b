package upstream

import (
	"fmt"
	"regexp"
	"strings"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand replaces ${VAR} and ${VAR:-default} in s, and ${env:VAR} as editors write it.
// An empty variable counts as unset for a default, as in a shell. Other dollar signs
// stay as they are, and what is put in is not expanded again. used holds the values
// that came from the environment.
func expand(s string, lookup func(string) (string, bool)) (out string, used []string, err error) {
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return b.String(), used, nil
		}
		b.WriteString(s[:i])
		body, rest, ok := strings.Cut(s[i+2:], "}")
		if !ok {
			return "", nil, fmt.Errorf("%q has no closing brace", clip(s[i:], 40))
		}
		s = rest
		name, fallback, hasDefault := strings.Cut(body, ":-")
		name = strings.TrimPrefix(name, "env:")
		if strings.HasPrefix(name, "input:") {
			return "", nil, fmt.Errorf("${%s} asks a person, who is not here; use an environment variable, ${NAME}", body)
		}
		if !variableName.MatchString(name) {
			return "", nil, fmt.Errorf("${%s} is no variable; write ${NAME} or ${NAME:-default}", clip(body, 40))
		}
		value, set := lookup(name)
		switch {
		case set && (value != "" || !hasDefault):
			used = append(used, value)
			b.WriteString(value)
		case hasDefault:
			b.WriteString(fallback)
		default:
			return "", nil, fmt.Errorf("the environment variable %s is not set; set it, or write ${%s:-default}", name, name)
		}
	}
}
