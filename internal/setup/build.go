package setup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/models"
)

// build compiles pgvector for any processor and puts it beside a PostgreSQL: the
// wheel's older one, whose other programs run everywhere, or a copy of the
// system's. It returns the folder of the programs.
func (f *fetcher) build(tree string, src models.Source) (bin string, err error) {
	cc, err := Compiler()
	if err != nil {
		return "", err
	}
	archive, err := f.archive(src)
	if err != nil {
		return "", err
	}
	source := filepath.Join(f.temp, "source")
	if err := unpack(archive, source, []models.Member{{From: "pgvector-" + src.Version + "/", To: "pgvector/"}}); err != nil {
		return "", err
	}
	source = filepath.Join(source, "pgvector")
	var pg server
	switch src.Build {
	case "pgvector-wheel":
		pg, err = f.wheelServer(tree, src)
	case "pgvector-system":
		pg, err = f.systemServer(tree)
	default:
		err = fmt.Errorf("no recipe is called %q", src.Build)
	}
	if err != nil {
		return "", err
	}
	f.progress(Event{Artifact: f.artifact, Stage: Build, Detail: "compiling pgvector " + src.Version + " for this processor"})
	if err := f.compile(cc, source, pg); err != nil {
		return "", err
	}
	if err := installVector(source, src.Version, pg); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(tree, pg.bin)
	return filepath.ToSlash(rel), err
}

// server is a PostgreSQL that gets our pgvector.
type server struct {
	bin       string   // folder of the programs
	library   string   // folder of vector.so
	extension string   // folder of vector.control and its scripts
	headers   []string // folders for the compiler
}

// wheelServer unpacks the PostgreSQL of the wheel that pgvector's source still knows.
func (f *fetcher) wheelServer(tree string, src models.Source) (server, error) {
	for _, wheel := range src.Also {
		if !wheel.Fits(runtime.GOOS, runtime.GOARCH, home.HasAVX2()) {
			continue
		}
		archive, err := f.archive(wheel)
		if err != nil {
			return server{}, err
		}
		if err := unpack(archive, tree, wheel.Members); err != nil {
			return server{}, err
		}
		root := filepath.Join(tree, filepath.FromSlash(models.Postgres16Folder))
		return server{
			bin:       filepath.Join(root, "bin"),
			library:   filepath.Join(root, "lib", "postgresql"),
			extension: filepath.Join(root, "share", "postgresql", "extension"),
			headers:   []string{filepath.Join(root, "include", "postgresql", "server"), filepath.Join(root, "include")},
		}, nil
	}
	return server{}, fmt.Errorf("no wheel fits %s/%s", runtime.GOOS, runtime.GOARCH)
}

// systemServer copies the PostgreSQL of a Debian-like system into the artifact:
// before version 18 extensions can only be loaded from the server's own folders,
// and those are not ours to write. The copy finds its parts relative to itself.
func (f *fetcher) systemServer(tree string) (server, error) {
	const where = "/usr/lib/postgresql"
	version, err := systemVersion(where)
	if err != nil {
		return server{}, err
	}
	root := filepath.Join(tree, models.SystemPGFolder)
	pg := server{
		bin:       filepath.Join(root, where, version, "bin"),
		library:   filepath.Join(root, where, version, "lib"),
		extension: filepath.Join(root, "usr/share/postgresql", version, "extension"),
		headers:   []string{filepath.Join("/usr/include/postgresql", version, "server"), "/usr/include/postgresql"},
	}
	for _, dir := range []string{filepath.Join(where, version), filepath.Join("/usr/share/postgresql", version)} {
		if err := copyTree(dir, filepath.Join(root, dir)); err != nil {
			return server{}, fmt.Errorf("copy the system's PostgreSQL: %w", err)
		}
	}
	if _, err := os.Stat(filepath.Join(pg.headers[0], "postgres.h")); err == nil {
		return pg, nil
	}
	unpacked, err := f.aptBinary("postgresql-server-dev-" + version)
	if err != nil {
		return server{}, fmt.Errorf("get the server's headers: %w", err)
	}
	for i := range pg.headers {
		pg.headers[i] = filepath.Join(unpacked, pg.headers[i])
	}
	return pg, nil
}

// systemVersion picks the newest installed PostgreSQL that pgvector 0.8.0 knows.
func systemVersion(where string) (string, error) {
	found, _ := filepath.Glob(filepath.Join(where, "*", "bin", "postgres"))
	var versions []int
	for _, path := range found {
		v, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		if err == nil && v >= 13 && v <= 17 {
			versions = append(versions, v)
		}
	}
	if len(versions) == 0 {
		return "", fmt.Errorf("no PostgreSQL 13 to 17 below %s", where)
	}
	return strconv.Itoa(slices.Max(versions)), nil
}

// compile makes vector.so. No -march: the compiler's baseline runs on every
// processor of the kind, and pgvector chooses faster code by itself at run time.
func (f *fetcher) compile(cc, source string, pg server) error {
	units, err := filepath.Glob(filepath.Join(source, "src", "*.c"))
	if err != nil || len(units) == 0 {
		return errors.Join(errors.New("pgvector's source holds no src/*.c"), err)
	}
	args := []string{
		"-shared", "-fPIC", "-O2", "-D_GNU_SOURCE", "-fwrapv", "-fno-strict-aliasing",
		"-ftree-vectorize", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math",
	}
	for _, dir := range pg.headers {
		args = append(args, "-I", dir)
	}
	args = append(args, "-o", filepath.Join(f.temp, "vector.so"))
	args = append(args, units...)
	if err := f.command(source, cc, append(args, "-lm")...); err != nil {
		return err
	}
	return copyFile(filepath.Join(f.temp, "vector.so"), filepath.Join(pg.library, "vector.so"), 0o755)
}

var moduleVersion = regexp.MustCompile(`(?m)^default_version\s*=\s*'([^']+)'`)

// installVector replaces the extension's scripts by those of the source.
func installVector(source, version string, pg server) error {
	control := filepath.Join(source, "vector.control")
	text, err := os.ReadFile(control)
	if err != nil {
		return err
	}
	if m := moduleVersion.FindSubmatch(text); m == nil || string(m[1]) != version {
		return fmt.Errorf("pgvector's source is not version %s", version)
	}
	old, _ := filepath.Glob(filepath.Join(pg.extension, "vector--*.sql"))
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return errors.Join(
		copyFile(control, filepath.Join(pg.extension, "vector.control"), 0o644),
		copyFile(filepath.Join(source, "sql", "vector.sql"), filepath.Join(pg.extension, "vector--"+version+".sql"), 0o644))
}

// copyFile replaces to; an old file of that name may be in use or read-only.
func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}

// copyTree copies folders and files; links are followed, so that the copy stands
// alone.
func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		return copyFile(from, to, mode)
	}
	if err := home.MakeFolder(to); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(from, e.Name())
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			continue // a link to a package that is not installed
		}
		if err := copyTree(name, filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
