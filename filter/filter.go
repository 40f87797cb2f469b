// Package filter keeps or drops documents by their metadata: one expression, in text,
// JSON or Go, with one meaning as SQL and in Go.
package filter

// Error says what is wrong with an expression and where.
type Error struct {
	Offset    int    // bytes from the start of the text; -1 when there is no text
	Msg, Hint string // what is wrong; the remedy, may be empty
}

func (e *Error) Error() string { return e.Msg }

// Parse reads the text form.
func Parse(text string) (Expr, error) { return nil, nil }

// ParseJSON reads the JSON form.
func ParseJSON(data []byte) (Expr, error) { return nil, nil }

// FromMap reads the JSON form, already decoded.
func FromMap(m map[string]any) (Expr, error) { return nil, nil }

// And and its siblings build expressions in Go.
func And(xs ...Expr) Expr                 { return nil }
func Or(xs ...Expr) Expr                  { return nil }
func Not(x Expr) Expr                     { return nil }
func Eq(field string, v any) Expr         { return nil }
func Ne(field string, v any) Expr         { return nil }
func In(field string, vs ...any) Expr     { return nil }
func Lt(field string, v any) Expr         { return nil }
func Le(field string, v any) Expr         { return nil }
func Gt(field string, v any) Expr         { return nil }
func Ge(field string, v any) Expr         { return nil }
func Between(field string, a, b any) Expr { return nil }
func Exists(field string) Expr            { return nil }
func Prefix(field, prefix string) Expr    { return nil }
func Contains(field string, v any) Expr   { return nil }

// Match reports whether e holds for d.
func Match(e Expr, d Document) bool { return true }

// SQL is e as a condition with parameters numbered from firstArg on.
func SQL(e Expr, firstArg int) (where string, args []any, err error) { return "true", nil, nil }
