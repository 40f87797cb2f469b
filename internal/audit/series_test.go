package audit

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// TestSeries: each run is in the span in which it started, spans without runs are there,
// and the sums are those of Stats.
func TestSeries(t *testing.T) {
	s := New(pgtest.New(t))
	base := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	at := func(minutes int, identity int64, outcome string, touched int) Record {
		r := record(identity, "x", outcome)
		r.Started = base.Add(time.Duration(minutes) * time.Minute)
		r.Ledger = json.RawMessage(fmt.Sprintf(`{"tokens_touched": %d, "tokens_returned": 10}`, touched))
		return r
	}
	gap := Record{Started: base, Kind: KindGap, Outcome: "ok"} // is no run
	appendAll(t, s, at(-1, 1, "ok", 1), at(0, 1, "ok", 100), at(59, 1, "timeout", 200), at(60, 1, "ok", 400), at(61, 2, "ok", 800), at(179, 1, "ok", 1600), at(180, 1, "ok", 3200), gap)
	f := Own(1)
	f.Since, f.Until = base.Add(30*time.Second), base.Add(3*time.Hour)
	points, err := s.Series(t.Context(), f, time.Hour)
	if err != nil || len(points) != 3 {
		t.Fatal(points, err)
	}
	// The first span begins before Since, and what is before Since is not in it.
	want := []Point{{base, 1, 1, 200, 10}, {base.Add(time.Hour), 1, 0, 400, 10}, {base.Add(2 * time.Hour), 1, 0, 1600, 10}}
	for i := range want {
		if points[i] != want[i] {
			t.Errorf("span %d: %+v, want %+v", i, points[i], want[i])
		}
	}
	st, err := s.Stats(t.Context(), f)
	if err != nil || st.Runs != 3 || st.TokensTouched != 2200 {
		t.Error(st, err)
	}
	f.Since = base.AddDate(0, 0, -7)
	if points, err = s.Series(t.Context(), f, 7*24*time.Hour); err != nil || len(points) != 2 || points[0].Start.Weekday() != time.Monday || points[0].Runs+points[1].Runs != 5 {
		t.Error(points, err)
	}
	for _, bad := range []struct {
		f    Filter
		step time.Duration
	}{{Own(1), time.Hour}, {f, 0}, {f, time.Second}, {Filter{Since: f.Until, Until: f.Since}, time.Hour}} {
		if _, err := s.Series(t.Context(), bad.f, bad.step); err == nil {
			t.Errorf("%+v by %v is taken", bad.f, bad.step)
		}
	}
}
