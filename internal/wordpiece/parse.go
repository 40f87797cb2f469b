package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// file is the part of tokenizer.json that matters here. Truncation and padding
// in the file are ignored: the caller cuts, nothing is padded.
type file struct {
	Normalizer *struct {
		Type         string `json:"type"`
		CleanText    *bool  `json:"clean_text"`
		CJK          *bool  `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    *bool  `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string         `json:"type"`
		Unk      string         `json:"unk_token"`
		Prefix   *string        `json:"continuing_subword_prefix"`
		MaxRunes int            `json:"max_input_chars_per_word"`
		Vocab    map[string]int `json:"vocab"`
	} `json:"model"`
}

// ErrUnsupported marks a tokenizer.json that is well formed but of another
// kind than BERT's WordPiece.
var ErrUnsupported = errors.New("unsupported tokenizer")

// Parse reads a Hugging Face tokenizer.json. The error says what is wrong with
// the content; the caller adds the file's name. It is ErrUnsupported for
// other kinds of tokenizers (BPE, Unigram).
func Parse(data []byte) (*Tokenizer, error) {
	var f file
	// The vocabulary of other kinds has another shape, so the kind is read
	// first to be able to name it.
	var kind struct {
		Model struct {
			Type string `json:"type"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, fmt.Errorf("not a tokenizer.json: %w", err)
	}
	if kind.Model.Type != "WordPiece" {
		return nil, fmt.Errorf("%w: model type %q, want \"WordPiece\": choose a model of the BERT family, not one of XLM-RoBERTa's (bge-reranker-base, -v2-m3) or GPT's", ErrUnsupported, kind.Model.Type)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("not a tokenizer.json: %w", err)
	}
	if f.Normalizer == nil || f.Normalizer.Type != "BertNormalizer" {
		return nil, fmt.Errorf("%w: normalizer is not \"BertNormalizer\"", ErrUnsupported)
	}
	if f.PreTokenizer == nil || f.PreTokenizer.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("%w: pre_tokenizer is not \"BertPreTokenizer\"", ErrUnsupported)
	}
	prefix := "##"
	if f.Model.Prefix != nil {
		prefix = *f.Model.Prefix
	}
	t := &Tokenizer{
		vocab:        make(map[string]int32, len(f.Model.Vocab)),
		cont:         make(map[string]int32, len(f.Model.Vocab)/4),
		maxWordRunes: f.Model.MaxRunes,
	}
	if t.maxWordRunes <= 0 {
		t.maxWordRunes = 100
	}
	for piece, id := range f.Model.Vocab {
		if id < 0 || id >= math.MaxInt32 {
			return nil, fmt.Errorf("vocabulary: piece %q has id %d", piece, id)
		}
		t.size = max(t.size, id+1)
		// A piece with the prefix goes on a word and can also, as in the
		// reference, be matched at a word's start when spelled out.
		t.vocab[piece] = int32(id)
		t.maxPiece = max(t.maxPiece, len(piece))
		if rest, ok := strings.CutPrefix(piece, prefix); ok && rest != "" {
			t.cont[rest] = int32(id)
		}
	}
	on := func(b *bool) bool { return b == nil || *b }
	t.norm = normalizer{clean: on(f.Normalizer.CleanText), cjk: on(f.Normalizer.CJK), lowercase: on(f.Normalizer.Lowercase)}
	t.norm.strip = t.norm.lowercase // null means: as lowercase
	if f.Normalizer.StripAccents != nil {
		t.norm.strip = *f.Normalizer.StripAccents
	}
	t.norm.prepare()

	unk := f.Model.Unk
	if unk == "" {
		unk = "[UNK]"
	}
	for _, s := range []struct {
		name string
		id   *int64
	}{{unk, &t.unk}, {"[CLS]", &t.cls}, {"[SEP]", &t.sep}, {"[PAD]", &t.pad}} {
		id, ok := f.Model.Vocab[s.name]
		if !ok {
			return nil, fmt.Errorf("vocabulary of %d pieces has no %s", len(f.Model.Vocab), s.name)
		}
		*s.id = int64(id)
	}
	return t, nil
}
