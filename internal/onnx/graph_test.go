package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Every prefix of a model file is refused, or read without its missing tail's
// help; no bytes make the reader panic.
func FuzzReadGraph(f *testing.F) {
	files, err := filepath.Glob("testdata/*.onnx")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)*2/3])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := readGraph(bytes.NewReader(data), int64(len(data)))
		if (g == nil) == (err == nil) {
			t.Fatalf("graph %v with error %v", g, err)
		}
	})
}

func TestReadGraph(t *testing.T) {
	data, err := os.ReadFile("testdata/score_types.onnx")
	if err != nil {
		t.Fatal(err)
	}
	g, err := readGraph(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.inputs) != 3 || g.inputs[2].name != "token_type_ids" || g.inputs[2].elem != elemInt64 || len(g.inputs[2].dims) != 2 || g.inputs[2].dims[0] != -1 {
		t.Errorf("inputs %+v", g.inputs)
	}
	if len(g.outputs) != 1 || g.outputs[0].name != "logits" || g.outputs[0].elem != elemFloat || g.outputs[0].dims[1] != 1 {
		t.Errorf("outputs %+v", g.outputs)
	}
	if g.rows != 10 {
		t.Errorf("%d rows", g.rows)
	}
	for n := range data {
		if _, err := readGraph(bytes.NewReader(data[:n]), int64(n)); err == nil && n < len(data)-10 {
			t.Errorf("the first %d of %d bytes pass as a whole model", n, len(data))
		}
	}
}
