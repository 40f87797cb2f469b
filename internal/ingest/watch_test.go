package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func TestWatchFollowsChanges(t *testing.T) {
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	dir := filepath.Join(t.TempDir(), "docs")
	write(t, filepath.Join(dir, "a.md"), "one")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	reports, ended := make(chan Report), make(chan error)
	go func() {
		ended <- ix.Watch(ctx, Options{Prune: true}, []string{link, dir}, func(r Report) { reports <- r })
	}()
	next := func(what string) Report {
		t.Helper()
		select {
		case r := <-reports:
			return r
		case err := <-ended:
			t.Fatalf("%s: watching ended: %v", what, err)
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: no report", what)
		}
		return Report{}
	}
	wantCounts(t, next("start"), 1, 0, 0, 0, 0)
	write(t, filepath.Join(dir, "a.md"), "two")
	wantCounts(t, next("change"), 0, 1, 0, 0, 0)
	write(t, filepath.Join(dir, "deep/er/b.md"), "new folder")
	if r := next("new folder"); r.Added != 1 {
		t.Errorf("new folder: %+v", r)
	}
	write(t, filepath.Join(dir, "deep/er/c.md"), "in the new folder")
	if r := next("file in new folder"); r.Added != 1 {
		t.Errorf("file in new folder: %+v", r)
	}
	if err := os.RemoveAll(filepath.Join(dir, "deep")); err != nil {
		t.Fatal(err)
	}
	if r := next("delete"); r.Deleted != 2 {
		t.Errorf("delete: %+v", r)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	list, err := catalog.List(t.Context(), pool)
	if err != nil || len(list) != 1 || list[0].Documents != 1 {
		t.Errorf("%+v %v", list, err)
	}
	if err := ix.Watch(t.Context(), Options{}, []string{dir + "-gone"}, nil); err == nil {
		t.Error("a missing folder is watched")
	}
}

func TestWatchFollowsReplacedFolders(t *testing.T) {
	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	base := t.TempDir()
	dir, next := filepath.Join(base, "docs"), filepath.Join(base, "next")
	write(t, filepath.Join(dir, "a.md"), "one")
	write(t, filepath.Join(next, "b.md"), "another folder of the same name")
	reports, ended := make(chan Report, 10), make(chan error, 1)
	go func() {
		ended <- ix.Watch(t.Context(), Options{Prune: true}, []string{dir}, func(r Report) { reports <- r })
	}()
	wantCounts(t, <-reports, 1, 0, 0, 0, 0)
	for _, move := range [][2]string{{dir, filepath.Join(base, "before")}, {next, dir}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	wantCounts(t, <-reports, 1, 0, 0, 1, 0)
	write(t, filepath.Join(dir, "c.md"), "in the new folder")
	wantCounts(t, <-reports, 1, 0, 0, 0, 0)
	if err := os.Rename(dir, filepath.Join(base, "away")); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the folder is gone") {
		t.Errorf("watching a folder that is gone ended with %v", err)
	}
	if list, err := catalog.List(t.Context(), pool); err != nil || list[0].Documents != 2 {
		t.Errorf("%+v, %v; want both documents kept", list, err)
	}
}
