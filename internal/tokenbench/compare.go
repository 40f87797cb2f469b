package tokenbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// scoreTolerance is how far apart scores may be: direct tools print four decimals, and
// answers round to three. Integers, as ids and sums are, must be equal.
const scoreTolerance = 0.001

// Diff names the places where two JSON answers differ, one a line: `$[0].id: "a" in full,
// "b" in code`. Equal answers have none. Numbers with a decimal point on either side may
// differ by 0.001, everything else must be the same.
func Diff(nameA string, a json.RawMessage, nameB string, b json.RawMessage) []string {
	d := differ{nameA: nameA, nameB: nameB}
	va, errA := decode(a)
	vb, errB := decode(b)
	if errA != nil || errB != nil {
		return []string{fmt.Sprintf("not JSON: %s %.80q, %s %.80q", nameA, a, nameB, b)}
	}
	d.walk("$", va, vb)
	return d.lines
}

func decode(raw json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

type differ struct {
	nameA, nameB string
	lines        []string
}

func (d *differ) note(path string, a, b any) {
	d.lines = append(d.lines, fmt.Sprintf("%s: %s in %s, %s in %s", path, show(a), d.nameA, show(b), d.nameB))
}

func show(v any) string {
	if v == nil {
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 120 {
		text = append(text[:117:117], "..."...)
	}
	return string(text)
}

func (d *differ) walk(path string, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			d.note(path, a, b)
			return
		}
		keys := slices.Sorted(maps.Keys(x))
		for k := range y {
			if _, ok := x[k]; !ok {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			d.walk(path+"."+k, x[k], y[k])
		}
	case []any:
		y, ok := b.([]any)
		if !ok {
			d.note(path, a, b)
			return
		}
		for i := range max(len(x), len(y)) {
			var p, q any
			if i < len(x) {
				p = x[i]
			}
			if i < len(y) {
				q = y[i]
			}
			d.walk(fmt.Sprintf("%s[%d]", path, i), p, q)
		}
	case json.Number:
		if y, ok := b.(json.Number); !ok || !sameNumber(x, y) {
			d.note(path, a, b)
		}
	default:
		if a != b {
			d.note(path, a, b)
		}
	}
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(string(a)+string(b), ".eE") {
		return false
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && math.Abs(x-y) <= scoreTolerance+1e-9
}

// A DifferError says that scripts of a scenario came to different answers.
type DifferError struct {
	Scenario string
	Run      int
	Lines    []string
}

func (e *DifferError) Error() string {
	return fmt.Sprintf("scenario %s, run %d: the answers differ, so its figures mean nothing:\n  %s", e.Scenario, e.Run, strings.Join(e.Lines, "\n  "))
}
