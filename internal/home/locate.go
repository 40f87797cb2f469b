package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/bmcis/bmcis/models"
)

// Paths is where a running program finds what setup prepared.
type Paths struct {
	Home        string // the data folder
	PostgresBin string // folder with initdb and postgres; empty when BMCIS_DATABASE_URL is set
	ONNXRuntime string // the library file
	ModelDir    string // folder of the embedding model
	Model       string // the embedding model's .onnx
	Tokenizer   string // its tokenizer.json
}

// Locate finds everything. The error names each thing that is missing.
func Locate() (Paths, error) {
	var p Paths
	var errs [4]error
	p.Home, errs[0] = Dir()
	if os.Getenv(EnvDatabaseURL) == "" {
		p.PostgresBin, errs[1] = PostgresBin()
	}
	p.ONNXRuntime, errs[2] = ONNXRuntime()
	p.ModelDir, p.Model, p.Tokenizer, errs[3] = EmbeddingModel()
	return p, errors.Join(errs[:]...)
}

// MissingError says that an artifact is not on the machine.
type MissingError struct{ Name, Purpose, Where string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is missing (%s; looked in %s); run: bmcis setup", e.Name, e.Purpose, e.Where)
}

// PostgresBin returns the folder of initdb, postgres, pg_dump of the private database.
func PostgresBin() (string, error) {
	dir, rec, err := find(models.Postgres)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, filepath.FromSlash(rec.Bin))
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
			return "", &DamageError{filepath.Join(bin, program), "the file is gone"}
		}
	}
	return bin, nil
}

// ONNXRuntime returns the path of libonnxruntime: BMCIS_ONNXRUNTIME, or setup's.
func ONNXRuntime() (string, error) {
	if path := os.Getenv(EnvONNXRuntime); path != "" {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return "", fmt.Errorf("%s %q is no file; name the libonnxruntime library itself, or unset it and run: bmcis setup", EnvONNXRuntime, path)
		}
		return path, nil
	}
	dir, rec, err := find(models.ONNXRuntime)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, models.LibraryFile), rec.checkOnly(dir, models.LibraryFile)
}

// EmbeddingModel returns the folder, model file and tokenizer of the embedding
// model: BMCIS_MODEL_DIR (any *.onnx beside a *tokenizer.json), or setup's.
func EmbeddingModel() (dir, model, tokenizer string, err error) {
	if dir := os.Getenv(EnvModelDir); dir != "" {
		model, tokenizer, err := ModelFiles(dir)
		if err != nil {
			err = fmt.Errorf("%s: %w, or unset it and run: bmcis setup", EnvModelDir, err)
		}
		return dir, model, tokenizer, err
	}
	dir, rec, err := find(models.EmbeddingModel)
	if err != nil {
		return "", "", "", err
	}
	return dir, filepath.Join(dir, models.ModelFile), filepath.Join(dir, models.TokenizerFile),
		rec.checkOnly(dir, models.ModelFile, models.TokenizerFile)
}

// ModelFiles finds the one model and the one tokenizer in a folder.
func ModelFiles(dir string) (model, tokenizer string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", "", fmt.Errorf("read model folder: %w; name a folder with one *.onnx and one *tokenizer.json", err)
	}
	var onnx, tok []string
	for _, e := range entries {
		switch {
		case strings.HasSuffix(e.Name(), ".onnx"):
			onnx = append(onnx, e.Name())
		case strings.HasSuffix(e.Name(), "tokenizer.json"):
			tok = append(tok, e.Name())
		}
	}
	if len(onnx) != 1 || len(tok) != 1 {
		return "", "", fmt.Errorf("model folder %q holds %d *.onnx and %d *tokenizer.json; it needs one of each", dir, len(onnx), len(tok))
	}
	return filepath.Join(dir, onnx[0]), filepath.Join(dir, tok[0]), nil
}

// Artifacts returns the folder of the artifacts.
func Artifacts() (string, error) {
	dir, err := Dir()
	return filepath.Join(dir, "artifacts"), err
}

// find returns the folder and record of an installed artifact, whichever of its
// sources it came from, the preferred one first.
func find(name string) (string, Record, error) {
	root, err := Artifacts()
	if err != nil {
		return "", Record{}, err
	}
	a, ok := models.ByName(name)
	if !ok {
		return "", Record{}, fmt.Errorf("no artifact is called %q", name)
	}
	dir, rec, err := Find(root, a)
	if errors.Is(err, fs.ErrNotExist) {
		err = &MissingError{a.Name, a.Purpose, root}
	}
	return dir, rec, err
}

// Find looks for an artifact below root. Not finding it matches [fs.ErrNotExist].
func Find(root string, a models.Artifact) (string, Record, error) {
	for _, s := range a.Sources {
		if !s.Fits(runtime.GOOS, runtime.GOARCH, HasAVX2()) {
			continue
		}
		dir := filepath.Join(root, s.Folder(a))
		rec, err := ReadRecord(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var path *fs.PathError // not to be read, or below a file: setup cannot mend that
		if errors.As(err, &path) {
			return "", Record{}, fmt.Errorf("%s: %w; set %s to a folder of your own, then run: bmcis setup", a.Name, err, EnvHome)
		}
		if err != nil {
			return "", Record{}, &DamageError{filepath.Join(dir, RecordFile), err.Error()}
		}
		return dir, rec, nil
	}
	return "", Record{}, fmt.Errorf("%s below %s: %w", a.Name, root, fs.ErrNotExist)
}

// checkOnly is Check, quick, for the named files.
func (r Record) checkOnly(dir string, names ...string) error {
	for _, name := range names {
		found := false
		for _, f := range r.Files {
			if f.Path == name {
				found = true
				if err := f.check(dir, false); err != nil {
					return err
				}
			}
		}
		if !found {
			return &DamageError{filepath.Join(dir, name), "not in the record"}
		}
	}
	return nil
}
