package chunk

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestFrontMatter(t *testing.T) {
	for _, test := range []struct{ text, meta, rest string }{
		{"---\ntitle: A guide\ndraft: false\n---\n# Hi\n", `{"title":"A guide","draft":false}`, "# Hi\n"},
		{"---\nyear: 2024\nversion: 1.10\nid: 007\nratio: 0.5\nwhen: 2024-01-31\n---\nx", `{"year":2024,"version":1.1,"id":"007","ratio":0.5,"when":"2024-01-31"}`, "x"},
		{"---\ntags: [a, \"b c\", 3]\nlist:\n  - one\n  - two\nflat:\n- x\n---\n", `{"tags":["a","b c",3],"list":["one","two"],"flat":["x"]}`, ""},
		{"---\nauthor:\n  name: Ann\n  age: 30\ntext: |\n  two\n  lines\n---\nx", `{"author":{"name":"Ann","age":30},"text":"two lines"}`, "x"},
		{"---\nq: \"a \\\"b\\\"\"\nsingle: 'it''s'\nnote: x # remark\nurl: http://example.org/#top\n---\nx", `{"q":"a \"b\"","single":"it's","note":"x","url":"http://example.org/#top"}`, "x"},
		{"+++\ntitle = \"T\"\nweight = 3\n+++\nx", `{"title":"T","weight":3}`, "x"},
		{"---\n---\nx", `{}`, "x"},
		{"---\nno end: 1\nx", `null`, "---\nno end: 1\nx"},
		{"---\nJust a rule and text.\n---\nx", `null`, "---\nJust a rule and text.\n---\nx"},
		{"text\n---\na: 1\n---\n", `null`, "text\n---\na: 1\n---\n"},
	} {
		meta, rest := frontMatter(test.text)
		data, err := json.Marshal(meta)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		_ = json.Unmarshal(data, &got)
		_ = json.Unmarshal([]byte(test.meta), &want)
		if !reflect.DeepEqual(got, want) || rest != test.rest {
			t.Errorf("frontMatter(%q) = %s, %q; want %s, %q", test.text, data, rest, test.meta, test.rest)
		}
	}
}

func TestHTMLBecomesMarkdown(t *testing.T) {
	const page = `<!doctype html><html><head><title> The  page </title>
<meta name="description" content="What it says"><style>p{}</style><script>var x = "<p>no</p>"</script></head>
<body><nav><a href=/>menu</a></nav><div class=side>not main</div>
<main><h1>Top<a class=anchor>¶</a></h1><p>First <b>bold</b> and
 <code>code</code>.<br>next<!-- comment --></p>
<ul><li>one<li>two <ol><li>deep</ol></ul><pre><code>if x {
	y()
}</code></pre><table><caption>Ports</caption><tr><th>name<th>port<tr><td>a|b<td>80</table>
<p hidden>secret</p><div>loose <span>text</span></div><noscript>no</noscript></main><footer>foot</footer></body></html>`
	d, err := Extract(HTML, page)
	if err != nil {
		t.Fatal(err)
	}
	const want = "# Top\n\nFirst bold and `code`. next\n\n- one\n- two\n  1. deep\n\n```\nif x {\n\ty()\n}\n```\n\nPorts\n\n| name | port |\n| --- | --- |\n| a\\|b | 80 |\n\nloose text\n"
	if d.Text != want {
		t.Errorf("text:\n%s\nwant:\n%s", d.Text, want)
	}
	if d.Title != "The page" || d.Metadata["description"] != "What it says" {
		t.Errorf("title %q, metadata %v", d.Title, d.Metadata)
	}
	kinds := ""
	for _, b := range d.Blocks {
		kinds += string("PHCTL"[b.Kind])
	}
	if kinds != "HPLCPTP" {
		t.Errorf("blocks %s", kinds)
	}
	for _, p := range []string{"<p>a<p>b", "plain", "", "<html><body></body></html>", "<article>x</article><article>y</article>"} {
		d, err := Extract(HTML, p)
		if err != nil {
			t.Errorf("%q: %v", p, err)
		}
		if strings.Contains(p, "article") && !strings.Contains(d.Text, "y") {
			t.Errorf("a list of articles lost one: %q", d.Text)
		}
	}
}

func TestMarkdownHeadings(t *testing.T) {
	d, err := Extract(Markdown, "# The `code` & [link](url) **bold** &amp; \\* <b>x</b>\n\nSetext *two*\n---------\n\ntext\n\n```\n# not a heading\n```\n\n<div>\n# nor this\n</div>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	kinds := ""
	for _, b := range d.Blocks {
		kinds += string("PHCTL"[b.Kind])
		if b.Kind == Heading {
			titles = append(titles, b.Title)
		}
	}
	if want := []string{"The code & link bold & * x", "Setext two"}; !reflect.DeepEqual(titles, want) {
		t.Errorf("headings %q, want %q", titles, want)
	}
	if kinds != "HHPCCT" {
		t.Errorf("blocks %s", kinds)
	}
	if d.Title != titles[0] {
		t.Errorf("title %q", d.Title)
	}
}

func TestRSTHeadings(t *testing.T) {
	d, _ := Extract(RST, "Title\n=====\n\ntext\n\nPart\n----\n\nmore\n\nOther\n-----\n\nNot one\n==\n")
	got := ""
	for _, b := range d.Blocks {
		if b.Kind == Heading {
			got += strings.Repeat("#", b.Level) + b.Title + " "
		}
	}
	if got != "#Title ##Part ##Other " {
		t.Errorf("headings %q", got)
	}
}

func TestCleanCountsWhatItReplaces(t *testing.T) {
	for _, test := range []struct {
		in, out string
		n       int
	}{
		{"a\r\nb\rc", "a\nb\nc", 0}, {"\ufeffx", "x", 0}, {"a\x00b\xff\xfe", "ab\ufffd\ufffd", 3}, {"\ufffd", "\ufffd", 0},
	} {
		if out, n := Clean(test.in); out != test.out || n != test.n {
			t.Errorf("Clean(%q) = %q, %d", test.in, out, n)
		}
	}
	if _, err := Extract("pdf", ""); err == nil {
		t.Error("an unknown format passes")
	}
}
