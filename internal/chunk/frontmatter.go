package chunk

import (
	"strconv"
	"strings"
)

// frontMatter splits off a leading block between two lines of --- (YAML) or +++
// (TOML) and reads its plain part: "key: value" or "key = value" with text, numbers
// and booleans, lists in brackets or as lines of "- item", and one level of nested
// keys. What is richer stays in as text: metadata must not be lost because it is
// unusual.
func frontMatter(s string) (map[string]any, string) {
	fence := "---"
	sep := ":"
	if strings.HasPrefix(s, "+++\n") {
		fence, sep = "+++", "="
	} else if !strings.HasPrefix(s, "---\n") {
		return nil, s
	}
	const maxBytes = 64 << 10
	end := -1
	for at := len(fence) + 1; at < len(s) && at < maxBytes; at = lineEnd(s, at) {
		line := strings.TrimRight(s[at:lineEnd(s, at)], " \t\n")
		if line == fence || fence == "---" && line == "..." {
			end = at
			break
		}
	}
	if end < 0 {
		return nil, s
	}
	meta := readPairs(strings.Split(s[len(fence)+1:end], "\n"), sep)
	if len(meta) == 0 && strings.TrimSpace(s[len(fence)+1:end]) != "" {
		return nil, s // two rules with text between them
	}
	return meta, s[lineEnd(s, end):]
}

func readPairs(lines []string, sep string) map[string]any {
	meta := map[string]any{}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t")
		if line == "" || line[0] == '#' || line[0] == ' ' || line[0] == '\t' {
			continue
		}
		key, value, ok := strings.Cut(line, sep)
		key = strings.Trim(strings.TrimSpace(key), `"'`)
		if !ok || key == "" || strings.ContainsAny(key, "[]{}") {
			continue
		}
		var nested []string
		for i+1 < len(lines) && isNested(lines[i+1]) {
			i++
			nested = append(nested, lines[i])
		}
		value = strings.TrimSpace(value)
		switch {
		case value == "" && len(nested) > 0:
			meta[key] = nestedValue(nested, sep)
		case (value == "|" || value == ">" || value == "|-" || value == ">-") && len(nested) > 0:
			meta[key] = oneLine(strings.Join(nested, " "))
		case len(nested) > 0:
			meta[key] = scalar(value + " " + oneLine(strings.Join(nested, " ")))
		default:
			meta[key] = scalar(value)
		}
	}
	return meta
}

func isNested(line string) bool {
	return line != "" && (line[0] == ' ' || line[0] == '\t' || strings.HasPrefix(line, "- "))
}

func nestedValue(lines []string, sep string) any {
	if strings.HasPrefix(strings.TrimSpace(lines[0]), "- ") {
		var list []any
		for _, l := range lines {
			if item, ok := strings.CutPrefix(strings.TrimSpace(l), "- "); ok {
				list = append(list, scalar(strings.TrimSpace(item)))
			}
		}
		return list
	}
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	if m := readPairs(lines, sep); len(m) > 0 {
		return m
	}
	return oneLine(strings.Join(lines, " "))
}

func scalar(s string) any {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		if s[0] == '"' {
			if t, err := strconv.Unquote(s); err == nil {
				return t
			}
		}
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	if len(s) >= 2 && s[0] == '[' && s[len(s)-1] == ']' {
		list := []any{}
		for item := range strings.SplitSeq(s[1:len(s)-1], ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, scalar(item))
			}
		}
		return list
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	switch s {
	case "true":
		return true
	case "false":
		return false
	case "null", "~", "":
		return nil
	}
	// Numbers as JSON has them; a leading zero or plus ("007") means text.
	if n, err := strconv.ParseInt(s, 10, 53); err == nil && strconv.FormatInt(n, 10) == s {
		return float64(n)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && strings.Contains(s, ".") && strings.Trim(s, "-0123456789.") == "" {
		return f
	}
	return s
}
