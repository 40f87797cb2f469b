// Package onnx runs BERT-shaped models on ONNX Runtime: token ids go in, the
// model's answer for one text comes out. internal/embed and rerank call it;
// nothing else in the project imports the runtime's binding.
//
// Nothing is loaded before the first Init: a process that only imports this
// package pays nothing.
package onnx

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// EnvLibrary names the environment variable that Init falls back to.
const EnvLibrary = "BMCIS_ONNXRUNTIME"

// The oldest version whose interface the binding can use.
const minMajor, minMinor = 1, 24

var (
	mu      sync.Mutex
	loaded  string // path of the loaded library
	version string
)

// LibraryError says why ONNX Runtime could not be loaded.
type LibraryError struct {
	Path   string // as given; empty when none was
	Reason string
	Hint   string // what to do
	Err    error  // the cause, may be nil
}

// Error implements error.
func (e *LibraryError) Error() string {
	var b strings.Builder
	b.WriteString("load onnx runtime")
	if e.Path != "" {
		b.WriteString(" " + e.Path)
	}
	b.WriteString(": " + e.Reason)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *LibraryError) Unwrap() error { return e.Err }

const setupHint = "run: bmcis setup, or point " + EnvLibrary + " at libonnxruntime 1.24 or newer"

// Init loads ONNX Runtime from libraryPath, or from $BMCIS_ONNXRUNTIME when it
// is empty. It may be called often and concurrently: a process loads one
// library, once; a second path is an error. After a failure it may be called
// again. Errors are *LibraryError.
func Init(libraryPath string) error {
	if libraryPath == "" {
		libraryPath = os.Getenv(EnvLibrary)
	}
	if libraryPath == "" {
		return &LibraryError{Reason: "no library given", Hint: setupHint}
	}
	path, err := filepath.Abs(libraryPath)
	if err != nil {
		return &LibraryError{Path: libraryPath, Reason: "bad path", Hint: setupHint, Err: err}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mu.Lock()
	defer mu.Unlock()
	if loaded != "" {
		if loaded == path {
			return nil
		}
		return &LibraryError{Path: libraryPath, Reason: "this process has already loaded " + loaded,
			Hint: "use one library for all models"}
	}
	if err := checkLibrary(path); err != nil {
		err.Path = libraryPath
		return err
	}
	ort.SetSharedLibraryPath(path)
	// What fails is returned as an error; the runtime need not print it too.
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return &LibraryError{Path: libraryPath, Reason: "cannot start", Hint: setupHint, Err: err}
	}
	loaded, version = path, ort.GetVersion()
	if advice := Advice(version); advice != "" {
		slog.Warn(advice, "library", path)
	}
	return nil
}

// RuntimeVersion is the loaded library's version ("1.31.1"), empty before Init.
func RuntimeVersion() string {
	mu.Lock()
	defer mu.Unlock()
	return version
}

// Advice is a sentence about a version that works but is not the best choice,
// empty for good ones.
func Advice(version string) string {
	major, minor, ok := parseVersion(version)
	if ok && major == 1 && minor >= 27 && minor <= 29 {
		return "onnx runtime " + version + " is about a third slower than 1.30 and later on int8 models; run: bmcis setup"
	}
	return ""
}

// checkLibrary finds out, without running any of its code, whether the file
// can be loaded. Loading a cut-off library would kill the process.
func checkLibrary(path string) *LibraryError {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &LibraryError{Reason: "no such file", Hint: setupHint}
	case err != nil:
		return &LibraryError{Reason: "cannot read", Hint: setupHint, Err: err}
	case info.IsDir():
		return &LibraryError{Reason: "is a folder, not a library", Hint: setupHint}
	case !info.Mode().IsRegular():
		return &LibraryError{Reason: "is not a regular file", Hint: setupHint}
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return &LibraryError{Reason: "cannot read", Hint: "check its permissions", Err: err}
	}
	defer f.Close()
	return checkELF(f, info.Size())
}

// checkELF looks for a complete shared library of this processor, of a version
// that is new enough. ONNX Runtime names its version in its symbols.
func checkELF(r io.ReaderAt, size int64) *LibraryError {
	lib, err := elf.NewFile(r)
	switch magic := make([]byte, len(elf.ELFMAG)); {
	case err != nil:
		if _, e := r.ReadAt(magic, 0); e == nil && string(magic) == elf.ELFMAG {
			return &LibraryError{Reason: "damaged or cut off", Hint: setupHint, Err: err}
		}
		return &LibraryError{Reason: "not a shared library", Hint: setupHint}
	case lib.Type != elf.ET_DYN:
		return &LibraryError{Reason: "a program, not a shared library", Hint: setupHint}
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if machine != 0 && lib.Machine != machine {
		return &LibraryError{Reason: fmt.Sprintf("is for another processor (%v)", lib.Machine), Hint: setupHint}
	}
	for _, p := range lib.Progs {
		if p.Type == elf.PT_LOAD && p.Off+p.Filesz > uint64(size) {
			return &LibraryError{Reason: fmt.Sprintf("cut off: %d bytes, at least %d expected", size, p.Off+p.Filesz), Hint: setupHint}
		}
	}
	defined, err := lib.DynamicVersions()
	if err != nil {
		return nil // no version in the symbols: loading will tell
	}
	for _, v := range defined {
		found, ok := strings.CutPrefix(v.Name, "VERS_")
		if !ok {
			continue
		}
		major, minor, ok := parseVersion(found)
		if ok && (major < minMajor || major == minMajor && minor < minMinor) {
			return &LibraryError{Reason: fmt.Sprintf("version %s is too old, need %d.%d or newer", found, minMajor, minMinor), Hint: setupHint}
		}
	}
	return nil
}

func parseVersion(s string) (major, minor int, ok bool) {
	a, rest, ok := strings.Cut(s, ".")
	if !ok {
		return 0, 0, false
	}
	b, _, _ := strings.Cut(rest, ".")
	major, err1 := strconv.Atoi(a)
	minor, err2 := strconv.Atoi(b)
	return major, minor, err1 == nil && err2 == nil
}
