package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pii"
	"github.com/bmcis/bmcis/internal/vault"
	"github.com/bmcis/bmcis/sandbox"
)

// Privacy says what happens to personal data on its way out of programs. The zero value
// leaves it alone, and has no tokens.
type Privacy struct {
	// Vaults keep what tokens stand for, one vault an identity. Nil: sanitize_pii and
	// restore_pii are not available, and what is hidden cannot be restored.
	Vaults *vault.Store
	// Hides reports whether all that leaves the programs of an identity carries tokens.
	// Nil hides for nobody. It may be called concurrently.
	Hides func(identity.Identity) bool
	// Kinds that are hidden. Defaults to pii.DefaultKinds.
	Kinds pii.Kinds
	// Sinks are the tools of other servers, by pattern of their qualified names, that get
	// values and not tokens.
	Sinks []string
}

// Sanitizer is what everything passes that leaves for the identity of the context; nil
// where nothing is hidden.
func (h *Host) Sanitizer(ctx context.Context) *pii.Sanitizer {
	w := whoOf(ctx)
	p := h.cfg.Privacy
	if !w.known || p.Hides == nil || !p.Hides(w.Identity) {
		return nil
	}
	if p.Vaults == nil {
		return &pii.Sanitizer{Kinds: p.Kinds}
	}
	return p.Vaults.Vault(w.ID).Sanitizer(p.Kinds)
}

// lines passes whole lines on to a function.
type lines struct {
	to   func(string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		l.to(string(l.rest[:i]))
		l.rest = l.rest[i+1:]
	}
}

func (l *lines) end() {
	if len(l.rest) > 0 {
		l.to(string(l.rest))
	}
}

// hideProgress lets printed lines pass the sanitizer; done passes on what it holds back.
func hideProgress(ctx context.Context, s *pii.Sanitizer, p *sandbox.Program) (done func()) {
	if s == nil || p.Output == nil {
		return func() {}
	}
	out := &lines{to: p.Output}
	w := pii.NewWriter(ctx, out, s)
	p.Output = func(line string) {
		_, _ = io.WriteString(w, line+"\n") // its writer never fails
	}
	return func() {
		_ = w.Close() // what could not be given a token was hidden without one
		out.end()
	}
}

// hide puts tokens into everything of an outcome that can hold a program's words.
func (s *session) hide(ctx context.Context, out *sandbox.Outcome, degraded []string) []string {
	if s.san == nil {
		return degraded
	}
	// Of a caller who has gone meanwhile, too: the audit log gets this.
	ctx = context.WithoutCancel(ctx)
	var failed error
	note := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	rawJSON := func(raw json.RawMessage) json.RawMessage {
		if len(raw) == 0 {
			return raw
		}
		clean, err := s.san.JSON(ctx, raw)
		note(err)
		if clean == nil {
			return json.RawMessage("null")
		}
		return clean
	}
	out.Result, out.Report = rawJSON(out.Result), rawJSON(out.Report)
	texts := []string{out.Output}
	if out.Error != nil {
		e := *out.Error
		out.Error = &e
		texts = append(texts, e.Message, e.Hint)
	}
	texts = append(texts, degraded...)
	clean, err := s.san.Texts(ctx, texts)
	note(err)
	out.Output, clean = clean[0], clean[1:]
	if out.Error != nil {
		out.Error.Message, out.Error.Hint, clean = clean[0], clean[1], clean[2:]
	}
	if failed != nil {
		clean = append(clean, "pii: some values are hidden without a token that can be restored")
	}
	return clean
}

// hideRecord is what the audit log keeps, with tokens.
func (s *session) hideRecord(ctx context.Context, r audit.Record) audit.Record {
	if s.san == nil {
		return r
	}
	texts := []string{r.Program, r.Description, r.Error}
	for _, c := range r.Calls {
		texts = append(texts, c.Target, c.Error)
	}
	clean, _ := s.san.Texts(context.WithoutCancel(ctx), texts) // safe also when it fails
	r.Program, r.Description, r.Error, clean = clean[0], clean[1], clean[2], clean[3:]
	for i := range r.Calls {
		r.Calls[i].Target, r.Calls[i].Error = clean[2*i], clean[2*i+1]
	}
	return r
}

// forSink is the arguments as a tool of another server gets them: with values for one on
// the allow-list, with tokens for all others.
func (s *session) forSink(ctx context.Context, tool string, input json.RawMessage) (json.RawMessage, error) {
	if s.san == nil || len(input) == 0 {
		return input, nil
	}
	p := s.host.cfg.Privacy
	if slices.ContainsFunc(p.Sinks, func(pattern string) bool { return fits(pattern, tool) }) {
		if p.Vaults == nil {
			return input, nil
		}
		return p.Vaults.Vault(s.who.ID).Restorer(true).JSON(ctx, input)
	}
	clean, err := s.san.JSON(ctx, input)
	if clean == nil && err == nil {
		err = errors.New("arguments cannot be read")
	}
	return clean, err
}

// fits reports whether a name fits a pattern in which * stands for any run of characters.
func fits(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	for i := len(head); i <= len(name); i++ {
		if fits(rest, name[i:]) {
			return true
		}
	}
	return false
}

func (s *session) vault() (*vault.Vault, error) {
	if s.host.cfg.Privacy.Vaults == nil || !s.who.known {
		return nil, unavailable("tokens for personal data are", "leave such data out of the answer")
	}
	return s.host.cfg.Privacy.Vaults.Vault(s.who.ID), nil
}

func (s *session) sanitizePII(ctx context.Context, raw json.RawMessage) (any, error) {
	v, err := s.vault()
	if err != nil {
		return nil, err
	}
	var a codeapi.PIIArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	kinds := s.host.cfg.Privacy.Kinds
	if len(a.Kinds) > 0 {
		kinds = 0
		for _, name := range a.Kinds {
			k, ok := pii.ParseKind(name)
			if !ok {
				return nil, invalid("", "kind %.40q is none of email, phone, ssn, card, iban, ip, name", name)
			}
			kinds |= pii.SetOf(k)
		}
	}
	clean, err := v.Sanitizer(kinds).JSON(ctx, a.Value)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(clean), nil
}

func (s *session) restorePII(ctx context.Context, raw json.RawMessage) (any, error) {
	v, err := s.vault()
	if err != nil {
		return nil, err
	}
	var a codeapi.PIIArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if !s.who.RestorePII {
		return nil, &codeapi.Failure{Class: "PermissionError", Message: "identity " + s.who.Name + " may not restore personal data",
			Hint: "an administrator may allow it: bmcis tokens set " + s.who.Name + " --restore-pii"}
	}
	value, err := v.Restorer(true).JSON(ctx, a.Value)
	if err != nil {
		return nil, failure(err, pii.ErrDenied, "PermissionError")
	}
	return json.RawMessage(value), nil
}
