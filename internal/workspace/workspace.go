// Package workspace keeps agents' files in PostgreSQL: an identity's own space, which
// stays, and spaces of sessions, which have an opaque handle and an end. Names and
// bytes go in; what comes out says how long it will be there. A write happens whole or
// not at all; writes of others are not overwritten unseen. A session's handle can be
// granted to other identities: so several agents work on one task. Callers: the host of
// the code API, and the workspace tools and resources over MCP.
//
// Every query names who asks. What an identity may not see looks as if it were not
// there, and counts in none of its numbers.
package workspace

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// The states that callers tell apart with errors.Is. The text of an error that wraps
// one says what and the remedy, and may be shown to the program.
var (
	ErrNotFound = errors.New("not found")                // no such file or handle for this identity
	ErrExpired  = errors.New("expired")                  // a handle that is over
	ErrInvalid  = errors.New("invalid")                  // a name, type, content or argument
	ErrQuota    = errors.New("quota exceeded")           // of the space, or of its owner
	ErrConflict = errors.New("changed by somebody else") // a file is not what the writer thinks
	ErrDenied   = errors.New("not allowed")              // a grant that only reads
)

// Config sets the bounds of a [Store]. A zero field is its default.
type Config struct {
	FileBytes    int64         // of one file; defaults to 16 MiB, at most 256 MiB
	SessionBytes int64         // of one session; defaults to 64 MiB
	SessionFiles int           // defaults to 1,000
	OwnBytes     int64         // of an identity's own space; defaults to 256 MiB
	OwnFiles     int           // defaults to 10,000
	OwnerBytes   int64         // of all spaces of an identity; defaults to 1 GiB
	Sessions     int           // live sessions of an identity; defaults to 1,000
	Lifetime     time.Duration // of a session; defaults to 24 h
	MaxLifetime  time.Duration // that can be asked for; defaults to 30 days
	PreviewBytes int           // of [Store.Keep]; defaults to 2,000
}

// Store keeps files. Its methods may be called concurrently.
type Store struct {
	pool *pgxpool.Pool
	cfg  Config
}

// Place is a space as one identity sees it.
type Place struct {
	// Identity that asks, from its connection.
	Identity int64
	// Session is a handle; empty for the identity's own space.
	Session string
}

// Session is a space with a handle and an end.
type Session struct {
	// Handle is what to name it by: "ws_" and 26 letters and digits, not to be guessed.
	Handle  string    `json:"handle"`
	Owner   string    `json:"owner"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	// Writes is false for a grant that only reads.
	Writes bool  `json:"writes"`
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`
}

// File describes a file.
type File struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	// ETag changes with every write and never comes back.
	ETag    string    `json:"etag"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Writer is the identity that wrote it last.
	Writer string `json:"writer"`
	// Expires is when its space ends; null: never.
	Expires *time.Time `json:"expires"`
}

// New returns a store on the pool, which stays the caller's to close.
func New(pool *pgxpool.Pool, cfg Config) *Store { return &Store{pool, cfg} }

// NewSession makes a session that lives for the given time; 0 for Config.Lifetime.
func (s *Store) NewSession(ctx context.Context, owner int64, lifetime time.Duration) (Session, error) {
	return Session{}, errors.ErrUnsupported
}

// Session describes a session that the identity owns or was granted.
func (s *Store) Session(ctx context.Context, p Place) (Session, error) {
	return Session{}, errors.ErrUnsupported
}

// Sessions lists the live sessions that the identity owns or was granted, the newest
// first.
func (s *Store) Sessions(ctx context.Context, identity int64) ([]Session, error) {
	return nil, errors.ErrUnsupported
}

// Extend lets a session of one's own live for the given time from now on.
func (s *Store) Extend(ctx context.Context, p Place, lifetime time.Duration) (Session, error) {
	return Session{}, errors.ErrUnsupported
}

// EndSession deletes a session of one's own with its files and grants.
func (s *Store) EndSession(ctx context.Context, p Place) error { return errors.ErrUnsupported }

// Grant lets another identity, by name, use a session of one's own: read, or read and
// write. Granting again changes which.
func (s *Store) Grant(ctx context.Context, p Place, to string, writes bool) error {
	return errors.ErrUnsupported
}

// Revoke takes a grant back, from the next call on.
func (s *Store) Revoke(ctx context.Context, p Place, from string) error { return errors.ErrUnsupported }

// Grants lists to whom a session of one's own is granted.
func (s *Store) Grants(ctx context.Context, p Place) ([]Grant, error) {
	return nil, errors.ErrUnsupported
}

// Grant is a right of another identity.
type Grant struct {
	Identity string    `json:"identity"`
	Writes   bool      `json:"writes"`
	Created  time.Time `json:"created"`
}

// WriteOptions say what a write expects.
type WriteOptions struct {
	// ContentType is one of "json", "jsonl", "csv", "text", "markdown", "binary", or a
	// media type. Empty: by the name's ending. JSON and JSON lines are checked.
	ContentType string
	// IfMatch is the etag of the file that is replaced, "*" for whatever is there, or
	// "new" for none. Empty: as "*" when this identity wrote the file last, or when
	// there is none; another's write is not overwritten ([ErrConflict]).
	IfMatch string
}

// Write stores a file, whole or not at all.
func (s *Store) Write(ctx context.Context, p Place, name string, data []byte, o WriteOptions) (File, error) {
	return File{}, errors.ErrUnsupported
}

// Append adds data to a file of lines (JSON lines, CSV, text), which is made when there
// is none: a line break first where the last line has none, and one at the end. Lines
// of several writers at once are all kept. Of the options only IfMatch "new" and an etag
// bind.
func (s *Store) Append(ctx context.Context, p Place, name string, data []byte, o WriteOptions) (File, error) {
	return File{}, errors.ErrUnsupported
}

// Read returns a file with its bytes.
func (s *Store) Read(ctx context.Context, p Place, name string) (File, []byte, error) {
	return File{}, nil, errors.ErrUnsupported
}

// ReadRange is Read of at most length bytes from offset on. It may cut a character;
// File.Size tells the whole size.
func (s *Store) ReadRange(ctx context.Context, p Place, name string, offset, length int64) (File, []byte, error) {
	return File{}, nil, errors.ErrUnsupported
}

// Stat describes a file without its bytes.
func (s *Store) Stat(ctx context.Context, p Place, name string) (File, error) {
	return File{}, errors.ErrUnsupported
}

// Delete deletes a file. IfMatch is as in [WriteOptions].
func (s *Store) Delete(ctx context.Context, p Place, name, ifMatch string) error {
	return errors.ErrUnsupported
}

// Listing is a page of files with the state of their space.
type Listing struct {
	Files []File `json:"files"`
	// Next is the name to go on after; empty on the last page.
	Next string `json:"next,omitempty"`
	// Of the whole space, whatever the prefix.
	TotalFiles int        `json:"total_files"`
	TotalBytes int64      `json:"total_bytes"`
	QuotaFiles int        `json:"quota_files"`
	QuotaBytes int64      `json:"quota_bytes"`
	Expires    *time.Time `json:"expires"` // null: never
}

// List returns files whose names begin with prefix, by name, after the name after. limit
// defaults to 100, at most 1,000.
func (s *Store) List(ctx context.Context, p Place, prefix, after string, limit int) (Listing, error) {
	return Listing{}, errors.ErrUnsupported
}

// Kept is where an answer too large went.
type Kept struct {
	// Session is the handle to read it with: that of the place, or of a session made
	// for it. File is its name there and the rest.
	Session string `json:"session"`
	File    File   `json:"file"`
	// Preview is the beginning, cut between characters, at a line's end where one is
	// near; Lines counts the lines of the whole.
	Preview string `json:"preview"`
	Lines   int    `json:"lines"`
}

// Keep stores data under a name that is free: the given one, or with -2, -3, … before
// its ending. With no session in p it goes into a new one, so that it does not stay for
// ever.
func (s *Store) Keep(ctx context.Context, p Place, name string, data []byte, contentType string) (Kept, error) {
	return Kept{}, errors.ErrUnsupported
}

// Sweep deletes the files of expired sessions, and sessions a month after their end:
// until then their handle is answered with [ErrExpired]. It returns how many files
// went.
func (s *Store) Sweep(ctx context.Context) (int, error) { return 0, errors.ErrUnsupported }

// Run sweeps every so often until ctx ends.
func (s *Store) Run(ctx context.Context) error { return errors.ErrUnsupported }
