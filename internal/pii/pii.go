// Package pii finds personal data in text and puts tokens such as [EMAIL_ab12cd] in its
// place: e-mail addresses, phone numbers, US social security numbers, payment cards,
// IBANs, IP addresses and, on request, names.
//
// In goes text, as strings ([Find], [Sanitizer.Text]), JSON of any depth
// ([Sanitizer.JSON]), a stream of lines ([Writer]) or log records ([LogHandler]); out
// come spans, or the same thing with tokens in it. Which token stands for which value
// is the business of a [Tokenizer]: internal/vault keeps them in PostgreSQL. The
// package itself knows no files, database or network. Callers: every way out of a
// program.
//
// Detection is by hand-written scanners, not regular expressions: time is linear in the
// length of the text, whatever is in it. docs/privacy.md says what is found, how
// often, and what is not.
package pii

import (
	"slices"
	"strings"
)

// Kind is a kind of personal data.
type Kind uint8

// The kinds. Name is found only when asked for.
const (
	Email Kind = iota
	Phone
	SSN
	Card
	IBAN
	IP
	Name
	kinds // their number
)

var kindNames = [kinds]string{"EMAIL", "PHONE", "SSN", "CARD", "IBAN", "IP", "NAME"}

// String returns the kind as it stands in tokens, such as "EMAIL".
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "UNKNOWN"
}

// ParseKind is the inverse of [Kind.String], in upper or lower case.
func ParseKind(s string) (Kind, bool) {
	i := slices.Index(kindNames[:], strings.ToUpper(s))
	return Kind(max(i, 0)), i >= 0
}

// Kinds is a set of kinds. The zero value is the empty set.
type Kinds uint16

// DefaultKinds is every kind but names.
const DefaultKinds = Kinds(1<<Email | 1<<Phone | 1<<SSN | 1<<Card | 1<<IBAN | 1<<IP)

// AllKinds is every kind, names too.
const AllKinds = DefaultKinds | 1<<Name

// SetOf returns the set of the given kinds.
func SetOf(ks ...Kind) (set Kinds) {
	for _, k := range ks {
		set |= 1 << k
	}
	return set
}

// Has reports whether the kind is in the set.
func (s Kinds) Has(k Kind) bool { return s>>k&1 == 1 }

// Match is personal data in a text: text[Start:End], in bytes, at boundaries of
// characters when the text is valid UTF-8.
type Match struct {
	Kind       Kind
	Start, End int
}

// maxRounds bounds how often a text is looked through. The second round finds
// nothing in texts that were not made to defeat it: see [Find].
const maxRounds = 8

// Find returns the personal data of the given kinds in text, in order and without
// overlap. Tokens that stand in the text already are left alone, and nothing that
// touches them counts as part of a value. What is found is complete: when tokens stand
// in its place, Find finds nothing more.
func Find(text string, set Kinds) []Match { return find("", text, set) }

// find is Find for a text that comes after hint on its line: the key of a JSON value.
func find(hint, text string, set Kinds) []Match {
	var found []Match
	for range maxRounds {
		more := scan(hint, text, set, found)
		if len(more) == 0 {
			break
		}
		// A value that is replaced is a boundary for its neighbours, so that there may
		// be more than before.
		found = append(found, more...)
		slices.SortFunc(found, func(a, b Match) int { return a.Start - b.Start })
	}
	return found
}

// scan looks through text once; known values are boundaries.
func scan(hint, text string, set Kinds, known []Match) []Match {
	if !mayHold(text, set) {
		return nil
	}
	f := fold(text, known)
	s := scanner{hint: hint, s: f.text, set: set}
	s.run()
	for i, m := range s.found {
		s.found[i].Start, s.found[i].End = f.span(m.Start, m.End)
	}
	return s.found
}

// mayHold is false for texts that cannot hold anything: without a digit, an at sign, a
// colon or a character that is folded to one.
func mayHold(text string, set Kinds) bool {
	if set.Has(Name) {
		return true
	}
	for i := range len(text) {
		if class[text[i]]&(isDigit|isTrigger) != 0 || text[i] == '@' || text[i] == ':' {
			return set != 0
		}
	}
	// "ann at example dot com"
	return set.Has(Email) && strings.Contains(strings.ToLower(text), " dot ")
}

// scanner looks for values in folded text. It keeps spans in order of Start.
type scanner struct {
	hint  string
	s     string
	set   Kinds
	found []Match
	next  int // index into found of the first value that ends after the current place
}

func (s *scanner) run() {
	if s.set.Has(Email) {
		s.emails()
	}
	if s.set.Has(IP) {
		s.ip6s()
	}
	s.sort()
	s.numbers()
	s.sort()
	if s.set.Has(Name) {
		s.names()
		s.sort()
	}
}

func (s *scanner) sort() {
	slices.SortFunc(s.found, func(a, b Match) int { return a.Start - b.Start })
	s.next = 0
}

// free reports whether nothing found so far overlaps [start, end). Calls come with
// growing end; found is sorted as far as earlier passes went.
func (s *scanner) free(sorted []Match, start, end int) bool {
	for s.next < len(sorted) && sorted[s.next].End <= start {
		s.next++
	}
	return s.next == len(sorted) || sorted[s.next].Start >= end
}
