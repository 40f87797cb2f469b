package vault

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmcis/bmcis/internal/home"
)

// EnvKey, when set, is the key: 64 hexadecimal digits. It wins over the key file.
const EnvKey = "BMCIS_VAULT_KEY"

// KeyFile is the name of the key file below the data folder.
const KeyFile = "vault.key"

// Key is the secret behind all vaults of a database: 32 random bytes. Whoever has it
// and the database can read every value.
type Key [32]byte

// LoadKey returns the key of this machine: BMCIS_VAULT_KEY, or what stands in vault.key
// under BMCIS_HOME. That file is made with a random key when there is none. Concurrent
// callers, in other processes too, get the same key.
func LoadKey() (Key, error) {
	if text := os.Getenv(EnvKey); text != "" {
		key, err := parseKey(text)
		if err != nil {
			return Key{}, fmt.Errorf("%s: %w", EnvKey, err)
		}
		return key, nil
	}
	file, err := keyFile()
	if err != nil {
		return Key{}, err
	}
	key, err := readKey(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := home.MakeFolder(filepath.Dir(file)); err != nil {
		return Key{}, err
	}
	if err := makeKey(file); err != nil {
		return Key{}, fmt.Errorf("make the key of the vault: %w; set %s to 64 hexadecimal digits, or BMCIS_HOME to a folder that you may write", err, EnvKey)
	}
	return readKey(file)
}

// FindKey returns the key of this machine as [LoadKey] does, and where it is from: the
// file, or BMCIS_VAULT_KEY. It makes none; without one the error wraps fs.ErrNotExist.
func FindKey() (key Key, from string, err error) {
	if os.Getenv(EnvKey) != "" {
		key, err = LoadKey()
		return key, EnvKey, err
	}
	file, err := keyFile()
	if err != nil {
		return Key{}, "", err
	}
	key, err = readKey(file)
	return key, file, err
}

func keyFile() (string, error) {
	dir, err := home.Dir()
	return filepath.Join(dir, KeyFile), err
}

func readKey(file string) (Key, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Key{}, fmt.Errorf("read the key of the vault: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return Key{}, fmt.Errorf("the key of the vault %s may be read by others (mode %04o); run: chmod 600 %s", file, mode, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return Key{}, fmt.Errorf("read the key of the vault: %w", err)
	}
	key, err := parseKey(string(text))
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w; put back the file from a backup", file, err)
	}
	return key, nil
}

func parseKey(text string) (key Key, err error) {
	b, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != len(key) {
		// What is there instead is not said: it may be most of a key.
		return key, errors.New("a key is 64 hexadecimal digits, this is something else")
	}
	return Key(b), nil
}

// makeKey makes the file with a new key, unless somebody else was faster. It appears
// whole or not at all.
func makeKey(file string) error {
	var key Key
	rand.Read(key[:])                                            // never fails
	temp, err := os.CreateTemp(filepath.Dir(file), KeyFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = fmt.Fprintf(temp, "%x\n", key)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// derive returns a key for one purpose (HKDF, RFC 5869).
func (k Key) derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k[:], nil, "bmcis vault 1 "+purpose, 32)
	if err != nil {
		panic("vault: derive a key: " + err.Error()) // 32 bytes are never too many
	}
	return b
}
