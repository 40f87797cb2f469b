package stdlib_test

import (
	"math"
	"strconv"
	"strings"
)

// allowed says where a call may differ from CPython.
func allowed(expr, want, got string) bool {
	// What C leaves to its library may differ in the last bits.
	for _, f := range []string{"cbrt", "gamma", "erf", "log2", "asinh", "acosh", "atanh"} {
		if strings.Contains(expr, f) && near(want, got) {
			return true
		}
	}
	switch {
	case want == "!TypeError" && strings.HasPrefix(got, "?"): // refused before the run
		return true
	case strings.Contains(expr, "groupindex"): // a dict here
		return strings.Contains(want, "mappingproxy")
	case strings.Contains(want, `\ud`): // lone surrogates: text is UTF-8 here
		return strings.Contains(got, "\uFFFD")
	case expr == "random.randint('a', 2)":
		return want == "!ValueError" && got == "!TypeError" // as since 3.12
	}
	return false
}

// near reports whether both are floats that differ by at most one unit in the 14th
// digit, or by 1e-15 near zero.
func near(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return false
	}
	y, err := strconv.ParseFloat(b, 64)
	return err == nil && math.Abs(x-y) <= 1e-14*math.Abs(x)+1e-15
}
