package pii

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Value is personal data, as it stood in a text.
type Value struct {
	Kind Kind
	Text string
}

// Tokenizer gives values their tokens. internal/vault has the one that remembers.
type Tokenizer interface {
	// Tokens returns the token of each value, in order; for equal values equal ones,
	// whenever it is asked. No value comes twice in a call. It may be called
	// concurrently.
	Tokens(ctx context.Context, values []Value) ([]string, error)
}

// Sanitizer puts tokens in the place of personal data. It is idempotent: what it
// returns it does not change. The zero value puts [EMAIL] and the like, which stand for
// nothing in particular and cannot be restored. Its methods may be called concurrently.
type Sanitizer struct {
	// Tokens gives the tokens; nil for none.
	Tokens Tokenizer
	// Kinds to look for; 0 for DefaultKinds.
	Kinds Kinds
}

func (s *Sanitizer) kinds() Kinds {
	if s.Kinds == 0 {
		return DefaultKinds
	}
	return s.Kinds
}

// Text returns the text with tokens. An error is the Tokenizer's; the text that comes
// with it is safe all the same, with [EMAIL] and the like for values.
func (s *Sanitizer) Text(ctx context.Context, text string) (string, error) {
	matches := Find(text, s.kinds())
	if len(matches) == 0 {
		return text, nil
	}
	b := batch{s: s}
	b.add(text, matches)
	err := b.tokenize(ctx)
	return b.replace(text, matches), err
}

// Texts is Text for many texts, which cost one call of the Tokenizer together.
func (s *Sanitizer) Texts(ctx context.Context, texts []string) ([]string, error) {
	return s.texts(ctx, nil, texts)
}

// texts is Texts with hints, nil or one for each text.
func (s *Sanitizer) texts(ctx context.Context, hints, texts []string) ([]string, error) {
	b := batch{s: s}
	found := make([][]Match, len(texts))
	for i, text := range texts {
		hint := ""
		if hints != nil {
			hint = hints[i]
		}
		found[i] = find(hint, text, s.kinds())
		b.add(text, found[i])
	}
	err := b.tokenize(ctx)
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = b.replace(text, found[i])
	}
	return out, err
}

// batch gathers the values of several texts.
type batch struct {
	s      *Sanitizer
	values []Value
	tokens map[Value]string
}

func (b *batch) add(text string, matches []Match) {
	for _, m := range matches {
		v := Value{m.Kind, text[m.Start:m.End]}
		if _, ok := b.tokens[v]; ok {
			continue
		}
		if b.tokens == nil {
			b.tokens = map[Value]string{}
		}
		// The text may be large and the vault remembers values.
		v.Text = strings.Clone(v.Text)
		b.tokens[v] = hidden(v.Kind)
		b.values = append(b.values, v)
	}
}

func (b *batch) tokenize(ctx context.Context) error {
	if b.s.Tokens == nil || len(b.values) == 0 {
		return nil
	}
	tokens, err := b.s.Tokens.Tokens(ctx, b.values)
	if err == nil && len(tokens) != len(b.values) {
		err = fmt.Errorf("%d tokens for %d values", len(tokens), len(b.values))
	}
	if err != nil {
		return fmt.Errorf("tokens for personal data: %w", err)
	}
	for i, v := range b.values {
		b.tokens[v] = tokens[i]
	}
	return nil
}

func (b *batch) replace(text string, matches []Match) string {
	if len(matches) == 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	at := 0
	for _, m := range matches {
		out.WriteString(text[at:m.Start])
		out.WriteString(b.tokens[Value{m.Kind, text[m.Start:m.End]}])
		at = m.End
	}
	out.WriteString(text[at:])
	return out.String()
}

// ErrDenied says that whoever asks may not restore personal data.
var ErrDenied = errors.New("restoring personal data is not allowed")

// Lookup knows what tokens stand for.
type Lookup interface {
	// Values returns what the tokens stand for. Unknown ones are missing. No token
	// comes twice in a call. It may be called concurrently.
	Values(ctx context.Context, tokens []string) (map[string]string, error)
}

// Restorer puts values back in the place of their tokens. The zero value does not:
// it returns [ErrDenied] for every text with a token. Its methods may be called
// concurrently.
type Restorer struct {
	// Values knows the tokens; nil if restoring is not allowed.
	Values Lookup
}

// Text returns the text with the values that its tokens stand for. Tokens that are not
// known stay. With an error the text comes back as it was.
func (r *Restorer) Text(ctx context.Context, text string) (string, error) {
	values, err := r.lookup(ctx, text)
	if err != nil || len(values) == 0 {
		return text, err
	}
	return restore(text, values), nil
}

// lookup returns what the tokens in the texts stand for.
func (r *Restorer) lookup(ctx context.Context, texts ...string) (map[string]string, error) {
	seen := map[string]bool{}
	var tokens []string
	for _, text := range texts {
		tokensIn(text, func(_ Kind, start, end int) {
			if token := text[start:end]; !seen[token] {
				seen[token] = true
				tokens = append(tokens, token)
			}
		})
	}
	if len(tokens) == 0 {
		return nil, nil
	}
	if r.Values == nil {
		return nil, ErrDenied
	}
	values, err := r.Values.Values(ctx, tokens)
	if err != nil {
		return nil, fmt.Errorf("restore personal data: %w", err)
	}
	return values, nil
}

func restore(text string, values map[string]string) string {
	var out strings.Builder
	at := 0
	tokensIn(text, func(_ Kind, start, end int) {
		if v, ok := values[text[start:end]]; ok {
			out.WriteString(text[at:start])
			out.WriteString(v)
			at = end
		}
	})
	if at == 0 {
		return text
	}
	out.WriteString(text[at:])
	return out.String()
}
