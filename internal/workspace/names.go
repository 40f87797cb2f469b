package workspace

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxName    = 512 // bytes
	maxSegment = 255
	maxDepth   = 16
)

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// cleanName returns the name in Unicode's composed form (NFC), in which it is stored,
// or an error that says what is wrong with it. A name is a relative path: segments
// between slashes. The files live in a database, where ".." leads nowhere, but names
// travel: to disks of those who fetch the files, and before the eyes of people.
func cleanName(name string) (string, error) {
	wrong := func(why string) (string, error) {
		return "", fmt.Errorf("%w: file name %.80q %s", ErrInvalid, name, why)
	}
	if !utf8.ValidString(name) {
		return wrong("is not UTF-8")
	}
	if len(name) > 4*maxName {
		return wrong(fmt.Sprintf("is too long; at most %d bytes", maxName))
	}
	clean := norm.NFC.String(name)
	switch {
	case clean == "":
		return wrong(`is empty; name it such as "results.json"`)
	case len(clean) > maxName:
		return wrong(fmt.Sprintf("is too long; at most %d bytes", maxName))
	case strings.Count(clean, "/") >= maxDepth:
		return wrong(fmt.Sprintf("has too many folders; at most %d", maxDepth-1))
	}
	for _, r := range clean {
		switch {
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co), r == utf8.RuneError:
			return wrong(fmt.Sprintf("holds the invisible character %U", r))
		case unicode.IsSpace(r) && r != ' ':
			return wrong(fmt.Sprintf("holds the space %U; use an ordinary one", r))
		case r == '\\':
			return wrong("holds a backslash; folders are divided by /")
		}
	}
	// A fullwidth ．． is a .. again on a system that folds such letters.
	for _, form := range []string{clean, norm.NFKC.String(clean)} {
		if strings.HasPrefix(form, "/") || drive.MatchString(form) {
			return wrong("is absolute; name it relative to the workspace")
		}
		for segment := range strings.SplitSeq(form, "/") {
			switch {
			case segment == "." || segment == "..":
				return wrong("leads out of its folder; leave out . and ..")
			case segment == "":
				return wrong("has an empty folder or ends with /")
			case strings.TrimSpace(segment) != segment:
				return wrong("has a space at the end of a folder or name")
			case len(segment) > maxSegment:
				return wrong(fmt.Sprintf("has a part that is too long; at most %d bytes", maxSegment))
			}
		}
		if strings.ContainsAny(form, "\\\x00") || strings.Count(form, "/") != strings.Count(clean, "/") {
			return wrong("holds a letter that looks like / or \\")
		}
	}
	return clean, nil
}

// cleanPrefix returns the beginning of names as stored.
func cleanPrefix(prefix string) (string, error) {
	if len(prefix) > maxName || !utf8.ValidString(prefix) || strings.ContainsFunc(prefix, unicode.IsControl) {
		return "", fmt.Errorf("%w: %.80q is no beginning of a file name", ErrInvalid, prefix)
	}
	return norm.NFC.String(prefix), nil
}
