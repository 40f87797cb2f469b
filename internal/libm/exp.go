package libm

import (
	"math"
	"math/big"
)

// rounded is m * 2**k as a float, rounded once, also where it is subnormal.
func rounded(m dd, k int) float64 {
	f := math.Ldexp(m.h, k)
	if math.Abs(f) >= 0x1p-1022 || m.h == 0 {
		return f
	}
	b := new(big.Float).SetPrec(200).SetFloat64(m.h)
	b.Add(b, new(big.Float).SetFloat64(m.l))
	f, _ = b.SetMantExp(b, k).Float64()
	return f
}

func special(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Exp is e**x.
func Exp(x float64) float64 {
	if special(x) || x > 709.8 || x < -745.2 {
		return math.Exp(x)
	}
	return rounded(expReduced(dd{x, 0}))
}

// Exp2 is 2**x.
func Exp2(x float64) float64 {
	if special(x) || x > 1024 || x < -1075.1 {
		return math.Exp2(x)
	}
	n := math.Round(x)
	m, k := expReduced(ln2.scale(x - n))
	return rounded(m, k+int(n))
}

// Log is the natural logarithm.
func Log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	return logOf(x).h
}

// Log2 is the logarithm of base 2.
func Log2(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log2(x)
	}
	if m, k := math.Frexp(x); m == 0.5 {
		return float64(k - 1)
	}
	return logOf(x).div(ln2).h
}

// Log10 is the logarithm of base 10 as the C library has it: the one of the
// mantissa and that of the exponent in two parts, not always the nearest float.
func Log10(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log10(x)
	}
	const (
		invLn10  = 4.34294481903251816668e-01
		log10of2 = 3.01029995663611771306e-01 // its first bits, so that products are exact
		rest     = 3.69423907715893078616e-13
	)
	m, k := math.Frexp(x)
	m, k = m*2, k-1 // 1 <= m < 2
	if k < 0 {
		m, k = m/2, k+1
	}
	y := float64(k)
	z := float64(y*rest) + float64(invLn10*Log(m))
	return z + float64(y*log10of2)
}

// Pow is x**y.
func Pow(x, y float64) float64 {
	if special(x) || special(y) || x == 0 || y == 0 || x == 1 {
		return math.Pow(x, y)
	}
	sign := 1.0
	if x < 0 {
		if y != math.Trunc(y) {
			return math.NaN()
		}
		if math.Abs(y) < 0x1p53 && math.Mod(y, 2) != 0 {
			sign = -1
		}
		x = -x
	}
	t := logOf(x).scale(y)
	switch {
	case t.h > 710:
		return sign * math.Inf(1)
	case t.h < -746:
		return sign * 0
	}
	return sign * rounded(expReduced(t))
}

// Sinh, Cosh, Tanh are the hyperbolic functions by the formulas of the C library.

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	if special(x) || a < 0x1p-28 {
		return x
	}
	h := math.Copysign(0.5, x)
	switch {
	case a < 1:
		t := math.Expm1(a)
		return h * (2*t - float64(t*t)/(t+1))
	case a < 22:
		t := math.Expm1(a)
		return h * (t + t/(t+1))
	case a < 709.78:
		return h * Exp(a)
	}
	w := Exp(0.5 * a)
	return float64(h*w) * w
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case special(x):
		return a
	case a < 0.5*math.Ln2:
		t := math.Expm1(a)
		w := 1 + t
		if a < 0x1p-55 {
			return w
		}
		return 1 + float64(t*t)/(w+w)
	case a < 22:
		t := Exp(a)
		return float64(0.5*t) + 0.5/t
	case a < 709.78:
		return 0.5 * Exp(a)
	}
	w := Exp(0.5 * a)
	return float64(0.5*w) * w
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	z := 1.0
	switch {
	case math.IsNaN(x):
		return x
	case a < 0x1p-55:
		return x
	case a < 1:
		t := math.Expm1(-2 * a)
		z = -t / (t + 2)
	case a < 22:
		t := math.Expm1(2 * a)
		z = 1 - 2/(t+2)
	}
	return math.Copysign(z, x)
}

// Asinh, Acosh and Atanh are their inverses, likewise.

// Asinh is the inverse hyperbolic sine.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	if special(x) || a < 0x1p-28 {
		return x
	}
	var w float64
	switch {
	case a > 0x1p28:
		w = Log(a) + math.Ln2
	case a > 2:
		w = Log(2*a + 1/(math.Sqrt(float64(a*a)+1)+a))
	default:
		t := float64(a * a)
		w = math.Log1p(a + t/(1+math.Sqrt(1+t)))
	}
	return math.Copysign(w, x)
}

// Acosh is the inverse hyperbolic cosine.
func Acosh(x float64) float64 {
	switch {
	case !(x >= 1) || math.IsInf(x, 1):
		return math.Acosh(x)
	case x > 0x1p28:
		return Log(x) + math.Ln2
	case x > 2:
		t := float64(x * x)
		return Log(2*x - 1/(x+math.Sqrt(t-1)))
	}
	t := x - 1
	return math.Log1p(t + math.Sqrt(2*t+float64(t*t)))
}
