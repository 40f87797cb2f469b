package onnx

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/bmcis/bmcis/internal/wordpiece"
)

// Bundle is a model with what belongs to it.
type Bundle struct {
	Session   *Session
	Tokenizer *wordpiece.Tokenizer
	SHA256    string // of the model, hex
}

// OpenBundle loads a tokenizer.json (a path, or bytes when the path is empty)
// and the model that cfg names, and checks that they belong together. Errors
// are *LibraryError or *ModelError.
func OpenBundle(libraryPath string, cfg Config, tokenizerPath string, tokenizer []byte) (*Bundle, error) {
	if err := Init(libraryPath); err != nil {
		return nil, err
	}
	// The hash costs about as much as loading, so both run at once.
	type sum struct {
		hex string
		err error
	}
	hashed := make(chan sum, 1)
	go func() {
		h, err := cfg.Model.SHA256()
		hashed <- sum{h, err}
	}()
	t, err := openTokenizer(tokenizerPath, tokenizer, cfg.Model.Name)
	if err != nil {
		return nil, err
	}
	cfg.Vocabulary = t.VocabSize()
	s, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	h := <-hashed
	if h.err != nil {
		s.Close()
		return nil, cfg.Model.fail("cannot read", h.err)
	}
	return &Bundle{Session: s, Tokenizer: t, SHA256: h.hex}, nil
}

func openTokenizer(path string, data []byte, name string) (*wordpiece.Tokenizer, error) {
	m := Model{Path: path, Name: "tokenizer of " + name}
	if path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			return nil, m.fail("cannot read", err)
		}
	}
	t, err := wordpiece.Parse(data)
	if err != nil {
		return nil, m.fail("bad tokenizer", err)
	}
	return t, nil
}

// hashes remembers sums of files by what a change of the file would change.
var hashes sync.Map // fileID → string

type fileID struct {
	path        string
	size, mtime int64
}

// SHA256 is the hex sum of the model. For a file it is computed once per
// process as long as its size and modification time stay the same.
func (m Model) SHA256() (string, error) {
	if m.Path == "" {
		sum := sha256.Sum256(m.Data)
		return hex.EncodeToString(sum[:]), nil
	}
	f, err := os.Open(m.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	id := fileID{m.Path, info.Size(), info.ModTime().UnixNano()}
	if known, ok := hashes.Load(id); ok {
		return known.(string), nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("hash: %w", err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	hashes.Store(id, sum)
	return sum, nil
}
