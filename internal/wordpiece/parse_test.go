package wordpiece

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const tiny = `{
 "truncation": {"max_length": 4}, "padding": {"strategy": {"Fixed": 128}},
 "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
 "pre_tokenizer": {"type": "BertPreTokenizer"},
 "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
  "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "play": 4, "##ing": 5, "##ed": 6, "É": 7, "e": 8, "Play": 9}}}`

func TestParse(t *testing.T) {
	tok, err := Parse([]byte(tiny))
	if err != nil {
		t.Fatal(err)
	}
	// The file's own truncation and padding are not used.
	got := tok.Encode(nil, "Playing played É play?", 100)
	if want := []int64{2, 4, 5, 4, 6, 8, 4, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	cased, err := Parse([]byte(strings.Replace(tiny, `"lowercase": true`, `"lowercase": false`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cased.Append(nil, "Playing É", -1), []int64{9, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("cased: got %v, want %v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name, old, new, want string
		unsupported          bool
	}{
		{"empty", tiny, "", "not a tokenizer.json", false},
		{"cut off", tiny, tiny[:len(tiny)/2], "not a tokenizer.json", false},
		{"something else", tiny, `[1, 2]`, "not a tokenizer.json", false},
		{"unigram", tiny, `{"model": {"type": "Unigram", "vocab": [["a", -1.5]]}}`, `model type "Unigram"`, true},
		{"no kind", tiny, `{}`, `model type ""`, true},
		{"normalizer", `"BertNormalizer"`, `"NFKC"`, "normalizer", true},
		{"splitter", `"BertPreTokenizer"`, `"Whitespace"`, "pre_tokenizer", true},
		{"no cls", `"[CLS]": 2, `, ``, "no [CLS]", false},
		{"negative id", `"play": 4`, `"play": -4`, `"play" has id -4`, false},
		{"huge id", `"play": 4`, `"play": 99999999999`, `"play" has id`, false},
		{"id is text", `"play": 4`, `"play": "4"`, "not a tokenizer.json", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(strings.Replace(tiny, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if errors.Is(err, ErrUnsupported) != c.unsupported {
				t.Errorf("ErrUnsupported is %v for %v", !c.unsupported, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(tiny), "playing")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		tok, err := Parse(data)
		if err != nil {
			return
		}
		for _, id := range tok.Encode(nil, text, 64) {
			if id < 0 || id >= int64(tok.VocabSize()) {
				t.Fatalf("id %d of %d", id, tok.VocabSize())
			}
		}
	})
}
