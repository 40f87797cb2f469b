// Package audit is the append-only log of what was run: every program and direct tool
// call, who, when, with which limits, every call a program made of the host, and how it
// ended. Records go in through a [Writer]; lists, exports and statistics come out of a
// [Store]. Callers: the server and the command line write; `bmcis audit` and
// get_execution_stats read. Programs cannot. docs/audit.md tells operators what
// append-only means, and which grants make it so.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Digest is a SHA-256.
type Digest [sha256.Size]byte

// DigestOf returns the digest of data.
func DigestOf(data []byte) Digest { return sha256.Sum256(data) }

// String returns "sha256:" and 64 hexadecimal digits.
func (d Digest) String() string { return "sha256:" + hex.EncodeToString(d[:]) }

// MarshalText is [Digest.String].
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Digest) UnmarshalText(text []byte) error {
	hexDigits, found := strings.CutPrefix(string(text), "sha256:")
	raw, err := hex.DecodeString(hexDigits)
	if !found || err != nil || len(raw) != len(d) {
		return fmt.Errorf("digest %q: write sha256: and 64 hexadecimal digits", text)
	}
	*d = Digest(raw)
	return nil
}

// Kind is what a record is of.
type Kind string

// The kinds.
const (
	KindProgram Kind = "program" // a program was run or validated
	KindTool    Kind = "tool"    // a tool was called directly
	KindGap     Kind = "gap"     // records were lost; the description says how many
	KindPrune   Kind = "prune"   // old records were deleted; the description says which
)

// Record is one run as it is written. Texts are stored as they are given: who tokenises
// private data does so before. Text that PostgreSQL cannot hold (NUL, broken UTF-8) is
// stored with U+FFFD in its place.
type Record struct {
	// Started is when, Duration how long.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration_ns"`
	// IdentityID and Identity are who.
	IdentityID int64  `json:"identity_id"`
	Identity   string `json:"identity"`
	// Session is the handle or connection of the caller, Transport "stdio", "http" or
	// "cli".
	Session   string `json:"session,omitempty"`
	Transport string `json:"transport,omitempty"`
	Kind      Kind   `json:"kind"`
	// Tool that was called, such as execute_code or hybrid_search.
	Tool string `json:"tool,omitempty"`
	// Program is the text of a program, or the arguments of a direct call as JSON,
	// redacted where need be. Digest is of the unredacted original; when zero it is
	// computed from Program.
	Program     string          `json:"program,omitempty"`
	Digest      Digest          `json:"digest"`
	Description string          `json:"description,omitempty"`
	Limits      json.RawMessage `json:"limits,omitempty"`
	// Outcome is "ok" or the kind of the error; Error its message.
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// Ledger and Usage as the answer carried them. Statistics add up the ledger's
	// tokens_touched and tokens_returned.
	Ledger json.RawMessage `json:"ledger,omitempty"`
	Usage  json.RawMessage `json:"usage,omitempty"`
	// Answer of a direct call, which goes to the model as it is. It is not kept: its
	// o200k tokens become the ledger, touched and returned, when the record is written,
	// so that the call does not wait for the counting.
	Answer string `json:"-"`
	// Calls that the program made of the host, in the order of their start. Beyond
	// [MaxCalls] they are only counted.
	Calls []Call `json:"calls,omitempty"`
	// CallsOmitted counts calls that are not in Calls.
	CallsOmitted int `json:"calls_omitted,omitempty"`
}

// MaxCalls is how many calls of one run are kept.
const MaxCalls = 10_000

// Call is one call of the host by a program.
type Call struct {
	// Method such as "search.hybrid"; Target what it went to, such as the upstream
	// tool, when the method alone does not tell.
	Method string `json:"method"`
	Target string `json:"target,omitempty"`
	// ArgsDigest is of the arguments as they came.
	ArgsDigest Digest `json:"args_digest"`
	// Start is counted from the start of the run.
	Start    time.Duration `json:"start_ns"`
	Duration time.Duration `json:"duration_ns"`
	Outcome  string        `json:"outcome"`
	Error    string        `json:"error,omitempty"`
}

// Run is a record as it was written.
type Run struct {
	ID int64 `json:"id"`
	Record
	Written time.Time `json:"written"`
}
