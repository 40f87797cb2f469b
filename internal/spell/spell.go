// Package spell finds what a misspelt name was meant to be, for error messages: a
// word and the known names go in, the nearest name or nothing comes out. Callers:
// whatever refuses a name (flags, filter fields, functions and arguments of programs).
package spell

import "strings"

// Nearest returns the candidate that name most likely means, or "" when none is near:
// within a third of its letters (at least one, at most three) by [Distance], case
// apart. Of equally near ones the first wins. A name that is itself a candidate, but
// for its case, is returned. The work is bounded: names of more than 64 bytes are near
// to none, and lengths are compared before letters.
func Nearest(name string, candidates []string) string {
	if len(name) > maxLength {
		return ""
	}
	lower := strings.ToLower(name)
	best, bestDistance := "", min(3, len(name)/3+1)+1
	for _, c := range candidates {
		if n := len(c) - len(name); n >= bestDistance || -n >= bestDistance {
			continue
		}
		d := Distance(lower, strings.ToLower(c))
		if d < bestDistance && d < max(len(name), 1) {
			best, bestDistance = c, d
		}
	}
	return best
}

// maxLength bounds the work; longer words are not misspellings of our names.
const maxLength = 64

// Distance counts the insertions, deletions, replacements and swaps of neighbouring
// bytes that lead from a to b (optimal string alignment). Words of more than 64 bytes
// are as far apart as the longer one is long.
func Distance(a, b string) int {
	if len(a) > maxLength || len(b) > maxLength {
		return max(len(a), len(b))
	}
	var rows [3][maxLength + 1]int
	beforeLast, last, row := &rows[2], &rows[0], &rows[1]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], beforeLast[j-2]+1)
			}
		}
		beforeLast, last, row = last, row, beforeLast
	}
	return last[len(b)]
}
