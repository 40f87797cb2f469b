package tokenbench

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/bmcis/bmcis/internal/render"
)

// Plot draws, for each scenario, the unique o200k tokens of each mode, catalogue included,
// as bars on a logarithmic scale, and how many tokens code saves. The result is an SVG.
func (r *Report) Plot() string {
	const left, top, width, bar, gap, right = 270, 70, 460, 14, 16, 230
	colours := map[Mode]string{Full: "#b3452c", Lean: "#c9932b", Code: "#1f6f8b"}
	names := map[Mode]string{Full: "direct tools, full texts", Lean: "direct tools, previews", Code: "one program or two"}
	var list []ScenarioReport
	low, high := math.Inf(1), 1.0
	for _, s := range r.Scenarios {
		if len(s.Modes) == 0 {
			continue
		}
		list = append(list, s)
		for _, m := range s.Modes {
			n := max(1, float64(m.Tokenized[render.O200k].With))
			low, high = min(low, n), max(high, n)
		}
	}
	low, high = math.Floor(math.Log10(min(low, high))), math.Ceil(math.Log10(high))
	if high <= low {
		high = low + 1
	}
	x := func(n int) float64 { return left + (math.Log10(max(1, float64(n)))-low)/(high-low)*width }
	block := 3*bar + gap
	height := top + len(list)*block + 40
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12" role="img" aria-labelledby="t">`+"\n",
		left+width+right, height, left+width+right, height)
	fmt.Fprintf(&b, "<title id=\"t\">Tokens that cross the model's boundary, by scenario and way of working</title>\n")
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	fmt.Fprintf(&b, `<text x="16" y="24" font-size="15" font-weight="bold">Tokens that cross the model's boundary, tool catalogue included</text>`+"\n")
	at := 16
	for _, mode := range Modes() {
		fmt.Fprintf(&b, `<rect x="%d" y="38" width="12" height="12" fill="%s"/><text x="%d" y="48">%s</text>`+"\n", at, colours[mode], at+18, names[mode])
		at += 180
	}
	fmt.Fprintf(&b, `<text x="%d" y="48">o200k, logarithmic scale, %s</text>`+"\n", at, r.Date)
	for e := low; e <= high; e++ {
		at := left + (e-low)/(high-low)*width
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555">%s</text>`+"\n",
			at, top-8, at, height-30, at, height-14, thousands(int(math.Pow(10, e))))
	}
	for i, s := range list {
		y := top + i*block
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-8, y+bar+bar/2+4, html.EscapeString("("+s.ID+") "+s.Title))
		for k, mode := range Modes() {
			n := s.Mode(mode).Tokenized[render.O200k].With
			label := thousands(n)
			if mode != Code {
				label += fmt.Sprintf("; code saves %.1f %%", s.Saved(mode, true))
			}
			yk := y + k*bar
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/><text x="%.1f" y="%d" font-size="11">%s</text>`+"\n",
				left, yk, max(x(n)-left, 1), bar-2, colours[mode], x(n)+6, yk+bar-4, html.EscapeString(label))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
