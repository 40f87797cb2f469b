package stdlib

import (
	"crypto/sha512"
	"math"
	"math/big"
	"math/bits"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/libm"
	"github.com/bmcis/bmcis/internal/pylang"
)

const randomText = `
"""Random numbers: Python's own generator (Mersenne Twister), so the same seed gives the
same numbers as in CPython. Without seed() every run draws the same numbers, as for
seed(0), so that an answer can be repeated."""

def seed(a=None, version=2): """Starts the sequence that belongs to an int, str, bytes or float."""
def random(): """A float in 0 <= x < 1."""
def uniform(a, b): """A float between a and b."""
def triangular(low=0.0, high=1.0, mode=None): ...
def randint(a, b): """An int in a..b, both included."""
def randrange(start, stop=None, step=1): """An element of range(start, stop, step)."""
def getrandbits(k, /): """An int of k random bits."""
def choice(seq): """One element."""
def choices(population, weights=None, *, cum_weights=None, k=1): """k elements with repetition."""
def shuffle(x): """Mixes a list in place."""
def sample(population, k, *, counts=None): """k different elements."""
def gauss(mu=0.0, sigma=1.0): ...
def normalvariate(mu=0.0, sigma=1.0): ...
def lognormvariate(mu, sigma): ...
def expovariate(lambd): ...
def paretovariate(alpha): ...
def weibullvariate(alpha, beta): ...

def Random(x=None):
    """A generator of its own with these functions as methods."""
`

var randomDoc = guest.Lazy(randomText)

func makeRandom(_ *Env, c *guest.Contract) starlark.StringDict {
	r := &twister{}
	r.seedInt(new(big.Int))
	impls := r.functions()
	impls["Random"] = func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		own := &twister{}
		if err := own.seedValue(a.Or(0)); err != nil {
			return nil, err
		}
		methods := make(map[string]starlark.Value)
		for name, impl := range own.functions() {
			methods[name] = c.Func(name).Builtin("", impl)
		}
		return object("Random", methods), nil
	}
	return c.Bind("random", impls)
}

// twister is MT19937 (Matsumoto and Nishimura, "Mersenne Twister", 1998) with the
// seeding and the derived functions of CPython's random.py.
type twister struct {
	mt    [624]uint32
	i     int
	gauss *float64 // the second number of the last pair
}

func (r *twister) init(s uint32) {
	r.mt[0] = s
	for i := 1; i < len(r.mt); i++ {
		r.mt[i] = 1812433253*(r.mt[i-1]^r.mt[i-1]>>30) + uint32(i)
	}
	r.i = len(r.mt)
}

// seedInt seeds with the 32-bit words of |n|.
func (r *twister) seedInt(n *big.Int) {
	r.gauss = nil
	var key []uint32
	b := new(big.Int).Abs(n)
	mask := big.NewInt(math.MaxUint32)
	for b.Sign() > 0 {
		key = append(key, uint32(new(big.Int).And(b, mask).Uint64()))
		b.Rsh(b, 32)
	}
	if len(key) == 0 {
		key = []uint32{0}
	}
	r.init(19650218)
	i, j := 1, 0
	for k := max(len(r.mt), len(key)); k > 0; k-- {
		r.mt[i] = (r.mt[i] ^ (r.mt[i-1]^r.mt[i-1]>>30)*1664525) + key[j] + uint32(j)
		if i++; i >= len(r.mt) {
			r.mt[0] = r.mt[len(r.mt)-1]
			i = 1
		}
		if j++; j >= len(key) {
			j = 0
		}
	}
	for k := len(r.mt) - 1; k > 0; k-- {
		r.mt[i] = (r.mt[i] ^ (r.mt[i-1]^r.mt[i-1]>>30)*1566083941) - uint32(i)
		if i++; i >= len(r.mt) {
			r.mt[0] = r.mt[len(r.mt)-1]
			i = 1
		}
	}
	r.mt[0] = 1 << 31
}

func (r *twister) seedValue(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.NoneType:
		r.seedInt(new(big.Int))
	case starlark.Int, starlark.Bool:
		n, _ := guest.AsInt(v)
		r.seedInt(n.BigInt())
	case starlark.Float:
		r.seedInt(hashFloat(float64(v)))
	case starlark.String:
		r.seedBytes([]byte(v))
	case starlark.Bytes:
		r.seedBytes([]byte(v))
	default:
		return raise("TypeError", "The only supported seed types are: None, int, float, str, bytes, and bytearray.")
	}
	return nil
}

func (r *twister) seedBytes(b []byte) {
	sum := sha512.Sum512(b)
	r.seedInt(new(big.Int).SetBytes(append(append([]byte(nil), b...), sum[:]...)))
}

// hashFloat is Python's hash of a float as an unsigned number: the value modulo
// 2^61 - 1.
func hashFloat(x float64) *big.Int {
	const p = 1<<61 - 1
	switch {
	case math.IsNaN(x):
		return new(big.Int)
	case math.IsInf(x, 0):
		if x < 0 {
			return asUnsigned(-314159)
		}
		return big.NewInt(314159)
	}
	m, e := math.Frexp(math.Abs(x))
	var h uint64
	for m != 0 {
		h = h<<28&p | h>>(61-28)
		m *= 1 << 28
		e -= 28
		y := uint64(m)
		m -= float64(y)
		h += y
		if h >= p {
			h -= p
		}
	}
	if e >= 0 {
		e %= 61
	} else {
		e = 60 - (-1-e)%61
	}
	h = h<<uint(e)&p | h>>uint(61-e)
	s := int64(h)
	if x < 0 {
		s = -s
	}
	if s == -1 {
		s = -2
	}
	return asUnsigned(s)
}

// asUnsigned is a hash as seed takes it: its 64 bits without a sign.
func asUnsigned(s int64) *big.Int { return new(big.Int).SetUint64(uint64(s)) }

func (r *twister) next() uint32 {
	if r.i >= len(r.mt) {
		for k := range r.mt {
			y := r.mt[k]&0x80000000 | r.mt[(k+1)%624]&0x7fffffff
			r.mt[k] = r.mt[(k+397)%624] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		r.i = 0
	}
	y := r.mt[r.i]
	r.i++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (r *twister) random() float64 {
	a, b := r.next()>>5, r.next()>>6
	return (float64(a)*67108864 + float64(b)) * (1.0 / 9007199254740992.0)
}

func (r *twister) bits(k int) *big.Int {
	n := new(big.Int)
	for shift := 0; shift < k; shift += 32 {
		w := r.next()
		if k-shift < 32 {
			w >>= uint(32 - (k - shift))
		}
		n.Or(n, new(big.Int).Lsh(new(big.Int).SetUint64(uint64(w)), uint(shift)))
	}
	return n
}

// below is a number in 0..n-1 for n > 0.
func (r *twister) below(n int) int {
	k := bits.Len(uint(n))
	for {
		var v uint64
		if k <= 32 {
			v = uint64(r.next() >> uint(32-k))
		} else {
			v = r.bits(k).Uint64()
		}
		if v < uint64(n) {
			return int(v)
		}
	}
}

func (r *twister) belowBig(n *big.Int) *big.Int {
	k := n.BitLen()
	for {
		if v := r.bits(k); v.Cmp(n) < 0 {
			return v
		}
	}
}

func (r *twister) functions() map[string]guest.Impl {
	return map[string]guest.Impl{
		"seed": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			return starlark.None, r.seedValue(a.Or(0))
		},
		"random":      func(*starlark.Thread, *guest.Args) (starlark.Value, error) { return float(r.random()), nil },
		"uniform":     r.uniform,
		"triangular":  r.triangular,
		"randint":     r.randint,
		"randrange":   r.randrange,
		"getrandbits": r.getrandbits,
		"choice":      r.choice,
		"choices":     r.choices,
		"shuffle":     r.shuffle,
		"sample":      r.sample,
		"gauss":       r.gaussian,
		"normalvariate": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			mu, sigma, err := twoOr(a, 0, 1)
			if err != nil {
				return nil, err
			}
			return float(r.normal(mu, sigma)), nil
		},
		"lognormvariate": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			mu, sigma, err := two(a)
			if err != nil {
				return nil, err
			}
			return float(libm.Exp(r.normal(mu, sigma))), nil
		},
		"expovariate": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			l, err := number(a.V[0])
			if err != nil {
				return nil, err
			}
			if l == 0 {
				return nil, raise("ZeroDivisionError", "float division by zero")
			}
			return float(-libm.Log(1-r.random()) / l), nil
		},
		"paretovariate": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			alpha, err := number(a.V[0])
			if err != nil {
				return nil, err
			}
			if alpha == 0 {
				return nil, raise("ZeroDivisionError", "float division by zero")
			}
			return float(libm.Pow(1-r.random(), -1/alpha)), nil
		},
		"weibullvariate": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			alpha, beta, err := two(a)
			if err != nil {
				return nil, err
			}
			if beta == 0 {
				return nil, raise("ZeroDivisionError", "float division by zero")
			}
			return float(alpha * libm.Pow(-libm.Log(1-r.random()), 1/beta)), nil
		},
	}
}

func twoOr(a *guest.Args, x, y float64) (float64, float64, error) {
	var err error
	if a.V[0] != nil {
		if x, err = number(a.V[0]); err != nil {
			return 0, 0, err
		}
	}
	if a.V[1] != nil {
		y, err = number(a.V[1])
	}
	return x, y, err
}

func (r *twister) uniform(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	x, y, err := two(a)
	if err != nil {
		return nil, err
	}
	return float(x + float64((y-x)*r.random())), nil
}

func (r *twister) triangular(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	low, high, err := twoOr(a, 0, 1)
	if err != nil {
		return nil, err
	}
	u := r.random()
	c := 0.5
	if a.Given(2) {
		mode, err := number(a.V[2])
		if err != nil {
			return nil, err
		}
		if high == low {
			return float(low), nil
		}
		c = (mode - low) / (high - low)
	}
	if u > c {
		u, c = 1-u, 1-c
		low, high = high, low
	}
	return float(low + float64((high-low)*math.Sqrt(u*c))), nil
}

func (r *twister) randint(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	lo, err := integer(a.V[0])
	if err != nil {
		return nil, err
	}
	hi, err := integer(a.V[1])
	if err != nil {
		return nil, err
	}
	width := new(big.Int).Sub(hi, lo)
	width.Add(width, big.NewInt(1))
	if width.Sign() <= 0 {
		return nil, raise("ValueError", "empty range for randrange() (%s, %s, %s)", lo, new(big.Int).Add(hi, big.NewInt(1)), width)
	}
	return bigInt(lo.Add(lo, r.belowBig(width))), nil
}

func (r *twister) randrange(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	start, err := integer(a.V[0])
	if err != nil {
		return nil, err
	}
	if !a.Given(1) {
		if start.Sign() <= 0 {
			return nil, raise("ValueError", "empty range for randrange()")
		}
		return bigInt(r.belowBig(start)), nil
	}
	stop, err := integer(a.V[1])
	if err != nil {
		return nil, err
	}
	step := big.NewInt(1)
	if a.V[2] != nil {
		if step, err = integer(a.V[2]); err != nil {
			return nil, err
		}
	}
	width := new(big.Int).Sub(stop, start)
	switch step.Sign() {
	case 0:
		return nil, raise("ValueError", "zero step for randrange()")
	case 1:
		width.Add(width, step).Sub(width, big.NewInt(1))
	default:
		width.Add(width, step).Add(width, big.NewInt(1))
	}
	n := new(big.Int).Quo(width, step)
	if step.Cmp(big.NewInt(1)) == 0 {
		n = new(big.Int).Sub(stop, start)
	}
	if n.Sign() <= 0 {
		return nil, raise("ValueError", "empty range for randrange() (%s, %s, %s)", start, stop, step)
	}
	k := r.belowBig(n)
	return bigInt(start.Add(start, k.Mul(k, step))), nil
}

func (r *twister) getrandbits(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	k, err := a.Index(0, 0)
	if err != nil {
		return nil, err
	}
	if k < 0 {
		return nil, raise("ValueError", "number of bits must be non-negative")
	}
	if k > maxBits {
		return nil, raise("OverflowError", "number of bits must be at most %d", maxBits)
	}
	return bigInt(r.bits(k)), nil
}

// sequence is a population that has places.
func sequence(t *starlark.Thread, v starlark.Value, what string) ([]starlark.Value, error) {
	switch v.(type) {
	case starlark.Mapping, *starlark.Set, starlark.NoneType, starlark.Int, starlark.Float:
		return nil, raise("TypeError", "%s", what)
	}
	if pylang.TypeName(v) == "set" {
		return nil, raise("TypeError", "%s", what)
	}
	return elements(t, v)
}

func (r *twister) choice(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if seq, ok := a.V[0].(starlark.Indexable); ok {
		if _, isText := a.V[0].(starlark.String); !isText {
			if seq.Len() == 0 {
				return nil, raise("IndexError", "Cannot choose from an empty sequence")
			}
			return seq.Index(r.below(seq.Len())), nil
		}
	}
	xs, err := sequence(t, a.V[0], "'"+pylang.TypeName(a.V[0])+"' object is not subscriptable")
	if err != nil {
		return nil, err
	}
	if len(xs) == 0 {
		return nil, raise("IndexError", "Cannot choose from an empty sequence")
	}
	return xs[r.below(len(xs))], nil
}

func (r *twister) choices(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	k, err := a.Index(3, 1)
	if err != nil {
		return nil, err
	}
	if k > guest.MaxElements {
		return nil, guest.TooMany(guest.MaxElements)
	}
	xs, err := sequence(t, a.V[0], "population must be a sequence")
	if err != nil {
		return nil, err
	}
	n := len(xs)
	var cum []float64
	if a.Given(1) || a.Given(2) {
		if a.Given(1) && a.Given(2) {
			return nil, raise("TypeError", "Cannot specify both weights and cumulative weights")
		}
		if a.Given(2) {
			cum, err = floats(t, a.V[2])
		} else if cum, err = floats(t, a.V[1]); err == nil {
			for i := 1; i < len(cum); i++ {
				cum[i] += cum[i-1]
			}
		}
		if err != nil {
			return nil, err
		}
		if len(cum) != n {
			return nil, raise("ValueError", "The number of weights does not match the population")
		}
		if n == 0 {
			return nil, raise("IndexError", "list index out of range")
		}
		if total := cum[n-1]; total <= 0 {
			return nil, raise("ValueError", "Total of weights must be greater than zero")
		} else if math.IsInf(total, 0) || math.IsNaN(total) {
			return nil, raise("ValueError", "Total of weights must be finite")
		}
	} else if n == 0 && k > 0 {
		return nil, raise("IndexError", "list index out of range")
	}
	out := make([]starlark.Value, max(k, 0))
	for i := range out {
		if cum == nil {
			out[i] = xs[int(math.Floor(r.random()*float64(n)))]
			continue
		}
		x := r.random() * cum[n-1]
		lo, hi := 0, n-1 // bisect_right(cum, x, 0, n-1)
		for lo < hi {
			if mid := (lo + hi) / 2; x < cum[mid] {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		out[i] = xs[lo]
	}
	return list(out), nil
}

func (r *twister) shuffle(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	seq, ok := a.V[0].(starlark.HasSetIndex)
	if !ok {
		return nil, raise("TypeError", "'%s' object does not support item assignment", pylang.TypeName(a.V[0]))
	}
	for i := seq.Len() - 1; i > 0; i-- {
		j := r.below(i + 1)
		x, y := seq.Index(i), seq.Index(j)
		if err := seq.SetIndex(i, y); err != nil {
			return nil, err
		}
		if err := seq.SetIndex(j, x); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

func (r *twister) sample(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	xs, err := sequence(t, a.V[0], "Population must be a sequence.  For dicts or sets, use sorted(d).")
	if err != nil {
		return nil, err
	}
	k, err := a.Index(1, 0)
	if err != nil {
		return nil, err
	}
	if a.Given(2) {
		counts, err := elements(t, a.V[2])
		if err != nil {
			return nil, err
		}
		if len(counts) != len(xs) {
			return nil, raise("ValueError", "The number of counts does not match the population")
		}
		var all []starlark.Value
		for i, c := range counts {
			n, err := integer(c)
			if err != nil {
				return nil, raise("TypeError", "Counts must be integers")
			}
			if n.Sign() < 0 {
				return nil, raise("ValueError", "Counts must be non-negative")
			}
			if !n.IsInt64() || n.Int64() > guest.MaxElements-int64(len(all)) {
				return nil, guest.TooMany(guest.MaxElements)
			}
			for range n.Int64() {
				all = append(all, xs[i])
			}
		}
		xs = all
	}
	n := len(xs)
	if k < 0 || k > n {
		return nil, raise("ValueError", "Sample larger than population or is negative")
	}
	out := make([]starlark.Value, k)
	setSize := 21
	if k > 5 {
		setSize += int(libm.Pow(4, math.Ceil(libm.Log(float64(k*3))/libm.Log(4))))
	}
	if n <= setSize {
		pool := append([]starlark.Value(nil), xs...)
		for i := range out {
			j := r.below(n - i)
			out[i] = pool[j]
			pool[j] = pool[n-i-1]
		}
		return list(out), nil
	}
	taken := make(map[int]bool, k)
	for i := range out {
		j := r.below(n)
		for taken[j] {
			j = r.below(n)
		}
		taken[j] = true
		out[i] = xs[j]
	}
	return list(out), nil
}

func (r *twister) gaussian(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	mu, sigma, err := twoOr(a, 0, 1)
	if err != nil {
		return nil, err
	}
	var z float64
	if r.gauss != nil {
		z, r.gauss = *r.gauss, nil
	} else {
		x2pi := r.random() * 2 * math.Pi
		g := math.Sqrt(-2 * libm.Log(1-r.random()))
		z = libm.Cos(x2pi) * g
		second := libm.Sin(x2pi) * g
		r.gauss = &second
	}
	return float(mu + float64(z*sigma)), nil
}

// normal uses the ratio method of Kinderman and Monahan (1977).
func (r *twister) normal(mu, sigma float64) float64 {
	magic := 4 * libm.Exp(-0.5) / math.Sqrt(2)
	for {
		u1 := r.random()
		u2 := 1 - r.random()
		z := magic * (u1 - 0.5) / u2
		if zz := z * z / 4; zz <= -libm.Log(u2) {
			return mu + float64(z*sigma)
		}
	}
}
