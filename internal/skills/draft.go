package skills

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

	keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except finally
		for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

	// What the module skills has itself, in programs.
	taken = []string{"save_skill", "load_skill", "list_skills", "share_skill", "unshare_skill", "revoke_skill"}
)

func checkName(name string) error {
	wrong := func(why string) error {
		return fmt.Errorf("%w: skill name %.80q %s", ErrInvalid, name, why)
	}
	switch {
	case len(name) > MaxName:
		return wrong(fmt.Sprintf("is too long; at most %d characters", MaxName))
	case !identifier.MatchString(name):
		return wrong("is no Python identifier; use letters, digits and _, such as filter_high_risk")
	case slices.Contains(keywords, name):
		return wrong("is a keyword of Python; take another")
	case slices.Contains(taken, name):
		return wrong("is a function of the module skills; take another")
	case strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__"):
		return wrong("is between double underscores, which Python keeps for itself; take another")
	}
	return nil
}

// cleanDescription returns it on one line.
func cleanDescription(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("%w: the description is not UTF-8", ErrInvalid)
	}
	s = strings.Join(strings.Fields(s), " ")
	if n := utf8.RuneCountInString(s); n > MaxDescription {
		return "", fmt.Errorf("%w: the description has %d characters, at most %d; say what it is for in a sentence", ErrInvalid, n, MaxDescription)
	}
	for _, r := range s {
		joins := r == '\u200c' || r == '\u200d' // in Persian, and in emoji
		if !joins && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co) || r == utf8.RuneError) {
			return "", fmt.Errorf("%w: the description holds the invisible character %U; leave it out", ErrInvalid, r)
		}
	}
	return s, nil
}

// cleanCode returns it with line breaks as stored. Characters that show the code in
// another order than it runs are refused (Boucher and Anderson, "Trojan Source", 2021).
func cleanCode(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("%w: the code is not UTF-8", ErrInvalid)
	}
	s = strings.TrimPrefix(s, "\ufeff")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.TrimRight(s, "\n") + "\n"
	if len(s) > MaxCode {
		return "", fmt.Errorf("%w: the code has %d bytes, at most %d; save it as several skills", ErrInvalid, len(s), MaxCode)
	}
	if strings.TrimSpace(s) == "" {
		return "", fmt.Errorf("%w: there is no code", ErrInvalid)
	}
	line := 1
	for _, r := range s {
		switch {
		case r == '\n':
			line++
		case r == 0, r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return "", fmt.Errorf("%w: line %d of the code holds the invisible character %U; leave it out, or write it as an escape", ErrInvalid, line, r)
		}
	}
	return s, nil
}

// prepared is a draft that has passed all checks.
type prepared struct {
	name, description, code string
	digest                  Digest
	facts
}

func (d Draft) prepare() (p prepared, err error) {
	if err := checkName(d.Name); err != nil {
		return p, err
	}
	p.name = d.Name
	if p.code, err = cleanCode(d.Code); err != nil {
		return p, err
	}
	if p.facts, err = read(p.name, p.code); err != nil {
		return p, err
	}
	p.digest = DigestOf(p.code)
	description := d.Description
	if strings.TrimSpace(description) == "" {
		description = p.doc
	}
	if p.description, err = cleanDescription(description); err != nil {
		return p, err
	}
	if p.description == "" {
		return p, fmt.Errorf("%w: the skill %s has no description; say what it is for, so that it is found", ErrInvalid, d.Name)
	}
	return p, nil
}
