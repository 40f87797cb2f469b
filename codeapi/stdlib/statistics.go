package stdlib

import (
	"math"
	"math/big"
	"sort"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/libm"
	"github.com/bmcis/bmcis/internal/pylang"
)

const statisticsText = `
"""Statistics as in Python: exact sums, rounded once. StatisticsError is a ValueError."""

def mean(data): """Arithmetic mean."""
def fmean(data, weights=None): """Arithmetic mean as a float."""
def geometric_mean(data): ...
def harmonic_mean(data, weights=None): ...
def median(data): ...
def median_low(data): ...
def median_high(data): ...
def median_grouped(data, interval=1): ...
def mode(data): """The most frequent value, the first of several."""
def multimode(data): """All most frequent values."""
def stdev(data, xbar=None): """Standard deviation of a sample."""
def pstdev(data, mu=None): """Standard deviation of a population."""
def variance(data, xbar=None): """Variance of a sample."""
def pvariance(data, mu=None): """Variance of a population."""
def quantiles(data, *, n=4, method="exclusive"): """Cut points between n groups of equal size."""
def covariance(x, y, /): ...
def correlation(x, y, /): ...
def linear_regression(x, y, /, *, proportional=False): """(slope, intercept)"""
`

var statisticsDoc = guest.Lazy(statisticsText)

func makeStatistics(_ *Env, c *guest.Contract) starlark.StringDict {
	m := c.Bind("statistics", map[string]guest.Impl{
		"mean": mean, "fmean": fmean, "geometric_mean": geometricMean, "harmonic_mean": harmonicMean,
		"median": medians("median"), "median_low": medians("median_low"), "median_high": medians("median_high"),
		"median_grouped": medianGrouped, "mode": mode, "multimode": multimode,
		"stdev": spread("stdev", true, true), "pstdev": spread("pstdev", false, true),
		"variance": spread("variance", true, false), "pvariance": spread("pvariance", false, false),
		"quantiles": quantiles, "covariance": covariance, "correlation": correlation,
		"linear_regression": linearRegression,
	})
	m["StatisticsError"] = exceptionClass("StatisticsError", "ValueError")
	return m
}

func statError(format string, args ...any) error { return raise("StatisticsError", format, args...) }

// sample is data as exact numbers. kind is "int" when all are whole by type,
// else "float"; special holds what infinities and NaNs add up to.
type sample struct {
	xs      []*big.Rat
	floats  bool
	special *float64
}

func readSample(t *starlark.Thread, v starlark.Value) (*sample, error) {
	s := &sample{}
	err := guest.Each(t, v, func(x starlark.Value) error {
		switch x := x.(type) {
		case starlark.Float:
			s.floats = true
			f := float64(x)
			if math.IsNaN(f) || math.IsInf(f, 0) {
				sum := f
				if s.special != nil {
					sum += *s.special
				}
				s.special = &sum
				s.xs = append(s.xs, new(big.Rat))
				return nil
			}
			s.xs = append(s.xs, new(big.Rat).SetFloat64(f))
		case starlark.Int, starlark.Bool:
			n, _ := guest.AsInt(x)
			s.xs = append(s.xs, new(big.Rat).SetInt(n.BigInt()))
		default:
			return raise("TypeError", "can't convert type '%s' to numerator/denominator", guest.TypeName(x))
		}
		return nil
	})
	return s, err
}

func (s *sample) sum() *big.Rat {
	// Adding in pairs keeps the fractions short.
	xs := append([]*big.Rat(nil), s.xs...)
	for len(xs) > 1 {
		half := xs[:0]
		for i := 0; i < len(xs); i += 2 {
			if i+1 == len(xs) {
				half = append(half, xs[i])
			} else {
				half = append(half, new(big.Rat).Add(xs[i], xs[i+1]))
			}
		}
		xs = half
	}
	if len(xs) == 0 {
		return new(big.Rat)
	}
	return xs[0]
}

// value gives an exact result the type that Python gives it.
func (s *sample) value(r *big.Rat) starlark.Value {
	if !s.floats && r.IsInt() {
		return bigInt(new(big.Int).Set(r.Num()))
	}
	f, _ := r.Float64()
	return float(f)
}

func ratFloat(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

func mean(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	s, err := readSample(t, a.V[0])
	if err != nil {
		return nil, err
	}
	if len(s.xs) == 0 {
		return nil, statError("mean requires at least one data point")
	}
	if s.special != nil {
		return float(*s.special), nil
	}
	return s.value(new(big.Rat).Quo(s.sum(), big.NewRat(int64(len(s.xs)), 1))), nil
}

func floats(t *starlark.Thread, v starlark.Value) ([]float64, error) {
	var xs []float64
	err := guest.Each(t, v, func(v starlark.Value) error {
		x, err := number(v)
		xs = append(xs, x)
		return err
	})
	return xs, err
}

func fmean(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, err := floats(t, a.V[0])
	if err != nil {
		return nil, err
	}
	if a.Given(1) {
		ws, err := floats(t, a.V[1])
		if err != nil {
			return nil, err
		}
		if len(ws) != len(xs) {
			return nil, statError("data and weights must be the same length")
		}
		den, err := exactSum(ws)
		if err != nil {
			return nil, err
		}
		if den == 0 {
			return nil, statError("sum of weights must be non-zero")
		}
		products := make([]float64, len(xs))
		for i := range xs {
			products[i] = xs[i] * ws[i]
		}
		num, err := exactSum(products)
		return float(num / den), err
	}
	if len(xs) == 0 {
		return nil, statError("fmean requires at least one data point")
	}
	sum, err := exactSum(xs)
	return float(sum / float64(len(xs))), err
}

func geometricMean(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, err := floats(t, a.V[0])
	if err != nil {
		return nil, err
	}
	for i, x := range xs {
		if x <= 0 {
			return nil, statError("geometric mean requires a non-empty dataset containing positive numbers")
		}
		xs[i] = libm.Log(x)
	}
	if len(xs) == 0 {
		return nil, statError("geometric mean requires a non-empty dataset containing positive numbers")
	}
	sum, err := exactSum(xs)
	return float(libm.Exp(sum / float64(len(xs)))), err
}

// oneRead makes a tuple of the data, which is read more than once.
func oneRead(t *starlark.Thread, a *guest.Args) error {
	xs, err := elements(t, a.V[0])
	a.V[0] = starlark.Tuple(xs)
	return err
}

func harmonicMean(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if err := oneRead(t, a); err != nil {
		return nil, err
	}
	s, err := readSample(t, a.V[0])
	if err != nil {
		return nil, err
	}
	n := len(s.xs)
	if n == 0 {
		return nil, statError("harmonic_mean requires at least one data point")
	}
	ws := make([]*big.Rat, n)
	for i := range ws {
		ws[i] = big.NewRat(1, 1)
	}
	weighted := &sample{xs: ws, floats: s.floats}
	if a.Given(1) {
		if weighted, err = readSample(t, a.V[1]); err != nil {
			return nil, err
		}
		if len(weighted.xs) != n {
			return nil, statError("Number of weights does not match data size")
		}
		weighted.floats = weighted.floats || s.floats
	}
	for _, x := range s.xs {
		if x.Sign() < 0 {
			return nil, statError("harmonic mean does not support negative values")
		}
	}
	if n == 1 && !a.Given(1) {
		first, err := elements(t, a.V[0])
		if err != nil {
			return nil, err
		}
		return first[0], nil
	}
	total := new(big.Rat)
	for i, x := range s.xs {
		if x.Sign() == 0 {
			return starlark.MakeInt(0), nil
		}
		// Python divides here as numbers of their own type, not as fractions.
		share := new(big.Rat).SetFloat64(ratFloat(weighted.xs[i]) / ratFloat(x))
		if share == nil { // infinite: what is divided by it is nothing
			return float(0), nil
		}
		total.Add(total, share)
	}
	if total.Sign() <= 0 {
		return nil, statError("Weighted sum must be positive")
	}
	out := &sample{floats: true}
	return out.value(new(big.Rat).Quo(weighted.sum(), total)), nil
}

// ordered is data sorted as sorted() does.
func ordered(t *starlark.Thread, v starlark.Value) ([]starlark.Value, error) {
	xs, err := elements(t, v)
	if err != nil {
		return nil, err
	}
	xs = append([]starlark.Value(nil), xs...)
	return xs, sortValues(t, xs)
}

func sortValues(t *starlark.Thread, xs []starlark.Value) error {
	var failed error
	sort.SliceStable(xs, func(i, j int) bool {
		lt, err := pylang.Less(t, xs[i], xs[j])
		if err != nil && failed == nil {
			failed = err
		}
		return lt
	})
	return failed
}

func medians(which string) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		xs, err := ordered(t, a.V[0])
		if err != nil {
			return nil, err
		}
		n := len(xs)
		if n == 0 {
			return nil, statError("no median for empty data")
		}
		switch {
		case n%2 == 1 || which == "median_high":
			return xs[n/2], nil
		case which == "median_low":
			return xs[n/2-1], nil
		}
		sum, err := pylang.Binary(t, "+", xs[n/2-1], xs[n/2])
		if err != nil {
			return nil, err
		}
		return pylang.Binary(t, "/", sum, starlark.MakeInt(2))
	}
}

func medianGrouped(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, err := ordered(t, a.V[0])
	if err != nil {
		return nil, err
	}
	n := len(xs)
	if n == 0 {
		return nil, statError("no median for empty data")
	}
	interval := 1.0
	if a.V[1] != nil {
		if interval, err = number(a.V[1]); err != nil {
			return nil, err
		}
	}
	mid := xs[n/2]
	x, err := number(mid)
	if err != nil {
		return nil, raise("TypeError", "Value cannot be converted to a float")
	}
	below, same := 0, 0
	for _, v := range xs {
		y, err := number(v)
		if err != nil {
			return nil, raise("TypeError", "Value cannot be converted to a float")
		}
		if y < x {
			below++
		} else if y == x {
			same++
		}
	}
	low := x - interval/2
	return float(low + interval*(float64(n)/2-float64(below))/float64(same)), nil
}

// frequencies counts equal values in order of their first.
func frequencies(t *starlark.Thread, v starlark.Value) (values []starlark.Value, counts []int, err error) {
	at := new(starlark.Dict)
	err = guest.Each(t, v, func(x starlark.Value) error {
		i, err := pylang.DictGet(t, at, x)
		if err != nil {
			return err
		}
		if i == nil {
			values, counts = append(values, x), append(counts, 1)
			return pylang.DictSet(at, x, starlark.MakeInt(len(values)-1))
		}
		n, _ := i.(starlark.Int).Int64()
		counts[n]++
		return nil
	})
	return values, counts, err
}

func mode(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	values, counts, err := frequencies(t, a.V[0])
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, statError("no mode for empty data")
	}
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return values[best], nil
}

func multimode(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	values, counts, err := frequencies(t, a.V[0])
	if err != nil {
		return nil, err
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	var out []starlark.Value
	for i, n := range counts {
		if n == most {
			out = append(out, values[i])
		}
	}
	return list(out), nil
}

// spread makes the variances and standard deviations.
func spread(name string, ofSample, root bool) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		if err := oneRead(t, a); err != nil {
			return nil, err
		}
		s, err := readSample(t, a.V[0])
		if err != nil {
			return nil, err
		}
		n := int64(len(s.xs))
		if ofSample && n < 2 {
			return nil, statError("%s requires at least two data points", name)
		}
		if n < 1 {
			return nil, statError("%s requires at least one data point", name)
		}
		if s.special != nil {
			return float(math.NaN()), nil
		}
		squares := &sample{xs: make([]*big.Rat, len(s.xs))}
		if a.Given(1) {
			// With a centre of the caller's Python works on the numbers as they are.
			if squares, err = squaresAbout(t, a.V[0], a.V[1]); err != nil {
				return nil, err
			}
			s.floats = squares.floats
		} else {
			center := new(big.Rat).Quo(s.sum(), big.NewRat(n, 1))
			for i, x := range s.xs {
				d := new(big.Rat).Sub(x, center)
				squares.xs[i] = d.Mul(d, d)
			}
		}
		den := n
		if ofSample {
			den--
		}
		v := new(big.Rat).Quo(squares.sum(), big.NewRat(den, 1))
		if root {
			return float(sqrtRat(v)), nil
		}
		out := s.value(v)
		if f, ok := out.(starlark.Float); ok && math.IsInf(float64(f), 0) {
			return nil, raise("OverflowError", "integer division result too large for a float")
		}
		return out, nil
	}
}

// squaresAbout are (x - c) * (x - c) of each x, in Python's own arithmetic.
func squaresAbout(t *starlark.Thread, data, c starlark.Value) (*sample, error) {
	var squares []starlark.Value
	err := guest.Each(t, data, func(x starlark.Value) error {
		d, err := pylang.Binary(t, "-", x, c)
		if err != nil {
			return err
		}
		sq, err := pylang.Binary(t, "*", d, d)
		squares = append(squares, sq)
		return err
	})
	if err != nil {
		return nil, err
	}
	return readSample(t, starlark.Tuple(squares))
}

// sqrtRat is the square root of a fraction, rounded once.
func sqrtRat(r *big.Rat) float64 {
	f := new(big.Float).SetPrec(400).SetRat(r)
	x, _ := f.Sqrt(f).Float64()
	return x
}

func quantiles(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	n, err := a.Index(1, 4)
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, statError("n must be at least 1")
	}
	if n > 1_000_000 {
		return nil, raise("ValueError", "n must be at most 1000000, got %d", n)
	}
	how := "exclusive"
	if a.V[2] != nil {
		if how, err = str(a, 2); err != nil {
			return nil, err
		}
	}
	xs, err := ordered(t, a.V[0])
	if err != nil {
		return nil, err
	}
	if how != "inclusive" && how != "exclusive" && len(xs) >= 2 {
		return nil, raise("ValueError", "Unknown method: '%s'", how)
	}
	ld := len(xs)
	if ld < 2 {
		return nil, statError("must have at least two data points")
	}
	// (low * (n - delta) + high * delta) / n
	between := func(low, high starlark.Value, delta int) (starlark.Value, error) {
		l, err := pylang.Binary(t, "*", low, starlark.MakeInt(n-delta))
		if err != nil {
			return nil, err
		}
		h, err := pylang.Binary(t, "*", high, starlark.MakeInt(delta))
		if err != nil {
			return nil, err
		}
		sum, err := pylang.Binary(t, "+", l, h)
		if err != nil {
			return nil, err
		}
		return pylang.Binary(t, "/", sum, starlark.MakeInt(n))
	}
	var out []starlark.Value
	for i := 1; i < n; i++ {
		var v starlark.Value
		switch how {
		case "inclusive":
			m := ld - 1
			j, delta := i*m/n, i*m%n
			v, err = between(xs[j], xs[j+1], delta)
		default:
			m := ld + 1
			j := min(max(i*m/n, 1), ld-1)
			v, err = between(xs[j-1], xs[j], i*m-j*n)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return list(out), nil
}

// pairs reads two samples of the same size and their means, as floats.
func pairs(t *starlark.Thread, a *guest.Args, name string) (xs, ys []float64, xbar, ybar float64, err error) {
	if xs, err = floats(t, a.V[0]); err != nil {
		return
	}
	if ys, err = floats(t, a.V[1]); err != nil {
		return
	}
	if len(xs) != len(ys) {
		err = statError("%s requires that both inputs have same number of data points", name)
		return
	}
	if len(xs) < 2 {
		err = statError("%s requires at least two data points", name)
		return
	}
	sx, err := exactSum(xs)
	if err != nil {
		return
	}
	sy, err := exactSum(ys)
	return xs, ys, sx / float64(len(xs)), sy / float64(len(ys)), err
}

func sumOf(n int, f func(i int) float64) (float64, error) {
	vs := make([]float64, n)
	for i := range vs {
		vs[i] = f(i)
	}
	return exactSum(vs)
}

func covariance(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, ys, xbar, ybar, err := pairs(t, a, "covariance")
	if err != nil {
		return nil, err
	}
	sxy, err := sumOf(len(xs), func(i int) float64 { return (xs[i] - xbar) * (ys[i] - ybar) })
	return float(sxy / float64(len(xs)-1)), err
}

func moments(xs, ys []float64, xbar, ybar float64) (sxy, sxx, syy float64, err error) {
	if sxy, err = sumOf(len(xs), func(i int) float64 { return (xs[i] - xbar) * (ys[i] - ybar) }); err != nil {
		return
	}
	if sxx, err = sumOf(len(xs), func(i int) float64 { return (xs[i] - xbar) * (xs[i] - xbar) }); err != nil {
		return
	}
	syy, err = sumOf(len(xs), func(i int) float64 { return (ys[i] - ybar) * (ys[i] - ybar) })
	return
}

func correlation(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, ys, xbar, ybar, err := pairs(t, a, "correlation")
	if err != nil {
		return nil, err
	}
	sxy, sxx, syy, err := moments(xs, ys, xbar, ybar)
	if err != nil {
		return nil, err
	}
	if sxx*syy == 0 {
		return nil, statError("at least one of the inputs is constant")
	}
	return float(sxy / math.Sqrt(sxx*syy)), nil
}

func linearRegression(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, ys, xbar, ybar, err := pairs(t, a, "linear regression")
	if err != nil {
		return nil, err
	}
	through := a.Bool(2, false)
	if through {
		xbar, ybar = 0, 0
	}
	sxy, sxx, _, err := moments(xs, ys, xbar, ybar)
	if err != nil {
		return nil, err
	}
	if sxx == 0 {
		return nil, statError("x is constant")
	}
	slope := sxy / sxx
	intercept := ybar - slope*xbar
	if through {
		intercept = 0
	}
	return regression.make(starlark.Tuple{float(slope), float(intercept)}), nil
}

var regression = &tupleType{name: "LinearRegression", fields: []string{"slope", "intercept"}}
