package rank

import "slices"

// Guard keeps exact matches on the page: guarded items that stand behind the first
// page items take the last places of it, in their order, from the items there that
// are not guarded. Their score is raised to that of the next item, so that scores
// still fall along the list. items must be in order.
func Guard(items []Item, guarded map[int64]bool, page int) []Item {
	out := slices.Clone(items)
	if page < 1 || page >= len(items) {
		return out
	}
	var lost []Item
	for _, it := range out[page:] {
		if guarded[it.ID] {
			lost = append(lost, it)
		}
	}
	free := 0
	for _, it := range out[:page] {
		if !guarded[it.ID] {
			free++
		}
	}
	lost = lost[:min(len(lost), free)]
	if len(lost) == 0 {
		return out
	}
	saved := map[int64]bool{}
	for _, it := range lost {
		saved[it.ID] = true
	}
	// Drop as many unguarded items from the page's end as there are lost ones.
	var kept, behind []Item
	drop := len(lost)
	for i := page - 1; i >= 0; i-- {
		if drop > 0 && !guarded[out[i].ID] {
			behind = append(behind, out[i])
			drop--
		} else {
			kept = append(kept, out[i])
		}
	}
	slices.Reverse(kept)
	slices.Reverse(behind)
	for _, it := range out[page:] {
		if !saved[it.ID] {
			behind = append(behind, it)
		}
	}
	out = slices.Concat(kept, lost, behind)
	for i := len(out) - 2; i >= 0; i-- {
		out[i].Score = max(out[i].Score, out[i+1].Score)
	}
	return out
}

// Lead puts the items for which first is true before all others; both keep their order.
// Scores are raised where needed, so that they still fall along the list.
func Lead(items []Item, first func(id int64) bool) []Item {
	var lead, rest []Item
	for _, it := range items {
		if first(it.ID) {
			lead = append(lead, it)
		} else {
			rest = append(rest, it)
		}
	}
	out := slices.Concat(lead, rest)
	for i := len(out) - 2; i >= 0; i-- {
		out[i].Score = max(out[i].Score, out[i+1].Score)
	}
	return out
}

// Exact are the chunks to guard after a reranker: of the lexical leg's hits the first
// three that score at least share of the best. For identifiers and phrases, where
// BM25 puts the chunks that hold every rare term or the phrase first.
func Exact(fused []Fused, share float64) map[int64]bool {
	best := 0.0
	for _, f := range fused {
		best = max(best, f.Lexical.Score)
	}
	guarded := map[int64]bool{}
	for _, f := range fused {
		if f.Lexical.Rank >= 1 && f.Lexical.Rank <= 3 && f.Lexical.Score > 0 && f.Lexical.Score >= share*best {
			guarded[f.ID] = true
		}
	}
	return guarded
}
