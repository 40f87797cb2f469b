package lru

import (
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	c := New[string, int](2)
	c.Put("a", 1)
	c.Put("b", 2)
	if v, ok := c.Get("a"); !ok || v != 1 {
		t.Errorf("a: %v %v", v, ok)
	}
	c.Put("c", 3) // b was used longest ago
	if _, ok := c.Get("b"); ok {
		t.Error("b is still there")
	}
	c.Put("a", 4)
	if v, _ := c.Get("a"); v != 4 || c.Len() != 2 {
		t.Errorf("a is %d, %d entries", v, c.Len())
	}
	none := New[string, int](-1)
	none.Put("a", 1)
	if _, ok := none.Get("a"); ok || none.Len() != 0 {
		t.Error("a cache of nothing holds something")
	}
}

func TestConcurrent(t *testing.T) {
	c := New[int, int](50)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				k := (i*7 + g) % 100
				if v, ok := c.Get(k); ok && v != k {
					t.Errorf("%d holds %d", k, v)
				}
				c.Put(k, k)
			}
		})
	}
	wg.Wait()
	if c.Len() != 50 {
		t.Errorf("%d entries", c.Len())
	}
}
