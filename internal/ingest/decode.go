package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"github.com/bmcis/bmcis/internal/chunk"
)

// decodeText turns a file's bytes into text. UTF-8 and UTF-16 with a byte order mark
// are read, HTML also in the character set that it declares. Damaged UTF-8 passes (the
// chunker replaces and counts what is invalid); a file that is binary or in another
// encoding is refused, because its words could not be found.
func decodeText(data []byte, format, contentType string) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		out, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(data)
		if err != nil {
			return "", fmt.Errorf("begins as UTF-16 but is not: %w", err)
		}
		return string(out), nil
	case format == chunk.HTML && !bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		if encoding, name, certain := charset.DetermineEncoding(data, contentType); name != "utf-8" && (certain || !utf8.Valid(data)) {
			out, err := io.ReadAll(encoding.NewDecoder().Reader(bytes.NewReader(data)))
			if err != nil {
				return "", fmt.Errorf("is not valid %s: %w", name, err)
			}
			return string(out), nil
		}
	}
	const head = 8 << 10
	if bytes.IndexByte(data[:min(len(data), head)], 0) >= 0 {
		return "", errors.New("is a binary file, not text")
	}
	invalid, wide, first := 0, 0, -1
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			if invalid++; first < 0 {
				first = i
			}
		} else {
			wide++
		}
		i += size
	}
	// A UTF-8 file with a few damaged bytes has more good sequences than bad ones; a
	// large file with a stray byte is still worth reading.
	if invalid > wide && invalid > len(data)/1000 {
		return "", fmt.Errorf("is not UTF-8 text: %d invalid bytes, the first at offset %d; convert it, for example with iconv -f WINDOWS-1252 -t UTF-8", invalid, first)
	}
	return string(data), nil
}
