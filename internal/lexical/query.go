package lexical

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/spell"
	"github.com/bmcis/bmcis/internal/text"
)

// Limits of one query. What is beyond them is left out, and the answer says so.
const (
	maxQueryBytes = 64 << 10
	maxTerms      = 1024
	maxClauses    = 64 // phrases, required, excluded and prefixes together
	maxExpansions = 256
)

// anyField stands for all fields.
const anyField = -1

var fieldNames = map[string]int{
	"title": segment.Title, "heading": segment.Headings, "headings": segment.Headings,
	"body": segment.Body, "text": segment.Body, "path": segment.Path,
}

// queryFields are the names that are told.
var queryFields = []string{"title", "headings", "body", "path"}

// parsed is the text of a query taken apart.
type parsed struct {
	// scored are the terms whose scores are added up.
	scored []queryTerm
	// required and excluded are what a chunk must and must not contain.
	required, excluded []clause
	prefixes           []prefix
	phrases            []string
	notes              []string
}

// queryTerm is a term to score, in one field or in all.
type queryTerm struct {
	text  string
	field int
	count int // how often the query has it
}

// clause is a sequence of terms at distances: a phrase, or a single term.
type clause struct {
	terms []string
	at    []int // position of each term, from 0
	field int
	text  string
}

// prefix is what words must begin with. Its expansions score as one term.
type prefix struct {
	text     string
	stem     string // the analysed prefix, when it is shorter than text
	field    int
	required bool
	excluded bool
}

// parse reads a query. Nothing in it is an error: a query comes from people and
// programs that write what they like, and what cannot be used is noted.
func parse(a *text.Analyzer, s string, plain bool) *parsed {
	p := &parsed{}
	if len(s) > maxQueryBytes {
		cut := maxQueryBytes
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		p.note("the query was cut after %d of its %d bytes", cut, len(s))
		s = s[:cut]
	}
	l := &parser{a: a, p: p, index: map[queryTerm]int{}}
	if plain {
		l.words(s, anyField)
		s = ""
	}
	for s = strings.TrimLeftFunc(s, isSpace); s != ""; s = strings.TrimLeftFunc(s, isSpace) {
		s = l.clause(s)
	}
	if len(p.excluded) > 0 && len(p.scored) == 0 && len(p.prefixes) == 0 {
		p.note("the query only says what to leave out; add a word to look for")
	}
	if l.dropped > 0 {
		p.note("the query was cut to its first %d terms; %d more were left out", maxTerms, l.dropped)
	}
	if l.clauses > maxClauses {
		p.note("the query was cut to its first %d phrases and signs; %d more were read as words", maxClauses, l.clauses-maxClauses)
	}
	return p
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == 0 }

func (p *parsed) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(p.notes, n) {
		p.notes = append(p.notes, n)
	}
}

type parser struct {
	a       *text.Analyzer
	p       *parsed
	index   map[queryTerm]int // with count 0 → place in p.scored
	dropped int
	clauses int
	tokens  []text.Token
}

// clause reads one clause from the start of s and gives the rest.
func (l *parser) clause(s string) string {
	full := s
	sign := byte(0)
	if (s[0] == '+' || s[0] == '-') && len(s) > 1 {
		r, _ := utf8.DecodeRuneInString(s[1:])
		if s[1] == '"' || unicode.IsLetter(r) || s[0] == '+' && unicode.IsDigit(r) {
			sign, s = s[0], s[1:]
		}
	}
	field := anyField
	if i := strings.IndexByte(s, ':'); i > 0 && i+1 < len(s) && i < 32 && !strings.HasPrefix(s[i:], "::") {
		if r, _ := utf8.DecodeRuneInString(s[i+1:]); !isSpace(r) {
			if f, ok := fieldNames[strings.ToLower(s[:i])]; ok {
				field, s = f, s[i+1:]
			} else {
				l.noField(s[:i], s[i+1:], sign != 0)
			}
		}
	}
	var word, rest string
	quoted := s[0] == '"'
	if quoted {
		var closed bool
		if word, rest, closed = strings.Cut(s[1:], `"`); !closed {
			l.p.note(`the quote in the query is not closed; it was read up to the end`)
		}
	} else {
		end := strings.IndexFunc(s, func(r rune) bool { return isSpace(r) || r == '"' })
		if end < 0 {
			end = len(s)
		}
		word, rest = s[:end], s[end:]
	}
	if special := quoted || sign != 0 || field != anyField || isPrefix(word); special {
		if l.clauses++; l.clauses > maxClauses {
			l.words(word, anyField)
			return rest
		}
	}
	shown := strings.TrimSpace(full[:len(full)-len(rest)])
	switch {
	case !quoted && isPrefix(word):
		l.prefix(strings.TrimRight(word, "*"), field, sign, shown)
	case quoted || sign != 0 || field != anyField:
		l.exact(word, field, sign, shown)
		if quoted && sign != '-' {
			l.p.phrases = append(l.p.phrases, word)
		}
	default:
		l.words(word, anyField)
	}
	return rest
}

// noField notes a name before a colon that may have been meant for a field. Much else has
// colons (addresses, times, test:unit), so without a sign only what is spelt nearly like a
// long name counts.
func (l *parser) noField(name, value string, signed bool) {
	if strings.HasPrefix(value, "//") || strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 {
		return
	}
	if near := spell.Nearest(name, queryFields); near != "" && (signed || len(name) >= 5 && len(near) >= 5) {
		l.p.note("%s: is no field and was read as a word; did you mean %s:?", name, near)
	} else if r := value[0]; signed && (r < '0' || r > '9') {
		l.p.note("%s: is no field and was read as a word; fields are %s, all else of a document can be filtered", name, strings.Join(queryFields, ", "))
	}
}

// isPrefix reports words like "conn*". A lone star is none.
func isPrefix(word string) bool {
	t := strings.TrimRight(word, "*")
	return len(t) < len(word) && strings.IndexFunc(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// words adds the terms of s to those that are scored.
func (l *parser) words(s string, field int) {
	l.tokens = l.a.Tokens(l.tokens[:0], s)
	for _, t := range l.tokens {
		l.score(t.Term, field)
	}
}

func (l *parser) score(term string, field int) {
	key := queryTerm{text: term, field: field}
	i, ok := l.index[key]
	if !ok {
		if len(l.p.scored) == maxTerms {
			l.dropped++
			return
		}
		i = len(l.p.scored)
		l.index[key] = i
		l.p.scored = append(l.p.scored, key)
	}
	l.p.scored[i].count++
}

// exact adds a clause that must hold, or must not. Its terms count for the score.
func (l *parser) exact(s string, field int, sign byte, shown string) {
	if sign != '-' {
		l.words(s, field)
	}
	l.tokens = l.a.Tokens(l.tokens[:0], s)
	c := clause{field: field, text: shown}
	for i, t := range l.tokens {
		if i > 0 && t.Position == l.tokens[i-1].Position {
			continue // another form of the same word
		}
		c.terms = append(c.terms, t.Term)
		c.at = append(c.at, t.Position)
	}
	switch {
	case len(c.terms) == 0:
		l.p.note("%s holds no word that is indexed; it was left out", shown)
	case sign == '-':
		l.p.excluded = append(l.p.excluded, c)
	default:
		l.p.required = append(l.p.required, c)
	}
}

func (l *parser) prefix(s string, field int, sign byte, shown string) {
	folded := strings.TrimFunc(text.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if folded == "" {
		l.p.note("%s holds no word that is indexed; it was left out", shown)
		return
	}
	p := prefix{text: folded, field: field, required: sign == '+' || field != anyField && sign == 0, excluded: sign == '-'}
	l.tokens = l.a.Tokens(l.tokens[:0], folded)
	if n := len(l.tokens); n > 0 && len(l.tokens[0].Term) < len(folded) && strings.HasPrefix(folded, l.tokens[0].Term) && n == 1 {
		p.stem = l.tokens[0].Term
	}
	l.p.prefixes = append(l.p.prefixes, p)
}
