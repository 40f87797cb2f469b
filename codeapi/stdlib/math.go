package stdlib

import (
	"math"
	"math/big"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/libm"
	"github.com/bmcis/bmcis/internal/pylang"
)

const mathText = `
"""Mathematics as in Python. Constants: pi, e, tau, inf, nan. cbrt, erf, erfc, gamma,
lgamma and the inverse hyperbolic functions may differ from CPython's in the last bits."""

def ceil(x, /): """Smallest int that is not below x."""
def floor(x, /): """Largest int that is not above x."""
def trunc(x, /): """x without its fraction."""
def fabs(x, /): """Absolute value as a float."""
def sqrt(x, /): """Square root."""
def cbrt(x, /): """Cube root."""
def isqrt(n, /): """Integer square root, rounded down."""
def factorial(n, /): """n!"""
def comb(n, k, /): """Ways to choose k of n."""
def perm(n, k=None, /): """Ways to choose k of n in order."""
def gcd(*integers): """Greatest common divisor."""
def lcm(*integers): """Least common multiple."""
def exp(x, /): """e ** x"""
def exp2(x, /): """2 ** x"""
def expm1(x, /): """exp(x) - 1, exact for small x."""
def log(x, base=None, /): """Logarithm, natural without a base."""
def log2(x, /): """Logarithm of base 2."""
def log10(x, /): """Logarithm of base 10."""
def log1p(x, /): """log(1 + x), exact for small x."""
def pow(x, y, /): """x ** y of floats."""
def sin(x, /): ...
def cos(x, /): ...
def tan(x, /): ...
def asin(x, /): ...
def acos(x, /): ...
def atan(x, /): ...
def atan2(y, x, /): ...
def sinh(x, /): ...
def cosh(x, /): ...
def tanh(x, /): ...
def asinh(x, /): ...
def acosh(x, /): ...
def atanh(x, /): ...
def degrees(x, /): """Radians to degrees."""
def radians(x, /): """Degrees to radians."""
def hypot(*coordinates): """Length of a vector."""
def dist(p, q, /): """Distance of two points."""
def fsum(seq, /): """Sum of floats without loss on the way."""
def prod(iterable, /, *, start=1): """Product."""
def copysign(x, y, /): """x with the sign of y."""
def fmod(x, y, /): """Remainder with the sign of x."""
def remainder(x, y, /): """IEEE 754 remainder."""
def modf(x, /): """(fraction, whole part)"""
def frexp(x, /): """(mantissa, exponent)"""
def ldexp(x, i, /): """x * 2 ** i"""
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0): """Whether a and b are near."""
def isfinite(x, /): ...
def isinf(x, /): ...
def isnan(x, /): ...
def erf(x, /): """Error function."""
def erfc(x, /): """1 - erf(x)"""
def gamma(x, /): """Gamma function."""
def lgamma(x, /): """log(abs(gamma(x)))"""
def nextafter(x, y, /): """The next float after x towards y."""
def ulp(x, /): """Value of the last bit of x."""
`

var mathDoc = guest.Lazy(mathText)

var errDomain = pylang.Raise("ValueError", "math domain error")

func domain() error { return raise("ValueError", "%s", errDomain.Message) }

func mathRange() error { return raise("OverflowError", "math range error") }

// real makes a function of one float. A NaN that no NaN went into is a domain
// error, an infinity that no infinity went into a range error; pole says that the
// latter is a domain error too.
func real(f func(float64) float64, pole bool) guest.Impl {
	return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		x, err := number(a.V[0])
		if err != nil {
			return nil, err
		}
		y := f(x)
		if math.IsNaN(y) && !math.IsNaN(x) {
			return nil, domain()
		}
		if math.IsInf(y, 0) && !math.IsInf(x, 0) && !math.IsNaN(x) {
			if pole {
				return nil, domain()
			}
			return nil, mathRange()
		}
		return float(y), nil
	}
}

func makeMath(_ *Env, c *guest.Contract) starlark.StringDict {
	functions := map[string]guest.Impl{
		"ceil": rounding(math.Ceil), "floor": rounding(math.Floor), "trunc": rounding(math.Trunc),
		"fabs": real(math.Abs, false), "sqrt": real(math.Sqrt, false), "cbrt": real(math.Cbrt, false),
		"isqrt": isqrt, "factorial": factorial, "comb": comb, "perm": perm,
		"gcd": gcd, "lcm": lcm,
		"exp": real(libm.Exp, false), "exp2": real(libm.Exp2, false), "expm1": real(math.Expm1, false),
		"log": logarithm, "log2": logOf(libm.Log2), "log10": logOf(libm.Log10), "log1p": real(math.Log1p, true),
		"pow": mathPow,
		"sin": real(libm.Sin, false), "cos": real(libm.Cos, false), "tan": real(libm.Tan, false),
		"asin": real(libm.Asin, false), "acos": real(libm.Acos, false), "atan": real(libm.Atan, false),
		"atan2": real2(libm.Atan2), "copysign": real2(math.Copysign),
		"sinh": real(libm.Sinh, false), "cosh": real(libm.Cosh, false), "tanh": real(libm.Tanh, false),
		"asinh": real(libm.Asinh, false), "acosh": real(libm.Acosh, false), "atanh": real(math.Atanh, true),
		"degrees": real(func(x float64) float64 { return x * (180 / math.Pi) }, false),
		"radians": real(func(x float64) float64 { return x * (math.Pi / 180) }, false),
		"hypot":   hypot, "dist": dist, "fsum": fsum, "prod": prod,
		"fmod": fmod, "remainder": remainder, "modf": modf, "frexp": frexp, "ldexp": ldexp,
		"isclose":  isclose,
		"isfinite": isKind(func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }),
		"isinf":    isKind(func(x float64) bool { return math.IsInf(x, 0) }), "isnan": isKind(math.IsNaN),
		"erf": real(math.Erf, false), "erfc": real(math.Erfc, false), "gamma": mathGamma, "lgamma": lgamma,
		"nextafter": real2(math.Nextafter), "ulp": ulp,
	}
	for name, f := range functions {
		functions[name] = ofNumbers(name, f)
	}
	m := c.Bind("math", functions)
	m["pi"], m["e"], m["tau"] = float(math.Pi), float(math.E), float(2*math.Pi)
	m["inf"], m["nan"] = float(math.Inf(1)), float(math.NaN())
	return m
}

func real2(f func(x, y float64) float64) guest.Impl {
	return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		x, y, err := two(a)
		if err != nil {
			return nil, err
		}
		return float(f(x, y)), nil
	}
}

func two(a *guest.Args) (x, y float64, err error) {
	if x, err = number(a.V[0]); err == nil {
		y, err = number(a.V[1])
	}
	return x, y, err
}

func isKind(f func(float64) bool) guest.Impl {
	return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		x, err := number(a.V[0])
		if err != nil {
			return nil, err
		}
		return starlark.Bool(f(x)), nil
	}
}

// ofNumbers lets a function take the program's own numbers, such as fractions.
func ofNumbers(name string, f guest.Impl) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		for i, v := range a.V {
			if _, ok := v.(*pylang.Instance); !ok {
				continue
			}
			if name == "floor" || name == "ceil" || name == "trunc" {
				if r, err := pylang.Dunder(t, v, "__"+name+"__"); r != nil || err != nil {
					return r, err
				}
			}
			r, err := pylang.Real(t, v)
			if err != nil {
				return nil, err
			}
			a.V[i] = r
		}
		return f(t, a)
	}
}

func rounding(f func(float64) float64) guest.Impl {
	return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		if n, ok := guest.AsInt(a.V[0]); ok {
			return n, nil
		}
		x, err := number(a.V[0])
		if err != nil {
			return nil, err
		}
		return wholeFloat(f(x))
	}
}

// wholeFloat is a float without fraction as an int.
func wholeFloat(x float64) (starlark.Value, error) {
	if math.IsNaN(x) {
		return nil, raise("ValueError", "cannot convert float NaN to integer")
	}
	if math.IsInf(x, 0) {
		return nil, raise("OverflowError", "cannot convert float infinity to integer")
	}
	n, _ := new(big.Float).SetFloat64(x).Int(nil)
	return bigInt(n), nil
}

func isqrt(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	n, err := integer(a.V[0])
	if err != nil {
		return nil, err
	}
	if n.Sign() < 0 {
		return nil, raise("ValueError", "isqrt() argument must be nonnegative")
	}
	return bigInt(new(big.Int).Sqrt(n)), nil
}

// small is argument i as a machine integer that is not negative.
func small(a *guest.Args, i int, what string) (int64, error) {
	n, err := integer(a.V[i])
	if err != nil {
		return 0, err
	}
	if n.Sign() < 0 {
		return 0, raise("ValueError", "%s", what)
	}
	if !n.IsInt64() {
		return 0, raise("OverflowError", "%s is too large", a.Name(i))
	}
	return n.Int64(), nil
}

func factorial(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if _, ok := a.V[0].(starlark.Float); ok {
		return nil, raise("TypeError", "'float' object cannot be interpreted as an integer")
	}
	n, err := small(a, 0, "factorial() not defined for negative values")
	if err != nil {
		return nil, err
	}
	if n > 100_000 {
		return nil, raise("OverflowError", "factorial() of more than 100000 is not possible here")
	}
	return bigInt(new(big.Int).MulRange(1, n)), nil
}

func comb(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	n, err := small(a, 0, "n must be a non-negative integer")
	if err != nil {
		return nil, err
	}
	k, err := small(a, 1, "k must be a non-negative integer")
	if err != nil {
		return nil, err
	}
	if k > n {
		return starlark.MakeInt(0), nil
	}
	k = min(k, n-k)
	if float64(k)*math.Log2(float64(n)+1) > maxBits {
		return nil, raise("OverflowError", "the result would be too large")
	}
	return bigInt(new(big.Int).Binomial(n, k)), nil
}

func perm(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if !a.Given(1) {
		return factorial(nil, a)
	}
	n, err := small(a, 0, "n must be a non-negative integer")
	if err != nil {
		return nil, err
	}
	k, err := small(a, 1, "k must be a non-negative integer")
	if err != nil {
		return nil, err
	}
	if k > n {
		return starlark.MakeInt(0), nil
	}
	if float64(k)*math.Log2(float64(n)+1) > maxBits {
		return nil, raise("OverflowError", "the result would be too large")
	}
	return bigInt(new(big.Int).MulRange(n-k+1, n)), nil
}

func gcd(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	g := new(big.Int)
	for _, v := range a.Rest {
		n, err := integer(v)
		if err != nil {
			return nil, err
		}
		g.GCD(nil, nil, g, new(big.Int).Abs(n))
	}
	return bigInt(g), nil
}

func lcm(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	l := big.NewInt(1)
	for _, v := range a.Rest {
		n, err := integer(v)
		if err != nil {
			return nil, err
		}
		if n.Sign() == 0 {
			l.SetInt64(0)
		}
		if l.Sign() == 0 {
			continue
		}
		n = new(big.Int).Abs(n)
		g := new(big.Int).GCD(nil, nil, l, n)
		l.Mul(l, n.Quo(n, g))
		if l.BitLen() > maxBits {
			return nil, raise("OverflowError", "the result would be too large")
		}
	}
	return bigInt(l), nil
}

// logOf takes ints of any size.
func logOf(f func(float64) float64) guest.Impl {
	return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		x, err := logNumber(a.V[0], f)
		if err != nil {
			return nil, err
		}
		return float(x), nil
	}
}

func logNumber(v starlark.Value, f func(float64) float64) (float64, error) {
	if n, ok := v.(starlark.Int); ok {
		b := n.BigInt()
		if b.Sign() <= 0 {
			return 0, domain()
		}
		if x, ok := guest.IntToFloat(n); ok {
			return f(x), nil
		}
		// log(m * 2**e) = log(m) + e * log(2)
		e := b.BitLen()
		m, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(b), -e).Float64()
		return f(m) + float64(e)*f(2), nil
	}
	x, err := number(v)
	if err != nil {
		return 0, err
	}
	if x <= 0 {
		return 0, domain()
	}
	return f(x), nil
}

func logarithm(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, err := logNumber(a.V[0], libm.Log)
	if err != nil {
		return nil, err
	}
	if a.V[1] == nil {
		return float(x), nil
	}
	b, err := logNumber(a.V[1], libm.Log)
	if err != nil {
		return nil, err
	}
	if b == 0 {
		return nil, raise("ZeroDivisionError", "float division by zero")
	}
	return float(x / b), nil
}

func mathPow(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, y, err := two(a)
	if err != nil {
		return nil, err
	}
	z := libm.Pow(x, y)
	finite := !math.IsInf(x, 0) && !math.IsInf(y, 0) && !math.IsNaN(x) && !math.IsNaN(y)
	if finite && math.IsNaN(z) || finite && x == 0 && y < 0 {
		return nil, domain()
	}
	if finite && math.IsInf(z, 0) {
		return nil, mathRange()
	}
	return float(z), nil
}

func fmod(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, y, err := two(a)
	if err != nil {
		return nil, err
	}
	if math.IsInf(y, 0) && !math.IsInf(x, 0) && !math.IsNaN(x) {
		return float(x), nil
	}
	z := math.Mod(x, y)
	if math.IsNaN(z) && !math.IsNaN(x) && !math.IsNaN(y) {
		return nil, domain()
	}
	return float(z), nil
}

func remainder(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, y, err := two(a)
	if err != nil {
		return nil, err
	}
	if !math.IsNaN(x) && !math.IsNaN(y) {
		if math.IsInf(x, 0) || y == 0 {
			return nil, domain()
		}
		if math.IsInf(y, 0) {
			return float(x), nil
		}
	}
	return float(math.Remainder(x, y)), nil
}

func modf(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, err := number(a.V[0])
	if err != nil {
		return nil, err
	}
	if math.IsInf(x, 0) {
		return starlark.Tuple{float(math.Copysign(0, x)), float(x)}, nil
	}
	w := math.Trunc(x)
	return starlark.Tuple{float(math.Copysign(x-w, x)), float(w)}, nil
}

func frexp(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, err := number(a.V[0])
	if err != nil {
		return nil, err
	}
	m, e := math.Frexp(x)
	return starlark.Tuple{float(m), starlark.MakeInt(e)}, nil
}

func ldexp(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, err := number(a.V[0])
	if err != nil {
		return nil, err
	}
	n, err := integer(a.V[1])
	if err != nil {
		return nil, raise("TypeError", "Expected an int as second argument to ldexp.")
	}
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return float(x), nil
	}
	e := 100_000
	if n.IsInt64() && n.Int64() > -100_000 && n.Int64() < 100_000 {
		e = int(n.Int64())
	} else if n.Sign() < 0 {
		e = -e
	}
	y := math.Ldexp(x, e)
	if math.IsInf(y, 0) {
		return nil, mathRange()
	}
	return float(y), nil
}

func isclose(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, y, err := two(a)
	if err != nil {
		return nil, err
	}
	rel, abs := 1e-9, 0.0
	if a.V[2] != nil {
		if rel, err = number(a.V[2]); err != nil {
			return nil, err
		}
	}
	if a.V[3] != nil {
		if abs, err = number(a.V[3]); err != nil {
			return nil, err
		}
	}
	if rel < 0 || abs < 0 {
		return nil, raise("ValueError", "tolerances must be non-negative")
	}
	if x == y {
		return starlark.True, nil
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return starlark.False, nil
	}
	d := math.Abs(y - x)
	return starlark.Bool(d <= math.Abs(rel*y) || d <= math.Abs(rel*x) || d <= abs), nil
}

func coordinates(vs []starlark.Value) ([]float64, error) {
	out := make([]float64, len(vs))
	for i, v := range vs {
		x, err := number(v)
		if err != nil {
			return nil, err
		}
		out[i] = math.Abs(x)
	}
	return out, nil
}

// norm is the length of a vector, rounded once.
func norm(xs []float64) float64 {
	sum := new(big.Float).SetPrec(300)
	nan := false
	for _, x := range xs {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
		if math.IsNaN(x) {
			nan = true
			continue
		}
		b := new(big.Float).SetPrec(300).SetFloat64(x)
		sum.Add(sum, b.Mul(b, b))
	}
	if nan {
		return math.NaN()
	}
	if sum.Sign() == 0 {
		return 0
	}
	f, _ := sum.Sqrt(sum).Float64()
	return f
}

func hypot(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, err := coordinates(a.Rest)
	if err != nil {
		return nil, err
	}
	return float(norm(xs)), nil
}

func dist(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	p, err := elements(t, a.V[0])
	if err != nil {
		return nil, err
	}
	q, err := elements(t, a.V[1])
	if err != nil {
		return nil, err
	}
	if len(p) != len(q) {
		return nil, raise("ValueError", "both points must have the same number of dimensions")
	}
	xs := make([]float64, len(p))
	for i := range p {
		x, err := number(p[i])
		if err != nil {
			return nil, err
		}
		y, err := number(q[i])
		if err != nil {
			return nil, err
		}
		xs[i] = math.Abs(x - y)
	}
	return float(norm(xs)), nil
}

func fsum(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var xs []float64
	err := guest.Each(t, a.V[0], func(v starlark.Value) error {
		x, err := number(v)
		xs = append(xs, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	s, err := exactSum(xs)
	if err != nil {
		return nil, err
	}
	return float(s), nil
}

// exactSum adds without loss and rounds once.
func exactSum(xs []float64) (float64, error) {
	sum := new(big.Float).SetPrec(2200) // every finite float and 2^50 of them fit
	special, inf := 0.0, 0.0
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			if math.IsInf(x, 0) {
				if inf != 0 && inf != x {
					return 0, raise("ValueError", "-inf + inf in fsum")
				}
				inf = x
			}
			special += x
			continue
		}
		sum.Add(sum, new(big.Float).SetFloat64(x))
	}
	if special != 0 {
		return special, nil
	}
	f, _ := sum.Float64()
	if math.IsInf(f, 0) {
		return 0, raise("OverflowError", "intermediate overflow in fsum")
	}
	return f, nil
}

func prod(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var acc starlark.Value = starlark.MakeInt(1)
	if a.V[1] != nil {
		acc = a.V[1]
	}
	err := guest.Each(t, a.V[0], func(v starlark.Value) error {
		if n, ok := acc.(starlark.Int); ok && n.BigInt().BitLen() > maxBits {
			return raise("OverflowError", "the product would be too large")
		}
		var err error
		acc, err = pylang.Binary(t, "*", acc, v)
		return err
	})
	return acc, err
}

func mathGamma(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, err := number(a.V[0])
	if err != nil {
		return nil, err
	}
	if math.IsInf(x, -1) || x <= 0 && x == math.Trunc(x) {
		return nil, domain()
	}
	// Small whole numbers are exact.
	if x == math.Trunc(x) && x <= 23 {
		f := 1.0
		for i := 2.0; i < x; i++ {
			f *= i
		}
		return float(f), nil
	}
	y := math.Gamma(x)
	if math.IsInf(y, 0) && !math.IsInf(x, 0) {
		return nil, mathRange()
	}
	return float(y), nil
}

func lgamma(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, err := number(a.V[0])
	if err != nil {
		return nil, err
	}
	if x <= 0 && x == math.Trunc(x) && !math.IsInf(x, 0) {
		return nil, domain()
	}
	y, _ := math.Lgamma(x)
	if math.IsInf(x, 0) {
		y = math.Inf(1)
	}
	return float(y), nil
}

func ulp(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, err := number(a.V[0])
	if err != nil {
		return nil, err
	}
	x = math.Abs(x)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return float(x), nil
	}
	next := math.Nextafter(x, math.Inf(1))
	if math.IsInf(next, 0) {
		return float(x - math.Nextafter(x, 0)), nil
	}
	return float(next - x), nil
}
