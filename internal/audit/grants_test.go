package audit

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// grants are the statements that docs/audit.md tells operators, for another role.
func grants(t *testing.T, role string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```sql\n(.*?)\n```").FindSubmatch(text)
	if m == nil || !strings.Contains(string(m[1]), "bmcis_server") {
		t.Fatal("docs/audit.md has no SQL for the role bmcis_server")
	}
	return strings.ReplaceAll(string(m[1]), "bmcis_server", role)
}
