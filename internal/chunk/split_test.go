package chunk

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// checkChunks is the contract of Split: exact offsets, every visible character in
// some chunk, order, and no chunk or passage beyond its limit.
func checkChunks(t *testing.T, d Doc, title string, o Options, chunks []Chunk) {
	t.Helper()
	o = o.withDefaults()
	covered := 0
	for i, c := range chunks {
		if d.Text[c.Start:c.End] != c.Text {
			t.Fatalf("chunk %d: text is not the document's text from %d to %d", i, c.Start, c.End)
		}
		if strings.TrimSpace(c.Text) == "" {
			t.Fatalf("chunk %d is blank", i)
		}
		if c.Start > covered && strings.TrimSpace(d.Text[covered:c.Start]) != "" {
			t.Fatalf("chunk %d starts at %d and leaves out %q", i, c.Start, cutBytes(d.Text[covered:c.Start], 80))
		}
		if i > 0 && (c.Start <= chunks[i-1].Start || c.End <= chunks[i-1].End) {
			t.Fatalf("chunk %d (%d-%d) brings nothing after %d-%d", i, c.Start, c.End, chunks[i-1].Start, chunks[i-1].End)
		}
		covered = max(covered, c.End)
		if n := o.Count(Passage(title, c.Headings, c.Text)); n > o.Limit {
			t.Fatalf("chunk %d: passage has %d tokens, limit %d", i, n, o.Limit)
		}
		if len(c.Text) > o.Limit*bytesPerToken {
			t.Fatalf("chunk %d has %d bytes", i, len(c.Text))
		}
	}
	if strings.TrimSpace(d.Text[covered:]) != "" {
		t.Fatalf("text from %d on is in no chunk: %q", covered, cutBytes(d.Text[covered:], 80))
	}
	at := 0
	for i, b := range d.Blocks {
		if b.Start != at || b.End < b.Start {
			t.Fatalf("block %d is %d-%d, want it to begin at %d", i, b.Start, b.End, at)
		}
		at = b.End
	}
	if at != len(d.Text) {
		t.Fatalf("blocks end at %d of %d", at, len(d.Text))
	}
}

var pieces = []string{
	"word ", "another word ", "A sentence ends here. ", "Why? ", "\n", "\n\n", "# Heading one\n", "## Two\n",
	"### Three `code`\n", "```go\nfunc f() {}\n\n// comment\n```\n", "- item one\n- item two\n  - nested\n",
	"| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n", "> quoted text\n", "    indented code\n", "漢字かな交じり文。",
	"<b>bold</b>", "<p>para</p>", "<table><tr><th>h</th></tr><tr><td>x</td></tr></table>", "Setext\n======\n",
	strings.Repeat("x", 300), strings.Repeat("é", 90), strings.Repeat("long line of prose goes on ", 60),
	"\x00", "\xff\xfe", "\r\n", "🙂", "***\n", "1. one\n2. two\n", "<!-- comment -->\n", "~~~\nunclosed\n",
	"[link](url) ", "[ref]: http://example.org\n", "\t", strings.Repeat("!", 200), "<pre>a\n b</pre>", "<li>x",
	"```\n" + strings.Repeat("code line with words\n", 200) + "```\n",
	strings.Repeat("| cell | other cell |\n", 150),
}

func TestSplitProperties(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for range rng.IntN(120) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		format := []string{Markdown, HTML, RST, Text}[seed%4]
		d, err := Extract(format, b.String())
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Whole: rng.IntN(4) == 0}
		title := strings.Repeat("Title !! ", rng.IntN(60))
		chunks := Split(d, title, o)
		checkChunks(t, d, title, o, chunks)
		if again := Split(d, title, o); !slices.EqualFunc(chunks, again, func(a, b Chunk) bool { return a.Text == b.Text && a.Start == b.Start }) {
			t.Fatal("two runs differ")
		}
	}
}

func FuzzSplit(f *testing.F) {
	for i, p := range pieces {
		f.Add(uint8(i), p+pieces[(i*7+3)%len(pieces)])
	}
	f.Fuzz(func(t *testing.T, format uint8, raw string) {
		d, err := Extract([]string{Markdown, HTML, RST, Text}[format%4], raw)
		if err != nil {
			return
		}
		checkChunks(t, d, "t", Options{}, Split(d, "t", Options{}))
	})
}

func TestHugeInputsTakeBoundedTime(t *testing.T) {
	size := 50 << 20
	if testing.Short() {
		size = 5 << 20
	}
	for _, test := range []struct{ name, format, text string }{
		{"one word", Text, strings.Repeat("a", 1_000_000)},
		{"one ideographic line", Text, strings.Repeat("漢", 1_000_000)},
		{"one line of words", Text, strings.Repeat("word ", size/5)},
		{"prose", Markdown, strings.Repeat("# Heading\n\n"+strings.Repeat("Some words in a sentence. ", 40)+"\n\n", size/1100)},
		{"one fence", Markdown, "```\n" + strings.Repeat("x := 1\n", size/70)},
		{"one table", Markdown, "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", size/100)},
		{"blank", Text, strings.Repeat(" \n", 1_000_000)},
		{"quotes", Markdown, strings.Repeat(">", 100_000)},
		{"spaced quotes", Markdown, strings.Repeat("> ", 100_000)},
		{"bullets", Markdown, strings.Repeat("- ", 100_000)},
		{"brackets", Markdown, strings.Repeat("[", 200_000)},
		{"heading of brackets", Markdown, "# " + strings.Repeat("[![", 100_000)},
		{"open elements", HTML, strings.Repeat("<div><b>", 50_000) + "text"},
		{"html prose", HTML, strings.Repeat("<h2>Heading</h2><p>"+strings.Repeat("Some words in a sentence. ", 40)+"</p>", size/5000)},
		{"headings", Markdown, strings.Repeat("# h\n", 200_000)},
		{"a word behind a million spaces", Text, "a" + strings.Repeat(" ", 1_000_000) + "b"},
		{"nested items", Markdown, nestedItems(2000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			d, err := Extract(test.format, test.text)
			if err != nil {
				t.Logf("refused: %v", err)
				return
			}
			chunks := Split(d, "title", Options{})
			took := time.Since(start)
			checkChunks(t, d, "title", Options{}, chunks)
			t.Logf("%.1f MB: %d chunks in %v", float64(len(test.text))/1e6, len(chunks), took.Round(time.Millisecond))
			if took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

func nestedItems(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

func TestSectionsAndBreaks(t *testing.T) {
	sentence := func(n int) string {
		return strings.Repeat("The quick brown fox jumps over the lazy dog again. ", n)
	}
	code := "```go\n" + strings.Repeat("fmt.Println(x)\n", 12) + "```"
	text := "# Guide\n\n## Install\n\n" + sentence(8) + "\n\n## Use\n\n" + sentence(60) + "\n\n" + code + "\n\n" + sentence(20) + "\n"
	d, err := Extract(Markdown, text)
	if err != nil {
		t.Fatal(err)
	}
	chunks := Split(d, d.Title, Options{})
	if d.Title != "Guide" {
		t.Errorf("title %q", d.Title)
	}
	if got := chunks[0].Headings; !slices.Equal(got, []string{"Guide", "Install"}) || !strings.HasPrefix(chunks[0].Text, "# Guide") {
		t.Errorf("a heading without text joins the section below it; got %q: %q", got, cutBytes(chunks[0].Text, 40))
	}
	fences := 0
	for i, c := range chunks {
		if strings.Contains(c.Text, "Println") {
			fences++
			if !strings.Contains(c.Text, code) {
				t.Errorf("chunk %d cuts the fence: %q", i, c.Text)
			}
		}
		if last, _ := lastRune(c.Text); !strings.ContainsRune(".`", last) {
			t.Errorf("chunk %d ends inside a sentence: …%q", i, c.Text[max(0, len(c.Text)-30):])
		}
	}
	if fences != 1 {
		t.Errorf("the fence is in %d chunks", fences)
	}
	overlaps := 0
	for i := 1; i < len(chunks); i++ {
		if n := chunks[i-1].End - chunks[i].Start; n > 0 {
			overlaps++
			if share := float64(n) / float64(len(chunks[i].Text)); share > 0.25 {
				t.Errorf("chunk %d repeats %.0f %% of the one before", i, 100*share)
			}
		}
	}
	if overlaps == 0 {
		t.Error("no chunk overlaps the one before, although a section was cut")
	}
}

func lastRune(s string) (r rune, ok bool) {
	for _, c := range s {
		r, ok = c, true
	}
	return r, ok
}

func TestTablePiecesKeepTheHeader(t *testing.T) {
	d, err := Extract(Markdown, "# Ports\n\n| service | port |\n| --- | --- |\n"+strings.Repeat("| some service name | 8080 |\n", 120))
	if err != nil {
		t.Fatal(err)
	}
	chunks := Split(d, "Ports", Options{})
	if len(chunks) < 3 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, c := range chunks[1:] {
		if want := []string{"Ports", "service | port"}; !slices.Equal(c.Headings, want) {
			t.Errorf("chunk %d: headings %q, want %q", i+1, c.Headings, want)
		}
		if !strings.HasPrefix(c.Text, "| some") || !strings.HasSuffix(c.Text, "|") {
			t.Errorf("chunk %d cuts a row", i+1)
		}
	}
}

func TestWholeKeepsADocumentTogether(t *testing.T) {
	text := "first paragraph\n\n" + strings.Repeat("word ", 450)
	d, _ := Extract(Text, text)
	if n := len(Split(d, "title", Options{Whole: true})); n != 1 {
		t.Errorf("%d chunks for a document that fits", n)
	}
	if n := len(Split(d, "title", Options{})); n < 2 {
		t.Errorf("%d chunks without Whole", n)
	}
}

func TestPassageSaysNothingTwice(t *testing.T) {
	for _, test := range []struct {
		title    string
		headings []string
		text     string
		want     string
	}{
		{"T", []string{"A", "B"}, "x", "T > A > B\nx"},
		{"T", []string{"T", "B"}, "x", "T > B\nx"},
		{"T", []string{"T", "B"}, "## B\n\nx", "T\n## B\n\nx"},
		{"", nil, "x", "x"},
		{"T", nil, "T\nx", "T\nx"},
	} {
		if got := Passage(test.title, test.headings, test.text); got != test.want {
			t.Errorf("Passage(%q, %q, %q) = %q, want %q", test.title, test.headings, test.text, got, test.want)
		}
	}
	long := Passage(strings.Repeat("é", 1000), nil, "x")
	if first, _, _ := strings.Cut(long, "\n"); len(first) > maxPrefix || !strings.HasPrefix(strings.Repeat("é", 1000), first) {
		t.Errorf("prefix of %d bytes", len(first))
	}
}

func TestEstimateCountsEveryVisibleRun(t *testing.T) {
	if n := Estimate("the internationalisation, of 漢字 x.y"); n < 9 || n > 14 {
		t.Errorf("estimate %d", n)
	}
	if Estimate(" \n\t") != 0 || !unicode.IsSpace('\n') {
		t.Error("white space has tokens")
	}
}
