package home

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"
)

// RecordFile lies in each artifact's folder and says what was put there.
const RecordFile = "installed.json"

// Record is what setup writes beside an artifact: where it came from and the
// identity of every file, so that damage is found later without the archive.
type Record struct {
	Artifact  string       `json:"artifact"`
	Client    string       `json:"client"`
	Package   string       `json:"package"`
	Version   string       `json:"version,omitempty"`
	Release   string       `json:"release"`
	Licence   string       `json:"licence"`
	Archive   string       `json:"archive_sha256,omitempty"`
	Bin       string       `json:"bin,omitempty"` // folder of the programs, for the database
	Installed time.Time    `json:"installed"`
	Files     []RecordItem `json:"files"`
}

// RecordItem is one recorded file.
type RecordItem struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime_ns"`
	SHA256  string `json:"sha256"`
}

// ReadRecord reads the record of an artifact's folder. A folder without one is
// an error that matches [fs.ErrNotExist].
func ReadRecord(dir string) (Record, error) {
	var r Record
	data, err := os.ReadFile(filepath.Join(dir, RecordFile))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("read %s: %w", filepath.Join(dir, RecordFile), err)
	}
	return r, nil
}

// WriteRecord lists every file below dir with its sha256 and writes the record.
func WriteRecord(dir string, r Record) error {
	r.Files = nil
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == filepath.Join(dir, RecordFile) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum, err := HashFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, RecordItem{filepath.ToSlash(rel), info.Size(), info.ModTime().UnixNano(), sum})
		return nil
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", dir, err)
	}
	sort.Slice(r.Files, func(i, j int) bool { return r.Files[i].Path < r.Files[j].Path })
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, RecordFile+".new")
	if err := os.WriteFile(temp, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, RecordFile))
}

// DamageError names a file that is not what setup put there.
type DamageError struct {
	File   string // whole path
	Reason string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged (%s); run: bmcis setup", e.File, e.Reason)
}

// Check compares the files of dir with its record. Quick (full false) reads no
// contents unless a file's time differs; full hashes every file. Damage is a
// [*DamageError].
func (r Record) Check(dir string, full bool) error {
	for _, f := range r.Files {
		if err := f.check(dir, full); err != nil {
			return err
		}
	}
	return nil
}

func (f RecordItem) check(dir string, full bool) error {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &DamageError{path, "the file is gone"}
	case err != nil:
		return err
	case info.Size() != f.Size:
		return &DamageError{path, fmt.Sprintf("%d bytes instead of %d", info.Size(), f.Size)}
	case !full && info.ModTime().UnixNano() == f.ModTime:
		return nil
	}
	sum, err := HashFile(path)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return &DamageError{path, "sha256 " + short(sum) + " instead of " + short(f.SHA256)}
	}
	return nil
}

func short(sum string) string { return sum[:min(12, len(sum))] + "…" }

// HashFile returns the hex sha256 of a file.
func HashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
