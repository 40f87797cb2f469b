package wordpiece

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// bert is the tokenizer of the bundled reranker: the common BERT vocabulary.
var bert = sync.OnceValues(func() (*Tokenizer, error) {
	data, err := os.ReadFile("../../models/reranker/tokenizer.json")
	if err != nil {
		return nil, err
	}
	return Parse(data)
})

func load(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := bert()
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// oracle compares with lines of {"text", "ids"} made by the reference.
func oracle(t *testing.T, path string) (texts int) {
	tok := load(t)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var want struct {
			Kind, Text string
			IDs        []int64
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		texts++
		if got := tok.Encode(nil, want.Text, 1<<30); !slices.Equal(got, want.IDs) {
			t.Errorf("%s %+.200q:\n got %.60v\nwant %.60v", want.Kind, want.Text, got, want.IDs)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// The reference's ids for texts of our own; testdata/gen_golden.py makes them.
// BMCIS_TOKEN_ORACLE may name a bigger file of the same form.
func TestGolden(t *testing.T) {
	if n := oracle(t, "testdata/golden.jsonl"); n < 2000 {
		t.Errorf("only %d texts", n)
	}
	if path := os.Getenv("BMCIS_TOKEN_ORACLE"); path != "" {
		t.Logf("%d texts of %s", oracle(t, path), path)
	}
}

// Where we differ on purpose: special tokens in a text are text.
func TestSpecialTokensInText(t *testing.T) {
	tok := load(t)
	cls, sep, unk, pad := tok.Special()
	ids := tok.Append(nil, "a [SEP] b [CLS] [PAD] [MASK] [sep]", -1)
	for _, id := range ids {
		if id == cls || id == sep || id == unk || id == pad {
			t.Errorf("text became the special token %d: %v", id, ids)
		}
	}
	if !slices.Equal(tok.Append(nil, "[SEP]", -1), tok.Append(nil, "[ sep ]", -1)) {
		t.Error("[SEP] is not read as a bracket, a word, a bracket")
	}
}

func TestLimit(t *testing.T) {
	tok := load(t)
	text := "Cross-encoders are slow; unfathomably slow, é and 漢字 too."
	all := tok.Append(nil, text, -1)
	for limit := range len(all) + 3 {
		want := all[:min(limit, len(all))]
		if got := tok.Append(nil, text, limit); !slices.Equal(got, want) {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
		prefix := []int64{7, 8}
		if got := tok.Append(prefix, text, limit); !slices.Equal(got, append([]int64{7, 8}, want...)) {
			t.Errorf("limit %d after a prefix: got %v", limit, got)
		}
		if got := tok.Encode(nil, text, limit); len(got) > max(limit, 2) {
			t.Errorf("Encode with limit %d gave %d ids", limit, len(got))
		}
	}
}

func TestCount(t *testing.T) {
	tok := load(t)
	for _, text := range []string{"", " ", "hello", strings.Repeat("unfathomable words, ", 5000), strings.Repeat("x", 100_000),
		strings.Repeat("a1", 49) + " " + strings.Repeat("q", 100)} {
		if got, want := tok.Count(text), len(tok.Append(nil, text, -1)); got != want {
			t.Errorf("Count(%.20q... of %d) = %d, want %d", text, len(text), got, want)
		}
	}
}

func TestPair(t *testing.T) {
	tok := load(t)
	ids, types := tok.AppendPair(nil, nil, []int64{1, 2}, []int64{3, 4, 5})
	if want := []int64{101, 1, 2, 102, 3, 4, 5, 102}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
	if want := []int64{0, 0, 0, 0, 1, 1, 1, 1}; !slices.Equal(types, want) {
		t.Errorf("types %v, want %v", types, want)
	}
}

func TestInvalidUTF8(t *testing.T) {
	tok := load(t)
	if got, want := tok.Append(nil, "he\xffllo \xc3", -1), tok.Append(nil, "hello", -1); !slices.Equal(got, want) {
		t.Errorf("broken bytes are not dropped: %v, want %v", got, want)
	}
}

func FuzzAppend(f *testing.F) {
	f.Add("hello wörld", 5)
	f.Add("[SEP]\x00\xff漢\u0301", -1)
	f.Add(strings.Repeat("가", 120), 3)
	tok, err := bert()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		all := tok.Append(nil, text, -1)
		for _, id := range all {
			if id < 0 || id >= int64(tok.VocabSize()) {
				t.Fatalf("id %d of %d", id, tok.VocabSize())
			}
		}
		got := tok.Append(nil, text, limit)
		want := all
		if limit >= 0 {
			want = all[:min(limit, len(all))]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("limit %d: %v, want %v", limit, got, want)
		}
		if n := tok.Count(text); n != len(all) {
			t.Fatalf("Count is %d, want %d", n, len(all))
		}
	})
}

// BenchmarkAppend tokenises texts of about 120 tokens.
func BenchmarkAppend(b *testing.B) {
	tok := load(b)
	text := strings.Repeat("The planner chooses an index scan when the predicate is selective; otherwise rows are read sequentially. ", 6)
	n := tok.Count(text)
	var ids []int64
	for b.Loop() {
		ids = tok.Append(ids[:0], text, -1)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
	b.ReportMetric(float64(n), "tokens/text")
}
