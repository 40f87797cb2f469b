package codeapi

import (
	"encoding/json"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const statsText = `
"""What this run has done so far."""

def get_execution_stats():
    """The run's ledger as a dict: tokens_touched (o200k tokens of the host's answers, as
    direct tools would have printed them with whole texts), calls by method, hits,
    documents, host_ms. tokens_returned is known when the run has ended."""
`

var statsDoc = guest.Lazy(statsText)

func (r *run) statsModule() *pylang.Module {
	return &pylang.Module{
		Name: "stats", Doc: statsDoc().Doc,
		Members: statsDoc().Bind("stats", map[string]guest.Impl{
			"get_execution_stats": func(*starlark.Thread, *guest.Args) (starlark.Value, error) {
				return r.ask(MethodStats, struct{}{}, func(raw json.RawMessage) (starlark.Value, error) {
					var m map[string]any
					if err := decodeReply(MethodStats, raw, &m); err != nil {
						return nil, err
					}
					return fromJSON(m, 0)
				})
			},
		}),
	}
}
