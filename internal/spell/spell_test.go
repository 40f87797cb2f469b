package spell

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"limit", "limit", 0}, {"limt", "limit", 1}, {"", "abc", 3}, {"kitten", "sitting", 3},
		{"filed", "field", 1}, {strings.Repeat("a", 100), "a", 100},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("%q to %q: %d, want %d: a distance has no direction", c.b, c.a, got, c.want)
		}
	}
}

func TestMeant(t *testing.T) {
	params := []string{"query", "top_k", "filters", "max_content_length"}
	for name, want := range map[string]string{
		"limit": "top_k", "Q": "query", "where": "filters", "max_con": "max_content_length", "filtrs": "filters", "colour": "",
		strings.Repeat("q", 1<<20): "",
	} {
		if got := Meant(name, params); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	var names []string
	for i := range 20000 {
		names = append(names, "name_"+strings.Repeat("x", i%50)+string(rune('a'+i%26)))
	}
	for b.Loop() {
		Nearest("nmae_xxxxxxxxy", names)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"limit", "filter", "collection", "rerank", "id"}
	for name, want := range map[string]string{
		"limt": "limit", "LIMIT": "limit", "fitler": "filter", "colection": "collection",
		"weights": "", "x": "", "": "", "di": "id",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
