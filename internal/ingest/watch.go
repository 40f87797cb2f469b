package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/bmcis/bmcis/internal/catalog"
)

// settle is how long files must be quiet before they are read: editors write in
// several steps. settleMost bounds the wait when they never are.
const (
	settle     = 300 * time.Millisecond
	settleMost = 3 * time.Second
)

// Watch indexes files and folders, then again whatever changes under them, until ctx
// ends, which is no error. Each round's report is handed to report from one
// goroutine. With opts.Prune documents of deleted files are deleted. A round that
// fails because the database cannot be reached is tried again after the next change.
// A path that is replaced is followed; when it is gone, watching ends with an error.
func (ix *Indexer) Watch(ctx context.Context, opts Options, paths []string, report func(Report)) error {
	for _, p := range paths {
		if isURL(p) || p == "-" {
			return fmt.Errorf("watch %s: only files and folders can be watched", p)
		}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer w.Close()
	src := &files{paths: paths}
	roots, _, _, failed := src.roots()
	if len(failed) > 0 {
		return fmt.Errorf("watch %w", failed[0])
	}
	if len(roots) == 0 {
		return errors.New("watch: no path given")
	}
	// Watching begins before the first run, so that no change falls between.
	for _, r := range roots {
		if r.within {
			continue // the system reports a folder under one name only
		}
		if err := watchTree(w, r); err != nil {
			return err
		}
	}
	first, err := ix.Index(ctx, opts, src)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	report(first)
	for {
		changed, all, err := collect(ctx, w, roots)
		if err != nil || ctx.Err() != nil {
			return err
		}
		replaced, err := keepWatching(w, roots)
		if err != nil {
			return err // nothing is pruned: as in Index, a missing folder is no order to
		}
		round, err := ix.round(ctx, opts, paths, changed, all || replaced)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			round.Failed = append(round.Failed, *failf(strings.Join(paths, " "), "%v", err))
		}
		if round.Added+round.Changed+round.Deleted+len(round.Failed) > 0 {
			report(round)
		}
	}
}

// keepWatching watches the roots again that were deleted or moved away and came back,
// since a watch goes with what it was set on. The error names one that did not.
func keepWatching(w *fsnotify.Watcher, roots []root) (replaced bool, err error) {
	watched := w.WatchList()
	for _, r := range roots {
		dir := r.abs
		if !r.info.IsDir() {
			dir = filepath.Dir(r.abs)
		}
		if r.within || slices.Contains(watched, dir) {
			continue
		}
		if vanished(dir) {
			return replaced, fmt.Errorf("watch %s: the folder is gone; start again when it is back", dir)
		}
		if err := watchTree(w, r); err != nil {
			return replaced, err
		}
		replaced = true // files may have come before the watch
	}
	return replaced, nil
}

// round indexes what changed; all means that events were lost.
func (ix *Indexer) round(ctx context.Context, opts Options, paths []string, changed map[string]bool, all bool) (Report, error) {
	if all {
		return ix.Index(ctx, opts, &files{paths: paths})
	}
	prune := opts.Prune
	opts.Prune = false
	r, err := ix.Index(ctx, opts, &files{paths: paths, only: changed})
	if err != nil || !prune {
		return r, err
	}
	r.Deleted, err = ix.deleteVanished(ctx, opts.Collection, changed)
	return r, err
}

// deleteVanished deletes the documents of changed paths that no longer exist, and of
// everything below them.
func (ix *Indexer) deleteVanished(ctx context.Context, collection string, changed map[string]bool) (int, error) {
	col, err := catalog.Get(ctx, ix.pool, catalog.OrDefault(collection))
	if errors.Is(err, catalog.ErrNotFound) {
		return 0, nil // no document has made it yet
	}
	if err != nil {
		return 0, err
	}
	deleted := 0
	for path := range changed {
		if !vanished(path) {
			continue
		}
		gone, err := documentsUnder(ctx, ix.pool, col.ID, fileURI(path))
		if err != nil {
			return deleted, err
		}
		for len(gone) > 0 {
			n := min(deleteBatch, len(gone))
			d, err := deleteDocuments(ctx, ix.pool, ix.lex, col, gone[:n])
			if err != nil {
				return deleted, err
			}
			deleted += d
			gone = gone[n:]
		}
	}
	return deleted, nil
}

// watchTree watches a folder with all below it, or the folder of a file: editors
// replace files, and a watch on the old file would be blind.
func watchTree(w *fsnotify.Watcher, r root) error {
	if !r.info.IsDir() {
		if err := w.Add(filepath.Dir(r.abs)); err != nil {
			return fmt.Errorf("watch %s: %w", filepath.Dir(r.abs), err)
		}
		return nil
	}
	return watchFolders(w, r.abs)
}

func watchFolders(w *fsnotify.Watcher, dir string) error {
	return walkFolder(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // what cannot be read is named by the run itself
		}
		if path != dir && passedOver(d.Name()) {
			return fs.SkipDir
		}
		if err := w.Add(path); err != nil {
			return fmt.Errorf("watch %s: %w; raise fs.inotify.max_user_watches, or watch fewer folders", path, err)
		}
		return nil
	})
}

// collect waits for changes and returns their paths when they have settled, or all
// when events were lost.
func collect(ctx context.Context, w *fsnotify.Watcher, roots []root) (changed map[string]bool, all bool, err error) {
	changed = map[string]bool{}
	var quiet <-chan time.Time
	var latest time.Time
	for {
		select {
		case <-ctx.Done():
			return nil, false, nil
		case <-quiet:
			return changed, all, nil
		case err, ok := <-w.Errors:
			if !ok {
				return nil, false, errors.New("watch files: the watcher has ended")
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil, false, fmt.Errorf("watch files: %w", err)
			}
			all = true
		case e, ok := <-w.Events:
			if !ok {
				return nil, false, errors.New("watch files: the watcher has ended")
			}
			if e.Op == fsnotify.Chmod || !within(e.Name, roots) {
				continue
			}
			changed[e.Name] = true
			if e.Has(fsnotify.Create) {
				if fresh, err := newFolder(w, e.Name); err != nil {
					return nil, false, err
				} else if fresh {
					all = true // files may have come before the watch
				}
			}
		}
		now := time.Now()
		if quiet == nil {
			latest = now.Add(settleMost)
		}
		quiet = time.After(min(settle, latest.Sub(now)))
	}
}

// within reports whether a path belongs to a root: it is the file, or lies in the
// folder.
func within(path string, roots []root) bool {
	for _, r := range roots {
		if path == r.abs || r.info.IsDir() && strings.HasPrefix(path, strings.TrimSuffix(r.abs, "/")+"/") {
			return true
		}
	}
	return false
}

// newFolder watches what was created, if it is a folder.
func newFolder(w *fsnotify.Watcher, path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return false, nil
	}
	return true, watchFolders(w, path)
}
