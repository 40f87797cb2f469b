package setup

import (
	"strings"
	"testing"
)

func TestLastWords(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"", ""},
		{"some\nprogress\nthe end\n", ": progress; the end"},
		{"WARNING: running as root\n\x1b[31mERROR: Could not find a version that satisfies the requirement x==1\x1b[0m\nERROR: No matching distribution found for x==1\nnotice: new release\n",
			": ERROR: Could not find a version that satisfies the requirement x==1; ERROR: No matching distribution found for x==1"},
		{"[ERROR] Could not create local repository at /nonexistent -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace, re-run\n[ERROR] [Help 1] where\n\x1b[0m",
			": [ERROR] Could not create local repository at /nonexistent -> [Help 1]"},
		{"cc: src/x.c\nsrc/x.c:3:1: fatal error: postgres.h: No such file\ncompilation terminated.\n",
			": src/x.c:3:1: fatal error: postgres.h: No such file; compilation terminated."},
		{"npm ERR! code E404\nnpm ERR! 404 Not Found\nnpm ERR! more\n", ": npm ERR! code E404; npm ERR! 404 Not Found"},
	} {
		if got := lastWords(c.output); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.output, got, c.want)
		}
	}
	if got := lastWords(strings.Repeat("é", 2000)); len(got) > 520 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes", len(got))
	}
}
