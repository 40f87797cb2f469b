package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
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
	kept, err := s.overflow(ctx, "result.json", a.Value)
	if err != nil {
		s.degrade([]string{"result: the whole answer was not kept: " + err.Error()})
		return nil, err
	}
	s.mu.Lock()
	s.kept = &kept
	s.mu.Unlock()
	return kept, nil
}

// overflow keeps what does not fit into an answer.
func (s *session) overflow(ctx context.Context, name string, data []byte) (codeapi.Kept, error) {
	handle, expires, err := s.host.cfg.Overflow.Keep(ctx, name, data)
	kept := codeapi.Kept{Handle: handle, Bytes: len(data)}
	if !expires.IsZero() {
		kept.Expires = expires.UTC().Format(time.RFC3339)
	}
	return kept, err
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

// shorten keeps n bytes of an output, three quarters from its start and the rest from
// its end, whole lines where it has lines, and says between them what is left out and
// where all of it is.
func (s *session) shorten(ctx context.Context, output string, n int) string {
	head, tail := validCut(output, n*3/4), strings.ToValidUTF8(output[len(output)-n/4:], "")
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	} else {
		head += "\n"
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	kept := ""
	if s.host.cfg.Overflow != nil {
		if k, err := s.overflow(ctx, "output.txt", []byte(output)); err != nil {
			kept = "; it was not kept: " + err.Error()
		} else {
			kept = "; " + k.Where()
		}
	}
	return fmt.Sprintf("%s[%d of %d bytes of output are left out here%s]\n%s", head, len(output)-len(head)-len(tail), len(output), kept, tail)
}
