package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Model is where a model comes from: a file, or bytes with a name for
// messages.
type Model struct {
	Path string
	Data []byte // used when Path is empty
	Name string // for messages when Data is used
}

// ModelError says why a model cannot be used.
type ModelError struct {
	File   string
	Reason string
	Hint   string
	Err    error // the cause, may be nil
}

// Error implements error.
func (e *ModelError) Error() string {
	s := "open model " + e.File + ": " + e.Reason
	if e.Err != nil {
		s += fmt.Sprintf(": %v", e.Err)
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Err }

const modelHint = "run: bmcis models verify, or bmcis setup to fetch it again"

func (m Model) label() string {
	switch {
	case m.Path != "":
		return m.Path
	case m.Name != "":
		return m.Name
	}
	return "(embedded)"
}

func (m Model) fail(reason string, err error) error {
	return &ModelError{File: m.label(), Reason: reason, Hint: modelHint, Err: err}
}

// inspect reads the graph's inputs and outputs and checks that the file is
// complete.
func (m Model) inspect() (*graph, error) {
	var r io.ReaderAt = bytes.NewReader(m.Data)
	size := int64(len(m.Data))
	if m.Path != "" {
		f, err := os.Open(m.Path)
		if errors.Is(err, os.ErrNotExist) {
			return nil, m.fail("no such file", nil)
		}
		if err != nil {
			return nil, m.fail("cannot read", err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return nil, m.fail("cannot read", err)
		}
		if !info.Mode().IsRegular() {
			return nil, m.fail("is not a regular file", nil)
		}
		r, size = f, info.Size()
	}
	if size == 0 {
		return nil, m.fail("is empty", nil)
	}
	g, err := readGraph(r, size)
	if err != nil {
		return nil, m.fail("not a complete ONNX file", err)
	}
	return g, nil
}

// FindModel returns the model and tokenizer files of a folder: the one *.onnx
// and the one *tokenizer.json, or the usual names where there are several.
func FindModel(dir string) (model, tokenizer string, err error) {
	fail := func(reason string, err error) (string, string, error) {
		return "", "", &ModelError{File: dir, Reason: reason, Hint: "run: bmcis setup", Err: err}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fail("no such folder", nil)
	case err != nil:
		return fail("cannot read", err)
	case !info.IsDir():
		return fail("is not a folder", nil)
	}
	if model, err = pick(dir, "*.onnx", "model_quantized.onnx", "model_int8.onnx", "model.onnx"); err != nil {
		return fail(err.Error(), nil)
	}
	if tokenizer, err = pick(dir, "*tokenizer.json", "tokenizer.json"); err != nil {
		return fail(err.Error(), nil)
	}
	return model, tokenizer, nil
}

// pick returns the only match of pattern in dir, or the first of the preferred
// names that is there.
func pick(dir, pattern string, preferred ...string) (string, error) {
	for _, name := range preferred {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		if ok, _ := filepath.Match(pattern, e.Name()); ok && !e.IsDir() {
			found = append(found, e.Name())
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("holds no %s", pattern)
	case 1:
		return filepath.Join(dir, found[0]), nil
	}
	return "", fmt.Errorf("holds several %s (%s, %s, ...): keep one, or name it %s", pattern, found[0], found[1], preferred[0])
}
