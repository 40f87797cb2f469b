// Package archtest keeps the import table of docs/ARCHITECTURE.md true: it reads the
// table, lists the imports of every package, and fails on a package that is missing
// from the table, an import that goes up or sideways, or one that a rule forbids.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/bmcis/bmcis"

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportsFollowTheTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	levels := readLevels(t, string(text))
	rules := readRules(t, string(text))
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name := shortName(p.ImportPath)
		seen[name] = true
		level, ok := levels[name]
		if !ok {
			t.Errorf("package %s is not in the table of docs/ARCHITECTURE.md", name)
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, module) {
				target := shortName(imp)
				if levels[target] >= level {
					t.Errorf("%s (level %d) imports %s (level %d): imports go down only", name, level, target, levels[target])
				}
			}
			for _, r := range rules {
				if r.forbids(name, imp) {
					t.Errorf("%s imports %s: %s", name, imp, r.text)
				}
			}
		}
	}
	for name := range levels {
		if !seen[name] {
			t.Errorf("docs/ARCHITECTURE.md names package %s, which does not exist", name)
		}
	}
}

// readLevels reads rows such as "| 0 | `filter`, `internal/text` | ... |".
func readLevels(t *testing.T, text string) map[string]int {
	t.Helper()
	row := regexp.MustCompile(`(?m)^\| (\d+) \| (.+?) \|`)
	name := regexp.MustCompile("`([^`]+)`")
	levels := map[string]int{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		level, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range name.FindAllStringSubmatch(m[2], -1) {
			if _, twice := levels[n[1]]; twice {
				t.Errorf("docs/ARCHITECTURE.md names package %s twice", n[1])
			}
			levels[n[1]] = level
		}
	}
	if len(levels) < 10 {
		t.Fatalf("found %d packages in the table of docs/ARCHITECTURE.md, want the whole table", len(levels))
	}
	return levels
}

// A rule is a line such as "- `search` never imports `sandbox`, `codeapi`." or
// "- Only `internal/onnx` imports `github.com/yalue/onnxruntime_go`."
type rule struct {
	text    string
	only    bool
	who     []string
	targets []string
}

func (r rule) forbids(pkg, imp string) bool {
	hit := slices.ContainsFunc(r.targets, func(target string) bool {
		return matches(shortName(imp), target)
	})
	named := slices.ContainsFunc(r.who, func(w string) bool { return matches(pkg, w) })
	return hit && named != r.only
}

// matches reports whether a pattern names a package; "x/..." is x and all below it.
func matches(path, pattern string) bool {
	root, all := strings.CutSuffix(pattern, "/...")
	return path == root || all && strings.HasPrefix(path, root+"/")
}

func readRules(t *testing.T, text string) []rule {
	t.Helper()
	line := regexp.MustCompile("(?m)^- (Only )?(.+?) (?:never imports?|never import|imports?) (.+)$")
	name := regexp.MustCompile("`([^`]+)`")
	names := func(s string) (out []string) {
		for _, m := range name.FindAllStringSubmatch(s, -1) {
			out = append(out, m[1])
		}
		return out
	}
	_, section, found := strings.Cut(text, "## Import rules")
	if !found {
		t.Fatal("docs/ARCHITECTURE.md has no section \"Import rules\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var rules []rule
	for _, m := range line.FindAllStringSubmatch(section, -1) {
		r := rule{text: strings.TrimPrefix(m[0], "- "), only: m[1] != "", who: names(m[2]), targets: names(m[3])}
		if len(r.who) == 0 || len(r.targets) == 0 {
			t.Fatalf("cannot read the rule %q", m[0])
		}
		rules = append(rules, r)
	}
	if len(rules) < 3 {
		t.Fatalf("found %d import rules in docs/ARCHITECTURE.md, want all of them", len(rules))
	}
	return rules
}

func shortName(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestRulesCanFail(t *testing.T) {
	r := rule{who: []string{"search"}, targets: []string{"sandbox", "net/..."}}
	for imp, want := range map[string]bool{
		module + "/sandbox": true, "net": true, "net/http": true, module + "/filter": false, "netip": false,
	} {
		if got := r.forbids("search", imp); got != want {
			t.Errorf("search importing %s: forbidden %v, want %v", imp, got, want)
		}
	}
	only := rule{only: true, who: []string{"internal/onnx"}, targets: []string{"github.com/yalue/onnxruntime_go"}}
	if only.forbids("internal/onnx", "github.com/yalue/onnxruntime_go") || !only.forbids("rerank", "github.com/yalue/onnxruntime_go") {
		t.Error("an only-rule must forbid everybody else")
	}
}
