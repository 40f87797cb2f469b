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
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// Bounds of a skill, in bytes where nothing else is said.
const (
	MaxCode        = 256 << 10
	MaxDescription = 1024 // as Agent Skills have it
	MaxName        = 64   // likewise
	MaxVersions    = 1000 // of one skill
	MaxSkills      = 1000 // of one identity
)

// Digest is a SHA-256.
type Digest [sha256.Size]byte

// String returns "sha256:" and 64 hexadecimal digits.
func (d Digest) String() string { return "sha256:" + hex.EncodeToString(d[:]) }

// MarshalText is [Digest.String].
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Input is a parameter of the skill's main function: the one that has its name, or the
// only one.
type Input struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
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

// Draft is a skill to be saved.
type Draft struct {
	// Name is a Python identifier of ASCII letters, digits and _, no keyword, and not
	// between double underscores.
	Name        string
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

// Store keeps skills. Its methods may be called concurrently.
type Store struct{ pool *pgxpool.Pool }

// New returns a store on the pool, which stays the caller's to close.
func New(pool *pgxpool.Pool) *Store { return &Store{pool} }

// Save makes a skill or its next version. Code that cannot be read as a program is
// refused with line and column.
func (s *Store) Save(ctx context.Context, owner int64, d Draft) (Saved, error) {
	return Saved{}, errors.ErrUnsupported
}

// Load returns a skill with its code: the newest version that is not revoked, or the
// one asked for. name is NAME or OWNER/NAME. A plain name is one's own skill, even when
// that is revoked; else one shared with oneself by name; else one shared with everyone.
// Several of a kind are an error ([ErrAmbiguous]) that names their owners.
func (s *Store) Load(ctx context.Context, who int64, name string, version int) (Skill, error) {
	return Skill{}, errors.ErrUnsupported
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

// List returns the newest versions, without code, by owner and name, and whether more
// follow.
func (s *Store) List(ctx context.Context, who int64, q Query) (list []Skill, more bool, err error) {
	return nil, false, errors.ErrUnsupported
}

// Versions lists all versions of a skill that one may load, the newest first, without
// code; revoked ones only to their owner.
func (s *Store) Versions(ctx context.Context, who int64, name string) ([]Skill, error) {
	return nil, errors.ErrUnsupported
}

// Share lets identities load a skill of one's own, or everyone.
func (s *Store) Share(ctx context.Context, owner int64, name string, with []string, everyone bool) error {
	return errors.ErrUnsupported
}

// Unshare takes that back, from the next call on: from the named identities, or from
// everyone, which leaves the named ones.
func (s *Store) Unshare(ctx context.Context, owner int64, name string, with []string, everyone bool) error {
	return errors.ErrUnsupported
}

// Shares lists the identities that a skill of one's own is shared with by name.
func (s *Store) Shares(ctx context.Context, owner int64, name string) ([]string, error) {
	return nil, errors.ErrUnsupported
}

// Revoke ends a version of a skill of one's own for all, its owner included, or with
// version 0 all there are. They stay on record. It returns how many ended. A later Save
// makes the next version.
func (s *Store) Revoke(ctx context.Context, owner int64, name string, version int) (int, error) {
	return 0, errors.ErrUnsupported
}

// Markdown writes a skill as SKILL.md of Agent Skills: front matter with name (in their
// spelling, filter-rows for filter_rows), description and metadata, then the code in a
// fence. The bytes of one version are always the same.
func (k Skill) Markdown() []byte { return nil }

// JSON writes a skill as a JSON object with name, description, code, version, digest,
// author, modules and inputs.
func (k Skill) JSON() ([]byte, error) { return json.Marshal(nil) }

// Entry is a skill as the MCP extension io.modelcontextprotocol/skills lists it.
type Entry struct {
	// URI is skill://OWNER/NAME/SKILL.md.
	URI         string          `json:"uri"`
	Frontmatter map[string]any  `json:"frontmatter"`
	Resources   []EntryResource `json:"resources"`
}

// EntryResource is a file of a skill.
type EntryResource struct {
	URI    string `json:"uri"`
	Digest Digest `json:"digest"`
	Size   int    `json:"size"`
}

// Entry lists the skill, which has its code, as the MCP extension does.
func (k Skill) Entry() Entry { return Entry{} }

// ParseMarkdown reads a SKILL.md: ours, or another's whose code is in exactly one fence
// marked python. A digest in it must be that of the code.
func ParseMarkdown(text []byte) (Draft, error) { return Draft{}, errors.ErrUnsupported }

// ParseJSON reads what [Skill.JSON] wrote. Unknown keys are refused; version, author,
// modules and inputs are not taken over.
func ParseJSON(text []byte) (Draft, error) { return Draft{}, errors.ErrUnsupported }
