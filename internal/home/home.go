// Package home knows where BMCIS keeps its things on this machine: the data
// folder (BMCIS_HOME), the artifacts that setup fetched, and what the user gave
// instead of them. In: environment and folder. Out: paths, or an error that
// names what is missing and the command that mends it. Callers: every program
// part that opens a model, the runtime library or the private database.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Environment variables that name what the user has already.
const (
	EnvHome        = "BMCIS_HOME"
	EnvDatabaseURL = "BMCIS_DATABASE_URL"
	EnvONNXRuntime = "BMCIS_ONNXRUNTIME"
	EnvModelDir    = "BMCIS_MODEL_DIR"
	EnvRerankerDir = "BMCIS_RERANKER_DIR"
)

// Dir returns the data folder, absolute: BMCIS_HOME when set; for root
// /var/lib/bmcis, because the database runs as an unprivileged user who must be
// able to enter every folder above it, which a home folder of mode 0700
// forbids; otherwise bmcis below XDG_DATA_HOME (default ~/.local/share).
// Nothing is created.
func Dir() (string, error) {
	if dir := os.Getenv(EnvHome); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("resolve %s %q: %w", EnvHome, dir, err)
		}
		return abs, nil
	}
	if os.Geteuid() == 0 {
		return "/var/lib/bmcis", nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "bmcis"), nil
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a data folder: %w; set %s to a folder of your own", err, EnvHome)
	}
	return filepath.Join(user, ".local", "share", "bmcis"), nil
}

// MakeFolder makes a folder and those above it. They are readable by all, also
// under a strict umask: the database may run as another user, who must get
// through.
func MakeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := MakeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil // somebody else was faster
		}
		return fmt.Errorf("make data folder: %w; set %s to a folder that you may write", err, EnvHome)
	}
	return os.Chmod(dir, 0o755)
}
