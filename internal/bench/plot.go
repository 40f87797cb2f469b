package bench

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"time"
)

// Plot draws, for each report, what share of its queries is answered within which time,
// on a logarithmic scale: the scorer alone and whole searches. The result is an SVG.
func Plot(reports []*SearchReport) string {
	const left, top, width, height, gap = 60, 40, 560, 180, 70
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n",
		left+width+40, top+len(reports)*(height+gap))
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="white"/>`)
	low, high := math.Inf(1), 0.0
	for _, r := range reports {
		for _, d := range slices.Concat(r.EachScore, r.EachSearch) {
			us := max(float64(d.Nanoseconds())/1e3, 0.1)
			low, high = min(low, us), max(high, us)
		}
	}
	low, high = math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if !(high > low) {
		low, high = 0, 1
	}
	x := func(us float64) float64 {
		return left + (math.Log10(max(us, 0.1))-low)/(high-low)*width
	}
	for i, r := range reports {
		y0 := float64(top + i*(height+gap))
		fmt.Fprintf(&b, `<text x="%d" y="%.0f" font-weight="bold">%s</text>`+"\n", left, y0-10,
			html.EscapeString(fmt.Sprintf("%s (%d queries, %d documents, top %d)", r.Name, r.Queries, r.Documents, r.Limit)))
		for e := low; e <= high; e++ {
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%.0f" x2="%.1f" y2="%.0f" stroke="#ddd"/><text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`+"\n",
				x(math.Pow(10, e)), y0, x(math.Pow(10, e)), y0+height, x(math.Pow(10, e)), y0+height+16,
				time.Duration(math.Pow(10, e)*1e3).String())
		}
		for _, q := range []int{0, 50, 95, 100} {
			y := y0 + height*(1-float64(q)/100)
			fmt.Fprintf(&b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%d %%</text>`+"\n",
				left, y, left+width, y, left-6, y+4, q)
		}
		for k, c := range []struct {
			name, colour string
			each         []time.Duration
			p            Percentiles
		}{{"scorer", "#06c", r.EachScore, r.Score}, {"whole search", "#c60", r.EachSearch, r.Search}} {
			each := slices.Sorted(slices.Values(c.each))
			var points strings.Builder
			for n, d := range each {
				fmt.Fprintf(&points, "%.1f,%.1f ", x(float64(d.Nanoseconds())/1e3), y0+height*(1-float64(n+1)/float64(len(each))))
			}
			fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", points.String(), c.colour)
			fmt.Fprintf(&b, `<text x="%d" y="%.0f" fill="%s">%s: p50 %.0f, p95 %.0f, p99 %.0f µs</text>`+"\n",
				left+8, y0+16+float64(16*k), c.colour, c.name, c.p.P50, c.p.P95, c.p.P99)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
