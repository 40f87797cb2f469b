// Package lru is a bounded map that forgets what was used longest ago. Results
// that are dear to compute go in and come out again; internal/embed keeps
// query vectors in it, rerank scores.
package lru

import (
	"container/list"
	"sync"
)

// Cache holds at most as many entries as New was told. All methods may be
// called concurrently. The nil Cache holds nothing.
type Cache[K comparable, V any] struct {
	mu      sync.Mutex
	limit   int
	order   *list.List // front: used last
	entries map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New makes a cache of at most limit entries; nil when limit is not positive.
func New[K comparable, V any](limit int) *Cache[K, V] {
	if limit <= 0 {
		return nil
	}
	return &Cache[K, V]{limit: limit, order: list.New(), entries: make(map[K]*list.Element)}
}

// Get returns the value kept under key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Put keeps value under key.
func (c *Cache[K, V]) Put(key K, value V) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		e.Value.(*entry[K, V]).value = value
		c.order.MoveToFront(e)
		return
	}
	c.entries[key] = c.order.PushFront(&entry[K, V]{key, value})
	if c.order.Len() > c.limit {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.entries, last.Value.(*entry[K, V]).key)
	}
}

// Len is the number of entries.
func (c *Cache[K, V]) Len() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}
