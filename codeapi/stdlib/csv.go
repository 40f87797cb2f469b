package stdlib

import (
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

var csvDoc = guest.Lazy(`
"""Tables as text, from lists of lines and io.StringIO: reader(lines), writer(file), DictReader(lines, fieldnames=None), DictWriter(file, fieldnames), with dialect, delimiter, quotechar, quoting and the other options."""
`)

// makeCSV has the work on single characters; readers and writers are written in
// Python, in lib/csv.py.
func makeCSV(*Env, *guest.Contract) starlark.StringDict {
	return starlark.StringDict{
		"Error": exceptionClass("_csv.Error", "Exception"),
		"_split": method("_split", func(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return csvSplit(t, args[0], args[1], args[2])
		}),
		"_format": method("_format", func(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return csvFormat(t, args[0].(*starlark.List), args[1])
		}),
	}
}

// csvDialect is a dialect as the parser wants it; -1 for a character that is None.
type csvDialect struct {
	delimiter, quote, escape  rune
	double, skipSpace, strict bool
	terminator                string
	quoting                   int64
}

// The values of quoting.
const (
	quoteAll        = 1
	quoteNonnumeric = 2
	quoteNone       = 3
)

func csvOptions(t *starlark.Thread, v starlark.Value) (d csvDialect, err error) {
	get := func(name string) starlark.Value {
		x, e := pylang.GetAttr(t, v, name)
		if e != nil {
			err = e
			return starlark.None
		}
		return x
	}
	char := func(name string) rune {
		if s, ok := get(name).(starlark.String); ok {
			for _, r := range string(s) {
				return r
			}
		}
		return -1
	}
	d.delimiter, d.quote, d.escape = char("delimiter"), char("quotechar"), char("escapechar")
	d.double, d.skipSpace, d.strict = bool(get("doublequote").Truth()), bool(get("skipinitialspace").Truth()), bool(get("strict").Truth())
	if s, ok := get("lineterminator").(starlark.String); ok {
		d.terminator = string(s)
	}
	if n, ok := get("quoting").(starlark.Int); ok {
		d.quoting, _ = n.Int64()
	}
	return d, err
}

// csvState is a row that goes on in the next line.
type csvState struct {
	plain
	t       *starlark.Thread
	d       csvDialect
	mode    csvMode
	row     []starlark.Value
	field   strings.Builder
	numeric bool
}

type csvMode int

const (
	startRecord csvMode = iota
	startField
	escapedChar
	inField
	inQuoted
	escapeInQuoted
	quoteInQuoted
	eatNewline
	afterEscapedNewline
)

// endOfLine follows the last character of each line.
const endOfLine rune = -2

// csvSplit takes a line, or None at the end of the text, and the state after the
// line before; it gives the row, or None, and the state in which the next line is
// read.
func csvSplit(t *starlark.Thread, line, state, dialect starlark.Value) (starlark.Value, error) {
	s, ok := state.(*csvState)
	if !ok {
		d, err := csvOptions(t, dialect)
		if err != nil {
			return nil, err
		}
		s = &csvState{plain: plain{class: "csv state"}, t: t, d: d}
	}
	text, ok := line.(starlark.String)
	if !ok { // what an open quote holds at the end is a field
		if s.field.Len() == 0 && s.mode != inQuoted {
			return starlark.Tuple{starlark.None, starlark.None}, nil
		}
		if s.d.strict {
			return nil, raise("_csv.Error", "unexpected end of data")
		}
		if err := s.save(); err != nil {
			return nil, err
		}
		return starlark.Tuple{list(s.row), starlark.None}, nil
	}
	for _, c := range string(text) {
		if err := s.char(c); err != nil {
			return nil, err
		}
	}
	if err := s.char(endOfLine); err != nil {
		return nil, err
	}
	if s.mode != startRecord {
		return starlark.Tuple{starlark.None, s}, nil
	}
	return starlark.Tuple{list(s.row), starlark.None}, nil
}

func (s *csvState) save() error {
	v := starlark.Value(text(s.field.String()))
	if s.numeric {
		f, err := pylang.Call(s.t, pylang.Builtin(s.t, "float"), starlark.Tuple{v}, nil)
		if err != nil {
			return err
		}
		v = f
	}
	s.numeric = false
	s.field.Reset()
	s.row = append(s.row, v)
	return nil
}

// end saves the field that c ends.
func (s *csvState) end(c rune) error {
	switch c {
	case endOfLine:
		s.mode = startRecord
	case s.d.delimiter:
		s.mode = startField
	default:
		s.mode = eatNewline
	}
	return s.save()
}

// char is one step of the automaton that CPython's csv is, too.
func (s *csvState) char(c rune) error {
	d := &s.d
	newline := c == '\n' || c == '\r'
	switch s.mode {
	case startRecord, startField:
		switch {
		case s.mode == startRecord && c == endOfLine:
		case s.mode == startRecord && newline:
			s.mode = eatNewline
		case newline || c == endOfLine:
			return s.end(c)
		case c == d.quote && d.quoting != quoteNone:
			s.mode = inQuoted
		case c == d.escape:
			s.mode = escapedChar
		case c == ' ' && d.skipSpace:
			s.mode = startField
		case c == d.delimiter:
			return s.end(c)
		default:
			s.numeric = d.quoting == quoteNonnumeric
			s.field.WriteRune(c)
			s.mode = inField
		}
	case escapedChar:
		switch {
		case newline:
			s.field.WriteRune(c)
			s.mode = afterEscapedNewline
			return nil
		case c == endOfLine:
			c = '\n'
		}
		s.field.WriteRune(c)
		s.mode = inField
	case inField, afterEscapedNewline:
		switch {
		case s.mode == afterEscapedNewline && c == endOfLine:
		case newline || c == endOfLine || c == d.delimiter:
			return s.end(c)
		case c == d.escape:
			s.mode = escapedChar
		default:
			s.field.WriteRune(c)
			s.mode = inField
		}
	case inQuoted:
		switch {
		case c == endOfLine:
		case c == d.escape:
			s.mode = escapeInQuoted
		case c == d.quote && d.quoting != quoteNone:
			s.mode = quoteInQuoted
			if !d.double {
				s.mode = inField
			}
		default:
			s.field.WriteRune(c)
		}
	case escapeInQuoted:
		if c == endOfLine {
			c = '\n'
		}
		s.field.WriteRune(c)
		s.mode = inQuoted
	case quoteInQuoted:
		switch {
		case c == d.quote && d.quoting != quoteNone:
			s.field.WriteRune(c)
			s.mode = inQuoted
		case newline || c == endOfLine || c == d.delimiter:
			return s.end(c)
		case d.strict:
			return raise("_csv.Error", "'%c' expected after '%c'", d.delimiter, d.quote)
		default:
			s.field.WriteRune(c)
			s.mode = inField
		}
	case eatNewline:
		switch {
		case newline:
		case c == endOfLine:
			s.mode = startRecord
		default:
			return raise("_csv.Error", "new-line character seen in unquoted field - do you need to open the file in universal-newline mode?")
		}
	}
	return nil
}

// csvFormat writes a row.
func csvFormat(t *starlark.Thread, row *starlark.List, dialect starlark.Value) (starlark.Value, error) {
	d, err := csvOptions(t, dialect)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := range row.Len() {
		v := row.Index(i)
		if i > 0 {
			b.WriteRune(d.delimiter)
		}
		field := ""
		if v != starlark.None {
			if field, err = pylang.Str(t, v); err != nil {
				return nil, err
			}
		}
		quoted := d.quoting == quoteAll || d.quoting == quoteNonnumeric && !isNumber(v)
		if err := d.writeField(&b, field, quoted); err != nil {
			return nil, err
		}
	}
	if row.Len() > 0 && b.Len() == 0 {
		if d.quoting == quoteNone {
			return nil, raise("_csv.Error", "single empty field record must be quoted")
		}
		if err := d.writeField(&b, "", true); err != nil {
			return nil, err
		}
	}
	b.WriteString(d.terminator)
	return text(b.String()), nil
}

func (d *csvDialect) writeField(b *strings.Builder, field string, quoted bool) error {
	var out strings.Builder
	for _, c := range field {
		if c == d.delimiter || c == d.escape || c == d.quote || strings.ContainsRune(d.terminator, c) {
			escape := d.quoting == quoteNone || c == d.escape
			if c == d.quote && !escape {
				if d.double {
					out.WriteRune(c)
				} else {
					escape = true
				}
			}
			if !escape {
				quoted = true
			} else if d.escape < 0 {
				return raise("_csv.Error", "need to escape, but no escapechar set")
			} else {
				out.WriteRune(d.escape)
			}
		}
		out.WriteRune(c)
	}
	if quoted {
		b.WriteRune(d.quote)
	}
	b.WriteString(out.String())
	if quoted {
		b.WriteRune(d.quote)
	}
	return nil
}
