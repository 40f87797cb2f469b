package pylang

import (
	"strings"

	"github.com/bmcis/bmcis/internal/spell"
)

// nearest finds the candidate that a misspelt name most likely means, or "".
// Private names are meant by private names only.
func nearest(name string, candidates []string) string {
	kept := make([]string, 0, len(candidates))
	for _, c := range candidates {
		if c != name && strings.HasPrefix(c, "_") == strings.HasPrefix(name, "_") {
			kept = append(kept, c)
		}
	}
	return spell.Nearest(name, kept)
}
