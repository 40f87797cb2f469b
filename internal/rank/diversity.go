package rank

import "fmt"

// MMR orders by maximal marginal relevance (Carbonell, Goldstein, 1998): each next
// item is the one with the largest (1 − diversity) × score − diversity × similarity
// to the most similar item before it. Ties go to the item that stood first. Scores
// stay as they are. diversity is 0 (the given order) to 1; similarity within −1..1
// is asked once a pair.
func MMR(items []Item, diversity float64, similarity func(a, b int64) float64) ([]Item, error) {
	if !(diversity >= 0 && diversity <= 1) {
		return nil, fmt.Errorf("diversity must be 0..1, got %v", diversity)
	}
	rest := append([]Item(nil), items...)
	nearest := make([]float64, len(rest)) // similarity to the most similar chosen item
	out := make([]Item, 0, len(rest))
	for len(rest) > 0 {
		best, bestValue := 0, 0.0
		for i, it := range rest {
			value := (1 - diversity) * it.Score
			if len(out) > 0 {
				value -= diversity * nearest[i]
			}
			if i == 0 || value > bestValue {
				best, bestValue = i, value
			}
		}
		chosen := rest[best]
		first := len(out) == 0
		out = append(out, chosen)
		rest = append(rest[:best], rest[best+1:]...)
		nearest = append(nearest[:best], nearest[best+1:]...)
		if diversity == 0 {
			continue
		}
		for i, it := range rest {
			s := similarity(chosen.ID, it.ID)
			if first || s > nearest[i] {
				nearest[i] = s
			}
		}
	}
	return out, nil
}
