package telemetry

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNamesAgree: the metrics that the code defines are those that docs/observability.md
// lists, and the dashboard and the alerts ask for no others.
func TestNamesAgree(t *testing.T) {
	read := func(files ...string) (text string) {
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text += string(raw)
		}
		return text
	}
	find := func(pattern, text string) (names []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
		return names
	}
	defined := find(`"(bmcis_[a-z0-9_]+)"`, read("metrics.go", "telemetry.go", "../../cmd/bmcis/observe.go"))
	if len(defined) < 40 {
		t.Fatalf("found %d definitions: %v", len(defined), defined)
	}
	documented := find("`(bmcis_[a-z0-9_]+)", read("../../docs/observability.md"))
	for _, name := range defined {
		if !slices.Contains(documented, name) {
			t.Errorf("docs/observability.md does not list %s", name)
		}
	}
	for _, name := range documented {
		if !slices.Contains(defined, name) {
			t.Errorf("docs/observability.md lists %s, which nothing defines", name)
		}
	}
	for _, name := range find(`\b(bmcis_[a-z0-9_]+)`, read("../../deploy/grafana/bmcis.json", "../../deploy/prometheus/alerts.yml")) {
		base := name
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			base = strings.TrimSuffix(base, suffix)
		}
		if !slices.Contains(defined, name) && !slices.Contains(defined, base) {
			t.Errorf("the dashboard or an alert asks for %s, which nothing defines", name)
		}
	}
	// What a counter counts and what a histogram measures is in its name.
	for _, line := range find(`(?m)((?:one|counter)\("bmcis_[a-z0-9_]+|(?:histogram|plain)\("bmcis_[a-z0-9_]+)"`, read("metrics.go")) {
		kind, name, _ := strings.Cut(line, `("`)
		if counter := kind == "one" || kind == "counter"; counter != strings.HasSuffix(name, "_total") {
			t.Errorf("%s %s: counters, and they alone, end in _total", kind, name)
		}
	}
}
