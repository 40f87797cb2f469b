package route

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Model is a linear correction of the lexical weight, learned from judged queries:
// weight = the rules' weight + Bias + Σ coefficient × feature, cut to 0.05..0.95. It is
// for keywords and language alone: identifiers and phrases keep the rules' weights, whose
// purpose is to find what is written.
// `bmcis eval tune` makes it and leaves it out where held-out queries do not gain.
type Model struct {
	Version      string             `json:"version"`
	Bias         float64            `json:"bias"`
	Coefficients map[string]float64 `json:"coefficients"` // by name of FeatureNames
}

// FeatureNames are the features that a Model may weigh, in the order of [Features].
var FeatureNames = []string{"words", "identifiers", "function_words", "question", "phrase", "max_idf", "mean_idf", "rare_terms", "unknown_terms"}

// Features are the numbers behind a query, each within 0..1.
func Features(in Input) []float64 { return read(in.Query).vector(in) }

// Learns reports whether a Model corrects the weights of queries of this class.
func Learns(c Class) bool { return c == Keyword || c == Natural || c == Mixed }

func (f features) vector(in Input) []float64 {
	n := float64(max(1, len(f.words)))
	out := []float64{
		min(1, n/20), float64(len(f.identifiers)) / n, float64(f.function) / n,
		bit(f.question), bit(f.phrases > 0), 0, 0, 0, 0,
	}
	if len(in.Terms) == 0 || in.Documents < 1 {
		return out
	}
	// The largest idf of any term of this collection.
	top := math.Log(1 + (float64(in.Documents)+0.5)/0.5)
	var sum float64
	for _, t := range in.Terms {
		idf := min(1, max(0, t.IDF/top))
		out[5] = max(out[5], idf)
		sum += idf
		out[7] += bit(t.DF >= 1 && t.DF <= rareDF)
		out[8] += bit(t.DF == 0)
	}
	terms := float64(len(in.Terms))
	out[6], out[7], out[8] = sum/terms, out[7]/terms, out[8]/terms
	return out
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Check refuses numbers that are none and features that this version does not know.
func (m *Model) Check() error {
	if m == nil {
		return nil
	}
	if math.IsNaN(m.Bias) || math.IsInf(m.Bias, 0) {
		return fmt.Errorf("learned weight %s: bias is %v", m.Version, m.Bias)
	}
	for name, c := range m.Coefficients {
		if !slices.Contains(FeatureNames, name) {
			return fmt.Errorf("learned weight %s: unknown feature %q; it was made by another version: run bmcis eval tune again (known: %s)", m.Version, name, strings.Join(FeatureNames, ", "))
		}
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return fmt.Errorf("learned weight %s: coefficient of %s is %v", m.Version, name, c)
		}
	}
	return nil
}

// Weight corrects the rules' weight of the lexical leg; features are those of [Features].
func (m *Model) Weight(prior float64, features []float64) float64 {
	w := prior + m.Bias
	for i, name := range FeatureNames {
		w += m.Coefficients[name] * features[i]
	}
	return max(0.05, min(0.95, w))
}
