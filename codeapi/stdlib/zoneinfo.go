package stdlib

import (
	"sync"
	"time"
	_ "time/tzdata" // a program's process can read no files

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

const zoneinfoText = `
"""Time zones of the IANA database, with summer time: ZoneInfo("Europe/Berlin")."""

def ZoneInfo(key):
    """A time zone by its name; ZoneInfoNotFoundError (a KeyError) for unknown ones."""
`

var zoneinfoDoc = guest.Lazy(zoneinfoText)

func makeZoneinfo(env *Env, c *guest.Contract) starlark.StringDict {
	dateClasses(env)
	m := c.Bind("zoneinfo", map[string]guest.Impl{"ZoneInfo": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		key, err := str(a, 0)
		if err != nil {
			return nil, err
		}
		return zoneOf(key)
	}})
	m["ZoneInfo"] = classOf("ZoneInfo", m["ZoneInfo"])
	m["ZoneInfoNotFoundError"] = exceptionClass("ZoneInfoNotFoundError", "KeyError")
	return m
}

var regions struct {
	sync.Mutex
	of map[string]*zone
}

// zoneOf gives the one zone of a name: like CPython's, equal zones are the same.
func zoneOf(key string) (starlark.Value, error) {
	regions.Lock()
	defer regions.Unlock()
	if z := regions.of[key]; z != nil {
		return z, nil
	}
	loc, err := time.LoadLocation(key)
	if err != nil || key == "" || key == "Local" {
		return nil, raise("ZoneInfoNotFoundError", "'No time zone found with key %s'", key)
	}
	if regions.of == nil {
		regions.of = map[string]*zone{}
	}
	z := &zone{region: loc}
	regions.of[key] = z
	return z, nil
}

// at is the zone as it is at a local time: a region has its offset and its
// abbreviation from then. Of a time that occurs twice, fold chooses the second.
func (z *zone) at(local time.Time, fold int) *zone {
	if z == nil || z.region == nil {
		return z
	}
	t := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), z.region)
	// The offsets on both sides of a change; Go takes either in a gap or a fold.
	_, before := t.Add(-3 * time.Hour).Zone()
	_, after := t.Add(3 * time.Hour).Zone()
	if before != after {
		first := local.Add(-time.Duration(before) * time.Second).In(z.region)
		second := local.Add(-time.Duration(after) * time.Second).In(z.region)
		_, o1 := first.Zone()
		_, o2 := second.Zone()
		switch {
		case o1 == before && o2 == after: // twice
			t = first
			if fold == 1 {
				t = second
			}
		case o1 == before:
			t = first
		case o2 == after:
			t = second
		default: // never: the offset before the gap, or with fold the one after
			if fold == 1 {
				return z.with(second, after)
			}
			return z.with(first, before)
		}
	}
	_, off := t.Zone()
	return z.with(t, off)
}

// atUTC is the zone as it is at a moment.
func (z *zone) atUTC(moment time.Time) *zone {
	if z == nil || z.region == nil {
		return z
	}
	t := moment.In(z.region)
	_, off := t.Zone()
	return z.with(t, off)
}

func (z *zone) with(t time.Time, offset int) *zone {
	name, _ := t.Zone()
	r := &zone{region: z.region, offset: normalDelta(0, int64(offset), 0), name: name, named: true}
	if t.IsDST() {
		r.dst = normalDelta(0, 3600, 0)
	}
	return r
}

// local is a moment as a datetime in the zone.
func (z *zone) local(utc time.Time) datetime {
	z = z.atUTC(utc)
	t := utc
	if z != nil {
		t = utc.Add(z.offset.duration())
	}
	fold := 0
	if z != nil && z.region != nil && z.at(t, 0).offset != z.offset {
		fold = 1
	}
	return datetime{t: t, zone: z, fold: fold}
}
