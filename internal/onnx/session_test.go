package onnx_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/onnx/onnxtest"
)

func open(t *testing.T, cfg onnx.Config) *onnx.Session {
	t.Helper()
	onnxtest.Init(t)
	s, err := onnx.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func file(name string) onnx.Model { return onnx.Model{Path: filepath.Join("testdata", name+".onnx")} }

// row is row id of the table in testdata/gen_models.py.
func row(id int64) []float32 {
	r := make([]float32, 4)
	for i := range r {
		r[i] = float32(int(id)*4+i+1) / 8
	}
	return r
}

func TestRunTokens(t *testing.T) {
	for _, name := range []string{"tokens", "tokens_reordered"} {
		s := open(t, onnx.Config{Model: file(name), Vocabulary: 10})
		if s.Width() != 4 || s.PerText() {
			t.Fatalf("%s: width %d, per text %v", name, s.Width(), s.PerText())
		}
		for _, ids := range [][]int64{{7}, {3, 9, 0, 0, 1}, {2, 2}} {
			got, err := s.Run(t.Context(), []float32{42}, ids, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := append([]float32{42}, row(ids[0])...); !slices.Equal(got, want) {
				t.Errorf("%s %v: %v, want %v", name, ids, got, want)
			}
		}
	}
}

func TestRunScore(t *testing.T) {
	data, err := os.ReadFile("testdata/score_types.onnx")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, onnx.Config{Model: onnx.Model{Data: data, Name: "bytes"}})
	if s.Width() != 1 || !s.PerText() {
		t.Fatalf("width %d, per text %v", s.Width(), s.PerText())
	}
	for types, want := range map[string]float32{"": 0, "011": 2, "001": 1} {
		var tt []int64
		for _, c := range types {
			tt = append(tt, int64(c-'0'))
		}
		ids := []int64{1, 1, 1}
		got, err := s.Run(t.Context(), nil, ids, tt)
		if err != nil {
			t.Fatal(err)
		}
		var sum float32
		for _, x := range row(1) {
			sum += x
		}
		if len(got) != 1 || got[0] != sum+want {
			t.Errorf("types %q: %v, want %v", types, got, sum+want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	s := open(t, onnx.Config{Model: file("tokens"), MaxTokens: 8})
	for name, c := range map[string]struct{ ids, types []int64 }{
		"nothing":         {nil, nil},
		"too long":        {make([]int64, 9), nil},
		"types too short": {make([]int64, 3), make([]int64, 2)},
		"id out of range": {[]int64{1, 10_000}, nil},
		"negative id":     {[]int64{-1000}, nil},
	} {
		if got, err := s.Run(t.Context(), nil, c.ids, c.types); err == nil {
			t.Errorf("%s: no error, %v", name, got)
		}
	}
	if _, err := s.Run(t.Context(), nil, []int64{1}, nil); err != nil {
		t.Errorf("a good run after bad ones: %v", err)
	}
}

func TestRunConcurrently(t *testing.T) {
	s := open(t, onnx.Config{Model: file("tokens"), Workers: 3})
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 200 {
				id := int64((g + i) % 10)
				got, err := s.Run(t.Context(), nil, slices.Repeat([]int64{id}, 1+i%40), nil)
				if err != nil || !slices.Equal(got, row(id)) {
					t.Errorf("goroutine %d run %d: %v %v", g, i, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestRunEnds(t *testing.T) {
	s := open(t, onnx.Config{Model: file("tokens")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(ctx, nil, []int64{1}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := s.Run(t.Context(), nil, []int64{1}, nil); !errors.Is(err, onnx.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// Runs that compete with Close either finish or say that it is closed.
func TestCloseWhileRunning(t *testing.T) {
	for range 20 {
		s := open(t, onnx.Config{Model: file("tokens"), Workers: 2})
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for {
					if _, err := s.Run(context.Background(), nil, []int64{1, 2, 3}, nil); err != nil {
						if !errors.Is(err, onnx.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		wg.Go(func() { s.Close() })
		wg.Go(func() { s.Close() })
		wg.Wait()
	}
}

func TestOpenErrors(t *testing.T) {
	onnxtest.Init(t)
	good, err := os.ReadFile("testdata/tokens.onnx")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) onnx.Model {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return onnx.Model{Path: path}
	}
	for _, c := range []struct {
		name  string
		model onnx.Model
		vocab int
		want  string
	}{
		{"missing", onnx.Model{Path: filepath.Join(dir, "nowhere.onnx")}, 0, "no such file"},
		{"folder", onnx.Model{Path: dir}, 0, "not a regular file"},
		{"empty", write("empty.onnx", nil), 0, "is empty"},
		{"no bytes", onnx.Model{Name: "bundled"}, 0, "bundled: is empty"},
		{"text", write("text.onnx", []byte("this is no model at all")), 0, "not a complete ONNX file"},
		{"a web page", write("page.onnx", []byte("<!DOCTYPE html><html></html>")), 0, "not a complete ONNX file"},
		{"cut off", write("cut.onnx", good[:len(good)-40]), 0, "cut off"},
		{"cut in half, from bytes", onnx.Model{Data: good[:len(good)/2], Name: "half"}, 0, "half: not a complete ONNX file"},
		{"two labels is a shape", file("two_labels"), 0, ""},
		{"fixed length", file("fixed_length"), 0, "fixed shape"},
		{"unknown input", file("unknown_input"), 0, `input "pixel_values" is unknown`},
		{"no mask", file("no_mask"), 0, "want input_ids and attention_mask"},
		{"output not float", file("int_output"), 0, "not of float32"},
		{"output of another shape", file("whole_table"), 0, "has the shape"},
		{"smaller vocabulary", file("tokens"), 11, "do not belong together"},
		{"larger vocabulary", file("tokens"), 30522, "do not belong together"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := onnx.Open(onnx.Config{Model: c.model, Vocabulary: c.vocab})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				s.Close()
				return
			}
			var bad *onnx.ModelError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "bmcis models verify") {
				t.Fatalf("%v\nwant %q and a remedy", err, c.want)
			}
			t.Log(err)
		})
	}
}

func TestFindModel(t *testing.T) {
	dir := t.TempDir()
	touch := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(wantModel, wantTokenizer, wantErr string) {
		t.Helper()
		m, tok, err := onnx.FindModel(dir)
		if wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), wantErr) {
				t.Errorf("got %v, want %q", err, wantErr)
			}
			return
		}
		if err != nil || filepath.Base(m) != wantModel || filepath.Base(tok) != wantTokenizer {
			t.Errorf("got %s, %s, %v", m, tok, err)
		}
	}
	expect("", "", "holds no *.onnx")
	touch("any-name-q.onnx")
	expect("", "", "holds no *tokenizer.json")
	touch("any-name-tokenizer.json")
	expect("any-name-q.onnx", "any-name-tokenizer.json", "")
	touch("other.onnx")
	expect("", "", "holds several *.onnx")
	touch("model.onnx")
	touch("tokenizer.json")
	expect("model.onnx", "tokenizer.json", "")
	touch("model_quantized.onnx")
	expect("model_quantized.onnx", "tokenizer.json", "")
	if _, _, err := onnx.FindModel(filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Error(err)
	}
	if _, _, err := onnx.FindModel(filepath.Join(dir, "model.onnx")); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Error(err)
	}
}

func TestSHA256(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	for text, want := range map[string]string{
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 2 { // computed, then remembered
			if got, err := (onnx.Model{Path: path}).SHA256(); err != nil || got != want {
				t.Errorf("%q: %s, %v", text, got, err)
			}
		}
		if got, _ := (onnx.Model{Data: []byte(text)}).SHA256(); got != want {
			t.Errorf("bytes %q: %s", text, got)
		}
	}
}
