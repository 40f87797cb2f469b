package stdlib

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const reText = `
"""Regular expressions, matched in linear time (RE2) unless they look around, refer back,
or have atomic groups or conditionals: those are matched by backtracking, for five seconds
at most. As in Python but for: possessive repetition is refused, counted repetition goes up
to 1000 (without backtracking), \b and \B see ASCII letters only (likewise), lookbehind may
have any width, $ without MULTILINE matches at the very end only, not before a last newline.
Flags: I, M, S, X, A, U and their long names."""

def compile(pattern, flags=0): """A pattern to use several times."""
def search(pattern, string, flags=0): """The first match, or None."""
def match(pattern, string, flags=0): """A match at the start, or None."""
def fullmatch(pattern, string, flags=0): """A match of all of it, or None."""
def findall(pattern, string, flags=0): """All matches: texts, groups or tuples of groups."""
def finditer(pattern, string, flags=0): """All matches, as objects."""
def sub(pattern, repl, string, count=0, flags=0): """Replaces matches by a text with \\1 and \\g<name>, or by what repl(match) gives."""
def subn(pattern, repl, string, count=0, flags=0): """sub and the number of replacements."""
def split(pattern, string, maxsplit=0, flags=0): """The texts between matches."""
def escape(pattern): """The text as a pattern that matches itself."""
def purge(): """Does nothing here."""
`

var reDoc = guest.Lazy(reText)

// Python's flag values.
const (
	flagI = 2
	flagL = 4
	flagM = 8
	flagS = 16
	flagU = 32
	flagX = 64
	flagA = 256
)

// maxPattern bounds a pattern's length in bytes.
const maxPattern = 50_000

func makeRe(_ *Env, c *guest.Contract) starlark.StringDict {
	cache := map[patternKey]*pattern{}
	on := func(f func(t *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error), flagsAt int) guest.Impl {
		return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			p, err := patternArg(t, cache, a, flagsAt)
			if err != nil {
				return nil, err
			}
			return f(t, p, a)
		}
	}
	m := c.Bind("re", map[string]guest.Impl{
		"compile": on(func(_ *starlark.Thread, p *pattern, _ *guest.Args) (starlark.Value, error) { return p, nil }, 1),
		"search": on(func(_ *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			return p.find(a.V[1], anywhere)
		}, 2),
		"match": on(func(_ *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			return p.find(a.V[1], atStart)
		}, 2),
		"fullmatch": on(func(_ *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			return p.find(a.V[1], whole)
		}, 2),
		"findall": on(func(t *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			return p.findall(t, a.V[1])
		}, 2),
		"finditer": on(func(t *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			return p.finditer(t, a.V[1])
		}, 2),
		"split": on(func(t *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			n, err := a.Index(2, 0)
			if err != nil {
				return nil, err
			}
			return p.split(t, a.V[1], n)
		}, 3),
		"sub": on(func(t *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			n, err := a.Index(3, 0)
			if err != nil {
				return nil, err
			}
			s, _, err := p.sub(t, a.V[1], a.V[2], n)
			return s, err
		}, 4),
		"subn": on(func(t *starlark.Thread, p *pattern, a *guest.Args) (starlark.Value, error) {
			n, err := a.Index(3, 0)
			if err != nil {
				return nil, err
			}
			s, done, err := p.sub(t, a.V[1], a.V[2], n)
			return starlark.Tuple{s, starlark.MakeInt(done)}, err
		}, 4),
		"escape": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := str(a, 0)
			return text(escapeRe(s)), err
		},
		"purge": func(*starlark.Thread, *guest.Args) (starlark.Value, error) { return starlark.None, nil },
	})
	for names, f := range map[string]int{"I IGNORECASE": flagI, "M MULTILINE": flagM, "S DOTALL": flagS, "X VERBOSE": flagX, "A ASCII": flagA, "U UNICODE": flagU, "NOFLAG": 0} {
		for _, n := range strings.Fields(names) {
			m[n] = starlark.MakeInt(f)
		}
	}
	m["error"] = exceptionClass("re.error", "Exception")
	m["Pattern"], m["Match"] = newClass("re.Pattern", m["compile"], nil), newClass("re.Match", m["compile"], nil)
	return m
}

func escapeRe(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

type patternKey struct {
	text  string
	flags int
}

// pattern is a compiled expression.
type pattern struct {
	text    string
	flags   int
	goText  string
	names   []string // of groups from 1 on; empty where none
	re      *regexp.Regexp
	start   *regexp.Regexp // anchored at the start, made when needed
	full    *regexp.Regexp // anchored at both ends
	empties bool           // may match nothing
	context bool           // looks at what stands beside a match
	// backtracking does it all where RE2 cannot; re is then nil. Where RE2 can, it is
	// made for searches that begin within a text, of patterns with context: RE2 would
	// not see what stands before.
	backtracking *backtracker
}

// engine is the backtracker where this search needs it, else nil.
func (p *pattern) engine(s subject) (*backtracker, error) {
	if p.re != nil && (s.from == 0 || !p.context) {
		return nil, nil
	}
	if p.backtracking == nil {
		tr := &translator{src: p.text, flags: p.flags, backtracks: true}
		text, err := tr.translate()
		if err != nil {
			return nil, err
		}
		if p.backtracking, err = newBacktracker(text); err != nil {
			return nil, err
		}
	}
	return p.backtracking, nil
}

func patternArg(t *starlark.Thread, cache map[patternKey]*pattern, a *guest.Args, flagsAt int) (*pattern, error) {
	flags := 0
	if a.V[flagsAt] != nil {
		n, err := a.Index(flagsAt, 0)
		if err != nil {
			return nil, err
		}
		flags = n
	}
	switch v := a.V[0].(type) {
	case *pattern:
		if flags != 0 {
			return nil, raise("ValueError", "cannot process flags argument with a compiled pattern")
		}
		return v, nil
	case starlark.String:
		key := patternKey{string(v), flags}
		if p := cache[key]; p != nil {
			return p, nil
		}
		p, err := compilePattern(string(v), flags)
		if err != nil {
			return nil, err
		}
		if len(cache) >= 500 {
			clear(cache)
		}
		cache[key] = p
		return p, nil
	case starlark.Bytes:
		return nil, raise("TypeError", "patterns of bytes are not available; decode the text first")
	}
	return nil, raise("TypeError", "first argument must be string or compiled pattern")
}

func compilePattern(text string, flags int) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, raise("re.error", "the pattern is longer than %d bytes", maxPattern)
	}
	tr := &translator{src: text, flags: flags}
	goText, err := tr.translate()
	backtracks := errors.Is(err, errBacktracks)
	if backtracks {
		tr = &translator{src: text, flags: flags, backtracks: true}
		goText, err = tr.translate()
	}
	if err != nil {
		return nil, err
	}
	p := &pattern{text: text, flags: tr.flags | flagU, goText: goText, names: tr.groups}
	if tr.flags&flagA != 0 {
		p.flags &^= flagU
	}
	if backtracks {
		p.backtracking, err = newBacktracker(goText)
		return p, err
	}
	re, err := regexp.Compile(goText)
	if err != nil {
		return nil, raise("re.error", "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	parsed, err := syntax.Parse(goText, syntax.Perl)
	if err != nil {
		return nil, raise("re.error", "%v", err)
	}
	p.re, p.empties, p.context = re, re.MatchString("") || matchesEmpty(parsed), hasContext(parsed)
	return p, nil
}

// matchesEmpty reports whether the expression can match nothing somewhere.
func matchesEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpQuest, syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine,
		syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	case syntax.OpPlus, syntax.OpCapture:
		return matchesEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || matchesEmpty(re.Sub[0])
	case syntax.OpConcat:
		for _, s := range re.Sub {
			if !matchesEmpty(s) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, s := range re.Sub {
			if matchesEmpty(s) {
				return true
			}
		}
	}
	return false
}

func hasContext(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, s := range re.Sub {
		if hasContext(s) {
			return true
		}
	}
	return false
}

func (p *pattern) String() string {
	s := quoteName(p.text)
	var flags []string
	for _, f := range [...]struct {
		bit  int
		name string
	}{{flagI, "re.IGNORECASE"}, {flagM, "re.MULTILINE"}, {flagS, "re.DOTALL"}, {flagX, "re.VERBOSE"}, {flagA, "re.ASCII"}} {
		if p.flags&f.bit != 0 {
			flags = append(flags, f.name)
		}
	}
	if flags != nil {
		s += ", " + strings.Join(flags, "|")
	}
	return "re.compile(" + s + ")"
}

func (p *pattern) Type() string          { return "re.Pattern" }
func (p *pattern) Freeze()               {}
func (p *pattern) Truth() starlark.Bool  { return true }
func (p *pattern) Hash() (uint32, error) { return starlark.String(p.text).Hash() }

var patternDoc = guest.Lazy(`
def search(string, pos=0, endpos=None): ...
def match(string, pos=0, endpos=None): ...
def fullmatch(string, pos=0, endpos=None): ...
def findall(string, pos=0, endpos=None): ...
def finditer(string, pos=0, endpos=None): ...
def sub(repl, string, count=0): ...
def subn(repl, string, count=0): ...
def split(string, maxsplit=0): ...
`)

func (p *pattern) AttrNames() []string {
	names := []string{"flags", "groupindex", "groups", "pattern"}
	for _, f := range patternDoc().Funcs {
		names = append(names, f.Name)
	}
	return names
}

func (p *pattern) Attr(name string) (starlark.Value, error) {
	switch name {
	case "pattern":
		return text(p.text), nil
	case "flags":
		return starlark.MakeInt(p.flags), nil
	case "groups":
		return starlark.MakeInt(len(p.names)), nil
	case "groupindex":
		d := new(starlark.Dict)
		for i, n := range p.names {
			if n != "" {
				if err := d.SetKey(starlark.String(n), starlark.MakeInt(i+1)); err != nil {
					return nil, err
				}
			}
		}
		return d, nil
	}
	f := patternDoc().Func(name)
	if f == nil {
		return nil, raise("AttributeError", "'re.Pattern' object has no attribute '%s'", name)
	}
	return f.Builtin("", func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) { return p.call(t, name, a) }), nil
}

func (p *pattern) call(t *starlark.Thread, name string, a *guest.Args) (starlark.Value, error) {
	switch name {
	case "sub", "subn":
		n, err := a.Index(2, 0)
		if err != nil {
			return nil, err
		}
		s, done, err := p.sub(t, a.V[0], a.V[1], n)
		if name == "sub" || err != nil {
			return s, err
		}
		return starlark.Tuple{s, starlark.MakeInt(done)}, nil
	case "split":
		n, err := a.Index(1, 0)
		if err != nil {
			return nil, err
		}
		return p.split(t, a.V[0], n)
	}
	subject, err := p.window(a)
	if err != nil {
		return nil, err
	}
	switch name {
	case "search":
		return p.findIn(subject, anywhere)
	case "match":
		return p.findIn(subject, atStart)
	case "fullmatch":
		return p.findIn(subject, whole)
	case "findall":
		return p.findallIn(t, subject)
	}
	return p.finditerIn(t, subject)
}

// subject is the text that a pattern is matched against: s[from:to] in bytes.
type subject struct {
	s        string
	from, to int
}

func subjectOf(v starlark.Value) (subject, error) {
	s, ok := v.(starlark.String)
	if !ok {
		if _, isBytes := v.(starlark.Bytes); isBytes {
			return subject{}, raise("TypeError", "cannot use a string pattern on a bytes-like object")
		}
		return subject{}, raise("TypeError", "expected string or bytes-like object, got '%s'", guest.TypeName(v))
	}
	return subject{string(s), 0, len(s)}, nil
}

// window reads string, pos and endpos.
func (p *pattern) window(a *guest.Args) (subject, error) {
	s, err := subjectOf(a.V[0])
	if err != nil || a.V[1] == nil && a.V[2] == nil {
		return s, err
	}
	from, err := a.Index(1, 0)
	if err != nil {
		return s, err
	}
	if a.Given(2) {
		to, err := a.Index(2, 0)
		if err != nil {
			return s, err
		}
		s.to = byteOffset(s.s, to)
	}
	s.from = min(byteOffset(s.s, from), s.to)
	return s, nil
}

// byteOffset is where character n starts.
func byteOffset(s string, n int) int {
	if n <= 0 {
		return 0
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

type anchor int

const (
	anywhere anchor = iota
	atStart
	whole
	notEmpty // at the start, and not empty
)

func (p *pattern) find(v starlark.Value, how anchor) (starlark.Value, error) {
	s, err := subjectOf(v)
	if err != nil {
		return nil, err
	}
	return p.findIn(s, how)
}

func (p *pattern) findIn(s subject, how anchor) (starlark.Value, error) {
	if b, err := p.engine(s); err != nil {
		return nil, err
	} else if b != nil {
		loc, err := b.find(s, how)
		if loc == nil || err != nil {
			return starlark.None, err
		}
		return &match{p: p, s: s, loc: loc}, nil
	}
	re := p.re
	switch how {
	case atStart:
		if p.start == nil {
			p.start = regexp.MustCompile(`\A(?:` + p.goText + `)`)
		}
		re = p.start
	case whole:
		if p.full == nil {
			p.full = regexp.MustCompile(`\A(?:` + p.goText + `)\z`)
		}
		re = p.full
	}
	loc := shift(re.FindStringSubmatchIndex(s.s[s.from:s.to]), s.from)
	if loc == nil {
		return starlark.None, nil
	}
	return &match{p: p, s: s, loc: loc}, nil
}

func shift(loc []int, by int) []int {
	for i := range loc {
		if loc[i] >= 0 {
			loc[i] += by
		}
	}
	return loc
}

// each calls f with the places of successive matches, as Python's scanner finds
// them: an empty match may follow directly on another match, but not on itself.
func (p *pattern) each(t *starlark.Thread, s subject, f func(loc []int) (more bool, err error)) error {
	if b, err := p.engine(s); err != nil {
		return err
	} else if b != nil {
		return b.each(t, s, f)
	}
	window := s.s[s.from:s.to]
	if !p.empties || p.context {
		// Go's own scanner agrees with Python's here, and knows what stands before
		// a match.
		n := 0
		for _, loc := range p.re.FindAllStringSubmatchIndex(window, -1) {
			if n++; n%1000 == 0 {
				if err := pylang.Poll(t); err != nil {
					return err
				}
			}
			if more, err := f(shift(loc, s.from)); err != nil || !more {
				return err
			}
		}
		return nil
	}
	at, mustAdvance := 0, false
	for n := 1; at <= len(window); n++ {
		if n%1000 == 0 {
			if err := pylang.Poll(t); err != nil {
				return err
			}
		}
		loc := p.re.FindStringSubmatchIndex(window[at:])
		if loc == nil {
			return nil
		}
		if mustAdvance && loc[0] == 0 && loc[1] == 0 {
			// Nothing else starts here that is not empty, as far as one search can
			// tell: go on behind the next character.
			if at == len(window) {
				return nil
			}
			_, size := utf8.DecodeRuneInString(window[at:])
			at, mustAdvance = at+size, false
			continue
		}
		shift(loc, at)
		at = loc[1]
		mustAdvance = loc[0] == loc[1]
		if more, err := f(shift(loc, s.from)); err != nil || !more {
			return err
		}
	}
	return nil
}

func (p *pattern) findall(t *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	s, err := subjectOf(v)
	if err != nil {
		return nil, err
	}
	return p.findallIn(t, s)
}

func (p *pattern) findallIn(t *starlark.Thread, s subject) (starlark.Value, error) {
	var out []starlark.Value
	err := p.each(t, s, func(loc []int) (bool, error) {
		out = append(out, groupsOrAll(s.s, loc))
		return true, nil
	})
	return list(out), err
}

// groupsOrAll is what findall gives for a match: all of it, its one group, or a
// tuple of its groups; groups that took no part are empty.
func groupsOrAll(s string, loc []int) starlark.Value {
	part := func(i int) starlark.Value {
		if loc[2*i] < 0 {
			return starlark.String("")
		}
		return starlark.String(s[loc[2*i]:loc[2*i+1]])
	}
	switch n := len(loc)/2 - 1; n {
	case 0:
		return part(0)
	case 1:
		return part(1)
	default:
		row := make(starlark.Tuple, n)
		for i := range row {
			row[i] = part(i + 1)
		}
		return row
	}
}

func (p *pattern) finditer(t *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	s, err := subjectOf(v)
	if err != nil {
		return nil, err
	}
	return p.finditerIn(t, s)
}

func (p *pattern) finditerIn(t *starlark.Thread, s subject) (starlark.Value, error) {
	var found []starlark.Value
	err := p.each(t, s, func(loc []int) (bool, error) {
		found = append(found, &match{p: p, s: s, loc: loc})
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	i := 0
	return pylang.NewIter("callable_iterator", func() (starlark.Value, bool, error) {
		if i == len(found) {
			return nil, false, nil
		}
		i++
		return found[i-1], true, nil
	}), nil
}

func (p *pattern) split(t *starlark.Thread, v starlark.Value, limit int) (starlark.Value, error) {
	s, err := subjectOf(v)
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	last, n := 0, 0
	if limit < 0 {
		return list([]starlark.Value{starlark.String(s.s)}), nil
	}
	err = p.each(t, s, func(loc []int) (bool, error) {
		out = append(out, starlark.String(s.s[last:loc[0]]))
		for i := 2; i < len(loc); i += 2 {
			if loc[i] < 0 {
				out = append(out, starlark.None)
			} else {
				out = append(out, starlark.String(s.s[loc[i]:loc[i+1]]))
			}
		}
		last = loc[1]
		n++
		return limit == 0 || n < limit, nil
	})
	return list(append(out, starlark.String(s.s[last:]))), err
}

func (p *pattern) sub(t *starlark.Thread, repl, v starlark.Value, limit int) (starlark.Value, int, error) {
	s, err := subjectOf(v)
	if err != nil {
		return nil, 0, err
	}
	var expand func(loc []int) (string, error)
	switch r := repl.(type) {
	case starlark.String:
		tpl, err := p.template(string(r))
		if err != nil {
			return nil, 0, err
		}
		expand = func(loc []int) (string, error) { return tpl.expand(s.s, loc), nil }
	case starlark.Callable:
		expand = func(loc []int) (string, error) {
			v, err := pylang.Call(t, r, starlark.Tuple{&match{p: p, s: s, loc: loc}}, nil)
			if err != nil {
				return "", err
			}
			if v == starlark.None {
				return "", nil
			}
			out, ok := v.(starlark.String)
			if !ok {
				return "", raise("TypeError", "expected str instance, %s found", guest.TypeName(v))
			}
			return string(out), nil
		}
	default:
		return nil, 0, raise("TypeError", "decoding to str: need a bytes-like object, %s found", guest.TypeName(repl))
	}
	if limit < 0 {
		return starlark.String(s.s), 0, nil
	}
	var b strings.Builder
	last, n := 0, 0
	err = p.each(t, s, func(loc []int) (bool, error) {
		b.WriteString(s.s[last:loc[0]])
		part, err := expand(loc)
		if err != nil {
			return false, err
		}
		b.WriteString(part)
		last = loc[1]
		n++
		if b.Len() > 1<<20 {
			if err := pylang.CheckAlloc(t, 2*int64(b.Len())); err != nil {
				return false, err
			}
		}
		return limit == 0 || n < limit, nil
	})
	b.WriteString(s.s[last:])
	return starlark.String(b.String()), n, err
}
