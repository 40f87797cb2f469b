package host

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/sandbox"
)

// Of the calls of one run that count tokens one works at a time, and none after its end.
func TestTokensUseOneCore(t *testing.T) {
	h := New(&fakeEngine{}, Config{})
	s := &session{host: h, ledger: newLedger(&h.tokens)}
	defer s.ledger.close()
	ctx, cancel := context.WithCancel(t.Context())
	s.counting.Lock()
	ended := make(chan error, 5)
	for range cap(ended) {
		go func() {
			_, err := s.Call(ctx, codeapi.MethodTokens, json.RawMessage(`{"texts": ["a", "b"]}`))
			ended <- err
		}()
	}
	select {
	case err := <-ended:
		t.Fatal("counted beside another call:", err)
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	s.counting.Unlock()
	for range cap(ended) {
		var e *sandbox.Error
		if err := <-ended; !errors.As(err, &e) || e.Kind != sandbox.KindCancelled {
			t.Errorf("after the end: %v", err)
		}
	}
	if _, err := s.Call(t.Context(), codeapi.MethodTokens, json.RawMessage(`{"texts": ["a"]}`)); err != nil {
		t.Error(err)
	}
}
