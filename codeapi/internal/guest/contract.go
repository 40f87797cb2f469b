// Package guest describes functions in the program's own syntax and binds them
// to Go. A contract such as
//
//	def rerank(query, documents=None, top_k=5, *, threshold=None):
//	    """Orders documents by relevance."""
//
// and Go functions by name go in; Starlark builtins with Python's argument rules
// and messages come out, beside the signatures for checks before the run and the
// texts for help and documentation. The modules of codeapi and codeapi/stdlib are
// made with it. It also has Python's view on values (equality, order, iteration)
// where the modules need it.
package guest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/bmcis/bmcis/internal/pylang"
)

// Kind says how a parameter may be given.
type Kind int

// The kinds of parameters, in the order in which they stand in a signature.
const (
	PositionalOnly Kind = iota // before "/"
	Ordinary
	Rest        // *args
	KeywordOnly // after "*"
	Keywords    // **kwargs
)

// Param is one parameter of a function.
type Param struct {
	Name string
	Kind Kind
	// Type and Default are the texts of the contract; Default is empty when the
	// parameter must be given.
	Type, Default string
}

// Func is one function of a contract.
type Func struct {
	Name    string
	Params  []Param
	Returns string
	Doc     string
	// fixed counts the parameters that are neither *args nor **kwargs.
	fixed           int
	positional      int
	rest, keywords  bool
	plainPositional bool
}

// Contract is a module as its contract tells it.
type Contract struct {
	Doc   string
	Funcs []*Func
}

// Lazy reads a contract when it is first needed, so that a process which runs no
// program does not pay for it.
func Lazy(text string) func() *Contract {
	return sync.OnceValue(func() *Contract { return MustParse(text) })
}

// MustParse is Parse for contracts that are part of the program.
func MustParse(text string) *Contract {
	c, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return c
}

// Parse reads a contract: an optional docstring, then functions, each with an
// optional docstring or "..." as body.
func Parse(text string) (*Contract, error) {
	c := &Contract{}
	s := strings.TrimSpace(text)
	if doc, rest, ok := docstring(s); ok {
		c.Doc, s = doc, rest
	}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		rest, ok := strings.CutPrefix(s, "def ")
		if !ok {
			return nil, fmt.Errorf("contract: want def, got %.40q", s)
		}
		open := strings.IndexByte(rest, '(')
		if open < 0 {
			return nil, fmt.Errorf("contract: no parameters in %.40q", rest)
		}
		f := &Func{Name: strings.TrimSpace(rest[:open])}
		inside, after, err := closing(rest[open:])
		if err != nil {
			return nil, fmt.Errorf("contract of %s: %w", f.Name, err)
		}
		if err := f.parseParams(inside); err != nil {
			return nil, fmt.Errorf("contract of %s: %w", f.Name, err)
		}
		colon := strings.IndexByte(after, ':')
		if colon < 0 {
			return nil, fmt.Errorf("contract of %s: no colon", f.Name)
		}
		if arrow := strings.TrimSpace(after[:colon]); arrow != "" {
			f.Returns = strings.TrimSpace(strings.TrimPrefix(arrow, "->"))
		}
		s = strings.TrimSpace(after[colon+1:])
		if doc, rest, ok := docstring(s); ok {
			f.Doc, s = doc, rest
		} else {
			s = strings.TrimPrefix(s, "...")
		}
		c.Funcs = append(c.Funcs, f)
	}
	return c, nil
}

// docstring takes a """text""" from the start of s and removes its indentation.
func docstring(s string) (doc, rest string, ok bool) {
	body, ok := strings.CutPrefix(s, `"""`)
	if !ok {
		return "", s, false
	}
	body, rest, ok = strings.Cut(body, `"""`)
	if !ok {
		return "", s, false
	}
	lines := strings.Split(body, "\n")
	margin := -1
	for _, l := range lines[1:] {
		if t := strings.TrimLeft(l, " "); t != "" && (margin < 0 || len(l)-len(t) < margin) {
			margin = len(l) - len(t)
		}
	}
	for i, l := range lines {
		if i > 0 && margin > 0 {
			l = strings.TrimPrefix(l, strings.Repeat(" ", min(margin, len(l)-len(strings.TrimLeft(l, " ")))))
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), rest, true
}

// closing splits s, which starts with "(", behind the matching ")".
func closing(s string) (inside, after string, err error) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return s[1:i], s[i+1:], nil
			}
		case '"', '\'':
			end := strings.IndexByte(s[i+1:], s[i])
			if end < 0 {
				return "", "", fmt.Errorf("string without end in %.40q", s)
			}
			i += end + 1
		}
	}
	return "", "", fmt.Errorf("no closing bracket in %.40q", s)
}

// splitTop splits s at the separator where no bracket or string is open.
func splitTop(s string, sep byte) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'':
			if end := strings.IndexByte(s[i+1:], s[i]); end >= 0 {
				i += end + 1
			}
		case sep:
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

func (f *Func) parseParams(s string) error {
	kind := Ordinary
	for _, text := range splitTop(s, ',') {
		text = strings.Join(strings.Fields(text), " ")
		switch {
		case text == "":
			continue
		case text == "/":
			for i := range f.Params {
				f.Params[i].Kind = PositionalOnly
			}
			continue
		case text == "*":
			kind = KeywordOnly
			continue
		case strings.HasPrefix(text, "**"):
			f.Params = append(f.Params, Param{Name: text[2:], Kind: Keywords})
			f.keywords = true
			continue
		case strings.HasPrefix(text, "*"):
			f.Params = append(f.Params, Param{Name: text[1:], Kind: Rest})
			f.rest = true
			kind = KeywordOnly
			continue
		}
		p := Param{Kind: kind}
		parts := splitTop(text, '=')
		if len(parts) > 1 {
			p.Default = strings.TrimSpace(strings.Join(parts[1:], "="))
		}
		name, typ, _ := strings.Cut(parts[0], ":")
		p.Name, p.Type = strings.TrimSpace(name), strings.TrimSpace(typ)
		if p.Name == "" {
			return fmt.Errorf("parameter without a name in %q", s)
		}
		f.Params = append(f.Params, p)
	}
	for _, p := range f.Params {
		if p.Kind == Rest || p.Kind == Keywords {
			continue
		}
		f.fixed++
		if p.Kind != KeywordOnly {
			f.positional++
		}
	}
	f.plainPositional = f.positional == len(f.Params)
	return nil
}

// Fixed are the parameters in the order of Args.V.
func (f *Func) Fixed() []Param {
	out := make([]Param, 0, f.fixed)
	for _, p := range f.Params {
		if p.Kind != Rest && p.Kind != Keywords {
			out = append(out, p)
		}
	}
	return out
}

// Signature is the function for pylang's checks before the run.
func (f *Func) Signature() pylang.Signature {
	s := pylang.Signature{Variadic: f.rest, Open: f.keywords}
	required := true
	for _, p := range f.Fixed() {
		if f.rest && p.Kind == KeywordOnly {
			s.Open = true // names behind *args have no place among the positions
			continue
		}
		s.Params = append(s.Params, p.Name)
		if required = required && p.Default == "" && p.Kind != KeywordOnly; required {
			s.Required++
		}
	}
	return s
}

// Text is the function's head in the guest's syntax, without types.
func (f *Func) Text() string {
	var b strings.Builder
	b.WriteString(f.Name)
	b.WriteByte('(')
	star, slash := false, false
	for i, p := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		if slash && p.Kind != PositionalOnly {
			b.WriteString("/, ")
		}
		slash = p.Kind == PositionalOnly
		switch p.Kind {
		case Rest:
			b.WriteByte('*')
			star = true
		case Keywords:
			b.WriteString("**")
		case KeywordOnly:
			if !star {
				b.WriteString("*, ")
				star = true
			}
		}
		b.WriteString(p.Name)
		if p.Default != "" {
			b.WriteByte('=')
			b.WriteString(p.Default)
		}
	}
	if slash {
		b.WriteString(", /")
	}
	b.WriteByte(')')
	return b.String()
}

// Func returns a function of the contract by name, nil when it has none.
func (c *Contract) Func(name string) *Func {
	for _, f := range c.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}
