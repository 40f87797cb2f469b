package pii

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A snippet is a line of testdata/textset without its marks.
type snippet struct {
	file string
	line int
	text string
	want []Match
}

func (s snippet) String() string { return fmt.Sprintf("%s:%d", s.file, s.line) }

// readTextset reads the judged snippets.
func readTextset(t testing.TB) (all []snippet) {
	t.Helper()
	files, err := filepath.Glob("testdata/textset/*.txt")
	if err != nil || len(files) != 10 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			line := lines.Text()
			if line == "" || strings.HasPrefix(line, "# ") {
				continue
			}
			s := snippet{file: filepath.Base(name), line: n}
			line, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			for {
				before, rest, found := strings.Cut(line, "⟦")
				s.text += before
				if !found {
					break
				}
				kind, rest, _ := strings.Cut(rest, ":")
				value, rest, closed := strings.Cut(rest, "⟧")
				k, known := ParseKind(kind)
				if !known || !closed {
					t.Fatalf("%v: bad mark %q", s, line)
				}
				s.want = append(s.want, Match{k, len(s.text), len(s.text) + len(value)})
				s.text += value
				line = rest
			}
			all = append(all, s)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return all
}

// figures of one kind. A value counts as found when its span is exactly right, as
// covered when all of it would be hidden.
type figures struct{ want, got, right, covered int }

func (f figures) precision() float64 { return ratio(f.right, f.got) }
func (f figures) recall() float64    { return ratio(f.right, f.want) }
func (f figures) cover() float64     { return ratio(f.covered, f.want) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

func measure(t *testing.T, verbose bool) (by [kinds]figures) {
	for _, s := range readTextset(t) {
		set := DefaultKinds
		if s.file == "names.txt" {
			set = AllKinds
		}
		got := Find(s.text, set)
		for _, m := range got {
			by[m.Kind].got++
			if slices.Contains(s.want, m) {
				by[m.Kind].right++
				by[m.Kind].covered++
			} else if verbose {
				t.Logf("%v: found  %s %q in %q", s, m.Kind, s.text[m.Start:m.End], s.text)
			}
		}
		for _, w := range s.want {
			by[w.Kind].want++
			if slices.Contains(got, w) {
				continue
			}
			if slices.ContainsFunc(got, func(m Match) bool { return m.Start <= w.Start && m.End >= w.End }) {
				by[w.Kind].covered++
			}
			if verbose {
				t.Logf("%v: missed %s %q in %q", s, w.Kind, s.text[w.Start:w.End], s.text)
			}
		}
	}
	return by
}

// leastQuality are the figures below which nobody may fall unnoticed: those of
// docs/privacy.md, rounded down.
var leastQuality = [kinds]struct{ precision, recall float64 }{
	Email: {0.98, 0.98},
	Phone: {0.99, 0.99},
	SSN:   {0.99, 0.99},
	Card:  {0.99, 0.98},
	IBAN:  {0.99, 0.99},
	IP:    {0.97, 0.99},
	Name:  {0.98, 0.90},
}

// TestQuality measures the detector on the judged snippets. With -v it prints the table
// of docs/privacy.md, and every snippet where it is wrong.
func TestQuality(t *testing.T) {
	all := readTextset(t)
	if len(all) < 1000 {
		t.Fatalf("%d snippets", len(all))
	}
	by := measure(t, testing.Verbose())
	t.Logf("| kind | in the snippets | found | precision | recall | hidden whole |")
	for k := range kinds {
		f := by[k]
		t.Logf("| %s | %d | %d | %.3f | %.3f | %.3f |", k, f.want, f.got, f.precision(), f.recall(), f.cover())
		if f.want < 40 {
			t.Errorf("only %d values of kind %s", f.want, k)
		}
		if least := leastQuality[k]; f.precision() < least.precision || f.recall() < least.recall {
			t.Errorf("%s: precision %.3f and recall %.3f, at least %.2f and %.2f are expected", k, f.precision(), f.recall(), least.precision, least.recall)
		}
	}
}
