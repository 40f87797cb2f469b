package host

import (
	"strings"
	"sync"
	"testing"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
)

// TestCallsAreTold: who watches a run is told each call with its fate, without an audit
// log too, and with tokens where personal data is hidden.
func TestCallsAreTold(t *testing.T) {
	var mu sync.Mutex
	var told []audit.Call
	ctx := WithCalls(identity.NewContext(t.Context(), identity.Identity{ID: 7, Name: "ann", Policy: identity.DefaultPolicy()}), func(c audit.Call) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, c)
	})
	h := New(&fakeEngine{hits: hits(3, 100)}, Config{Privacy: Privacy{Hides: func(identity.Identity) bool { return true }}})
	s := h.newSession(ctx, 0)
	defer s.ledger.close()
	if err := call(t, s, codeapi.MethodHybrid, codeapi.SearchArgs{Query: "x", TopK: 3}, nil); err != nil {
		t.Fatal(err)
	}
	if err := call(t, s, codeapi.MethodHybrid, codeapi.SearchArgs{Query: "x", TopK: 3, Fusion: "ann.smith@example.org"}, nil); err == nil {
		t.Fatal("a fusion of that name")
	}
	if len(told) != 2 || told[0].Outcome != "ok" || told[1].Outcome != "validation" || told[1].Start < told[0].Start ||
		told[1].Error == "" || strings.Contains(told[1].Error, "ann.smith") {
		t.Errorf("told %+v", told)
	}
}
