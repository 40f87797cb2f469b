package stdlib

import (
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/internal/pylang"
)

// maxBacktracking is how long one match may take by backtracking, whose time can grow
// exponentially with the text.
const maxBacktracking = 5 * time.Second

// backtracker matches what RE2 cannot say, by a backtracking engine. It counts in
// characters; its callers count in bytes.
type backtracker struct {
	text     string
	compiled [notEmpty + 1]*regexp2.Regexp // by anchor; made when needed
}

func newBacktracker(text string) (*backtracker, error) {
	b := &backtracker{text: text}
	_, err := b.anchored(anywhere)
	return b, err
}

func (b *backtracker) anchored(how anchor) (*regexp2.Regexp, error) {
	if re := b.compiled[how]; re != nil {
		return re, nil
	}
	text := b.text
	if how != anywhere {
		text = `\G(?:` + text + `)` + [...]string{whole: `\z`, notEmpty: `(?!\G)`}[how]
	}
	re, err := regexp2.Compile(text)
	if err != nil {
		return nil, raise("re.error", "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	re.MatchTimeout = maxBacktracking
	b.compiled[how] = re
	return re, nil
}

// characters is a subject as the engine wants it: its characters up to the end of the
// window, and where each starts.
type characters struct {
	text  []rune
	bytes []int // one more than text
	from  int   // the window's start
}

func charactersOf(s subject) characters {
	r := characters{text: make([]rune, 0, s.to), bytes: make([]int, 0, s.to+1)}
	for i, c := range s.s[:s.to] {
		if i == s.from {
			r.from = len(r.text)
		}
		r.text, r.bytes = append(r.text, c), append(r.bytes, i)
	}
	if s.from == s.to {
		r.from = len(r.text)
	}
	r.bytes = append(r.bytes, s.to)
	return r
}

// locate matches from character at on and gives places in bytes, nil for no match.
func (b *backtracker) locate(r characters, how anchor, at int) ([]int, error) {
	re, err := b.anchored(how)
	if err != nil {
		return nil, err
	}
	m, err := re.FindRunesMatchStartingAt(r.text, at)
	if err != nil {
		e := pylang.Raise("RuntimeError", "the pattern was matched for %v against one text without an end in sight", maxBacktracking)
		e.Hint = "it backtracks: avoid repetitions inside repetitions, or look at shorter texts"
		return nil, e
	}
	if m == nil {
		return nil, nil
	}
	groups := m.Groups()
	loc := make([]int, 0, 2*len(groups))
	for _, g := range groups {
		if len(g.Captures) == 0 {
			loc = append(loc, -1, -1)
		} else {
			loc = append(loc, r.bytes[g.RuneIndex], r.bytes[g.RuneIndex+g.RuneLength])
		}
	}
	return loc, nil
}

func (b *backtracker) find(s subject, how anchor) ([]int, error) {
	r := charactersOf(s)
	return b.locate(r, how, r.from)
}

// each calls f with the places of successive matches, as Python's scanner finds them:
// behind an empty match there may be one that is not empty, at the same place.
func (b *backtracker) each(t *starlark.Thread, s subject, f func(loc []int) (more bool, err error)) error {
	r := charactersOf(s)
	at := r.from // in characters
	var last []int
	for n := 1; ; n++ {
		if n%100 == 0 {
			if err := pylang.Poll(t); err != nil {
				return err
			}
		}
		var loc []int
		var err error
		if last != nil && last[0] == last[1] {
			if loc, err = b.locate(r, notEmpty, at); err != nil {
				return err
			}
			if loc == nil {
				at++
			}
		}
		if loc == nil {
			if at > len(r.text) {
				return nil
			}
			if loc, err = b.locate(r, anywhere, at); loc == nil || err != nil {
				return err
			}
		}
		for at < len(r.text) && r.bytes[at] < loc[1] {
			at++
		}
		last = append(last[:0], loc[:2]...)
		if more, err := f(loc); err != nil || !more {
			return err
		}
	}
}
