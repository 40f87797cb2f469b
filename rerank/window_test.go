package rerank

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever the lengths, the windows are within the passage and the limit, as
// long as there is room, start at 0, and together (with enough of them) leave
// less than a quarter of a window uncovered.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n, room, limit := rng.IntN(3000), 16+rng.IntN(160), 1+rng.IntN(16)
		b := &buffers{}
		for range n {
			b.passage = append(b.passage, rng.Int64N(50))
		}
		query := []int64{1, 2, 3, 3}
		ws := b.choose(query, room, limit)
		if len(ws) < 1 || len(ws) > limit || ws[0].start != 0 {
			t.Fatalf("n %d room %d limit %d: %v", n, room, limit, ws)
		}
		covered := make([]bool, n)
		for _, w := range ws {
			if w.end > n || w.end-w.start != min(room, n) {
				t.Fatalf("n %d room %d limit %d: %v", n, room, limit, ws)
			}
			for i := w.start; i < w.end; i++ {
				covered[i] = true
			}
		}
		left := 0
		for _, c := range covered {
			if !c {
				left++
			}
		}
		if len(ws) < limit && left > room/4 {
			t.Fatalf("n %d room %d limit %d: %d uncovered by %v", n, room, limit, left, ws)
		}
	}
}

func TestChooseBySharedTokens(t *testing.T) {
	b := &buffers{passage: make([]int64, 1000)}
	b.passage[700], b.passage[701] = 5, 6
	b.passage[300] = 5
	ws := b.choose([]int64{5, 6, 7}, 100, 3)
	contains := func(at int) bool {
		return slices.ContainsFunc(ws, func(w window) bool { return w.start <= at && at < w.end })
	}
	if !contains(0) || !contains(700) || !contains(300) {
		t.Errorf("%v", ws)
	}
	if ws := b.choose([]int64{5, 6, 7}, 100, 2); ws[1].start > 700 || ws[1].end <= 701 {
		t.Errorf("the window with both words is not first: %v", ws)
	}
}
