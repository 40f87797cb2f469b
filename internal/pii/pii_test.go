package pii

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// memory is a Tokenizer and Lookup that remembers in a map.
type memory struct {
	mu     sync.Mutex
	values map[string]string
	calls  int
	err    error
}

func (m *memory) Tokens(_ context.Context, values []Value) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.err != nil {
		return nil, m.err
	}
	if m.values == nil {
		m.values = map[string]string{}
	}
	tokens := make([]string, len(values))
	for i, v := range values {
		sum := sha256.Sum256([]byte(v.Kind.String() + v.Text))
		tokens[i] = Token(v.Kind, hex.EncodeToString(sum[:6]))
		m.values[tokens[i]] = v.Text
	}
	return tokens, nil
}

func (m *memory) Values(_ context.Context, tokens []string) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]string{}
	for _, t := range tokens {
		if v, ok := m.values[t]; ok {
			out[t] = v
		}
	}
	return out, nil
}

func TestTextGivesOneTokenAValueAndBack(t *testing.T) {
	m := &memory{}
	s := &Sanitizer{Tokens: m}
	const text = "ann@example.com, ben@example.com and ann@example.com call +1 415 555 2671"
	clean, err := s.Text(t.Context(), text)
	if err != nil || m.calls != 1 {
		t.Fatalf("%v, %d calls", err, m.calls)
	}
	var tokens []string
	tokensIn(clean, func(_ Kind, start, end int) { tokens = append(tokens, clean[start:end]) })
	if len(tokens) != 4 || tokens[0] != tokens[2] || tokens[0] == tokens[1] || !strings.HasPrefix(tokens[3], "[PHONE_") {
		t.Errorf("%q", clean)
	}
	if back, err := (&Restorer{Values: m}).Text(t.Context(), clean); err != nil || back != text {
		t.Errorf("%q, %v", back, err)
	}
	if back, err := new(Restorer).Text(t.Context(), clean); !errors.Is(err, ErrDenied) || back != clean {
		t.Errorf("not allowed: %q, %v", back, err)
	}
	if back, err := new(Restorer).Text(t.Context(), "no token"); err != nil || back != "no token" {
		t.Errorf("nothing to restore: %q, %v", back, err)
	}
}

func TestWithoutTokensNothingLeaks(t *testing.T) {
	const text = `{"mail":"ann@example.com","n":1}`
	failing := &Sanitizer{Tokens: &memory{err: errors.New("database is away")}}
	for _, s := range []*Sanitizer{{}, failing} {
		clean, err := s.Text(t.Context(), text)
		if clean != `{"mail":"[EMAIL]","n":1}` || (err != nil) != (s == failing) {
			t.Errorf("%q, %v", clean, err)
		}
		raw, err := s.JSON(t.Context(), []byte(text))
		if string(raw) != clean || (err != nil) != (s == failing) {
			t.Errorf("JSON: %q, %v", raw, err)
		}
	}
}

func TestTokens(t *testing.T) {
	if k, id, ok := ParseToken("[EMAIL_ab12cd]"); !ok || k != Email || id != "ab12cd" {
		t.Error(k, id, ok)
	}
	for _, bad := range []string{"", "[EMAIL_ab12c]", "[EMAIL_AB12CD]", "[EMAIL_ab12cg]", "[MAIL_ab12cd]", "[EMAIL_ab12cd", "[EMAIL_ab12cd]x", "[EMAIL]", "[EMAIL_" + strings.Repeat("a", 65) + "]"} {
		if _, _, ok := ParseToken(bad); ok {
			t.Errorf("%q is a token", bad)
		}
	}
	if m := Find("[PHONE_4155552671] [SSN_123456] [CARD_4111111111111111]", AllKinds); m != nil {
		t.Errorf("in tokens: %v", m)
	}
	if k, ok := ParseKind("iban"); !ok || k != IBAN {
		t.Error(k, ok)
	}
}

func TestKindsChoose(t *testing.T) {
	const text = "ann@example.com 203.0.113.7"
	if m := Find(text, SetOf(IP)); len(m) != 1 || m[0].Kind != IP {
		t.Error(m)
	}
	if m := Find(text, 0); m != nil {
		t.Error(m)
	}
}

func TestJSON(t *testing.T) {
	s := &Sanitizer{}
	for _, c := range []struct{ raw, want string }{
		{`{"a": [1, {"b": "x ann@example.com"}], "c" : true}`, `{"a": [1, {"b": "x [EMAIL]"}], "c" : true}`},
		{`{"ann@example.com": {"n": 1}}`, `{"[EMAIL]": {"n": 1}}`},
		{`{"ssn": 536221843, "id": 536221843}`, `{"ssn": "[SSN]", "id": 536221843}`},
		{`{"ssn": ["536221843", 536221844], "id": [536221843]}`, `{"ssn": ["[SSN]", "[SSN]"], "id": [536221843]}`},
		{`{"homePhone": {"number": "4155552671"}, "x": "4155552671"}`, `{"homePhone": {"number": "4155552671"}, "x": "4155552671"}`},
		{`{"homePhone": "4155552671"}`, `{"homePhone": "[PHONE]"}`},
		{`{"card": 4111111111111111}`, `{"card": "[CARD]"}`},
		{`[4111111111111111.5, -4111111111111111]`, `[4111111111111111.5, -4111111111111111]`},
		{`"\u0061nn@example.com <b>\n"`, `"[EMAIL] <b>\n"`},
		{`"caf\u00e9 \ud83d\ude00"`, `"caf\u00e9 \ud83d\ude00"`},
		{`"ann\u0040example.com"`, `"[EMAIL]"`},
		{`"a\\nann@example.com"`, `"a\\n[EMAIL]"`},
		{` 12 `, ` 12 `},
		{`{"a":{"phone":1},"b":4155552671}`, `{"a":{"phone":1},"b":4155552671}`},
	} {
		got, err := s.JSON(t.Context(), []byte(c.raw))
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.raw, got, err, c.want)
		}
	}
	if got, err := s.JSON(t.Context(), []byte(`{"a": ann@example.com}`)); err == nil || got != nil {
		t.Errorf("no JSON: %s, %v", got, err)
	}
	m := &memory{}
	s = &Sanitizer{Tokens: m}
	const raw = `{"ann@example.com":["203.0.113.7",{"x":"ann@example.com \"ben@example.com\""}]}`
	clean, err := s.JSON(t.Context(), []byte(raw))
	if err != nil || m.calls != 1 || !json.Valid(clean) {
		t.Fatalf("%s, %v, %d calls", clean, err, m.calls)
	}
	back, err := (&Restorer{Values: m}).JSON(t.Context(), clean)
	if err != nil || string(back) != raw {
		t.Errorf("%s, %v", back, err)
	}
	if back, err := new(Restorer).JSON(t.Context(), clean); !errors.Is(err, ErrDenied) || !bytes.Equal(back, clean) {
		t.Errorf("%s, %v", back, err)
	}
}

// TestWriterIsText writes the judged snippets in pieces; what comes out is what Text
// makes of the whole.
func TestWriterIsText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all strings.Builder
	for _, s := range readTextset(t) {
		all.WriteString(s.text + "\n")
	}
	for round := range 20 {
		m := &memory{}
		want, _ := (&Sanitizer{Tokens: m}).Text(t.Context(), all.String())
		var out bytes.Buffer
		w := NewWriter(t.Context(), &out, &Sanitizer{Tokens: m})
		for rest := all.String(); rest != ""; {
			n := min(len(rest), 1+rng.IntN(1+round*round))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Fatalf("differs at %d:\n got …%q\nwant …%q", i, got[max(0, i-60):min(len(got), i+60)], want[max(0, i-60):min(len(want), i+60)])
		}
	}
}

func TestWriterHoldsBackLittle(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(t.Context(), &out, &Sanitizer{})
	write := func(s string) {
		t.Helper()
		if _, err := w.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	write("step 3 of 100\nmail ann@exam")
	if got := out.String(); got != "step 3 of 100\n" {
		t.Errorf("a line is shown when it is complete: %q", got)
	}
	write("ple.com\n4111 1111\n")
	if got := out.String(); got != "step 3 of 100\nmail [EMAIL]\n" {
		t.Errorf("half a card is not shown: %q", got)
	}
	write("1111 1111\ndone\n")
	if got := out.String(); got != "step 3 of 100\nmail [EMAIL]\n[CARD]\ndone\n" {
		t.Errorf("%q", got)
	}
	out.Reset()
	write(strings.Repeat("word ", 20_000))
	if held := 100_000 - out.Len(); held > maxHeld {
		t.Errorf("%d bytes of a line are held back", held)
	}
	write("ann@example.com")
	if err := w.Flush(); err != nil || !strings.HasSuffix(out.String(), " word [EMAIL]") {
		t.Errorf("flushed: %q, %v", out.String()[out.Len()-30:], err)
	}
	// An address anywhere in a line without an end.
	for pad := maxHeld - 40; pad < maxHeld+10; pad++ {
		out.Reset()
		for _, c := range []byte(strings.Repeat("x", pad) + " ann@example.com " + strings.Repeat("y", 3*maxHeld)) {
			write(string(c))
		}
		if err := w.Flush(); err != nil || strings.Contains(out.String(), "ann") || !strings.Contains(out.String(), "[EMAIL]") {
			t.Fatalf("at %d: %v", pad, err)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestWriterErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	w := NewWriter(t.Context(), failingWriter{broken}, &Sanitizer{})
	if _, err := w.Write([]byte("line\n")); !errors.Is(err, broken) {
		t.Error(err)
	}
	away := errors.New("database is away")
	var out bytes.Buffer
	w = NewWriter(t.Context(), &out, &Sanitizer{Tokens: &memory{err: away}})
	if n, err := w.Write([]byte("ann@example.com\nx")); n != 17 || err != nil {
		t.Error(n, err)
	}
	if err := w.Close(); !errors.Is(err, away) || out.String() != "[EMAIL]\nx" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

type secretive struct{ Mail string }

func (secretive) String() string { return "nothing to see" }

type valuer struct{ mail string }

func (v valuer) LogValue() slog.Value {
	return slog.GroupValue(slog.String("mail", v.mail), slog.Int("n", 7))
}

func TestLogHandler(t *testing.T) {
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		var out bytes.Buffer
		m := &memory{}
		log := slog.New(NewLogHandler(handler(&out), &Sanitizer{Tokens: m})).With("by", "ann@example.com").WithGroup("g")
		m.calls = 0
		log.Info("mail to ann@example.com", "err", fmt.Errorf("no user %q", "ann@example.com"), "ssn", 536221843,
			"bytes", []byte("ann@example.com"), "v", valuer{"ann@example.com"}, "s", secretive{"ann@example.com"},
			slog.Group("h", "ann@example.com", 1), "any", map[string]any{"x": []string{"ann@example.com"}}, "n", 42, "id", 536221843)
		got := out.String()
		if strings.Contains(got, "ann@") || m.calls != 1 {
			t.Errorf("%s: %d calls: %s", name, m.calls, got)
		}
		if n := strings.Count(got, "[EMAIL_"); n < 7 || strings.Count(got, "536221843") != 1 || !strings.Contains(got, "[SSN_") || !strings.Contains(got, "42") {
			t.Errorf("%s: %d tokens: %s", name, n, got)
		}
	}
}

// TestAdversarial runs texts that were made to find a boundary that moves.
func TestAdversarial(t *testing.T) {
	for _, text := range []string{
		"4111 1111 1111 1111john@example.com",
		"+1 415 555 2671@sms.example.com",
		"a@b.com@c.com@d.com",
		"1.2.3.4.5.6.7.8@x.com",
		"203.0.113.7ann@example.com203.0.113.8",
		"DE89 3704 0044 0532 0130 00ann@example.com",
		"415-555-2671-415-555-2671-415-555-2671",
		"536-22-1843-536-22-1843",
		strings.Repeat("4111 1111 1111 1111 ", 5),
		strings.Repeat("a@b.co.", 20),
		strings.Repeat("2001:db8::", 9),
		"[EMAIL_[EMAIL_ab12cd]@x.com]",
		strings.Repeat("-415-555-2671", 40),
		strings.Repeat("536-22-1843-", 40),
		strings.Repeat("4111111111111111-", 40),
		strings.Repeat("4111 1111 1111 1111 4111111111111111 ", 40),
		strings.Repeat("203.0.113.7.", 40),
		strings.Repeat("203.0.113.7-203.0.113.7-1", 40),
		strings.Repeat("DE89370400440532013000-", 40),
		strings.Repeat("+14155552671+", 40),
		strings.Repeat("01 99 00 12 34 ", 40),
		strings.Repeat("07700 900123 ", 40),
		strings.Repeat("tel 415 555 2671 ", 40),
		strings.Repeat("tel 4155552671-", 40),
		strings.Repeat("Mr. Smith Mr. ", 40),
		strings.Repeat("ann@example.com.", 40),
		strings.Repeat("git@ann@example.com:", 40),
		strings.Repeat("2001:db8::1:2001:db8::2 ", 40),
		strings.Repeat("ssn 536221843 ", 40),
		"ann [at] [EMAIL_ab12cd] example [dot] com",
		"\\\\nann@example.com\\",
		"ann%40%40example.com%",
		"x (at) (at) y.com",
		"+1 201 555 0123 +1 201 555 0123+1 201 555 0123",
	} {
		check(t, text)
	}
}

// check holds what is true of every text.
func check(t *testing.T, text string) {
	t.Helper()
	m := &memory{}
	s := &Sanitizer{Tokens: m, Kinds: AllKinds}
	end := 0
	for _, match := range Find(text, AllKinds) {
		if match.Start < end || match.End <= match.Start || match.End > len(text) || match.Kind >= kinds {
			t.Fatalf("%q: bad match %v", text, match)
		}
		end = match.End
		if utf8.ValidString(text) && !utf8.ValidString(text[match.Start:match.End]) {
			t.Fatalf("%q: %v cuts a character", text, match)
		}
	}
	clean, err := s.Text(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Text(t.Context(), clean)
	if err != nil || again != clean {
		t.Fatalf("not idempotent:\n     %q\n  -> %q\n  -> %q, %v", text, clean, again, err)
	}
	bare := &Sanitizer{Kinds: AllKinds}
	clean1, _ := bare.Text(t.Context(), text)
	if clean2, _ := bare.Text(t.Context(), clean1); clean2 != clean1 {
		t.Fatalf("not idempotent without tokens:\n     %q\n  -> %q\n  -> %q", text, clean1, clean2)
	}
	back, err := (&Restorer{Values: m}).Text(t.Context(), clean)
	if err != nil || back != text {
		t.Fatalf("not restored:\n     %q\n  -> %q\n  -> %q, %v", text, clean, back, err)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range readTextset(f) {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokensIn(text, func(Kind, int, int) { t.Skip("has tokens of its own") })
		check(t, text)
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range readTextset(f) {
		raw, _ := json.Marshal(map[string]any{s.text: []any{s.text, 12, nil}})
		f.Add(raw)
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := &memory{}
		s := &Sanitizer{Tokens: m, Kinds: AllKinds}
		clean, err := s.JSON(t.Context(), raw)
		if (err == nil) != json.Valid(raw) {
			t.Fatalf("%q: %v", raw, err)
		}
		if err != nil {
			return
		}
		if !json.Valid(clean) {
			t.Fatalf("%q became %q", raw, clean)
		}
		again, err := s.JSON(t.Context(), clean)
		if err != nil || !bytes.Equal(again, clean) {
			t.Fatalf("not idempotent:\n     %q\n  -> %q\n  -> %q, %v", raw, clean, again, err)
		}
	})
}

// FuzzWriter checks that how a text is cut into writes makes no difference to what
// complete lines look like.
func FuzzWriter(f *testing.F) {
	for i, s := range readTextset(f) {
		f.Add(s.text, i)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		m := &memory{}
		var whole, cutUp bytes.Buffer
		one := NewWriter(t.Context(), &whole, &Sanitizer{Tokens: m})
		two := NewWriter(t.Context(), &cutUp, &Sanitizer{Tokens: m})
		one.Write([]byte(text))
		cut = max(0, min(cut, len(text)))
		two.Write([]byte(text[:cut]))
		two.Write([]byte(text[cut:]))
		one.Close()
		two.Close()
		want, _ := (&Sanitizer{Tokens: m}).Text(t.Context(), text)
		if len(text) < maxHeld && (whole.String() != cutUp.String() || whole.String() != want) {
			t.Fatalf("%q cut at %d:\n%q\n%q\nas text:\n%q", text, cut, whole.String(), cutUp.String(), want)
		}
	})
}

func corpus(b *testing.B, size int) string {
	var all strings.Builder
	set := readTextset(b)
	for i := 0; all.Len() < size; i++ {
		all.WriteString(set[i%len(set)].text + "\n")
	}
	return all.String()
}

// BenchmarkFind is the judged snippets over and over: three values in 100 bytes.
func BenchmarkFind(b *testing.B) {
	text := corpus(b, 10<<20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text, DefaultKinds)
	}
}

func BenchmarkFindNames(b *testing.B) {
	text := corpus(b, 10<<20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text, AllKinds)
	}
}

// BenchmarkHostile is texts that cost the most.
func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{"a", "1", "1 ", "@", "a@", "a.", "::", "2001:", "+1", "(1", "4111 ", "at ", "a at b dot ", "[at]", "%40", "\\n", "[EMAIL_", "-", "＠", "A ", "Mr. "} {
		text := strings.Repeat(unit, (10<<20)/len(unit))
		b.Run(fmt.Sprintf("%q", unit), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text, AllKinds)
			}
		})
	}
}

func BenchmarkSmallClean(b *testing.B) {
	s := &Sanitizer{}
	for b.Loop() {
		s.Text(b.Context(), "42 documents were indexed in 17 ms; nothing else was done")
	}
}
