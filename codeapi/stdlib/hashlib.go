package stdlib

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"sort"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

const hashlibText = `
"""Digests. Each constructor takes bytes and gives an object with update, digest,
hexdigest, copy, name, digest_size and block_size."""

def new(name, data=None, *, usedforsecurity=True): """A digest by name."""
def md5(string=None, *, usedforsecurity=True): ...
def sha1(string=None, *, usedforsecurity=True): ...
def sha224(string=None, *, usedforsecurity=True): ...
def sha256(string=None, *, usedforsecurity=True): ...
def sha384(string=None, *, usedforsecurity=True): ...
def sha512(string=None, *, usedforsecurity=True): ...
def sha3_224(string=None, *, usedforsecurity=True): ...
def sha3_256(string=None, *, usedforsecurity=True): ...
def sha3_384(string=None, *, usedforsecurity=True): ...
def sha3_512(string=None, *, usedforsecurity=True): ...
`

var hashlibDoc = guest.Lazy(hashlibText)

var digests = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New,
	"sha384": sha512.New384, "sha512": sha512.New,
	"sha3_224": func() hash.Hash { return sha3.New224() }, "sha3_256": func() hash.Hash { return sha3.New256() },
	"sha3_384": func() hash.Hash { return sha3.New384() }, "sha3_512": func() hash.Hash { return sha3.New512() },
}

func makeHashlib(_ *Env, c *guest.Contract) starlark.StringDict {
	impls := map[string]guest.Impl{
		"new": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			name, err := str(a, 0)
			if err != nil {
				return nil, err
			}
			if digests[strings.ToLower(name)] == nil {
				return nil, raise("ValueError", "unsupported hash type %s", name)
			}
			return newDigest(strings.ToLower(name), a, 1)
		},
	}
	var names []string
	for name := range digests {
		impls[name] = func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return newDigest(name, a, 0) }
		names = append(names, name)
	}
	m := c.Bind("hashlib", impls)
	sort.Strings(names)
	set := starlark.NewSet(len(names))
	for _, n := range names {
		_ = set.Insert(starlark.String(n))
	}
	m["algorithms_available"], m["algorithms_guaranteed"] = set, set
	return m
}

// digest keeps what it was given, so that it can be copied; inputs are small.
type digest struct {
	name string
	h    hash.Hash
	fed  []byte
}

func newDigest(name string, a *guest.Args, i int) (starlark.Value, error) {
	d := &digest{name: name, h: digests[name]()}
	if a.V[i] == nil {
		return d, nil
	}
	b, err := hashed(a, i)
	if err != nil {
		return nil, err
	}
	d.feed(b)
	return d, nil
}

func hashed(a *guest.Args, i int) ([]byte, error) {
	if _, ok := a.V[i].(starlark.String); ok {
		return nil, raise("TypeError", "Strings must be encoded before hashing")
	}
	return data(a, i)
}

func (d *digest) feed(b []byte) {
	d.h.Write(b)
	d.fed = append(d.fed, b...)
}

func (d *digest) String() string        { return "<" + d.name + " _hashlib.HASH object>" }
func (d *digest) Type() string          { return "_hashlib.HASH" }
func (d *digest) Freeze()               {}
func (d *digest) Truth() starlark.Bool  { return true }
func (d *digest) Hash() (uint32, error) { return starlark.String(d.name).Hash() }
func (d *digest) AttrNames() []string {
	return []string{"block_size", "copy", "digest", "digest_size", "hexdigest", "name", "update"}
}

var updateFunc = guest.Lazy("def update(data, /): ...")

func (d *digest) Attr(name string) (starlark.Value, error) {
	bound := func(f func() starlark.Value) starlark.Value {
		return method(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) { return f(), nil })
	}
	switch name {
	case "name":
		return text(d.name), nil
	case "digest_size":
		return starlark.MakeInt(d.h.Size()), nil
	case "block_size":
		return starlark.MakeInt(d.h.BlockSize()), nil
	case "digest":
		return bound(func() starlark.Value { return starlark.Bytes(d.h.Sum(nil)) }), nil
	case "hexdigest":
		return bound(func() starlark.Value { return text(hex.EncodeToString(d.h.Sum(nil))) }), nil
	case "copy":
		return bound(func() starlark.Value {
			n := &digest{name: d.name, h: digests[d.name]()}
			n.feed(d.fed)
			return n
		}), nil
	case "update":
		return updateFunc().Func("update").Builtin("", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			b, err := hashed(a, 0)
			if err != nil {
				return nil, err
			}
			d.feed(b)
			return starlark.None, nil
		}), nil
	}
	return nil, raise("AttributeError", "'_hashlib.HASH' object has no attribute '%s'", name)
}
