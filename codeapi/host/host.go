package host

import (
	"context"
	"encoding/json"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// Searcher is what the host needs of a *search.Engine. Its methods are called
// concurrently.
type Searcher interface {
	Search(ctx context.Context, r search.Request) (*search.Results, error)
	// Rerank scores whole texts against the query, one score a text in their
	// order, within 0..1, higher is better. When ctx ends on the way it returns
	// what is done, with NaN for the rest, and an error.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
	// Document returns a whole document by the caller's id.
	Document(ctx context.Context, collection, id string) (*search.Document, error)
	// Chunks returns chunks by their public ids, as hits without scores, in any
	// order, without those that do not exist.
	Chunks(ctx context.Context, collection string, ids []string) ([]search.Hit, error)
	// Similar returns the chunks nearest to a chunk or document, without itself;
	// of the request it heeds Collection, Filter and Limit.
	Similar(ctx context.Context, id string, r search.Request) (*search.Results, error)
}

// Config configures a [Host]. The zero value is ready to use.
type Config struct{}

// Host runs programs over an engine. Its methods may be called concurrently.
type Host struct{ engine Searcher }

// New returns a host over the engine.
func New(engine Searcher, cfg Config) *Host { return &Host{engine: engine} }

// RunResult is the answer of execute_code.
type RunResult struct {
	Success bool `json:"success"`
	// Result is the program's answer as JSON; null when it has none.
	Result json.RawMessage `json:"result"`
	Output string          `json:"output"`
	Error  *sandbox.Error  `json:"error"`
	// ExecutionTime in seconds.
	ExecutionTime float64        `json:"execution_time"`
	Truncated     bool           `json:"truncated"`
	Usage         sandbox.Usage  `json:"usage"`
	Ledger        codeapi.Ledger `json:"ledger"`
	// Degraded names what failed or ran out of time in the run's searches.
	Degraded []string `json:"degraded,omitempty"`
	// Layers of confinement that were active.
	Layers []string `json:"layers,omitempty"`
	// Report answers validate_only.
	Report json.RawMessage `json:"report,omitempty"`
}

// Execute runs one program on the runner. The program's fate is in the result;
// an error is ours.
func (h *Host) Execute(ctx context.Context, runner *sandbox.Runner, p sandbox.Program, l sandbox.Limits) (RunResult, error) {
	return RunResult{}, nil
}
