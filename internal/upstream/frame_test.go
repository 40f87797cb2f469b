package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLongLinesAreSkipped(t *testing.T) {
	long := `{"nested":{"id":1},"list":[{"id":2}],"text":"\"id\": 3, } ] \\","result":"` + strings.Repeat("x", 300_000) + `","id" : "the\"one" }`
	input := "first\n" + long + "\nthird\n" + strings.Repeat("y", 10_000) + "\n" + strings.Repeat("z", 10_001) + "\nlast"
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(input), "by bytes": iotest.OneByteReader(strings.NewReader(input))} {
		l := newLineReader(r, 10_000)
		var got []string
		for {
			line, id, n, err := l.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if line == nil {
				got = append(got, "skipped "+string(id))
				if n <= 10_000 {
					t.Errorf("%s: %d bytes are not too many", name, n)
				}
			} else {
				got = append(got, string(line))
			}
		}
		want := "first|skipped \"the\\\"one\"|third|" + strings.Repeat("y", 10_000) + "|skipped |last"
		if s := strings.Join(got, "|"); s != want || !l.partial {
			t.Errorf("%s: got %s, partial %v", name, s, l.partial)
		}
	}
}

func TestEndlessLines(t *testing.T) {
	l := newLineReader(neverEnding{}, 1000)
	if _, _, n, err := l.next(); !errors.Is(err, errEndless) || n > 1000*endless+1<<17 {
		t.Errorf("%v after %d bytes", err, n)
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// On whatever is a JSON object, the scanner finds what the decoder finds.
func FuzzIDScanner(f *testing.F) {
	f.Add([]byte(`{"id":5,"result":{"id":6}}`), 3)
	f.Add([]byte(`{"a":"\"id\":1","id":"x\\","b":[{"id":2}]}`), 1)
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		var s idScanner
		for rest := b; len(rest) > 0; {
			n := min(max(step, 1), len(rest))
			s.feed(rest[:n])
			rest = rest[n:]
		}
		members, err := object(b)
		if err != nil {
			return
		}
		for _, m := range members {
			// A key may be spelt with escapes; no server does that to "id".
			if m.key != "id" || !bytes.Contains(b, []byte(`"id"`)) || len(m.value) > 70 {
				continue
			}
			var want, got any
			if json.Unmarshal(m.value, &want) != nil {
				return
			}
			switch want.(type) {
			case map[string]any, []any:
				return // no id
			}
			if bytes.Count(b, []byte(`"id"`)) == 1 && (json.Unmarshal(s.id, &got) != nil || got != want) {
				t.Errorf("found %s in %s, want %v", s.id, b, want)
			}
		}
	})
}

func TestTailKeepsTheEnd(t *testing.T) {
	var tl tail
	for range 1000 {
		_, _ = tl.Write([]byte(strings.Repeat("a", 100) + "\n"))
	}
	_, _ = tl.Write([]byte("the end"))
	if s := tl.String(); len(s) > tailBytes || !strings.HasSuffix(s, "the end") {
		t.Errorf("%d bytes, ending %q", len(s), s[len(s)-10:])
	}
	_, _ = tl.Write(bytes.Repeat([]byte("b"), 3*tailBytes))
	if s := tl.String(); len(s) != tailBytes || strings.Trim(s, "b") != "" {
		t.Errorf("%d bytes after one large write", len(s))
	}
}
