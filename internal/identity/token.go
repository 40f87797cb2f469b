package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"time"
)

// NewToken says what token to make.
type NewToken struct {
	// Name of the identity: letters, digits and . _ - @, at most 64, a letter or
	// digit first. "local" is taken.
	Name string
	// Policy of an identity that is made now; nil for [DefaultPolicy]. For one that
	// exists it must be nil or equal to what it has: see [Store.SetPolicy].
	Policy *Policy
	// Lifetime until the token expires; 0 for never.
	Lifetime time.Duration
	// Label is a word for the token's owner, such as a host name.
	Label string
}

// Created is a token that was made.
type Created struct {
	// Secret is the token. It is nowhere else: it can be shown once.
	Secret   string
	Token    Token
	Identity Identity
	// NewIdentity says that the identity was made with it.
	NewIdentity bool
}

// Token describes a token without its secret.
type Token struct {
	ID       int64      `json:"id"`
	Identity string     `json:"identity"`
	Hint     string     `json:"hint"` // its first letters
	Label    string     `json:"label,omitempty"`
	Created  time.Time  `json:"created"`
	Expires  *time.Time `json:"expires"` // null: never
	Revoked  *time.Time `json:"revoked"` // null: it was not
	// LastUsed is exact to a minute; null: never used.
	LastUsed *time.Time `json:"last_used"`
	// State is live, expired or revoked.
	State string `json:"state"`
}

// A token is "bmcis_" and 58 letters: 32 random bytes and their CRC-32, in base 32.
// The checksum tells a mistyped or cut token from an unknown one without asking the
// database, and lets scanners of repositories find lost tokens without false alarms.
const (
	tokenPrefix  = "bmcis_"
	secretBytes  = 32
	tokenLetters = 58
	hintLetters  = len(tokenPrefix) + 4
)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func mintToken() string {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // ends the program rather than fail
	return encodeToken(secret)
}

func encodeToken(secret []byte) string {
	return tokenPrefix + letters.EncodeToString(binary.BigEndian.AppendUint32(secret[:len(secret):len(secret)], crc32.ChecksumIEEE(secret)))
}

// hashToken returns what is stored of a token, or ErrMalformed. A plain SHA-256 is
// enough: nobody can try 2^256 secrets, so there is nothing for a slow hash to slow down.
func hashToken(token string) ([sha256.Size]byte, error) {
	text, found := strings.CutPrefix(token, tokenPrefix)
	if !found || len(text) != tokenLetters {
		return [sha256.Size]byte{}, ErrMalformed
	}
	raw, err := letters.DecodeString(text)
	// Encoding again refuses the other spellings of the same bytes.
	if err != nil || len(raw) != secretBytes+4 || encodeToken(raw[:secretBytes]) != token {
		return [sha256.Size]byte{}, ErrMalformed
	}
	return sha256.Sum256([]byte(token)), nil
}

// FromHeader returns the token of an Authorization header: [ErrMissing] for an empty
// one, [ErrMalformed] for another scheme or none.
func FromHeader(authorization string) (token string, err error) {
	authorization = strings.TrimSpace(authorization)
	if authorization == "" {
		return "", ErrMissing
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", ErrMalformed
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", ErrMissing
	}
	return token, nil
}
