package lexical

import (
	"cmp"
	"slices"
)

// top keeps the best k hits: higher score first, then smaller chunk.
type top struct {
	k    int
	heap []Hit // the worst on top
}

func newTop(k int) *top { return &top{k: k, heap: make([]Hit, 0, min(k, 1024))} }

func (t *top) full() bool { return len(t.heap) == t.k }

// prune is the sum below which nothing can enter: a little less than the worst score,
// since sums of bounds round differently.
func (t *top) prune() float64 {
	if len(t.heap) < t.k {
		return 0
	}
	return t.heap[0].Score * (1 - slack)
}

// worse reports whether a comes after b.
func worse(a, b Hit) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Chunk > b.Chunk
}

// add offers a hit.
func (t *top) add(chunk int64, score float64) {
	h := Hit{chunk, score}
	if len(t.heap) < t.k {
		t.heap = append(t.heap, h)
		for i := len(t.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !worse(t.heap[i], t.heap[up]) {
				break
			}
			t.heap[i], t.heap[up] = t.heap[up], t.heap[i]
			i = up
		}
		return
	}
	if !worse(t.heap[0], h) {
		return
	}
	t.heap[0] = h
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(t.heap) {
			return
		}
		if down+1 < len(t.heap) && worse(t.heap[down+1], t.heap[down]) {
			down++
		}
		if !worse(t.heap[down], t.heap[i]) {
			return
		}
		t.heap[i], t.heap[down] = t.heap[down], t.heap[i]
		i = down
	}
}

// sorted gives the hits, best first.
func (t *top) sorted() []Hit {
	slices.SortFunc(t.heap, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return t.heap
}
