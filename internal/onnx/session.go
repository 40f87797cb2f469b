package onnx

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("onnx session is closed")

// Config says how to run a model.
type Config struct {
	Model Model
	// Vocabulary is the tokenizer's number of ids; a model of another
	// vocabulary is refused. 0 means unchecked.
	Vocabulary int
	// MaxTokens is the longest text that Run takes. Defaults to 512.
	MaxTokens int
	// Workers is how many runs may go on at once. Defaults to the number of
	// cores. Each run uses one core.
	Workers int
}

// Session is a loaded model. Run may be called concurrently.
//
// One text a run, on one core, several runs at once: on processors this is the
// fastest way, and it makes a text's answer independent of its company. The
// quantised models scale their activations by the whole batch, so in a batch
// the same text gives other numbers.
type Session struct {
	cfg     Config
	session *ort.DynamicAdvancedSession
	feeds   []feed // by the model's own order of inputs
	width   int    // numbers for one text
	perText bool   // output [batch, width] rather than [batch, sequence, width]

	idle chan *worker
	once sync.Once
	done chan struct{}
}

// feed says what goes into an input.
type feed int

const (
	feedIDs feed = iota
	feedMask
	feedTypes
)

// worker holds the buffers of one run at a time.
type worker struct {
	ids, mask, types []int64
	out              []float32
}

// Open loads a model on an initialised runtime (see Init) and tries it once.
// Errors are *ModelError.
func Open(cfg Config) (*Session, error) {
	if RuntimeVersion() == "" {
		return nil, &LibraryError{Reason: "not loaded", Hint: "call Init first"}
	}
	if cfg.MaxTokens <= 0 {
		cfg.MaxTokens = 512
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	g, err := cfg.Model.inspect()
	if err != nil {
		return nil, err
	}
	s := &Session{cfg: cfg, idle: make(chan *worker, cfg.Workers), done: make(chan struct{})}
	names, err := s.matchInputs(g)
	if err != nil {
		return nil, err
	}
	if v := int64(cfg.Vocabulary); v > 0 && g.rows > 0 && (v > g.rows || g.rows-v > 1024) {
		return nil, cfg.Model.fail(fmt.Sprintf("made for a vocabulary of %d, the tokenizer has %d: they do not belong together", g.rows, v), nil)
	}
	output := g.outputs[0]
	if output.elem != elemFloat {
		return nil, cfg.Model.fail(fmt.Sprintf("output %q is not of float32", output.name), nil)
	}
	if err := s.load(names, output.name); err != nil {
		return nil, err
	}
	s.cfg.Model.Data = nil // the runtime has its own copy
	if err := s.probe(); err != nil {
		s.session.Destroy()
		return nil, err
	}
	for range cfg.Workers {
		s.idle <- &worker{}
	}
	return s, nil
}

// matchInputs finds out which input is which, by the names that BERT models
// use.
func (s *Session) matchInputs(g *graph) (names []string, err error) {
	known := map[string]feed{"input_ids": feedIDs, "attention_mask": feedMask, "token_type_ids": feedTypes}
	for _, in := range g.inputs {
		f, ok := known[in.name]
		if !ok {
			return nil, s.cfg.Model.fail(fmt.Sprintf("input %q is unknown, want input_ids, attention_mask and perhaps token_type_ids", in.name), nil)
		}
		if in.elem != elemInt64 || len(in.dims) != 2 {
			return nil, s.cfg.Model.fail(fmt.Sprintf("input %q is not int64 of [batch, sequence]", in.name), nil)
		}
		if in.dims[0] > 1 || in.dims[1] > 0 {
			return nil, s.cfg.Model.fail(fmt.Sprintf("input %q has the fixed shape %v, want free batch and length", in.name, in.dims), nil)
		}
		names = append(names, in.name)
		s.feeds = append(s.feeds, f)
	}
	if !slices.Contains(s.feeds, feedIDs) || !slices.Contains(s.feeds, feedMask) {
		return nil, s.cfg.Model.fail(fmt.Sprintf("inputs are %q, want input_ids and attention_mask", names), nil)
	}
	return names, nil
}

func (s *Session) load(inputs []string, output string) error {
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return s.cfg.Model.fail("session options", err)
	}
	defer opts.Destroy()
	err = errors.Join(
		opts.SetIntraOpNumThreads(1),
		opts.SetInterOpNumThreads(1),
	)
	if err != nil {
		return s.cfg.Model.fail("session options", err)
	}
	if s.cfg.Model.Path != "" {
		s.session, err = ort.NewDynamicAdvancedSession(s.cfg.Model.Path, inputs, []string{output}, opts)
	} else {
		s.session, err = ort.NewDynamicAdvancedSessionWithONNXData(s.cfg.Model.Data, inputs, []string{output}, opts)
	}
	if err != nil {
		return s.cfg.Model.fail("cannot load", err)
	}
	return nil
}

// probe runs five tokens through the model, to see that it works and the shape
// of its answer.
func (s *Session) probe() error {
	const n = 5
	last := int64(max(s.cfg.Vocabulary-1, 1))
	w := &worker{}
	w.fill([]int64{0, last, last, 1, 0}, []int64{0, 0, 0, 1, 1})
	inputs, free, err := s.tensors(w, n)
	if err != nil {
		return s.cfg.Model.fail("trial run", err)
	}
	defer free()
	outputs := []ort.Value{nil}
	if err := s.session.Run(inputs, outputs); err != nil {
		return s.cfg.Model.fail("trial run", err)
	}
	defer outputs[0].Destroy()
	shape := outputs[0].GetShape()
	switch {
	case len(shape) == 2 && shape[0] == 1:
		s.width, s.perText = int(shape[1]), true
	case len(shape) == 3 && shape[0] == 1 && shape[1] == n:
		s.width = int(shape[2])
	default:
		return s.cfg.Model.fail(fmt.Sprintf("the output for %d tokens has the shape %v, want [batch, width] or [batch, sequence, width]", n, shape), nil)
	}
	return nil
}

// Width is how many numbers Run answers for a text.
func (s *Session) Width() int { return s.width }

// PerText tells whether the model answers for a text as a whole ([batch,
// width]) rather than for each of its tokens ([batch, sequence, width]).
func (s *Session) PerText() bool { return s.perText }

// Workers is how many runs may go on at once.
func (s *Session) Workers() int { return s.cfg.Workers }

// Run runs the model on one text and appends its answer, Width numbers, to
// dst: for a model that answers for each token, the first token's ([CLS]).
// types may be nil, then all are 0. It waits while all workers are busy and
// returns ctx's error when ctx ends before the run has begun; a run that has
// begun is finished.
func (s *Session) Run(ctx context.Context, dst []float32, ids, types []int64) ([]float32, error) {
	if len(ids) == 0 || len(ids) > s.cfg.MaxTokens {
		return dst, fmt.Errorf("run model %s: %d tokens, want 1 to %d", s.cfg.Model.label(), len(ids), s.cfg.MaxTokens)
	}
	if types != nil && len(types) != len(ids) {
		return dst, fmt.Errorf("run model %s: %d tokens, but %d types", s.cfg.Model.label(), len(ids), len(types))
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	var w *worker
	select {
	case w = <-s.idle:
	case <-ctx.Done():
		return dst, ctx.Err()
	case <-s.done:
		return dst, ErrClosed
	}
	defer func() { s.idle <- w }()
	w.fill(ids, types)
	row, err := s.run(w, len(ids))
	if err != nil {
		return dst, fmt.Errorf("run model %s on %d tokens: %w", s.cfg.Model.label(), len(ids), err)
	}
	return append(dst, row...), nil
}

// run returns a row that is valid until the worker's next run.
func (s *Session) run(w *worker, n int) ([]float32, error) {
	inputs, free, err := s.tensors(w, n)
	if err != nil {
		return nil, err
	}
	defer free()
	shape := ort.NewShape(1, int64(n), int64(s.width))
	size := n * s.width
	if s.perText {
		shape, size = ort.NewShape(1, int64(s.width)), s.width
	}
	w.out = slices.Grow(w.out[:0], size)[:size]
	out, err := ort.NewTensor(shape, w.out)
	if err != nil {
		return nil, err
	}
	defer out.Destroy()
	if err := s.session.Run(inputs, []ort.Value{out}); err != nil {
		return nil, err
	}
	return w.out[:s.width], nil
}

func (w *worker) fill(ids, types []int64) {
	w.ids = append(w.ids[:0], ids...)
	for len(w.mask) < len(ids) {
		w.mask = append(w.mask, 1)
	}
	if types != nil {
		w.types = append(w.types[:0], types...)
		return
	}
	w.types = slices.Grow(w.types[:0], len(ids))[:len(ids)]
	clear(w.types)
}

// tensors wraps the worker's buffers, in the model's order of inputs.
func (s *Session) tensors(w *worker, n int) (values []ort.Value, free func(), err error) {
	shape := ort.NewShape(1, int64(n))
	free = func() {
		for _, v := range values {
			v.Destroy()
		}
	}
	for _, f := range s.feeds {
		buf := w.ids
		switch f {
		case feedMask:
			buf = w.mask
		case feedTypes:
			buf = w.types
		}
		t, err := ort.NewTensor(shape, buf[:n])
		if err != nil {
			free()
			return nil, nil, err
		}
		values = append(values, t)
	}
	return values, free, nil
}

// Close waits for the runs that have begun and frees the model. It may be
// called twice.
func (s *Session) Close() error {
	var err error
	s.once.Do(func() {
		close(s.done)
		for range s.cfg.Workers {
			<-s.idle
		}
		err = s.session.Destroy()
	})
	return err
}
