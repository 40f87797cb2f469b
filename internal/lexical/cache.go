package lexical

import (
	"sync"
	"sync/atomic"
)

// cache bounds what the index keeps in memory. Readers find things through atomic
// pointers and never come here; loaders register what they loaded, and the clock hand
// takes away what was not used since it last passed.
type cache struct {
	budget int64
	used   atomic.Int64

	mu   sync.Mutex
	ring []*cached
	hand int
}

// cached is one thing in memory.
type cached struct {
	owner *segState
	bytes int64
	// used is set by readers, cleared by the hand.
	used atomic.Bool
	// drop removes the thing from where readers find it.
	drop func()
}

// touch marks c as used, writing only when that changes something.
func (c *cached) touch() {
	if !c.used.Load() {
		c.used.Store(true)
	}
}

// add registers c and makes room for it.
func (k *cache) add(c *cached) {
	c.used.Store(true)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ring = append(k.ring, c)
	k.used.Add(c.bytes)
	for spared := 0; k.used.Load() > k.budget && len(k.ring) > 1 && spared <= 2*len(k.ring); {
		if k.hand >= len(k.ring) {
			k.hand = 0
		}
		v := k.ring[k.hand]
		if v == c || v.used.Swap(false) {
			spared++
			k.hand++
			continue
		}
		k.remove(k.hand)
	}
}

// remove drops the i-th thing.
func (k *cache) remove(i int) {
	v := k.ring[i]
	last := len(k.ring) - 1
	k.ring[i] = k.ring[last]
	k.ring[last] = nil
	k.ring = k.ring[:last]
	k.used.Add(-v.bytes)
	v.drop()
}

// forget drops everything of segments that are no more.
func (k *cache) forget(dead func(*segState) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := 0; i < len(k.ring); {
		if dead(k.ring[i].owner) {
			k.remove(i)
		} else {
			i++
		}
	}
}
