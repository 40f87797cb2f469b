package lexical

import (
	"slices"
	"testing"
)

func TestPlan(t *testing.T) {
	many := func(n int, r row) []row {
		var rows []row
		for i := range n {
			r.id = int64(i + 1)
			rows = append(rows, r)
		}
		return rows
	}
	for name, c := range map[string]struct {
		rows  []row
		all   bool
		n     int // segments to merge
		level int
	}{
		"nothing":                  {nil, false, 0, 0},
		"a small tail":             {many(5, row{docs: 10, size: 1000}), false, 0, 0},
		"a tail of many segments":  {many(sealSegments, row{docs: 1, size: 1000}), false, sealSegments, 1},
		"a tail of many documents": {many(1, row{docs: sealDocs, size: 1 << 20}), false, 1, 1},
		"seven of a level":         {many(7, row{level: 1, docs: 1000, size: 1 << 20}), false, 0, 0},
		"eight of a level":         {many(8, row{level: 2, docs: 9000, size: 1 << 20}), false, 8, 3},
		"eight that are too large": {many(8, row{level: 4, docs: 1e6, size: 100 << 20}), false, 0, 0},
		"mostly deleted":           {many(1, row{level: 3, docs: 100, dead: 21}), false, 1, 3},
		"hardly deleted":           {many(1, row{level: 3, docs: 100, dead: 20}), false, 0, 0},
		"many deleted in all":      {many(3, row{level: 3, docs: 1e5, dead: 1500, size: 1 << 20}), false, 1, 3},
		"some deleted in all":      {many(2, row{level: 3, docs: 1e5, dead: 1500, size: 1 << 20}), false, 0, 0},
		"all":                      {many(3, row{level: 2, docs: 100, size: 100}), true, 3, 2},
		"all, one clean":           {many(1, row{level: 2, docs: 100, size: 100}), true, 0, 0},
		"all, one with deleted":    {many(1, row{level: 2, docs: 100, size: 100, dead: 1}), true, 1, 2},
		"all, a tail":              {many(1, row{docs: 100, size: 100}), true, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			ids, level := plan(slices.Clone(c.rows), c.all)
			if len(ids) != c.n || c.n > 0 && level != c.level {
				t.Errorf("merges %v to level %d, want %d segments to level %d", ids, level, c.n, c.level)
			}
		})
	}
}
