// Package skills keeps code that agents save for later, in PostgreSQL. A name, a
// description and code go in; versions come out, each with its digest. A skill is its
// owner's alone unless shared with named identities or with everyone; it can be revoked,
// and nobody can overwrite another's. Callers: save_skill, load_skill, list_skills and
// `from skills import NAME` in programs; the skills tools and resources over MCP;
// `bmcis skills`.
//
// Every query names who asks. What an identity may not see looks as if it were not
// there, and counts in none of its numbers.
package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// The states that callers tell apart with errors.Is. The text of an error that wraps
// one says what and the remedy, and may be shown to the program.
var (
	ErrNotFound  = errors.New("not found")
	ErrInvalid   = errors.New("invalid")
	ErrRevoked   = errors.New("revoked")
	ErrAmbiguous = errors.New("ambiguous") // several identities share one of that name
	ErrQuota     = errors.New("quota exceeded")
)

// Bounds of a skill.
const (
	MaxCode        = 256 << 10 // bytes
	MaxDescription = 1024      // characters, as Agent Skills have it
	MaxName        = 64        // characters, likewise
	MaxVersions    = 1000      // of one skill
	MaxSkills      = 1000      // of one identity
)

// Digest is a SHA-256.
type Digest [sha256.Size]byte

// DigestOf returns the digest of code as it is stored: see [Skill.Code].
func DigestOf(code string) Digest { return sha256.Sum256([]byte(code)) }

// String returns "sha256:" and 64 hexadecimal digits.
func (d Digest) String() string { return "sha256:" + hex.EncodeToString(d[:]) }

// MarshalText is [Digest.String].
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Digest) UnmarshalText(text []byte) error {
	digits, found := strings.CutPrefix(string(text), "sha256:")
	raw, err := hex.DecodeString(digits)
	if !found || err != nil || len(raw) != len(d) {
		return fmt.Errorf("%w: digest %.80q; write sha256: and 64 hexadecimal digits", ErrInvalid, text)
	}
	*d = Digest(raw)
	return nil
}

// Input is a parameter of the skill's main function: the one that has its name, or the
// only one.
type Input struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	// Type as the annotation has it; empty when there is none.
	Type string `json:"type,omitempty"`
}

// Skill is one version of a skill.
type Skill struct {
	Name        string `json:"name"`
	Owner       string `json:"owner"`
	Description string `json:"description"`
	// Code ends with one line break and has no carriage returns. Lists leave it out.
	Code    string `json:"code,omitempty"`
	Version int    `json:"version"`
	// Digest is the SHA-256 of Code.
	Digest Digest `json:"digest"`
	// Modules that the code imports, by name, sorted: found in the code.
	Modules []string `json:"modules"`
	Inputs  []Input  `json:"inputs"`
	// Own says that it belongs to who asked; Shared how others see it: "private",
	// "named" or "everyone". For another's skill that is "named" or "everyone".
	Own     bool       `json:"own"`
	Shared  string     `json:"shared"`
	Created time.Time  `json:"created"` // of the version
	Updated time.Time  `json:"updated"` // of its description
	Revoked *time.Time `json:"revoked,omitempty"`
}

// Qualified returns OWNER/NAME, which names the skill whoever asks.
func (k Skill) Qualified() string { return k.Owner + "/" + k.Name }

// Draft is a skill to be saved.
type Draft struct {
	// Name is a Python identifier of ASCII letters, digits and _, no keyword, and not
	// between double underscores.
	Name string
	// Description says what it is for, on one line. Empty: the first paragraph of its
	// docstring.
	Description string
	Code        string
}

// Saved is what became of a draft.
type Saved struct {
	Skill
	// NewVersion is false when the code is that of the newest version; its description
	// may have changed.
	NewVersion bool `json:"new_version"`
}

// Query chooses skills to list; its zero value is all that one may load.
type Query struct {
	// Text occurs in name or description, whatever the case of its letters.
	Text string
	// Own leaves out what others share.
	Own bool
	// Revoked includes one's own skills that have no version left to load.
	Revoked bool
	// Limit defaults to 100, at most 1,000; After is the qualified name (OWNER/NAME)
	// of the last skill of the page before.
	Limit int
	After string
}

// Store keeps skills. Its methods may be called concurrently.
type Store struct{ pool *pgxpool.Pool }

// New returns a store on the pool, which stays the caller's to close.
func New(pool *pgxpool.Pool) *Store { return &Store{pool} }
