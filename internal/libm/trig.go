package libm

import (
	"math"
	"math/big"
	"sync"
)

// pi/2 in three parts, each the nearest float to what the ones before leave.
const (
	halfPi1 = 0x1.921fb54442d18p+0
	halfPi2 = 0x1.1a62633145c07p-54
	halfPi3 = -0x1.f1976b7ed8fbcp-110
)

// reduce is x - n * pi/2 within about pi/4 of zero, and n modulo 4.
func reduce(x float64) (r dd, quadrant int) {
	if math.Abs(x) > 1e6 {
		return reduceBig(x)
	}
	n := math.Round(x * (2 / math.Pi))
	p := twoMul(n, halfPi1)
	r = twoSum(x, -p.h).add(dd{-p.l, 0})
	r = r.sub(twoMul(n, halfPi2)).sub(twoMul(n, halfPi3))
	return r, int(int64(n) & 3)
}

const piBits = 1300 // enough for the largest float

// piOverTwo is pi/2 to piBits bits: Machin's formula.
var piOverTwo = sync.OnceValue(func() *big.Float {
	scale := new(big.Int).Lsh(big.NewInt(1), piBits+64)
	arctan := func(inverse int64) *big.Int {
		sum, square := new(big.Int), big.NewInt(inverse*inverse)
		power := new(big.Int).Quo(scale, big.NewInt(inverse))
		for i := int64(1); power.Sign() != 0; i += 2 {
			term := new(big.Int).Quo(power, big.NewInt(i))
			if i%4 == 1 {
				sum.Add(sum, term)
			} else {
				sum.Sub(sum, term)
			}
			power.Quo(power, square)
		}
		return sum
	}
	// pi/4 = 4 arctan(1/5) - arctan(1/239)
	q := arctan(5)
	q.Lsh(q, 2).Sub(q, arctan(239)).Lsh(q, 1)
	f := new(big.Float).SetPrec(piBits).SetInt(q)
	return f.SetMantExp(f, -(piBits + 64))
})

func reduceBig(x float64) (dd, int) {
	half := piOverTwo()
	b := new(big.Float).SetPrec(piBits).SetFloat64(x)
	q := new(big.Float).SetPrec(piBits).Quo(b, half)
	shift := 0.5
	if x < 0 {
		shift = -0.5
	}
	n, _ := q.Add(q, big.NewFloat(shift)).Int(nil)
	b.Sub(b, new(big.Float).SetPrec(piBits).Mul(new(big.Float).SetPrec(piBits).SetInt(n), half))
	h, _ := b.Float64()
	l, _ := b.Sub(b, big.NewFloat(h)).Float64()
	return dd{h, l}, int(new(big.Int).And(n, big.NewInt(3)).Int64())
}

// sinCosSmall are sine and cosine of |r| < 0.8 by their series.
func sinCosSmall(r dd) (s, c dd) {
	rr := r.mul(r)
	s, c = r, one
	ts, tc := r, one
	for i := 1.0; i <= 28; i += 2 {
		tc = tc.mul(rr).div(dd{-i * (i + 1), 0})
		c = c.add(tc)
		ts = ts.mul(rr).div(dd{-(i + 1) * (i + 2), 0})
		s = s.add(ts)
		if math.Abs(ts.h) < math.Abs(s.h)*0x1p-112 && math.Abs(tc.h) < 0x1p-112 {
			break
		}
	}
	return s, c
}

func sinCos(x float64) (s, c dd) {
	r, q := reduce(x)
	s, c = sinCosSmall(r)
	switch q {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

// Sin is the sine.
func Sin(x float64) float64 {
	if special(x) || math.Abs(x) < 0x1p-28 {
		return math.Sin(x)
	}
	s, _ := sinCos(x)
	return s.h
}

// Cos is the cosine.
func Cos(x float64) float64 {
	if special(x) {
		return math.Cos(x)
	}
	_, c := sinCos(x)
	return c.h
}

// Tan is the tangent.
func Tan(x float64) float64 {
	if special(x) || math.Abs(x) < 0x1p-28 {
		return math.Tan(x)
	}
	s, c := sinCos(x)
	return s.div(c).h
}

// Atan is the inverse tangent.
func Atan(x float64) float64 {
	if special(x) || math.Abs(x) < 0x1p-28 || math.Abs(x) > 0x1p60 {
		return math.Atan(x)
	}
	// tan(y - y0) = (x c - s) / (c + x s) for a y0 near y.
	y := math.Atan(x)
	s, c := sinCos(y)
	t := c.scale(x).sub(s).div(c.add(s.scale(x)))
	return dd{y, 0}.add(t).h
}

// Asin is the inverse sine.
func Asin(x float64) float64 {
	if !(math.Abs(x) < 1) || math.Abs(x) < 0x1p-28 {
		return math.Asin(x)
	}
	// sin(y - y0) = sin(y) cos(y0) - cos(y) sin(y0)
	y := math.Asin(x)
	s, c := sinCos(y)
	t := c.scale(x).sub(s.mul(coside(x)))
	return dd{y, 0}.add(t).h
}

// Acos is the inverse cosine.
func Acos(x float64) float64 {
	if !(math.Abs(x) < 1) {
		return math.Acos(x)
	}
	y := math.Acos(x)
	s, c := sinCos(y)
	t := c.mul(coside(x)).sub(s.scale(x))
	return dd{y, 0}.add(t).h
}

// coside is the square root of 1 - x*x.
func coside(x float64) dd { return twoSum(1, -x).mul(twoSum(1, x)).sqrt() }

// Atan2 is the angle of the point (x, y).
func Atan2(y, x float64) float64 {
	a := math.Atan2(y, x)
	if special(x) || special(y) || x == 0 || y == 0 || math.Abs(a) < 0x1p-500 {
		return a
	}
	_, e := math.Frexp(max(math.Abs(x), math.Abs(y)))
	xs, ys := math.Ldexp(x, -e), math.Ldexp(y, -e)
	if math.Abs(xs) < 0x1p-500 || math.Abs(ys) < 0x1p-500 {
		return a
	}
	r := twoMul(xs, xs).add(twoMul(ys, ys)).sqrt()
	s, c := sinCos(a)
	t := c.scale(ys).sub(s.scale(xs)).div(r)
	return dd{a, 0}.add(t).h
}
