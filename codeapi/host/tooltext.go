package host

import (
	"fmt"
	"strings"

	"github.com/bmcis/bmcis/codeapi"
)

// ToolsAsText prints found tools for a model, at the levels name_only and
// with_description: what the names of a server's tools have in common is written once, and
// servers stand in the order of their best tool. It is "" at the level full, where the
// schemas are what is asked for, and JSON says them best.
//
//	mcp__github__: create_issue, list_issues
//	search.: hybrid_search
func ToolsAsText(list codeapi.ToolList, level string) string {
	if level == codeapi.DetailFull {
		return ""
	}
	var order []string
	groups := map[string][]codeapi.Tool{}
	for _, t := range list.Tools {
		_, last, _ := cutLast(t.Name)
		prefix := strings.TrimSuffix(t.Name, last)
		if groups[prefix] == nil {
			order = append(order, prefix)
		}
		t.Name = last
		groups[prefix] = append(groups[prefix], t)
	}
	var b strings.Builder
	for _, prefix := range order {
		b.WriteString(prefix + ":")
		for i, t := range groups[prefix] {
			switch {
			case level == codeapi.DetailName && i > 0:
				b.WriteString(", " + t.Name)
			case level == codeapi.DetailName:
				b.WriteString(" " + t.Name)
			case t.Description == "":
				b.WriteString("\n" + t.Name)
			default:
				b.WriteString("\n" + t.Name + ": " + t.Description)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d of %d; a tool's whole name is what stands before the colon and its own", len(list.Tools), list.Total)
	for _, d := range list.Degraded {
		b.WriteString("\ndegraded: " + d)
	}
	return b.String()
}
