package stdlib

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

const maxDays = 999_999_999

// delta is a timedelta in Python's normal form: 0 <= secs < 86400, 0 <= us < 10**6.
type delta struct{ days, secs, us int }

var (
	_ starlark.TotallyOrdered = delta{}
	_ starlark.HasBinary      = delta{}
	_ starlark.HasUnary       = delta{}
)

// normalDelta is for values that are known to be small.
func normalDelta(days, secs, us int64) delta {
	secs += floorDiv(us, 1e6)
	us = us - floorDiv(us, 1e6)*1e6
	days += floorDiv(secs, 86400)
	secs = secs - floorDiv(secs, 86400)*86400
	return delta{int(days), int(secs), int(us)}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

var usPerDay = big.NewInt(86400 * 1e6)

// total is the delta in microseconds.
func (d delta) total() *big.Int {
	n := new(big.Int).Mul(big.NewInt(int64(d.days)), usPerDay)
	return n.Add(n, big.NewInt(int64(d.secs)*1e6+int64(d.us)))
}

func deltaOf(us *big.Int) (starlark.Value, error) {
	days, rest := new(big.Int).DivMod(us, usPerDay, new(big.Int))
	if !days.IsInt64() || days.Int64() > maxDays || days.Int64() < -maxDays {
		return nil, raise("OverflowError", "days=%s; must have magnitude <= 999999999", days)
	}
	r := rest.Int64()
	return delta{int(days.Int64()), int(r / 1e6), int(r % 1e6)}, nil
}

// duration is for offsets of zones, which are below a day.
func (d delta) duration() time.Duration {
	return time.Duration(d.days)*24*time.Hour + time.Duration(d.secs)*time.Second + time.Duration(d.us)*time.Microsecond
}

func (d delta) negated() delta { return normalDelta(-int64(d.days), -int64(d.secs), -int64(d.us)) }

func (d delta) compare(o delta) int {
	for _, c := range [...]int{d.days - o.days, d.secs - o.secs, d.us - o.us} {
		if c != 0 {
			return min(max(c, -1), 1)
		}
	}
	return 0
}

// newDelta adds its arguments exactly and rounds once, half to even.
func newDelta(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	units := [...]int64{86400 * 1e6, 1e6, 1, 1e3, 60 * 1e6, 3600 * 1e6, 7 * 86400 * 1e6}
	sum := new(big.Rat)
	for i, unit := range units {
		if a.V[i] == nil {
			continue
		}
		x, err := exactNumber(a.V[i], "timedelta "+a.Name(i)+" component")
		if err != nil {
			return nil, err
		}
		sum.Add(sum, x.Mul(x, new(big.Rat).SetInt64(unit)))
	}
	return deltaOf(roundHalfEven(sum))
}

func exactNumber(v starlark.Value, what string) (*big.Rat, error) {
	switch v := v.(type) {
	case starlark.Int, starlark.Bool:
		n, _ := guest.AsInt(v)
		return new(big.Rat).SetInt(n.BigInt()), nil
	case starlark.Float:
		f := float64(v)
		if math.IsNaN(f) {
			return nil, raise("ValueError", "cannot convert float NaN to integer")
		}
		if math.IsInf(f, 0) {
			return nil, raise("OverflowError", "cannot convert float infinity to integer")
		}
		return new(big.Rat).SetFloat64(f), nil
	}
	return nil, raise("TypeError", "unsupported type for %s: %s", what, guest.TypeName(v))
}

func roundHalfEven(r *big.Rat) *big.Int {
	two := big.NewInt(2)
	num := new(big.Int).Mul(r.Num(), two)
	num.Add(num, r.Denom())
	den := new(big.Int).Mul(r.Denom(), two)
	q, m := new(big.Int).DivMod(num, den, new(big.Int))
	if m.Sign() == 0 && q.Bit(0) == 1 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

func (d delta) String() string {
	var parts []string
	for _, p := range [...]struct {
		name string
		n    int
	}{{"days", d.days}, {"seconds", d.secs}, {"microseconds", d.us}} {
		if p.n != 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", p.name, p.n))
		}
	}
	if parts == nil {
		parts = []string{"0"}
	}
	return "datetime.timedelta(" + strings.Join(parts, ", ") + ")"
}

// PyStr is str(d).
func (d delta) PyStr() string {
	s := fmt.Sprintf("%d:%02d:%02d", d.secs/3600, d.secs/60%60, d.secs%60)
	if d.us != 0 {
		s += fmt.Sprintf(".%06d", d.us)
	}
	if d.days != 0 {
		plural := "s"
		if d.days == 1 || d.days == -1 {
			plural = ""
		}
		s = fmt.Sprintf("%d day%s, %s", d.days, plural, s)
	}
	return s
}

func (d delta) Type() string           { return "timedelta" }
func (d delta) PyType() starlark.Value { return sharedClasses().delta }
func (d delta) Freeze()                {}
func (d delta) Truth() starlark.Bool   { return d != delta{} }
func (d delta) Hash() (uint32, error)  { return starlark.MakeBigInt(d.total()).Hash() }

func (d delta) Cmp(y starlark.Value, _ int) (int, error) { return d.compare(y.(delta)), nil }

func (d delta) AttrNames() []string {
	return []string{"days", "microseconds", "seconds", "total_seconds"}
}

func (d delta) Attr(name string) (starlark.Value, error) {
	switch name {
	case "days":
		return starlark.MakeInt(d.days), nil
	case "seconds":
		return starlark.MakeInt(d.secs), nil
	case "microseconds":
		return starlark.MakeInt(d.us), nil
	case "total_seconds":
		return method(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			f, _ := new(big.Rat).SetFrac(d.total(), big.NewInt(1e6)).Float64()
			return float(f), nil
		}), nil
	}
	return nil, raise("AttributeError", "'datetime.timedelta' object has no attribute '%s'", name)
}

// PyAbs is abs(d).
func (d delta) PyAbs() (starlark.Value, error) {
	if d.days < 0 {
		return deltaOf(new(big.Int).Neg(d.total()))
	}
	return d, nil
}

func (d delta) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.MINUS:
		return deltaOf(new(big.Int).Neg(d.total()))
	case syntax.PLUS:
		return d, nil
	}
	return nil, nil
}

func (d delta) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if o, ok := y.(delta); ok {
		a, b := d, o
		if side == starlark.Right {
			a, b = o, d
		}
		return deltaPair(op, a, b)
	}
	n, isInt := guest.AsInt(y)
	f, isFloat := y.(starlark.Float)
	if !isInt && !isFloat {
		return nil, nil
	}
	by := new(big.Rat)
	if isInt {
		by.SetInt(n.BigInt())
	} else if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return nil, raise("ValueError", "cannot convert float %s to integer ratio", map[bool]string{true: "NaN", false: "infinity"}[math.IsNaN(float64(f))])
	} else {
		by.SetFloat64(float64(f))
	}
	total := new(big.Rat).SetInt(d.total())
	switch {
	case op == syntax.STAR:
		return deltaOf(roundHalfEven(total.Mul(total, by)))
	case side == starlark.Right:
		return nil, nil
	case op == syntax.SLASH || op == syntax.SLASHSLASH && isInt:
		if by.Sign() == 0 {
			return nil, raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		if op == syntax.SLASHSLASH {
			return deltaOf(floorInt(d.total(), by.Num()))
		}
		return deltaOf(roundHalfEven(total.Quo(total, by)))
	}
	return nil, nil
}

func floorInt(a, b *big.Int) *big.Int {
	q, m := new(big.Int).QuoRem(a, b, new(big.Int))
	if m.Sign() != 0 && m.Sign() != b.Sign() {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

func deltaPair(op syntax.Token, a, b delta) (starlark.Value, error) {
	x, y := a.total(), b.total()
	switch op {
	case syntax.PLUS:
		return deltaOf(x.Add(x, y))
	case syntax.MINUS:
		return deltaOf(x.Sub(x, y))
	case syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT:
		if y.Sign() == 0 {
			return nil, raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		switch op {
		case syntax.SLASH:
			f, _ := new(big.Rat).SetFrac(x, y).Float64()
			return float(f), nil
		case syntax.SLASHSLASH:
			return bigInt(floorInt(x, y)), nil
		}
		q := floorInt(x, y)
		return deltaOf(x.Sub(x, q.Mul(q, y)))
	}
	return nil, nil
}
