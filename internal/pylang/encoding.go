package pylang

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// str.encode and bytes.decode, with CPython's words for what cannot be converted.

// codecNames are the names that CPython's messages have, by the names that programs
// write, in lower case with '-' for '_'.
var codecNames = map[string]string{
	"utf-8": "utf-8", "utf8": "utf-8", "u8": "utf-8", "utf-8-sig": "utf-8-sig",
	"ascii": "ascii", "us-ascii": "ascii", "646": "ascii",
	"latin-1": "latin-1", "latin1": "latin-1", "iso-8859-1": "latin-1", "iso8859-1": "latin-1", "l1": "latin-1", "cp819": "latin-1",
	"cp1252": "charmap", "windows-1252": "charmap", "1252": "charmap",
	"utf-16": "utf-16", "utf16": "utf-16", "utf-16-le": "utf-16-le", "utf-16le": "utf-16-le", "utf-16-be": "utf-16-be", "utf-16be": "utf-16-be",
}

func codec(v starlark.Value, fn string) (string, error) {
	if v == nil {
		return "utf-8", nil
	}
	name, err := strArg(fn, v)
	if err != nil {
		return "", err
	}
	c := codecNames[strings.ReplaceAll(strings.ToLower(name), "_", "-")]
	if c == "" {
		e := Raise("LookupError", "unknown encoding: %s", name)
		e.Hint = "there are utf-8, ascii, latin-1, cp1252 and utf-16"
		return "", e
	}
	return c, nil
}

// cp1252 are the characters of the bytes 0x80 to 0x9f; 0 for none.
var cp1252 = [32]rune{0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178}

// codecError is UnicodeDecodeError or UnicodeEncodeError of object[start:end].
func codecError(class, encoding string, object starlark.Value, start, end int, reason string) *Exception {
	e := &Exception{Class: class}
	inst := &Instance{class: exceptionClass(class), args: starlark.Tuple{
		starlark.String(encoding), object, starlark.MakeInt(start), starlark.MakeInt(end), starlark.String(reason),
	}}
	for i, name := range codecErrorFields {
		inst.attrs.set(name, inst.args[i])
	}
	e.value = inst
	e.Message, _ = codecErrorText(inst)
	return e
}

var codecErrorFields = []string{"encoding", "object", "start", "end", "reason"}

// codecErrorText is str(e) of such an error; false for one made with other arguments.
func codecErrorText(i *Instance) (string, bool) {
	if len(i.args) != 5 {
		return "", false
	}
	enc, ok1 := i.args[0].(starlark.String)
	start, ok2 := i.args[2].(starlark.Int)
	end, ok3 := i.args[3].(starlark.Int)
	reason, ok4 := i.args[4].(starlark.String)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return "", false
	}
	from, to := smallInt(start), smallInt(end)
	what, many := "", "bytes"
	verb := "decode"
	switch object := i.args[1].(type) {
	case starlark.Bytes:
		if from >= 0 && from < len(object) {
			what = fmt.Sprintf("byte 0x%02x", object[from])
		}
	case starlark.String:
		verb, many = "encode", "characters"
		if r := []rune(string(object)); from >= 0 && from < len(r) {
			what = "character " + asciiEscape(r[from])
		}
	default:
		return "", false
	}
	if to-from == 1 && what != "" {
		return fmt.Sprintf("'%s' codec can't %s %s in position %d: %s", string(enc), verb, what, from, string(reason)), true
	}
	return fmt.Sprintf("'%s' codec can't %s %s in position %d-%d: %s", string(enc), verb, many, from, to-1, string(reason)), true
}

// errorsArg reads the name of an error handler; what stands for object[start:end] is
// asked of it.
func errorsArg(v starlark.Value) (string, error) {
	if v == nil || v == starlark.None {
		return "strict", nil
	}
	return strArg("errors", v)
}

func unknownHandler(name string) error {
	e := Raise("LookupError", "unknown error handler name '%s'", name)
	e.Hint = "there are strict, ignore, replace, backslashreplace and, for encode, xmlcharrefreplace"
	return e
}

// decodeBytes is b.decode(encoding, errors).
func decodeBytes(rt *runtime, b starlark.Bytes, encoding, errs starlark.Value) (starlark.Value, error) {
	enc, err := codec(encoding, "decode")
	if err != nil {
		return nil, err
	}
	handler, err := errorsArg(errs)
	if err != nil {
		return nil, err
	}
	s := string(b)
	if enc == "utf-8-sig" {
		s, enc = strings.TrimPrefix(s, "\ufeff"), "utf-8"
	}
	if enc == "utf-8" && utf8.ValidString(s) || enc == "ascii" && isASCII(s) {
		return starlark.String(s), nil
	}
	if err := rt.alloc(int64(len(s)), 4); err != nil {
		return nil, err
	}
	if strings.HasPrefix(enc, "utf-16") {
		return decodeUTF16(b, enc, handler)
	}
	var sb strings.Builder
	for i := 0; i < len(s); {
		r, size, reason := decodeOne(enc, s[i:])
		if reason == "" {
			sb.WriteRune(r)
			i += size
			continue
		}
		switch handler {
		case "strict":
			return nil, codecError("UnicodeDecodeError", enc, b, i, i+size, reason)
		case "ignore":
		case "replace":
			sb.WriteRune(utf8.RuneError)
		case "backslashreplace":
			for k := i; k < i+size; k++ {
				fmt.Fprintf(&sb, `\x%02x`, s[k])
			}
		default:
			return nil, unknownHandler(handler)
		}
		i += size
	}
	return starlark.String(sb.String()), nil
}

// decodeOne reads one character; with a reason, size is how many bytes are wrong.
func decodeOne(enc, s string) (r rune, size int, reason string) {
	c := s[0]
	switch {
	case c < utf8.RuneSelf:
		return rune(c), 1, ""
	case enc == "ascii":
		return 0, 1, "ordinal not in range(128)"
	case enc == "latin-1":
		return rune(c), 1, ""
	case enc == "charmap":
		if c < 0xa0 {
			if r := cp1252[c-0x80]; r != 0 {
				return r, 1, ""
			}
			return 0, 1, "character maps to <undefined>"
		}
		return rune(c), 1, ""
	}
	if r, n := utf8.DecodeRuneInString(s); r != utf8.RuneError || n == 3 {
		return r, n, ""
	}
	// What is wrong, as CPython finds it: how long the sequence would be, and which
	// second byte it may have.
	need, low, high := 0, byte(0x80), byte(0xbf)
	switch {
	case c < 0xc2 || c > 0xf4:
		return 0, 1, "invalid start byte"
	case c < 0xe0:
		need = 2
	case c < 0xf0:
		need = 3
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	default:
		need = 4
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	for k := 1; k < need; k++ {
		if k >= len(s) {
			return 0, k, "unexpected end of data"
		}
		if s[k] < low || s[k] > high {
			return 0, k, "invalid continuation byte"
		}
		low, high = 0x80, 0xbf
	}
	return 0, 1, "invalid start byte"
}

func decodeUTF16(b starlark.Bytes, enc, handler string) (starlark.Value, error) {
	s := string(b)
	big := enc == "utf-16-be"
	if enc == "utf-16" {
		switch {
		case strings.HasPrefix(s, "\xff\xfe"):
			s = s[2:]
		case strings.HasPrefix(s, "\xfe\xff"):
			s, big = s[2:], true
		}
		enc = "utf-16-le"
		if big {
			enc = "utf-16-be"
		}
	}
	skipped := len(b) - len(s)
	unit := func(i int) rune {
		if big {
			return rune(s[i])<<8 | rune(s[i+1])
		}
		return rune(s[i+1])<<8 | rune(s[i])
	}
	var sb strings.Builder
	for i := 0; i < len(s); {
		size, reason := 2, ""
		switch {
		case len(s)-i < 2:
			size, reason = 1, "truncated data"
		case utf16.IsSurrogate(unit(i)):
			switch {
			case unit(i) >= 0xdc00:
				reason = "illegal encoding"
			case len(s)-i < 4:
				size, reason = len(s)-i, "unexpected end of data"
			default:
				r := utf16.DecodeRune(unit(i), unit(i+2))
				if r == utf8.RuneError {
					reason = "illegal UTF-16 surrogate"
				} else {
					sb.WriteRune(r)
					size = 4
				}
			}
		default:
			sb.WriteRune(unit(i))
		}
		switch {
		case reason == "" || handler == "ignore":
		case handler == "replace":
			sb.WriteRune(utf8.RuneError)
		case handler == "backslashreplace":
			for k := i; k < i+size; k++ {
				fmt.Fprintf(&sb, `\x%02x`, s[k])
			}
		case handler == "strict":
			return nil, codecError("UnicodeDecodeError", enc, b, skipped+i, skipped+i+size, reason)
		default:
			return nil, unknownHandler(handler)
		}
		i += size
	}
	return starlark.String(sb.String()), nil
}

// encodeText is s.encode(encoding, errors).
func encodeText(rt *runtime, s string, encoding, errs starlark.Value) (starlark.Value, error) {
	enc, err := codec(encoding, "encode")
	if err != nil {
		return nil, err
	}
	handler, err := errorsArg(errs)
	if err != nil {
		return nil, err
	}
	switch enc {
	case "utf-8":
		return starlark.Bytes(s), nil
	case "utf-8-sig":
		return starlark.Bytes("\ufeff" + s), nil
	case "utf-16", "utf-16-le", "utf-16-be":
		return encodeUTF16(rt, s, enc)
	}
	out := make([]byte, 0, len(s))
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		if b, ok := encodeOne(enc, runes[i]); ok {
			out = append(out, b)
			continue
		}
		r := runes[i]
		switch handler {
		case "strict":
			end := i + 1
			for end < len(runes) {
				if _, ok := encodeOne(enc, runes[end]); ok {
					break
				}
				end++
			}
			reason := map[string]string{"ascii": "ordinal not in range(128)", "latin-1": "ordinal not in range(256)", "charmap": "character maps to <undefined>"}[enc]
			return nil, codecError("UnicodeEncodeError", enc, starlark.String(s), i, end, reason)
		case "ignore":
		case "replace":
			out = append(out, '?')
		case "xmlcharrefreplace":
			out = fmt.Appendf(out, "&#%d;", r)
		case "backslashreplace":
			q := asciiEscape(r)
			out = append(out, q[1:len(q)-1]...)
		default:
			return nil, unknownHandler(handler)
		}
	}
	return starlark.Bytes(out), nil
}

func encodeOne(enc string, r rune) (byte, bool) {
	switch {
	case r < utf8.RuneSelf:
		return byte(r), true
	case enc == "ascii":
		return 0, false
	case r < 0x100 && (enc == "latin-1" || r >= 0xa0):
		return byte(r), true
	case enc == "charmap":
		for i, c := range cp1252 {
			if c == r {
				return byte(0x80 + i), true
			}
		}
	}
	return 0, false
}

func encodeUTF16(rt *runtime, s, enc string) (starlark.Value, error) {
	if err := rt.alloc(int64(len(s)), 2); err != nil {
		return nil, err
	}
	var out []byte
	if enc == "utf-16" {
		out = append(out, 0xff, 0xfe)
	}
	for _, u := range utf16.Encode([]rune(s)) {
		if enc == "utf-16-be" {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return starlark.Bytes(out), nil
}
