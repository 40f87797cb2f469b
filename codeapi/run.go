package codeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/internal/pylang"
	"github.com/bmcis/bmcis/sandbox"
)

// run is what the modules of one program share. A program runs on one goroutine,
// so nothing here is locked.
type run struct {
	host   sandbox.Host
	thread *starlark.Thread
	// chunks are all chunks that the host has told of, by collection and id: a
	// dict that came from Hit.to_dict finds its way back to the whole text.
	chunks map[chunkKey]*chunk
	// lastCollection is where an id of a plain dict is looked up first.
	lastCollection string
	// deferred makes host calls return a future instead of waiting: the program
	// gathers or schedules its calls.
	deferred bool
	// calls and printed are what the run has used of its limits.
	calls   int
	printed int64
	midLine bool // what was printed does not end a line

	// source and cfg are the program and what it was compiled with; skills compile with
	// the same. skills, tools and found are what was imported already.
	source string
	cfg    pylang.Config
	skills map[string]starlark.StringDict
	tools  map[string]starlark.Value
	found  map[string]*pylang.Module
}

type chunkKey struct{ collection, id string }

func newRun(h sandbox.Host) *run {
	return &run{host: h, chunks: make(map[chunkKey]*chunk)}
}

// ask makes a host call and turns its answer into a value: at once, or when the
// future is awaited.
func (r *run) ask(method string, args any, answer func(reply json.RawMessage) (starlark.Value, error)) (starlark.Value, error) {
	raw, err := r.encodeArgs(method, args)
	if err != nil {
		return nil, err
	}
	r.calls++
	if r.deferred {
		return &future{thread: r.thread, method: method, wait: r.host.Start(method, raw), answer: answer}, nil
	}
	reply, err := r.host.Call(method, raw)
	if err != nil {
		return nil, raised(method, err)
	}
	return answer(reply)
}

// askNow makes a host call and waits for its answer.
func (r *run) askNow(method string, args, reply any) error {
	raw, err := r.encodeArgs(method, args)
	if err != nil {
		return err
	}
	r.calls++
	answer, err := r.host.Call(method, raw)
	if err != nil {
		return raised(method, err)
	}
	return decodeReply(method, answer, reply)
}

func (r *run) encodeArgs(method string, args any) (json.RawMessage, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, pylang.Raise("ValueError", "%s: the arguments cannot be sent: %v", method, err)
	}
	if len(raw) > MaxRequestBytes {
		return nil, pylang.Raise("ValueError", "%s: the arguments are %d bytes, at most %d can be sent; send fewer at a time", method, len(raw), MaxRequestBytes)
	}
	return raw, nil
}

func decodeReply(method string, raw json.RawMessage, reply any) error {
	if err := json.Unmarshal(raw, reply); err != nil {
		return pylang.Raise("RuntimeError", "%s: the host's answer cannot be read: %v", method, err)
	}
	return nil
}

// raised turns an error of a host call into the exception that the program sees.
// The reasons for which a run must end stay uncatchable.
func raised(method string, err error) error {
	var e *sandbox.Error
	if !errors.As(err, &e) {
		return pylang.Raise("RuntimeError", "%s: %v", method, err)
	}
	class := "RuntimeError"
	switch e.Kind {
	case sandbox.KindValidation:
		class = "ValueError"
	case sandbox.KindTimeout:
		class = "TimeoutError"
	case sandbox.KindCancelled, sandbox.KindMemory, sandbox.KindSteps, sandbox.KindOutput, sandbox.KindCalls:
		return &pylang.Fatal{Kind: string(e.Kind), Message: e.Message}
	}
	x := pylang.Raise(class, "%s", e.Message)
	x.Hint = e.Hint
	return x
}

// future is a host call under way: something to await or to gather. A program
// that uses it without awaiting gets the answer all the same, see proxy.go.
type future struct {
	thread *starlark.Thread
	method string
	wait   func() (json.RawMessage, error)
	answer func(json.RawMessage) (starlark.Value, error)
	done   bool
	value  starlark.Value
	err    error
	frozen bool
}

var _ pylang.Awaitable = (*future)(nil)

// Await implements pylang.Awaitable.
func (f *future) Await(*starlark.Thread) (starlark.Value, error) { return f.force() }

func (f *future) force() (starlark.Value, error) {
	if !f.done {
		f.done = true
		raw, err := f.wait()
		if err != nil {
			f.err = raised(f.method, err)
		} else {
			f.value, f.err = f.answer(raw)
		}
		f.wait, f.answer = nil, nil
		if f.err == nil && f.frozen {
			f.value.Freeze()
		}
	}
	return f.value, f.err
}

// registered remembers the chunks of a reply and returns them.
func (r *run) registered(reply *SearchReply, query string) []*chunk {
	g := &group{run: r, collection: reply.Collection, query: query}
	r.lastCollection = reply.Collection
	for i := range reply.Hits {
		h := &reply.Hits[i]
		key := chunkKey{reply.Collection, h.ID}
		c := &chunk{Hit: *h, group: g}
		if h.Whole {
			c.text, c.known = h.Content, true
		} else if old := r.chunks[key]; old != nil && old.known && old.Content == h.Content {
			c.text, c.known = old.text, true
		}
		g.chunks = append(g.chunks, c)
		r.chunks[key] = c
	}
	return g.chunks
}

// find returns the chunk with an id, nil when this run has not seen it.
func (r *run) find(id string) *chunk {
	if c := r.chunks[chunkKey{r.lastCollection, id}]; c != nil {
		return c
	}
	for key, c := range r.chunks {
		if key.id == id {
			return c
		}
	}
	return nil
}

// group is the chunks of one reply: their whole texts are fetched together.
type group struct {
	run        *run
	collection string
	query      string
	chunks     []*chunk
}

// fetch gets the whole texts of the group. Several calls are made only when one
// answer cannot hold them all.
func (g *group) fetch() error {
	var ids []string
	for _, c := range g.chunks {
		if !c.known && !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	for len(ids) > 0 {
		var reply TextsReply
		if err := g.run.askNow(MethodTexts, TextsArgs{IDs: ids, Collection: g.collection}, &reply); err != nil {
			return err
		}
		missing := make(map[string]bool, len(reply.Missing))
		for _, id := range reply.Missing {
			missing[id] = true
		}
		rest := ids[:0:0]
		for _, c := range g.chunks {
			if c.known {
				continue
			}
			if text, ok := reply.Texts[c.ID]; ok {
				c.text, c.known = text, true
			} else if missing[c.ID] {
				c.gone = true
			} else if !c.gone && !slices.Contains(rest, c.ID) {
				rest = append(rest, c.ID)
			}
		}
		if len(rest) >= len(ids) {
			return pylang.Raise("RuntimeError", "%s: the host sent none of %d texts", MethodTexts, len(ids))
		}
		ids = rest
	}
	return nil
}

// chunk is what the host told about one chunk, shared by the hits made of it.
type chunk struct {
	Hit
	group *group
	text  string
	known bool // text is the whole text
	gone  bool // deleted since it was found
	meta  starlark.Value
}

// whole returns the whole text, fetching it for the chunk's group when needed.
func (c *chunk) whole() (string, error) {
	if !c.known && !c.gone {
		if err := c.group.fetch(); err != nil {
			return "", err
		}
	}
	if !c.known {
		return "", pylang.Raise("LookupError", "the text of %s is gone: it was deleted after the search", c.ID)
	}
	return c.text, nil
}

// metadata is the chunk's metadata as a dict. The hits of one chunk share it.
func (c *chunk) metadata() (starlark.Value, error) {
	if c.meta == nil {
		if c.Metadata == nil {
			c.meta = new(starlark.Dict)
			return c.meta, nil
		}
		v, err := fromJSON(c.Metadata, 0)
		if err != nil {
			return nil, fmt.Errorf("metadata of %s: %w", c.ID, err)
		}
		c.meta = v
	}
	return c.meta, nil
}
