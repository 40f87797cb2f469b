package main

import (
	"testing"
	"time"
)

func TestSpansAndMoments(t *testing.T) {
	for text, want := range map[string]time.Duration{"90d": 90 * 24 * time.Hour, "2w": 14 * 24 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute, "0d": 0} {
		if got, err := parseSpan(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "-3h", "99999d", "soon", "1y", "d1"} {
		if got, err := parseSpan(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"24h": now.Add(-24 * time.Hour), "7d": now.Add(-7 * 24 * time.Hour), "2026-01-31": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		"2026-01-31 08:00": time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC), "2026-01-31T08:00:00+02:00": time.Date(2026, 1, 31, 6, 0, 0, 0, time.UTC),
	} {
		if got, err := parseMoment(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "yesterday", "2026-13-01", "31.1.2026"} {
		if got, err := parseMoment(text, now); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}
