package tune

import (
	"math"

	"github.com/bmcis/bmcis/internal/route"
)

// calibrated is how many of a query's best documents the calibration learns from: about
// what is looked at. Documents without a judgement count as not relevant.
const calibrated = 20

type sample struct{ score, label float64 }

func samples(list []judged, m *route.Model) (out []sample) {
	for _, q := range list {
		order := q.fuse(q.weight(m))
		for _, r := range order[:min(calibrated, len(order))] {
			s := sample{score: r.Score}
			if q.grades[r.ID] > 0 {
				s.label = 1
			}
			out = append(out, s)
		}
	}
	return out
}

// calibrate fits Platt's function on the training half and keeps it when it says more
// on the held-out half than a constant does.
func calibrate(t *Tuning, train, held []judged) {
	learn, test := samples(train, t.Weight), samples(held, t.Weight)
	c, base := platt(learn)
	for _, s := range test {
		t.Report.Brier += square(c.Relevance(s.score) - s.label)
		t.Report.BrierConstant += square(base - s.label)
	}
	n := float64(max(1, len(test)))
	t.Report.Brier, t.Report.BrierConstant = t.Report.Brier/n, t.Report.BrierConstant/n
	if c.Slope > 0 && t.Report.Brier < t.Report.BrierConstant {
		t.Calibration = &c
	}
}

func square(x float64) float64 { return x * x }

// platt fits slope and intercept by Newton's method on the log-likelihood, with Platt's
// targets, which keep it from certainty (Platt 1999; the steps are halved as in Lin, Lin
// and Weng 2007). base is the share of relevant samples.
func platt(list []sample) (c Calibration, base float64) {
	var relevant float64
	for _, s := range list {
		relevant += s.label
	}
	other := float64(len(list)) - relevant
	if relevant == 0 || other == 0 {
		return Calibration{}, relevant / float64(max(1, len(list)))
	}
	high, low := (relevant+1)/(relevant+2), 1/(other+2)
	target := func(s sample) float64 {
		if s.label > 0 {
			return high
		}
		return low
	}
	loss := func(c Calibration) (sum float64) {
		for _, s := range list {
			z, y := c.Slope*s.score+c.Intercept, target(s)
			// log(1 + exp(z)) − y·z, without overflow.
			sum += math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - y*z
		}
		return sum
	}
	c.Intercept = math.Log((relevant + 1) / (other + 1))
	now := loss(c)
	for range 100 {
		var ga, gb, haa, hab, hbb float64
		for _, s := range list {
			p := c.Relevance(s.score)
			d, v := p-target(s), p*(1-p)
			ga, gb = ga+d*s.score, gb+d
			haa, hab, hbb = haa+v*s.score*s.score, hab+v*s.score, hbb+v
		}
		haa, hbb = haa+1e-9, hbb+1e-9
		det := haa*hbb - hab*hab
		if det == 0 || math.Abs(ga) < 1e-7 && math.Abs(gb) < 1e-7 {
			break
		}
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		step, better := 1.0, false
		for ; step > 1e-10; step /= 2 {
			try := Calibration{c.Slope + step*da, c.Intercept + step*db}
			if l := loss(try); l < now {
				c, now, better = try, l, true
				break
			}
		}
		if !better {
			break
		}
	}
	return c, relevant / float64(len(list))
}
