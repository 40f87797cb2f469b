package rerank

import "slices"

// buffers is the working memory for one passage.
type buffers struct {
	passage, ids, types []int64
	out                 []float32
	windows             []window
	seen                map[int64]int // query token → number of the window that it was last seen in
}

// window is a range of a passage's tokens.
type window struct{ start, end, shared int }

// passageTokens is how much of a passage is looked at: without windows what
// one run takes, with them enough to choose from (about 50,000 characters at
// most), so that a hostile passage costs little.
func passageTokens(room, windows int) int {
	if windows == 1 {
		return room
	}
	return 96 * room
}

// choose returns the windows of the passage to score. A passage that fits, or
// overhangs by less than a quarter of a window, has one: its start. Of a
// longer one the start is always taken, and then the windows that contain most
// different tokens of the query, the earlier one on a tie. Windows overlap by
// a quarter, so that a sentence cut by one is whole in the next; the last one
// ends with the passage.
func (b *buffers) choose(query []int64, room, limit int) []window {
	n := len(b.passage)
	b.windows = append(b.windows[:0], window{0, min(room, n), 0})
	if limit == 1 || n-room <= room/4 {
		return b.windows
	}
	stride := room - room/4
	for start := stride; ; start += stride {
		if start+room >= n {
			b.windows = append(b.windows, window{n - room, n, 0})
			break
		}
		b.windows = append(b.windows, window{start, start + room, 0})
	}
	if len(b.windows) <= limit {
		return b.windows
	}
	b.count(query)
	slices.SortStableFunc(b.windows[1:], func(x, y window) int { return y.shared - x.shared })
	return b.windows[:limit]
}

// count fills in how many different tokens of the query each window has.
func (b *buffers) count(query []int64) {
	if b.seen == nil {
		b.seen = make(map[int64]int)
	}
	clear(b.seen)
	for _, t := range query {
		b.seen[t] = -1
	}
	for i := range b.windows {
		w := &b.windows[i]
		for _, t := range b.passage[w.start:w.end] {
			if last, ok := b.seen[t]; ok && last != i {
				b.seen[t] = i
				w.shared++
			}
		}
	}
}
