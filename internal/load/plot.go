package load

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Plot draws a run over its time as an SVG: the latency of accepted calls on a logarithmic
// scale, calls a second by how they ended, and memory where it was measured.
func Plot(p *Report) string {
	const left, width, height, gap, top = 70, 620, 150, 60, 50
	panels := 2
	if p.Processes != nil {
		panels = 3
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", left+width+150, top+panels*(height+gap))
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="white"/>`)
	title := fmt.Sprintf("%d users, think %.3g s: %d calls, p95 %.0f ms, errors %.2f %%", p.Users, p.ThinkS, p.Calls, p.Latency.P95, 100*p.ErrorRate)
	if p.Rate > 0 {
		title = fmt.Sprintf("%.3g calls a second: p95 %.0f ms, errors %.2f %%", p.Rate, p.Latency.P95, 100*p.ErrorRate)
	}
	if p.Died != nil {
		title += fmt.Sprintf(" — the server died after %.1f s", p.Died.AtSeconds)
	}
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="14" font-weight="bold">%s</text>`+"\n", left, html.EscapeString(title))
	x := func(s float64) float64 { return left + s/math.Max(p.DurationS, 1)*width }
	type line struct {
		name, colour string
		value        func(Window) float64
	}
	panel := func(i int, unit string, log bool, lines ...line) {
		y0, most := float64(top+i*(height+gap)), 0.0
		for _, w := range p.Windows {
			for _, l := range lines {
				most = math.Max(most, l.value(w))
			}
		}
		most = math.Max(most*1.1, 1)
		low := 1.0
		y := func(v float64) float64 {
			if log {
				return y0 + height*(1-math.Log(math.Max(v, low)/low)/math.Log(most/low))
			}
			return y0 + height*(1-v/most)
		}
		if log {
			most = math.Max(most, 10)
		}
		marks := []float64{0, most / 2, most}
		if log {
			marks = nil
			for v := low; v <= most; v *= 10 {
				marks = append(marks, v)
			}
		}
		for _, m := range marks {
			fmt.Fprintf(&b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y(m), left+width, y(m), left-6, y(m)+4, strconv.FormatFloat(math.Round(m*10)/10, 'f', -1, 64))
		}
		fmt.Fprintf(&b, `<text x="%d" y="%.0f" font-weight="bold">%s</text>`+"\n", left, y0-8, html.EscapeString(unit))
		for k, l := range lines {
			var points strings.Builder
			for _, w := range p.Windows {
				if v := l.value(w); v > 0 || !log {
					fmt.Fprintf(&points, "%.1f,%.1f ", x(w.AtS), y(v))
				}
			}
			fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%d" y="%.0f" fill="%s">%s</text>`+"\n",
				points.String(), l.colour, left+width+10, y0+14+float64(k*16), l.colour, html.EscapeString(l.name))
		}
		for _, s := range []float64{0, p.DurationS / 2, p.DurationS} {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="middle">%.0f s</text>`+"\n", x(s), y0+height+16, s)
		}
	}
	width1 := 1.0
	if len(p.Windows) > 1 {
		width1 = p.Windows[1].AtS - p.Windows[0].AtS
	}
	panel(0, "latency of accepted calls, ms", true,
		line{"p50", "#06c", func(w Window) float64 { return w.P50 }}, line{"p95", "#c60", func(w Window) float64 { return w.P95 }},
		line{"p99", "#a0a", func(w Window) float64 { return w.P99 }})
	panel(1, "calls a second", false,
		line{"accepted", "#080", func(w Window) float64 { return float64(w.Accepted) / width1 }},
		line{"refused", "#c60", func(w Window) float64 { return float64(w.Refused) / width1 }},
		line{"errors", "#c00", func(w Window) float64 { return float64(w.Errors) / width1 }})
	if p.Processes != nil {
		panel(2, "memory, MiB", false, line{"server", "#06c", func(w Window) float64 { return w.HostMiB }},
			line{"children", "#080", func(w Window) float64 { return w.ChildMiB }})
	}
	b.WriteString("</svg>\n")
	return b.String()
}
