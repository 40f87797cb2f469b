package console

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/search"
)

const (
	maxSearchBytes = 256 << 10
	maxHits        = 100 // of one page: each comes with its whole text
)

// question is a search as the page sends it.
type question struct {
	Query      string          `json:"query"`
	Collection string          `json:"collection"`
	Mode       search.Mode     `json:"mode"`
	Fusion     search.Fusion   `json:"fusion"`
	Weights    *search.Weights `json:"weights"` // null: the router's
	// Filter, as an expression or as the text of its JSON; "" for none.
	Filter string `json:"filter"`
	Boosts []struct {
		When   string  `json:"when"`
		Factor float64 `json:"factor"`
	} `json:"boosts"`
	Rerank  search.RerankPolicy `json:"rerank"`
	Limit   int                 `json:"limit"`
	GroupBy string              `json:"group_by"`
	Cursor  string              `json:"cursor"`
}

func (q question) request() (search.Request, error) {
	r := search.Request{Query: q.Query, Collection: q.Collection, Mode: q.Mode, Fusion: q.Fusion, Limit: q.Limit,
		GroupBy: q.GroupBy, Cursor: q.Cursor, Rerank: search.RerankOptions{Policy: q.Rerank}, Explain: true}
	if q.Weights != nil {
		r.Weights = *q.Weights
		if r.Weights == (search.Weights{}) {
			return r, invalid("the weights are both 0; give at least one leg some weight, or let the router choose")
		}
	}
	if q.Limit < 1 || q.Limit > maxHits {
		return r, invalid("limit must be 1 to %d, got %d", maxHits, q.Limit)
	}
	parse := func(name, text string) (err error) {
		raw, _ := json.Marshal(text) // a string
		if name == "filter" {
			r.Filter, err = host.ParseFilter(name, raw)
			return err
		}
		b := search.Boost{}
		if b.When, err = host.ParseFilter(name, raw); err == nil && b.When == nil {
			err = invalid("%s needs a condition", name)
		}
		r.Boosts = append(r.Boosts, b)
		return err
	}
	if err := parse("filter", q.Filter); err != nil {
		return r, err
	}
	if len(q.Boosts) > 20 {
		return r, invalid("boosts must be at most 20, got %d", len(q.Boosts))
	}
	for i, b := range q.Boosts {
		if err := parse("boost", b.When); err != nil {
			return r, err
		}
		r.Boosts[i].Factor = b.Factor
	}
	return r, nil
}

// search answers with search.Results, explained.
func (a *api) search(w http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	var q question
	if err := read(w, r, maxSearchBytes, &q); err != nil {
		return nil, err
	}
	if q.Collection == "" {
		q.Collection = a.Server.Collection()
	}
	return a.Server.Do(r.Context(), searchTool(q.Mode), q, func(ctx context.Context) (any, error) {
		req, err := q.request()
		if err != nil {
			return nil, err
		}
		return a.Engine.Search(ctx, req)
	})
}

// shownBytes of a document before and after the matched chunk are sent.
const shownBytes = 200_000

// document is a document around one of its chunks.
type document struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Source   string         `json:"source"`
	URI      string         `json:"uri,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
	Chunks   int            `json:"chunks"`
	Created  time.Time      `json:"created"`
	Updated  time.Time      `json:"updated"`
	// Before, Match and After are the text; Match is "" where no chunk was asked for, or
	// Gone says that the document has it no more.
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
	Gone   bool   `json:"gone,omitempty"`
	// CutBefore and CutAfter are bytes of the text that were left out at its ends.
	CutBefore int `json:"cut_before,omitempty"`
	CutAfter  int `json:"cut_after,omitempty"`
}

func (a *api) document(_ http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	p, err := query(r, "collection", "id", "chunk")
	if err != nil {
		return nil, err
	}
	args := struct {
		ID         string `json:"id"`
		Collection string `json:"collection"`
		Chunk      string `json:"chunk,omitempty"`
	}{p.Get("id"), p.Get("collection"), p.Get("chunk")}
	if args.ID == "" {
		return nil, invalid("id is missing: name a document")
	}
	for _, text := range []string{args.ID, args.Collection, args.Chunk} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || len(text) > 8<<10 {
			return nil, invalid("ids and names are text of at most 8192 bytes")
		}
	}
	if args.Collection == "" {
		args.Collection = a.Server.Collection()
	}
	return a.Server.Do(r.Context(), toolDocument, args, func(ctx context.Context) (any, error) {
		d, err := a.Engine.Document(ctx, args.Collection, args.ID)
		if err != nil {
			return nil, err
		}
		out := document{ID: d.ID, Title: d.Title, Source: d.Source, URI: d.URI, Metadata: d.Metadata, Chunks: d.Chunks, Created: d.Created, Updated: d.Updated}
		from, to := 0, 0
		if args.Chunk != "" {
			chunks, err := a.Engine.Chunks(ctx, args.Collection, []string{args.Chunk})
			if err != nil {
				return nil, err
			}
			out.Gone = len(chunks) == 0 || chunks[0].DocumentID != d.ID || !within(d.Text, chunks[0].Start, chunks[0].End)
			if !out.Gone {
				from, to = chunks[0].Start, chunks[0].End
			}
		}
		out.Before, out.CutBefore = lastBytes(d.Text[:from], shownBytes)
		out.Match = d.Text[from:to]
		out.After, out.CutAfter = firstBytes(d.Text[to:], shownBytes)
		return out, nil
	})
}

// within reports whether text[from:to] is a part of text that splits no character.
func within(text string, from, to int) bool {
	return 0 <= from && from <= to && to <= len(text) && utf8.ValidString(text[from:to])
}

// firstBytes is at most n bytes from the beginning of s, ending at a character's end, and
// how many are left out.
func firstBytes(s string, n int) (string, int) {
	if len(s) <= n {
		return s, 0
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], len(s) - n
}

// lastBytes is firstBytes from the end.
func lastBytes(s string, n int) (string, int) {
	if len(s) <= n {
		return s, 0
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:], at
}
