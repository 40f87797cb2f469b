package stdlib

import (
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

const timeText = `
"""The clock. Waiting counts as wall time of the run."""

def time(): """Seconds since 1970 as a float."""
def time_ns(): """Nanoseconds since 1970."""
def monotonic(): """Seconds of a clock that never goes back."""
def perf_counter(): """Seconds of the same clock, to measure with."""
def process_time(): """Seconds of the same clock."""
def sleep(secs, /): """Waits."""
`

var timeDoc = guest.Lazy(timeText)

func makeTime(env *Env, c *guest.Contract) starlark.StringDict {
	start := env.Now()
	clock := func(*starlark.Thread, *guest.Args) (starlark.Value, error) {
		return float(env.Now().Sub(start).Seconds()), nil
	}
	return c.Bind("time", map[string]guest.Impl{
		"time": func(*starlark.Thread, *guest.Args) (starlark.Value, error) {
			return float(float64(env.Now().UnixNano()) / 1e9), nil
		},
		"time_ns": func(*starlark.Thread, *guest.Args) (starlark.Value, error) {
			return starlark.MakeInt64(env.Now().UnixNano()), nil
		},
		"monotonic": clock, "perf_counter": clock, "process_time": clock,
		"sleep": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := number(a.V[0])
			if err != nil {
				return nil, raise("TypeError", "'%s' object cannot be interpreted as an integer", guest.TypeName(a.V[0]))
			}
			if s < 0 {
				return nil, raise("ValueError", "sleep length must be non-negative")
			}
			return starlark.None, env.Sleep(s)
		},
	})
}
