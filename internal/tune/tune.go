// Package tune learns from judged queries how a collection is best searched: k1 and b
// of BM25, a correction of the router's weights, and a calibration of scores. In:
// judged queries and functions that answer them. Out: a [Tuning], with what each part
// gained on queries that it was not learned from. What gained nothing is left out.
// Callers: `bmcis eval tune`, which makes one, and search, which uses one.
package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/bmcis/bmcis/internal/eval"
	"github.com/bmcis/bmcis/internal/route"
)

// Format is the version of the file.
const Format = 1

// Tuning is what was learned. Parts that did not gain are nil.
type Tuning struct {
	Format int `json:"format"`
	// Collection names what it was learned on.
	Collection string `json:"collection"`
	// BM25 replaces k1 and b.
	BM25 *BM25 `json:"bm25,omitempty"`
	// Weight corrects the router's weight of the lexical leg.
	Weight *route.Model `json:"weight,omitempty"`
	// Calibration makes a relevance of a fused score.
	Calibration *Calibration `json:"calibration,omitempty"`
	// Report says what was measured.
	Report Report `json:"report"`
}

// BM25 are the parameters of the lexical leg: K1 0..100, B 0..1.
type BM25 struct {
	K1 float64 `json:"k1"`
	B  float64 `json:"b"`
}

// Calibration is Platt's: relevance = 1 / (1 + exp(−(Slope × score + Intercept))).
// It holds for scores of linear fusion of both legs, boosts included.
type Calibration struct {
	Slope     float64 `json:"slope"` // above 0, so that the order stays
	Intercept float64 `json:"intercept"`
}

// Relevance is the estimated probability, 0 to 1, that a hit with this fused score is
// relevant.
func (c Calibration) Relevance(score float64) float64 {
	return 1 / (1 + math.Exp(-(c.Slope*score + c.Intercept)))
}

// Report is the measurement behind a Tuning. nDCG@10 throughout.
type Report struct {
	// TrainingQueries were learned from, HeldOutQueries measured.
	TrainingQueries int `json:"training_queries"`
	HeldOutQueries  int `json:"held_out_queries"`
	// Before and After are routed hybrid search without reranking on the held-out
	// queries; Gain is their difference with its 95 % interval.
	Before float64       `json:"before"`
	After  float64       `json:"after"`
	Gain   eval.Interval `json:"gain"`
	// BM25 and Weight are what the best candidate of each part gained on the held-out
	// queries, kept or not: of BM25 alone, and of the fused order.
	BM25   Part `json:"bm25"`
	Weight Part `json:"weight"`
	// Brier is the mean squared error of the relevance on the held-out queries' best 20
	// documents, BrierConstant that of saying the same for each.
	Brier         float64 `json:"brier"`
	BrierConstant float64 `json:"brier_constant"`
}

// Part is the judgement on one part of a Tuning.
type Part struct {
	Gain eval.Interval `json:"gain"`
	Kept bool          `json:"kept"`
	// Why says in words what was tried and why it was kept or not.
	Why string `json:"why"`
}

// Parse reads a Tuning and checks every number. The error says what is wrong with the
// content; the caller adds the file's name.
func Parse(data []byte) (*Tuning, error) {
	var t Tuning
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return nil, fmt.Errorf("not a tuning file: %w; make one with `bmcis eval tune`", err)
	}
	if t.Format != Format {
		return nil, fmt.Errorf("tuning file of format %d, this program reads format %d; make one anew with `bmcis eval tune`", t.Format, Format)
	}
	return &t, t.check()
}

func (t *Tuning) check() error {
	if p := t.BM25; p != nil {
		if !(p.K1 >= 0 && p.K1 <= 100) || !(p.B >= 0 && p.B <= 1) {
			return fmt.Errorf("k1 must be 0..100 and b 0..1, got %v and %v", p.K1, p.B)
		}
	}
	if c := t.Calibration; c != nil {
		if !(c.Slope > 0 && c.Slope < 1e6) || !(math.Abs(c.Intercept) < 1e6) {
			return fmt.Errorf("a calibration needs a slope above 0 and a finite intercept, got %v and %v", c.Slope, c.Intercept)
		}
	}
	return t.Weight.Check()
}

// errTooFew is returned by Learn.
var errTooFew = errors.New("too few judged queries")
