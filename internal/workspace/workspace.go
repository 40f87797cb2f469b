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
	ErrDenied   = errors.New("not allowed")              // a grant that only reads; what only the owner may
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

const maxFileBytes = 256 << 20

func (c Config) withDefaults() Config {
	fill(&c.FileBytes, 16<<20)
	c.FileBytes = min(c.FileBytes, maxFileBytes)
	fill(&c.SessionBytes, 64<<20)
	fill(&c.SessionFiles, 1000)
	fill(&c.OwnBytes, 256<<20)
	fill(&c.OwnFiles, 10_000)
	fill(&c.OwnerBytes, 1<<30)
	fill(&c.Sessions, 1000)
	fill(&c.Lifetime, 24*time.Hour)
	fill(&c.MaxLifetime, 30*24*time.Hour)
	fill(&c.PreviewBytes, 2000)
	return c
}

func fill[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Store keeps files. Its methods may be called concurrently.
type Store struct {
	pool *pgxpool.Pool
	cfg  Config
}

// New returns a store on the pool, which stays the caller's to close.
func New(pool *pgxpool.Pool, cfg Config) *Store { return &Store{pool, cfg.withDefaults()} }

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
	// It is of use to its owner and those it was granted to, and to nobody else.
	Handle  string    `json:"handle"`
	Owner   string    `json:"owner"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	// Writes is false for a grant that only reads.
	Writes bool  `json:"writes"`
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`
}

// Grant is a right of another identity.
type Grant struct {
	Identity string    `json:"identity"`
	Writes   bool      `json:"writes"`
	Created  time.Time `json:"created"`
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

// WriteOptions say what a write expects.
type WriteOptions struct {
	// ContentType is one of "json", "jsonl", "csv", "text", "markdown", "binary", or a
	// media type. Empty: that of the name's ending. JSON and JSON lines are checked.
	ContentType string
	// IfMatch is the etag of the file that is replaced, "*" for whatever is there, or
	// "new" for none. Empty: as "*" when this identity wrote the file last, or when
	// there is none; another's write is not overwritten ([ErrConflict]).
	IfMatch string
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

// Kept is where an answer too large went.
type Kept struct {
	// Session is the handle to read it with: that of the place, or of a session made
	// for it. File is its name there and the rest, with the time it goes.
	Session string `json:"session"`
	File    File   `json:"file"`
	// Preview is the beginning, cut between characters, at a line's end where one is
	// near; empty for what is no text. Lines counts the lines of the whole.
	Preview string `json:"preview"`
	Lines   int    `json:"lines"`
}
