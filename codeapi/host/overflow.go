package host

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bmcis/bmcis/codeapi"
)

// keep stores the whole answer of a run whose result is cut.
func (s *session) keep(ctx context.Context, raw json.RawMessage) (any, error) {
	if s.host.cfg.Overflow == nil {
		return nil, invalid("return less, or save it in parts", "answers that are too long are not kept here")
	}
	var a codeapi.KeepArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if len(a.Value) == 0 || len(a.Value) > codeapi.MaxKeepBytes {
		return nil, invalid("", "value must be JSON of 1 to %d bytes, got %d", codeapi.MaxKeepBytes, len(a.Value))
	}
	s.mu.Lock()
	again := s.asked
	s.asked = true
	s.mu.Unlock()
	if again {
		return nil, invalid("", "a run keeps one answer")
	}
	handle, expires, err := s.host.cfg.Overflow.Keep(ctx, "result.json", a.Value)
	if err != nil {
		s.degrade([]string{"result: the whole answer was not kept: " + err.Error()})
		return nil, err
	}
	kept := &codeapi.Kept{Handle: handle, Bytes: len(a.Value)}
	if !expires.IsZero() {
		kept.Expires = expires.UTC().Format(time.RFC3339)
	}
	s.mu.Lock()
	s.kept = kept
	s.mu.Unlock()
	return kept, nil
}

// keptAnswer is where the answer is, of a run that ended with a part of it.
func (s *session) keptAnswer(cut bool) *codeapi.Kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !cut {
		return nil
	}
	return s.kept
}
