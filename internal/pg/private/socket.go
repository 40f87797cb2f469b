package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxSocketPath is what sockaddr_un holds on Linux, without the final zero byte;
// 103 on macOS, whose limit we take to be safe everywhere.
const maxSocketPath = 103

// socketFolder makes and returns the folder of the socket, mode 0700: below
// BMCIS_HOME, or where that path is too long or holds a comma, a folder with a hashed name in
// XDG_RUNTIME_DIR or the system's folder for temporary files. Clients learn the
// choice from postmaster.pid, so their environment may differ.
func (c *Cluster) socketFolder(id identity) (string, error) {
	sum := sha256.Sum256([]byte(c.data()))
	name := "bmcis-" + strconv.Itoa(id.uid) + "-" + hex.EncodeToString(sum[:6])
	candidates := []string{filepath.Join(c.dir(), "run")}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && id.as == asSelf {
		candidates = append(candidates, filepath.Join(dir, name))
	}
	candidates = append(candidates, filepath.Join(os.TempDir(), name), filepath.Join("/tmp", name))
	var errs []error
	for _, dir := range candidates {
		if strings.Contains(dir, ",") {
			errs = append(errs, fmt.Errorf("%s: clients take a comma for a list of hosts", dir))
			continue
		}
		if len(filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(port))) > maxSocketPath {
			errs = append(errs, fmt.Errorf("%s: longer than %d bytes", dir, maxSocketPath))
			continue
		}
		if id.as == asOther {
			if blocked := firstBlocked(id.uid, id.gid, filepath.Dir(dir)); blocked != "" {
				errs = append(errs, fmt.Errorf("%s: %s may not enter %s", dir, userName(id.uid), blocked))
				continue
			}
		}
		if err := makeSocketFolder(dir, id); err != nil {
			errs = append(errs, err)
			continue
		}
		return dir, nil
	}
	return "", fmt.Errorf("no folder for the database's socket: %w", errors.Join(errs...))
}

// makeSocketFolder makes dir, or takes it when it is exactly what we would have
// made: in a folder where anyone may write, somebody else could have been first.
func makeSocketFolder(dir string, id identity) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return id.give(dir)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != id.uid {
		if os.Geteuid() != 0 || uid != 0 {
			return fmt.Errorf("%s belongs to %s", dir, userName(uid))
		}
		if err := id.give(dir); err != nil { // we were killed between the two steps
			return err
		}
	}
	if !info.IsDir() || info.Mode().Perm() != 0o700 {
		return fmt.Errorf("%s is no folder of mode 0700", dir)
	}
	return nil
}
