package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func randomLegs(rng *rand.Rand) (lex, vec Leg) {
	fill := func(leg *Leg, score func() float64) {
		ids := rng.Perm(12)
		hits := rng.IntN(9)
		for _, id := range ids[:hits] {
			leg.Hits = append(leg.Hits, Scored{int64(id), score()})
		}
		for _, id := range ids[hits : hits+rng.IntN(3)] {
			leg.Completed = append(leg.Completed, Scored{int64(id), score()})
		}
	}
	fill(&lex, func() float64 { return float64(rng.IntN(20)) / 2 }) // ties are wanted
	fill(&vec, func() float64 { return float64(rng.IntN(21)-5) / 20 })
	return lex, vec
}

// slowFuse is the definition of each method, one candidate at a time.
func slowFuse(o FuseOptions, lex, vec Leg) []Item {
	norm := func(leg Leg, id int64, linear func(float64) float64) float64 {
		all := append(slices.Clone(leg.Hits), leg.Completed...)
		i := slices.IndexFunc(all, func(s Scored) bool { return s.ID == id })
		if i < 0 {
			return 0
		}
		s := all[i].Score
		low, high, sum := math.Inf(1), math.Inf(-1), 0.0
		for _, x := range all {
			low, high, sum = min(low, x.Score), max(high, x.Score), sum+x.Score
		}
		switch o.Method {
		case RRF:
			if i >= len(leg.Hits) {
				return 0
			}
			rank := 1
			for _, x := range leg.Hits {
				if x.Score > s || x.Score == s && x.ID < id {
					rank++
				}
			}
			return 61 / (60 + float64(rank))
		case RelativeScore:
			if low == high {
				return 1
			}
			return (s - low) / (high - low)
		case DBSF:
			mean, v := sum/float64(len(all)), 0.0
			for _, x := range all {
				v += (x.Score - mean) * (x.Score - mean)
			}
			sd := math.Sqrt(v / float64(len(all)))
			if sd == 0 {
				return 0.5
			}
			return min(1, max(0, (s-mean+3*sd)/(6*sd)))
		}
		return min(1, max(0, linear(s)))
	}
	var items []Item
	for id := range int64(12) {
		in := func(l Leg) bool {
			return slices.ContainsFunc(append(slices.Clone(l.Hits), l.Completed...), func(s Scored) bool { return s.ID == id })
		}
		if !in(lex) && !in(vec) {
			continue
		}
		w := o.Weights.Lexical + o.Weights.Vector
		l := norm(lex, id, func(s float64) float64 { return s / o.Bounds.Lexical })
		v := norm(vec, id, func(s float64) float64 { return (s - DefaultCosineLow) / (DefaultCosineHigh - DefaultCosineLow) })
		items = append(items, Item{id, o.Weights.Lexical/w*l + o.Weights.Vector/w*v})
	}
	Sort(items)
	return items
}

func TestFuseAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 4000 {
		lex, vec := randomLegs(rng)
		o := FuseOptions{Method: Methods()[round%4], Weights: Weights{rng.Float64(), rng.Float64() + 1e-9}, Bounds: Bounds{Lexical: 12}}
		got, err := Fuse(o, lex, vec)
		if err != nil {
			t.Fatal(err)
		}
		want := slowFuse(o, lex, vec)
		if len(got) != len(want) {
			t.Fatalf("%d candidates, want %d", len(got), len(want))
		}
		byID := map[int64]float64{}
		for _, w := range want {
			byID[w.ID] = w.Score
		}
		for i, g := range got {
			if math.Abs(g.Score-byID[g.ID]) > 1e-12 || !(g.Score >= 0 && g.Score <= 1) {
				t.Fatalf("%s: chunk %d has %v, want %v", o.Method, g.ID, g.Score, byID[g.ID])
			}
			if math.Abs(g.Lexical.Weight*g.Lexical.Normalized+g.Vector.Weight*g.Vector.Normalized-g.Score) > 1e-12 {
				t.Fatalf("the explanation of %v does not add up: %q", g.Score, g.Words())
			}
			if i > 0 && (got[i-1].Score < g.Score || got[i-1].Score == g.Score && got[i-1].ID > g.ID) {
				t.Fatal("not in order")
			}
		}
		// The order of the input must not matter, down to the last bit.
		shuffle := func(l Leg) Leg {
			h := slices.Clone(l.Hits)
			rng.Shuffle(len(h), func(i, j int) { h[i], h[j] = h[j], h[i] })
			return Leg{h, l.Completed}
		}
		if again, _ := Fuse(o, shuffle(lex), shuffle(vec)); !slices.Equal(got, again) {
			t.Fatal("the order of a leg's hits changes the answer")
		}
	}
}

func TestFuseExtremes(t *testing.T) {
	lex := Leg{Hits: []Scored{{1, 9}, {2, 5}}}
	vec := Leg{Hits: []Scored{{2, 0.9}, {3, 0.8}}}
	only, err := Fuse(FuseOptions{Weights: Weights{Lexical: 3}, Bounds: Bounds{Lexical: 10}}, lex, vec)
	if err != nil || only[0].ID != 1 || only[0].Score != 0.9 || only[2].Score != 0 {
		t.Errorf("weight on one leg: %+v, %v", only, err)
	}
	huge, err := Fuse(FuseOptions{Weights: Weights{math.MaxFloat64, math.MaxFloat64}}, lex, vec)
	if err != nil || huge[0].Lexical.Weight != 0.5 {
		t.Errorf("huge weights: %+v, %v", huge, err)
	}
	if none, err := Fuse(FuseOptions{Weights: Weights{1, 1}}, Leg{}, Leg{}); err != nil || len(none) != 0 {
		t.Errorf("no candidates: %v, %v", none, err)
	}
	words := only[1].Words()
	if len(words) != 2 || !strings.Contains(words[0], "rank 2") || !strings.Contains(words[0], "= 0.5000") {
		t.Errorf("words: %q", words)
	}
}

func TestFuseRefuses(t *testing.T) {
	nan := math.NaN()
	ok := Leg{Hits: []Scored{{1, 1}}}
	for name, c := range map[string]struct {
		o    FuseOptions
		lex  Leg
		want string
	}{
		"NaN weight":      {FuseOptions{Weights: Weights{nan, 1}}, ok, "weight lexical"},
		"negative weight": {FuseOptions{Weights: Weights{1, -1}}, ok, "weight vector"},
		"infinite weight": {FuseOptions{Weights: Weights{1, math.Inf(1)}}, ok, "weight vector"},
		"no weights":      {FuseOptions{}, ok, "both legs are 0"},
		"unknown method":  {FuseOptions{Method: "magic", Weights: Weights{1, 1}}, ok, "linear, rrf, relative_score, dbsf"},
		"negative k":      {FuseOptions{Method: RRF, K: -1, Weights: Weights{1, 1}}, ok, "rank constant"},
		"bounds":          {FuseOptions{Weights: Weights{1, 1}, Bounds: Bounds{CosineLow: 1, CosineHigh: 0.5}}, ok, "in order"},
		"NaN score":       {FuseOptions{Weights: Weights{1, 1}}, Leg{Hits: []Scored{{7, nan}}}, "chunk 7 is NaN"},
	} {
		if _, err := Fuse(c.o, c.lex, ok); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestBlend(t *testing.T) {
	got, err := Blend([]float64{0.9, 0.8, 0.5}, []float64{-2, 6, 2}, 0.3)
	want := []float64{0.7, 0.3 + 0.7*0.75, 0.3 * 0.5}
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("item %d: %v, want %v", i, got[i], want[i])
		}
	}
	for name, f := range map[string]func() ([]float64, error){
		"length": func() ([]float64, error) { return Blend([]float64{1}, nil, 0.3) },
		"NaN":    func() ([]float64, error) { return Blend([]float64{1}, []float64{math.NaN()}, 0.3) },
		"weight": func() ([]float64, error) { return Blend([]float64{1}, []float64{1}, 1.1) },
		"no weight": func() ([]float64, error) {
			return Blend([]float64{1}, []float64{1}, math.NaN())
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if one, err := Blend([]float64{0.4}, []float64{-3}, 0.3); err != nil || one[0] != 1 {
		t.Errorf("a single item: %v, %v", one, err)
	}
}

func TestBoosts(t *testing.T) {
	items := []Item{{1, 0.9}, {2, 0.6}, {3, 0.5}, {4, 0.5}}
	got := BoostAll(items, map[int64][]float64{2: {2}, 3: {100}, 4: {0.01}, 1: {math.NaN()}})
	// 2: 1.2, 3: 1.0, 1: 0.9, 4: 0.25, divided by 1.2.
	for i, want := range []Item{{2, 1}, {3, 1 / 1.2}, {1, 0.9 / 1.2}, {4, 0.25 / 1.2}} {
		if got[i].ID != want.ID || math.Abs(got[i].Score-want.Score) > 1e-12 {
			t.Errorf("place %d: %+v, want %+v", i, got[i], want)
		}
	}
	if items[0].Score != 0.9 {
		t.Error("the input was changed")
	}
	day := 24 * time.Hour
	for _, c := range []struct {
		age, half time.Duration
		floor     float64
		want      float64
	}{{0, day, 0.5, 1}, {day, day, 0, 0.5}, {2 * day, day, 0.1, 0.25}, {90 * day, day, 0.5, 0.5}, {-day, day, 0.5, 1}, {day, 0, 0.5, 1}} {
		if got := Recency(c.age, c.half, c.floor); got != c.want {
			t.Errorf("Recency(%v, %v, %v) = %v, want %v", c.age, c.half, c.floor, got, c.want)
		}
	}
}

func TestGuard(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 5000 {
		n := rng.IntN(12)
		items := make([]Item, n)
		guarded := map[int64]bool{}
		for i := range items {
			items[i] = Item{int64(i), float64(rng.IntN(5)) / 5}
			if rng.IntN(4) == 0 {
				guarded[int64(i)] = true
			}
		}
		Sort(items)
		page := rng.IntN(12)
		got := Guard(items, guarded, page)
		if len(got) != n {
			t.Fatalf("%d items became %d", n, len(got))
		}
		seen, onPage, guards := map[int64]bool{}, 0, 0
		for i, it := range got {
			seen[it.ID] = true
			if guarded[it.ID] {
				guards++
				if i < page {
					onPage++
				}
			}
			if i > 0 && got[i-1].Score < it.Score {
				t.Fatalf("scores rise: %v", got)
			}
		}
		if len(seen) != n {
			t.Fatalf("items were lost: %v of %v", got, items)
		}
		if page > 0 && onPage < min(guards, page) {
			t.Fatalf("%d of %d guarded items on a page of %d: %v", onPage, guards, page, got)
		}
		// Guarded items keep their order among each other, and so do the others.
		for _, side := range []bool{true, false} {
			of := func(xs []Item) (ids []int64) {
				for _, x := range xs {
					if guarded[x.ID] == side {
						ids = append(ids, x.ID)
					}
				}
				return ids
			}
			if !slices.Equal(of(got), of(items)) {
				t.Fatalf("order changed: %v of %v, guarded %v, page %d", got, items, guarded, page)
			}
		}
	}
}

func TestExact(t *testing.T) {
	fused, err := Fuse(FuseOptions{Weights: Weights{1, 1}}, Leg{Hits: []Scored{{1, 9}, {2, 8.5}, {3, 2}, {4, 1}}}, Leg{Hits: []Scored{{5, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := Exact(fused, 0.8); fmt.Sprint(got) != "map[1:true 2:true]" {
		t.Errorf("guarded: %v", got)
	}
	if got := Exact(nil, 0.8); len(got) != 0 {
		t.Errorf("guarded of nothing: %v", got)
	}
}

// slowMMR is the formula, evaluated anew for every place.
func slowMMR(items []Item, d float64, sim func(a, b int64) float64) []Item {
	var out []Item
	for len(out) < len(items) {
		best, bestValue := -1, 0.0
		for i, it := range items {
			if slices.Contains(out, it) {
				continue
			}
			value := (1 - d) * it.Score
			if len(out) > 0 {
				nearest := math.Inf(-1)
				for _, o := range out {
					nearest = max(nearest, sim(o.ID, it.ID))
				}
				value -= d * nearest
			}
			if best < 0 || value > bestValue {
				best, bestValue = i, value
			}
		}
		out = append(out, items[best])
	}
	return out
}

func TestMMR(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		items := make([]Item, rng.IntN(10))
		for i := range items {
			items[i] = Item{int64(i), rng.Float64()}
		}
		Sort(items)
		var sims [10][10]float64
		for i := range sims {
			for j := range i {
				sims[i][j] = rng.Float64()*2 - 1
				sims[j][i] = sims[i][j]
			}
		}
		sim := func(a, b int64) float64 { return sims[a][b] }
		d := float64(rng.IntN(5)) / 4
		before := slices.Clone(items)
		got, err := MMR(items, d, sim)
		if err != nil || !slices.Equal(got, slowMMR(items, d, sim)) && d > 0 {
			t.Fatalf("diversity %v: %v, %v, want %v", d, got, err, slowMMR(items, d, sim))
		}
		if d == 0 && !slices.Equal(got, items) || !slices.Equal(before, items) {
			t.Fatal("diversity 0 changed the order, or the input was changed")
		}
	}
	for _, d := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := MMR(nil, d, nil); err == nil {
			t.Errorf("diversity %v: no error", d)
		}
	}
}

func TestGroupAndMinScore(t *testing.T) {
	items := []Item{{1, 0.9}, {2, 0.8}, {3, 0.7}, {4, 0.1}}
	key := func(id int64) string { return fmt.Sprint(id % 2) }
	if got := Group(items, 1, key); !slices.Equal(got, []Item{{1, 0.9}, {2, 0.8}}) {
		t.Errorf("one of each group: %v", got)
	}
	if got := Group(items, 2, key); len(got) != 4 {
		t.Errorf("two of each group: %v", got)
	}
	if got := MinScore(items, 0.7); len(got) != 3 {
		t.Errorf("at least 0.7: %v", got)
	}
}

func TestLead(t *testing.T) {
	items := []Item{{1, 0.9}, {2, 0.8}, {3, 0.7}, {4, 0.6}}
	got := Lead(items, func(id int64) bool { return id == 3 || id == 4 })
	if want := []Item{{3, 0.9}, {4, 0.9}, {1, 0.9}, {2, 0.8}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Lead(items, func(int64) bool { return false }); !slices.Equal(got, items) {
		t.Errorf("nothing leads: %v", got)
	}
}
