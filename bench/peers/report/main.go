// Command report puts the results of all engines into one table, with the ratio of ours
// to the best peer, and a plot. It reads JSON objects from the named files and standard
// input: those that the harnesses print.
//
//	report -svg out.svg ours.jsonl lucene.jsonl tantivy.jsonl bm25s.jsonl tsvector.jsonl
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// ours begins the name of our engine.
const ours = "BMCIS"

type result struct {
	Engine    string    `json:"engine"`
	Set       string    `json:"set"`
	Build     float64   `json:"build_s"`
	Index     float64   `json:"index_mb"`
	Documents int64     `json:"documents"`
	Call      float64   `json:"call_us"`
	Sample    int       `json:"sample"`
	Micros    []float64 `json:"us"`
}

func (r *result) at(q float64) float64 { return r.Micros[int(q*float64(len(r.Micros)-1)+0.5)] }

func main() {
	svg := flag.String("svg", "", "file for the plot")
	flag.Parse()
	if err := run(flag.Args(), *svg); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(files []string, svg string) error {
	var all []result
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		d := json.NewDecoder(f)
		for {
			var r result
			err := d.Decode(&r)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if len(r.Micros) == 0 {
				return fmt.Errorf("%s: %s answered no query of %s", name, r.Engine, r.Set)
			}
			slices.Sort(r.Micros)
			all = append(all, r)
		}
		f.Close()
	}
	var sets []string
	for _, r := range all {
		if !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
	}
	for _, set := range sets {
		table(set, all)
	}
	if svg == "" {
		return nil
	}
	return os.WriteFile(svg, []byte(plot(sets, all)), 0o644)
}

func table(set string, all []result) {
	fmt.Printf("### %s\n\n| engine | p50 µs | p95 | p99 | mean | call | build s | index MB |\n|---|--:|--:|--:|--:|--:|--:|--:|\n", set)
	var own *result
	best := map[float64]float64{}
	for i := range all {
		r := &all[i]
		if r.Set != set {
			continue
		}
		name, call := r.Engine, "–"
		if r.Sample > 0 {
			name += fmt.Sprintf(" (%d queries)", r.Sample)
		}
		if r.Call > 0 {
			call = fmt.Sprintf("%.1f", r.Call)
		}
		var sum float64
		for _, x := range r.Micros {
			sum += x
		}
		fmt.Printf("| %s | %.1f | %.1f | %.1f | %.1f | %s | %.1f | %.1f |\n", name, r.at(.5), r.at(.95), r.at(.99), sum/float64(len(r.Micros)), call, r.Build, r.Index)
		if strings.HasPrefix(r.Engine, ours) {
			if own == nil {
				own = r
			}
			continue
		}
		for _, q := range []float64{.5, .99} {
			if x := r.at(q); best[q] == 0 || x < best[q] {
				best[q] = x
			}
		}
	}
	if own != nil && best[.5] > 0 {
		fmt.Printf("\nOurs to the best peer: p50 %.2f, p99 %.2f.\n", own.at(.5)/best[.5], own.at(.99)/best[.99])
	}
	fmt.Println()
}

// plot draws p50 and p99 of each engine on a logarithmic scale.
func plot(sets []string, all []result) string {
	var b strings.Builder
	row, left, width := 22, 300, 420
	height := 40 + row*(len(all)+len(sets))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", left+width+40, height)
	x := func(us float64) int { // 10 µs .. 10 s
		at := 0.0
		for v := us / 10; v > 1; v /= 1.25892541179 { // a tenth of a decade each
			at++
		}
		return left + int(at/60*float64(width))
	}
	for i, label := range []string{"10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"} {
		at := left + i*width/6
		fmt.Fprintf(&b, `<line x1="%d" y1="20" x2="%d" y2="%d" stroke="#ddd"/><text x="%d" y="14" text-anchor="middle">%s</text>`+"\n", at, at, height, at, label)
	}
	y := 36
	for _, set := range sets {
		fmt.Fprintf(&b, `<text x="4" y="%d" font-weight="bold">%s</text>`+"\n", y, set)
		y += row
		for _, r := range all {
			if r.Set != set {
				continue
			}
			colour := "#999"
			if strings.HasPrefix(r.Engine, ours) {
				colour = "#06c"
			}
			p50, p99 := x(r.at(.5)), x(r.at(.99))
			fmt.Fprintf(&b, `<text x="12" y="%d">%s</text><line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="4"/><circle cx="%d" cy="%d" r="6" fill="%s"/>`+"\n",
				y, r.Engine, p50, y-4, p99, y-4, colour, p50, y-4, colour)
			y += row
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
