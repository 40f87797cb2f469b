package filter

import (
	"strings"

	"github.com/bmcis/bmcis/internal/spell"
)

// Parse reads the text form; see the package comment. Errors are [*Error].
func Parse(text string) (Expr, error) {
	if len(text) > maxBytes {
		return nil, errorf(maxBytes, "", "the expression is longer than %d bytes", maxBytes)
	}
	p := parser{lexer: lexer{src: text}}
	e, err := p.whole()
	if err != nil {
		return nil, err
	}
	return e, nil
}

// maxParens bounds the parser's recursion: parentheses add to it even where they add
// nothing to the tree.
const maxParens = 4 * maxDepth

type parser struct {
	lexer
	token
	depth int
}

func (p *parser) whole() (Expr, *Error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.kind == kindEnd {
		return nil, errorf(0, "leave the filter out to keep everything", "the expression is empty")
	}
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.kind != kindEnd {
		return nil, p.unexpected("and, or, or the end")
	}
	var n size
	if err := n.add(e, 0); err != nil {
		err.Offset = 0
		return nil, err
	}
	return e, nil
}

func (p *parser) advance() (err *Error) {
	p.token, err = p.next()
	return err
}

// take consumes the current token when it is this symbol or word.
func (p *parser) take(words ...string) (bool, *Error) {
	for _, w := range words {
		if p.word == w || p.kind == kindSymbol && p.text == w {
			return true, p.advance()
		}
	}
	return false, nil
}

func (p *parser) unexpected(want string) *Error {
	if p.kind == kindEnd {
		return errorf(p.offset, "", "the expression ends where %s should follow", want)
	}
	return errorf(p.offset, "", "expected %s, found %s", want, clip(p.text))
}

func (p *parser) or() (Expr, *Error)  { return p.list(p.and, Or, "or", "||") }
func (p *parser) and() (Expr, *Error) { return p.list(p.not, And, "and", "&&") }

func (p *parser) list(item func() (Expr, *Error), build func(...Expr) Expr, words ...string) (Expr, *Error) {
	var xs []Expr
	for {
		x, err := item()
		if err != nil {
			return nil, err
		}
		xs = append(xs, x)
		more, err := p.take(words...)
		if err != nil {
			return nil, err
		}
		if !more {
			return build(xs...), nil
		}
	}
}

func (p *parser) not() (Expr, *Error) {
	if p.depth++; p.depth > maxParens {
		return nil, errorf(p.offset, "", "nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	negated, err := p.take("not", "!")
	if err != nil {
		return nil, err
	}
	if negated {
		x, err := p.not()
		if err != nil {
			return nil, err
		}
		return Not(x), nil
	}
	return p.atom()
}

func (p *parser) atom() (Expr, *Error) {
	if open, err := p.take("("); err != nil {
		return nil, err
	} else if open {
		x, err := p.or()
		if err != nil {
			return nil, err
		}
		if closed, err := p.take(")"); err != nil {
			return nil, err
		} else if !closed {
			return nil, p.unexpected(") or and, or")
		}
		return x, nil
	}
	switch p.word {
	case "true":
		return And(), p.advance()
	case "false":
		return Or(), p.advance()
	case "exists":
		return p.existsFirst()
	case "and", "or", "null":
		return nil, p.unexpected("a condition")
	}
	if p.kind != kindName {
		err := p.unexpected("a field")
		if s, ok := p.value.(string); ok {
			err.Hint = "a condition starts with the field: " + "field = " + valueText(clip(s)) + "; odd keys stand in `backticks`"
		}
		return nil, err
	}
	name := p.token
	if err := p.advance(); err != nil {
		return nil, err
	}
	return p.comparison(name)
}

// existsFirst reads `exists f` and `exists(f)`.
func (p *parser) existsFirst() (Expr, *Error) {
	op := p.token
	if err := p.advance(); err != nil {
		return nil, err
	}
	open, err := p.take("(")
	if err != nil {
		return nil, err
	}
	if p.kind != kindName {
		return nil, p.unexpected("a field")
	}
	name := p.token
	if err := p.advance(); err != nil {
		return nil, err
	}
	if open {
		if closed, err := p.take(")"); err != nil {
			return nil, err
		} else if !closed {
			return nil, p.unexpected(")")
		}
	}
	return p.test(name, op, OpExists, nil)
}

func (p *parser) comparison(name token) (Expr, *Error) {
	opToken := p.token
	if is, err := p.take("is"); err != nil {
		return nil, err
	} else if is {
		return p.isNull(name, opToken)
	}
	negated, err := p.take("not")
	if err != nil {
		return nil, err
	}
	opToken = p.token
	op, err := p.operator(name)
	if err != nil {
		return nil, err
	}
	if negated && opToken.kind == kindSymbol {
		return nil, errorf(opToken.offset, "write not "+clip(name.text)+" "+opToken.text+" ...", "not cannot stand before %s", opToken.text)
	}
	values, err := p.values(op)
	if err != nil {
		return nil, err
	}
	x, err := p.test(name, opToken, op, values)
	if err == nil && negated {
		x = Not(x)
	}
	return x, err
}

func (p *parser) isNull(name, op token) (Expr, *Error) {
	negated, err := p.take("not")
	if err != nil {
		return nil, err
	}
	at := p.token
	if null, err := p.take("null"); err != nil {
		return nil, err
	} else if !null {
		return nil, errorf(at.offset, "write = for any other value", "is and is not take null only")
	}
	if negated {
		return p.test(name, op, OpExists, nil)
	}
	at.value = nil
	return p.test(name, op, OpEq, []token{at})
}

// operator reads one of the operators, in any of its spellings.
func (p *parser) operator(name token) (Op, *Error) {
	if p.word == "starts" {
		if err := p.advance(); err != nil {
			return "", err
		}
		if with, err := p.take("with"); err != nil {
			return "", err
		} else if !with {
			return "", p.unexpected("with")
		}
		return OpPrefix, nil
	}
	spelling := p.word
	if p.kind == kindSymbol {
		spelling = p.text
	}
	op, ok := operators[spelling]
	switch {
	case ok:
		return op, p.advance()
	case p.kind == kindEnd:
		return "", errorf(p.offset, "such as = or exists", "an operator must follow %s", clip(name.text))
	case spelling == "":
		return "", errorf(p.offset, "such as = or exists", "expected an operator after %s, found %s", clip(name.text), clip(p.text))
	}
	return "", errorf(p.offset, operatorHint(spelling), "unknown operator %s", clip(spelling))
}

// operators are the spellings that text and JSON share.
var operators = map[string]Op{
	"=": OpEq, "==": OpEq, "eq": OpEq, "!=": OpNe, "<>": OpNe, "ne": OpNe, "in": OpIn,
	"<": OpLt, "lt": OpLt, "<=": OpLe, "le": OpLe, "lte": OpLe,
	">": OpGt, "gt": OpGt, ">=": OpGe, "ge": OpGe, "gte": OpGe,
	"between": OpBetween, "exists": OpExists,
	"prefix": OpPrefix, "startswith": OpPrefix, "starts_with": OpPrefix, "contains": OpContains,
}

// operatorNames are what a wrong spelling is compared with.
var operatorNames = []string{"eq", "ne", "in", "lt", "le", "gt", "ge", "between", "exists", "prefix", "starts with", "contains", "and", "or", "not"}

func operatorHint(wrong string) string {
	switch strings.ToLower(strings.TrimPrefix(wrong, "$")) {
	case "like", "ilike", "matches", "regex", "~":
		return "use prefix or contains"
	case "has", "any", "includes", "include":
		return "did you mean contains?"
	case "&&", "||", "(", ")", ",", "[", "]", "!":
		return "an operator such as = must follow the field"
	}
	if near := spell.Nearest(wrong, operatorNames); near != "" {
		return "did you mean " + near + "?"
	}
	return "operators: = != < <= > >= in between exists prefix contains"
}

func (p *parser) values(op Op) ([]token, *Error) {
	switch op {
	case OpExists:
		return nil, nil
	case OpIn:
		return p.inList()
	case OpBetween:
		low, err := p.literal()
		if err != nil {
			return nil, err
		}
		if and, err := p.take("and", "&&", ","); err != nil {
			return nil, err
		} else if !and {
			return nil, p.unexpected("and (between a and b)")
		}
		high, err := p.literal()
		return []token{low, high}, err
	}
	v, err := p.literal()
	return []token{v}, err
}

func (p *parser) inList() ([]token, *Error) {
	end := ")"
	if p.kind == kindSymbol && p.text == "[" {
		end = "]"
	}
	if open, err := p.take("(", "["); err != nil {
		return nil, err
	} else if !open {
		return nil, p.unexpected("a list such as (1, 2)")
	}
	var values []token
	for {
		if closed, err := p.take(end); err != nil || closed {
			return values, err
		}
		if len(values) > 0 {
			if comma, err := p.take(","); err != nil {
				return nil, err
			} else if !comma {
				return nil, p.unexpected("a comma or " + end)
			}
		}
		v, err := p.literal()
		if err != nil {
			return nil, err
		}
		if values = append(values, v); len(values) > maxValues {
			return nil, errorf(v.offset, "split the search", "more than %d values", maxValues)
		}
	}
}

func (p *parser) literal() (token, *Error) {
	v := p.token
	switch {
	case v.kind == kindValue:
	case v.word == "true" || v.word == "false":
		v.value = v.word == "true"
	case v.word == "null":
		v.value = nil
	case v.kind == kindName:
		return v, errorf(v.offset, "text stands in quotes: "+valueText(clip(v.text)), "expected a value, found %s", clip(v.text))
	default:
		return v, p.unexpected("a value")
	}
	return v, p.advance()
}

// test builds a leaf and gives its errors the place that they are about.
func (p *parser) test(name, opToken token, op Op, values []token) (Expr, *Error) {
	vs := make([]any, len(values))
	for i, v := range values {
		vs[i] = v.value
	}
	f, err := newField(name.path, name.bare)
	if err != nil {
		err.Offset = name.offset
		return nil, err
	}
	t, err := newFieldTest(f, op, vs)
	if err != nil {
		if err.Offset >= 0 {
			err.Offset = values[err.Offset].offset
		} else {
			err.Offset = opToken.offset
		}
		return nil, err
	}
	return t, nil
}
