package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// show writes tokens as term@position.
func show(tokens []Token) string {
	var out []string
	for _, t := range tokens {
		out = append(out, fmt.Sprintf("%s@%d", t.Term, t.Position))
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ language, in, want string }{
		{"english", "The quick brown foxes", "quick@1 brown@2 fox@3"},
		{"english", "How do I", "how@0 do@1"},
		{"english", "Running runners ran easily", "run@0 runner@1 ran@2 easili@3"},
		{"english", "don't Mary's O'Neill", "don't@0 mari@1 o'neil@2"},
		{"english", "don’t Mary’s", "don't@0 mari@1"},
		{"none", "The Running", "the@0 running@1"},
		{"german", "Häuser der Welt", "haus@0 der@1 welt@2"},
		{"english", "getUserName", "getusernam@0 get@0 user@0 name@0"},
		{"english", "HTTPServer parseJSON", "httpserver@0 http@0 server@0 parsejson@1 pars@1 json@1"},
		{"english", "iPhone mRNA", "iphon@0 phone@0 mrna@1 rna@1"},
		{"english", "snake_case_name", "snake@0 snake_case_name@0 case@1 name@2"},
		{"english", "__init__ _private", "init@0 __init__@0 privat@1 _private@1"},
		{"english", "getUser getUser user_id", "getus@0 get@0 user@0 getus@1 user@2 user_id@2 id@3"},
		{"english", "state-of-the-art", "state@0 state-of-the-art@0 art@3"},
		{"english", "os.path.join(a, b)", "os@0 os.path.join@0 path@1 join@2 b@4"},
		{"english", "std::vector src/main.go", "std@0 std::vector@0 vector@1 src@2 src/main.go@2 main@3 go@4"},
		{"english", "CVE-2024-3094 PROJ-123 ORA-00942", "cve@0 cve-2024-3094@0 2024@1 3094@2 proj@3 proj-123@3 123@4 ora@5 ora-00942@5 00942@6"},
		{"english", "v1.2.3 python3.11 10.0.0.1", "v1.2.3@0 1.2@0 1.2.3@0 python3.11@1 3.11@1 10.0.0.1@2 10.0@2 10.0.0@2"},
		{"english", "0xDEADBEEF E0308 ERR_CONN_RESET", "0xdeadbeef@0 e0308@1 err@2 err_conn_reset@2 conn@3 reset@4"},
		{"english", "C++ C# F# c", "c@0 c++@0 c@1 c#@1 f@2 f#@2 c@3"},
		{"english", "1,000 3.14 50%", "1000@0 3.14@1 50@2"},
		{"english", "end.Next", "end@0 end.next@0 next@1"},
		{"english", "ＡＰＩ ﬁne ½ cafe\u0301 CAFÉ", "api@0 fine@1 1⁄2@2 café@3 café@4"},
		{"english", "“quoted” — dash… naïve", "quot@0 dash@1 naïv@2"},
		{"english", "soft\u00adhyphen", "softhyphen@0"},
		{"english", "東京都", "東@0 東京@0 京@1 京都@1 都@2"},
		{"english", "use 東京 API", "use@0 東@1 東京@1 京@2 api@3"},
		{"english", "ﾃｽﾄ", "テ@0 テス@0 ス@1 スト@1 ト@2"},
		{"english", "한국어", "한@0 한국@0 국@1 국어@1 어@2"},
		{"russian", "Книги и КНИГА", "книг@0 и@1 книг@2"},
		{"english", "a\x00b \xff\xfe c\xffd", "b@1 c@2 d@3"},
		{"english", "", ""},
		{"english", "... --- !!! ___ '' \u200b", ""},
	} {
		a, err := New(c.language)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(a.Tokens(nil, c.in)); got != c.want {
			t.Errorf("%s: %q\n gives %s\n want  %s", c.language, c.in, got, c.want)
		}
	}
}

// TestOffsets: what stands at a token's offsets gives the token again.
func TestOffsets(t *testing.T) {
	a, _ := New("english")
	s := "Read os.path.join and the 東京 guide: naïve “getUserName” v1.2.3 — don’t panic."
	for _, tok := range a.Tokens(nil, s) {
		again := a.Tokens(nil, s[tok.Start:tok.End])
		if !slices.ContainsFunc(again, func(x Token) bool { return x.Term == tok.Term }) {
			t.Errorf("%q at %d..%d is %q, which gives %s", tok.Term, tok.Start, tok.End, s[tok.Start:tok.End], show(again))
		}
	}
}

func TestLanguages(t *testing.T) {
	for _, l := range Languages() {
		a, err := New(l)
		if err != nil || a.Language() != l {
			t.Fatalf("%s: %v", l, err)
		}
		if n := len(a.Tokens(nil, "international organisations")); n != 2 {
			t.Errorf("%s: %d tokens", l, n)
		}
	}
	if _, err := New("klingon"); err == nil || !strings.Contains(err.Error(), "english") {
		t.Errorf("an unknown language: %v", err)
	}
	if a, err := New(""); err != nil || a.Language() != "english" {
		t.Errorf("no language: %v, %v", a, err)
	}
}

func TestLongWords(t *testing.T) {
	a, _ := New("english")
	long := strings.Repeat("x", 1_000_000)
	tokens := a.Tokens(nil, "before "+long+" after "+strings.Repeat("é", 100_000))
	if len(tokens) != 4 || len(tokens[1].Term) > MaxWordBytes || len(tokens[3].Term) > MaxWordBytes {
		t.Fatalf("%d tokens", len(tokens))
	}
	if !utf8.ValidString(tokens[3].Term) {
		t.Error("a word was cut within a character")
	}
	if again := a.Tokens(nil, long); again[0].Term != tokens[1].Term {
		t.Error("the query's long word is not the document's")
	}
}

// TestConcurrentUse: with -race, and the same answer for all.
func TestConcurrentUse(t *testing.T) {
	a, _ := New("english")
	want := show(a.Tokens(nil, "Connections to getUserName 東京"))
	done := make(chan string)
	for range 8 {
		go func() {
			var last string
			for range 200 {
				last = show(a.Tokens(nil, "Connections to getUserName 東京"))
			}
			done <- last
		}()
	}
	for range 8 {
		if got := <-done; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"The quick fox", "os.path.join CVE-2024-1", "東京都 ﾃｽﾄ", "v1.2.3 __x__ C++", "a\xff\x00’b", "e\u0301\u200d1,2.3'x", "İstanbul ½"} {
		f.Add(s)
	}
	var all []*Analyzer
	for _, l := range Languages() {
		a, _ := New(l)
		all = append(all, a)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, a := range all {
			last := 0
			for _, tok := range a.Tokens(nil, s) {
				if tok.Term == "" || tok.Position < last || tok.Start < 0 || tok.End > len(s) || tok.Start >= tok.End {
					t.Fatalf("%s: token %+v of %q", a.Language(), tok, s)
				}
				if !utf8.ValidString(tok.Term) || strings.ContainsAny(tok.Term, " \x00") || len(tok.Term) > 4*MaxWordBytes {
					t.Fatalf("%s: term %q of %q", a.Language(), tok.Term, s)
				}
				last = tok.Position
			}
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	a, _ := New("english")
	s := strings.Repeat("Analyzers turn a document's text into terms; getUserName and os.path.join are identifiers. ", 20)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	var dst []Token
	for b.Loop() {
		dst = a.Tokens(dst[:0], s)
	}
}
