package stdlib

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const base64Text = `
"""Bytes as text. Encoders take and give bytes; decoders take bytes or ASCII text."""

def b64encode(s, altchars=None): ...
def b64decode(s, altchars=None, validate=False): ...
def standard_b64encode(s): ...
def standard_b64decode(s): ...
def urlsafe_b64encode(s): ...
def urlsafe_b64decode(s): ...
def b32encode(s): ...
def b32decode(s, casefold=False): ...
def b16encode(s): ...
def b16decode(s, casefold=False): ...
`

var base64Doc = guest.Lazy(base64Text)

func makeBase64(_ *Env, c *guest.Contract) starlark.StringDict {
	exceptionClass("binascii.Error", "ValueError")
	encode := func(f func(a *guest.Args, b []byte) ([]byte, error)) guest.Impl {
		return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			b, err := data(a, 0)
			if err != nil {
				return nil, err
			}
			if err := pylang.CheckAlloc(t, 2*int64(len(b))); err != nil {
				return nil, err
			}
			out, err := f(a, b)
			return starlark.Bytes(out), err
		}
	}
	std := func(a *guest.Args, b []byte) ([]byte, error) {
		return base64.StdEncoding.AppendEncode(nil, b), nil
	}
	url := func(a *guest.Args, b []byte) ([]byte, error) {
		return base64.URLEncoding.AppendEncode(nil, b), nil
	}
	return c.Bind("base64", map[string]guest.Impl{
		"b64encode": encode(func(a *guest.Args, b []byte) ([]byte, error) {
			out, _ := std(a, b)
			alt, err := altchars(a)
			if err != nil || alt == "" {
				return out, err
			}
			return []byte(strings.NewReplacer("+", alt[:1], "/", alt[1:]).Replace(string(out))), nil
		}),
		"b64decode": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := ascii(a, 0)
			if err != nil {
				return nil, err
			}
			alt, err := altchars(a)
			if err != nil {
				return nil, err
			}
			if alt != "" {
				s = strings.NewReplacer(alt[:1], "+", alt[1:], "/").Replace(s)
			}
			return unbase64(s, a.Bool(2, false))
		},
		"standard_b64encode": encode(std),
		"standard_b64decode": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := ascii(a, 0)
			if err != nil {
				return nil, err
			}
			return unbase64(s, false)
		},
		"urlsafe_b64encode": encode(url),
		"urlsafe_b64decode": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := ascii(a, 0)
			if err != nil {
				return nil, err
			}
			return unbase64(strings.NewReplacer("-", "+", "_", "/").Replace(s), false)
		},
		"b32encode": encode(func(_ *guest.Args, b []byte) ([]byte, error) {
			return []byte(base32.StdEncoding.EncodeToString(b)), nil
		}),
		"b16encode": encode(func(_ *guest.Args, b []byte) ([]byte, error) {
			return []byte(strings.ToUpper(hex.EncodeToString(b))), nil
		}),
		"b32decode": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := ascii(a, 0)
			if err != nil {
				return nil, err
			}
			if a.Bool(1, false) {
				s = strings.ToUpper(s)
			}
			if len(s)%8 != 0 {
				return nil, raise("binascii.Error", "Incorrect padding")
			}
			b, err := base32.StdEncoding.DecodeString(s)
			if err != nil || strings.ContainsAny(s, "\r\n") {
				return nil, raise("binascii.Error", "Non-base32 digit found")
			}
			return starlark.Bytes(b), nil
		},
		"b16decode": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := ascii(a, 0)
			if err != nil {
				return nil, err
			}
			if a.Bool(1, false) {
				s = strings.ToUpper(s)
			}
			if strings.ContainsAny(s, "abcdef") {
				return nil, raise("binascii.Error", "Non-base16 digit found")
			}
			b, err := hex.DecodeString(s)
			if err != nil {
				if strings.Trim(s, "0123456789ABCDEF") != "" {
					return nil, raise("binascii.Error", "Non-base16 digit found")
				}
				return nil, raise("binascii.Error", "Odd-length string")
			}
			return starlark.Bytes(b), nil
		},
	})
}

func altchars(a *guest.Args) (string, error) {
	if !a.Given(1) {
		return "", nil
	}
	alt, err := data(a, 1)
	if err == nil && len(alt) != 2 {
		err = raise("AssertionError", "altchars must be two bytes")
	}
	return string(alt), err
}

// ascii is argument i: bytes or a string of ASCII.
func ascii(a *guest.Args, i int) (string, error) {
	s := ""
	switch v := a.V[i].(type) {
	case starlark.String:
		s = string(v)
		for j := 0; j < len(s); j++ {
			if s[j] >= 0x80 {
				return "", raise("ValueError", "string argument should contain only ASCII characters")
			}
		}
	case starlark.Bytes:
		s = string(v)
	default:
		return "", raise("TypeError", "argument should be a bytes-like object or ASCII string, not '%s'", guest.TypeName(v))
	}
	return s, nil
}

// unbase64 decodes as binascii does: other characters are skipped unless strict,
// and what follows complete padding is ignored.
func unbase64(s string, strict bool) (starlark.Value, error) {
	if strict && strings.HasPrefix(s, "=") {
		return nil, raise("binascii.Error", "Leading padding not allowed")
	}
	var digits []byte
	pad, padded := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		valid := c == '+' || c == '/' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		switch {
		case c == '=':
			padded = true
			if len(digits)%4 < 2 {
				continue
			}
			if pad++; len(digits)%4+pad >= 4 {
				if strict && i != len(s)-1 {
					return nil, raise("binascii.Error", "Excess data after padding")
				}
				return finish64(digits)
			}
		case valid:
			if padded && strict {
				return nil, raise("binascii.Error", "Discontinuous padding not allowed")
			}
			pad = 0
			digits = append(digits, c)
		case strict:
			return nil, raise("binascii.Error", "Only base64 data is allowed")
		}
	}
	switch len(digits) % 4 {
	case 0:
		return finish64(digits)
	case 1:
		return nil, raise("binascii.Error", "Invalid base64-encoded string: number of data characters (%d) cannot be 1 more than a multiple of 4", len(digits))
	}
	return nil, raise("binascii.Error", "Incorrect padding")
}

func finish64(digits []byte) (starlark.Value, error) {
	b, err := base64.RawStdEncoding.DecodeString(string(digits))
	if err != nil {
		return nil, raise("binascii.Error", "%v", err)
	}
	return starlark.Bytes(b), nil
}
