package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseSpan reads a duration, in which d is 24 hours and w is 7 days: 90d, 12h, 30m.
func parseSpan(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			n, err := strconv.ParseInt(number, 10, 32)
			if err != nil || n < 0 || n > 100*366 {
				return 0, fmt.Errorf("%q is no time span such as 90d or 12h", text)
			}
			return time.Duration(n) * unit, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no time span such as 90d or 12h", text)
	}
	return d, nil
}

// parseMoment reads a time: a date, a date with a time of day, or a span before now.
func parseMoment(text string, now time.Time) (time.Time, error) {
	if span, err := parseSpan(text); err == nil {
		return now.Add(-span), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time; write 2026-01-31, 2026-01-31T08:00:00Z, or a span before now such as 24h or 7d", text)
}
