package libm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const prec = 400

func bigf(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

// series sums x**i / i! over i = first, first+step, ... with the given signs: the
// slow, obvious exp, sin and cos.
func series(x *big.Float, first, step int, alternate bool) *big.Float {
	sum, term := new(big.Float).SetPrec(prec), bigf(1)
	for i := 0; i < 400; i++ {
		if i > 0 {
			term.Mul(term, x).Quo(term, bigf(float64(i)))
		}
		if i < first || (i-first)%step != 0 {
			continue
		}
		if alternate && (i-first)/step%2 == 1 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
	}
	return sum
}

func expBig(x *big.Float) *big.Float { return series(x, 0, 1, false) }
func sinBig(x *big.Float) *big.Float { return series(x, 1, 2, true) }
func cosBig(x *big.Float) *big.Float { return series(x, 0, 2, true) }

func float(b *big.Float) float64 {
	f, _ := b.Float64()
	return f
}

func TestAgainstTheSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		x := (r.Float64() - 0.5) * []float64{1e-6, 0.1, 2, 60}[r.IntN(4)]
		b := bigf(x)
		for name, c := range map[string]struct{ got, want float64 }{
			"exp": {Exp(x), float(expBig(b))},
			"sin": {Sin(x), float(sinBig(b))},
			"cos": {Cos(x), float(cosBig(b))},
			"tan": {Tan(x), float(new(big.Float).Quo(sinBig(b), cosBig(b)))},
		} {
			if c.got != c.want {
				t.Errorf("%s(%v) = %v, want %v", name, x, c.got, c.want)
			}
		}
	}
}

// between reports whether the inverse y of an increasing f is the nearest float:
// f(y - half a unit) <= x <= f(y + half a unit).
func between(f func(*big.Float) *big.Float, y, x float64) bool {
	half := new(big.Float).SetPrec(prec).Quo(new(big.Float).Sub(bigf(math.Nextafter(y, math.Inf(1))), bigf(y)), bigf(2))
	low, high := f(new(big.Float).Sub(bigf(y), half)), f(new(big.Float).Add(bigf(y), half))
	return low.Cmp(bigf(x)) <= 0 && high.Cmp(bigf(x)) >= 0
}

func TestInversesAreNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tanBig := func(b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Quo(sinBig(b), cosBig(b)) }
	for range 150 {
		x := math.Exp((r.Float64() - 0.5) * 60)
		if y := Log(x); !between(expBig, y, x) {
			t.Errorf("log(%v) = %v is not the nearest float", x, y)
		}
		near := 1 + (r.Float64()-0.5)*math.Pow(10, -8*r.Float64())
		if y := Log(near); !between(expBig, y, near) {
			t.Errorf("log(%v) = %v is not the nearest float", near, y)
		}
		u := 2*r.Float64() - 1
		if y := Asin(u); !between(sinBig, y, u) {
			t.Errorf("asin(%v) = %v is not the nearest float", u, y)
		}
		minusCos := func(b *big.Float) *big.Float { return new(big.Float).Neg(cosBig(b)) }
		if y := Acos(u); !between(minusCos, y, -u) {
			t.Errorf("acos(%v) = %v is not the nearest float", u, y)
		}
		v := (r.Float64() - 0.5) * 20
		if y := Atan(v); !between(tanBig, y, v) {
			t.Errorf("atan(%v) = %v is not the nearest float", v, y)
		}
		p, q := r.NormFloat64(), math.Abs(r.NormFloat64())
		quotient := func(b *big.Float) *big.Float {
			return new(big.Float).SetPrec(prec).Quo(new(big.Float).Mul(tanBig(b), bigf(q)), bigf(1))
		}
		if y := Atan2(p, q); !between(quotient, y, p) {
			t.Errorf("atan2(%v, %v) = %v is not the nearest float", p, q, y)
		}
	}
}

func TestPow(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		x, n := math.Round((r.Float64()-0.3)*1e6)/1e3, r.IntN(40)-5
		want := bigf(1)
		for range max(n, -n) {
			want.Mul(want, bigf(x))
		}
		if n < 0 {
			want.Quo(bigf(1), want)
		}
		if got := Pow(x, float64(n)); x != 0 && got != float(want) {
			t.Errorf("%v ** %d = %v, want %v", x, n, got, float(want))
		}
	}
	for _, c := range [][3]float64{{2, 0.5, math.Sqrt2}, {10, -308, 1e-308}, {2, -1074, 5e-324}, {2, 1023, 0x1p1023}, {2, 1024, math.Inf(1)}, {-2, 3, -8}, {-2, 0x1p60, math.Inf(1)}, {0, 0, 1}, {1e-300, 2, 0}} {
		if got := Pow(c[0], c[1]); got != c[2] {
			t.Errorf("%v ** %v = %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if !math.IsNaN(Pow(-2, 0.5)) {
		t.Error("a root of a negative number")
	}
}

// Far from zero the reduction needs many digits of pi; the values are known.
func TestLargeArguments(t *testing.T) {
	for _, c := range [][3]float64{{1e22, -0.8522008497671888, 0.523214785395139}, {1e300, -0.8178819121159085, -0.5753861119575491}} {
		if Sin(c[0]) != c[1] || Cos(c[0]) != c[2] {
			t.Errorf("sin, cos(%v) = %v, %v, want %v, %v", c[0], Sin(c[0]), Cos(c[0]), c[1], c[2])
		}
	}
}

func TestEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, f := range map[string]func(float64) float64{"exp": Exp, "exp2": Exp2, "sin": Sin, "cos": Cos, "tan": Tan, "atan": Atan, "sinh": Sinh, "cosh": Cosh, "tanh": Tanh, "log": Log, "log2": Log2, "log10": Log10, "asin": Asin, "acos": Acos, "asinh": Asinh, "acosh": Acosh} {
		std := map[string]func(float64) float64{"exp": math.Exp, "exp2": math.Exp2, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "asin": math.Asin, "acos": math.Acos, "asinh": math.Asinh, "acosh": math.Acosh}[name]
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, inf, -inf, nan, 5e-324, 1e-310, 1e308, -1e308, 710, -750} {
			got, want := f(x), std(x)
			if name == "log" && x > 0 && x < 1e-308 || name == "log10" && x > 0 && x < 1e-308 {
				continue // Go's own is wrong for subnormal numbers on some processors
			}
			if math.IsNaN(got) != math.IsNaN(want) || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(got) || math.Abs(got-want) > 1e-14*math.Abs(want) {
				t.Errorf("%s(%v) = %v, Go has %v", name, x, got, want)
			}
		}
	}
}

func BenchmarkFunctions(b *testing.B) {
	for name, f := range map[string]func(float64) float64{"Exp": Exp, "Log": Log, "Sin": Sin, "Atan": Atan} {
		b.Run(name, func(b *testing.B) {
			x := 0.7
			for b.Loop() {
				f(x)
			}
		})
	}
}
