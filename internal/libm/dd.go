// Package libm computes elementary functions as the C library under CPython
// does, to the last bit: a float goes in, the nearest float to the true value
// comes out, but for about one argument in 10^9. Go's own math package is a few
// units off in the last place in some per cent of cases, which shows when a
// program prints what it has computed. The language (internal/pylang) and the
// standard library for programs (codeapi/stdlib) call it.
//
// Values are carried as unevaluated sums of two floats (T. J. Dekker, "A
// Floating-Point Technique for Extending the Available Precision", 1971), about
// 106 bits; a call takes one to two microseconds.
package libm

import "math"

// dd is the number h + l, where h is the nearest float to it.
type dd struct{ h, l float64 }

// twoSum is a + b without loss (Knuth).
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastSum is a + b without loss, for |a| >= |b|.
func fastSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoMul is a * b without loss.
func twoMul(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.h, b.h), twoSum(a.l, b.l)
	s = fastSum(s.h, s.l+t.h)
	return fastSum(s.h, s.l+t.l)
}

func (a dd) neg() dd     { return dd{-a.h, -a.l} }
func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mul(b dd) dd {
	p := twoMul(a.h, b.h)
	return fastSum(p.h, p.l+(float64(a.h*b.l)+float64(a.l*b.h)))
}

func (a dd) scale(f float64) dd { return a.mul(dd{f, 0}) }

func (a dd) div(b dd) dd {
	q1 := a.h / b.h
	r := a.sub(b.scale(q1))
	q2 := r.h / b.h
	r = r.sub(b.scale(q2))
	return fastSum(q1, q2).add(dd{r.h / b.h, 0})
}

func (a dd) sqrt() dd {
	if a.h <= 0 {
		return dd{}
	}
	x := math.Sqrt(a.h)
	r := a.sub(twoMul(x, x))
	return fastSum(x, r.h/(2*x))
}

var (
	ln2    = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	invLn2 = 1 / math.Ln2
	one    = dd{1, 0}
)

// expReduced is e**x as m * 2**k with m within 0.7..1.5, for |x| < 10^4.
func expReduced(x dd) (m dd, k int) {
	n := math.Round(x.h * invLn2)
	r := x.sub(ln2.scale(n))
	// e**r - 1 of r/256 by its series, then (p+1)**2 - 1 = p*(p+2) eight times.
	const halvings = 8
	r = dd{math.Ldexp(r.h, -halvings), math.Ldexp(r.l, -halvings)}
	p, term := r, r
	for i := 2.0; i <= 11; i++ {
		term = term.mul(r).div(dd{i, 0})
		p = p.add(term)
	}
	for range halvings {
		p = p.mul(p.add(dd{2, 0}))
	}
	return p.add(one), int(n)
}

// logOf is log(x) for x > 0 and finite.
func logOf(x float64) dd {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = m*2, k-1
	}
	// log(m) = log(c) + 2 atanh((m-c)/(m+c)) with c a float near m, whose
	// logarithm comes from one step of Newton's method.
	if math.Abs(m-1) < 0.02 {
		f := dd{m - 1, 0}.div(twoSum(m, 1))
		return atanhSeries(f).scale(2).add(ln2.scale(float64(k)))
	}
	y := math.Log(m)
	e, n := expReduced(dd{-y, 0})
	t := e.scale(math.Ldexp(m, n)).sub(one)
	t = t.sub(t.mul(t).scale(0.5))
	return dd{y, 0}.add(t).add(ln2.scale(float64(k)))
}

// atanhSeries is f + f**3/3 + f**5/5 + ... for |f| < 0.011.
func atanhSeries(f dd) dd {
	ff := f.mul(f)
	sum, power := f, f
	for i := 3.0; i <= 17; i += 2 {
		power = power.mul(ff)
		sum = sum.add(power.div(dd{i, 0}))
	}
	return sum
}
