package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/telemetry"
	"github.com/bmcis/bmcis/sandbox"
)

// told counts and traces a run that has ended.
func (s *session) told(span telemetry.Span, p sandbox.Program, out sandbox.Outcome, l codeapi.Ledger, ours error) {
	kind := string(out.Kind)
	if ours != nil {
		kind = string(sandbox.KindHost)
	}
	s.mu.Lock()
	repeats := s.repeats
	s.mu.Unlock()
	s.host.cfg.Telemetry.ProgramEnded(telemetry.Program{
		Outcome: kind, SourceBytes: len(p.Source), Took: out.Duration, Waited: out.Waited, CPU: out.Usage.CPU,
		MemoryBytes: out.Usage.MemoryBytes, Steps: out.Usage.Steps, SentBytes: out.Usage.BytesOut, Calls: l.Calls,
		Hits: l.Hits, Repeats: repeats, Touched: l.TokensTouched, Returned: l.TokensReturned, Validation: p.ValidateOnly,
	})
	span.Set("bmcis.outcome", kind)
	span.SetInt("bmcis.source_bytes", int64(len(p.Source)))
	span.SetInt("bmcis.waited_ms", out.Waited.Milliseconds())
	span.SetInt("bmcis.cpu_ms", out.Usage.CPU.Milliseconds())
	span.SetInt("bmcis.memory_bytes", out.Usage.MemoryBytes)
	span.SetInt("bmcis.tokens_touched", int64(l.TokensTouched))
	span.SetInt("bmcis.tokens_returned", int64(l.TokensReturned))
	span.End(kind)
}

// callOutcome is how a host call ended: ok, a kind of the sandbox, or refused for what a
// service would not do.
func callOutcome(ctx context.Context, reply json.RawMessage, err error) string {
	var e *sandbox.Error
	switch {
	case errors.As(err, &e):
		return string(e.Kind)
	case err != nil && ctx.Err() != nil:
		return string(sandbox.KindCancelled)
	case err != nil:
		return string(sandbox.KindHost)
	case bytes.HasPrefix(reply, []byte(`{"failure":`)):
		return "refused"
	}
	return string(sandbox.KindOK)
}

// repeat notes a call of another server's tool: polling calls one again and again.
func (s *session) repeat(tool string, input []byte) {
	if s.host.cfg.Telemetry == nil {
		return
	}
	key := fmt.Sprintf("%s %v", tool, audit.DigestOf(input))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.same == nil {
		s.same = map[string]int{}
	}
	s.same[key]++ // as many as there may be host calls
	s.repeats = max(s.repeats, s.same[key])
}
