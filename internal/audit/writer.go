package audit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrNotRecorded says that a record was not taken. Who gets it must not answer as if
// it had been: what cannot be recorded is not done.
var ErrNotRecorded = errors.New("not recorded in the audit log")

// WriterConfig configures a [Writer]. The zero value is ready to use.
type WriterConfig struct {
	// Queue bounds the records that wait. Defaults to 1,024.
	Queue int
	// QueueBytes bounds their texts. Defaults to 64 MiB.
	QueueBytes int64
	// OnError receives failures to write, which are tried again. Nil drops them.
	OnError func(error)
}

// Writer writes records in the background, in the order of Append and many in one
// transaction. It never drops one to keep up: when the queue is full, Append waits.
// (A log that drops under load can be emptied by whoever makes the load.) What it
// promises:
//
//   - after Close, or Flush, returned nil, everything appended before is committed,
//     once;
//   - an Append that returned nil is lost only when the process dies, or is closed
//     while the database is away; a loss that the process survives is counted
//     ([Writer.State]) and written into the log itself as a record of [KindGap].
//
// Methods may be called concurrently.
type Writer struct {
	store *Store
	cfg   WriterConfig
	wake  chan struct{}      // there is something to write; holds one
	stop  context.CancelFunc // ends a write under way, and the loop
	done  chan struct{}      // the loop has ended

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when room or progress was made
	queue   []Record      // taken and not committed
	bytes   int64         // of queue
	taken   int64         // records ever taken
	state   State         // without Waiting
	gap     gap           // losses that are not in the log yet
	closed  bool
}

type gap struct {
	records int64
	since   time.Time
}

// A batch is bounded so that one transaction stays short.
const (
	batchRecords = 256
	batchBytes   = 8 << 20
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// NewWriter starts a writer, which the caller closes.
func (s *Store) NewWriter(cfg WriterConfig) *Writer {
	if cfg.Queue <= 0 {
		cfg.Queue = 1024
	}
	if cfg.QueueBytes <= 0 {
		cfg.QueueBytes = 64 << 20
	}
	if cfg.OnError == nil {
		cfg.OnError = func(error) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &Writer{store: s, cfg: cfg, stop: stop,
		wake: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{})}
	go w.run(ctx)
	return w
}

// Append takes a record, whose slices belong to the writer from then on. It returns at
// once unless the queue is full; then it waits until there is room or ctx ends, and
// returns an error that wraps [ErrNotRecorded] in the latter case, or after Close. So
// give it a ctx with an end.
func (w *Writer) Append(ctx context.Context, r Record) error {
	r = r.clean()
	size := r.size()
	for {
		w.mu.Lock()
		if w.closed {
			w.mu.Unlock()
			return fmt.Errorf("%w: the writer is closed", ErrNotRecorded)
		}
		if len(w.queue) == 0 || len(w.queue) < w.cfg.Queue && w.bytes+size <= w.cfg.QueueBytes {
			w.queue = append(w.queue, r)
			w.bytes += size
			w.taken++
			w.mu.Unlock()
			w.signal()
			return nil
		}
		waiting, changed, why := len(w.queue), w.changed, w.state.Error
		w.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			w.mu.Lock()
			w.lose(1)
			w.mu.Unlock()
			if why == "" {
				why = "the database is slower than the load"
			}
			return fmt.Errorf("%w: %d records wait (%s): %w", ErrNotRecorded, waiting, why, ctx.Err())
		}
	}
}

func (w *Writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// lose counts losses; w.mu is held.
func (w *Writer) lose(n int64) {
	w.state.Lost += n
	if w.gap.records == 0 {
		w.gap.since = time.Now()
	}
	w.gap.records += n
}

// progress tells all who wait; w.mu is held.
func (w *Writer) progress() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// Flush waits until everything appended before it is committed, or ctx ends.
func (w *Writer) Flush(ctx context.Context) error {
	w.mu.Lock()
	target := w.taken
	w.mu.Unlock()
	for {
		w.mu.Lock()
		settled, changed, why := w.taken-int64(len(w.queue)), w.changed, w.state.Error
		w.mu.Unlock()
		if settled >= target {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if why != "" {
				why = " (" + why + ")"
			}
			return fmt.Errorf("write audit log: %d records wait%s: %w", target-settled, why, ctx.Err())
		}
	}
}

// Close flushes and ends the writer. When ctx ends first, what is not written is lost,
// and the error says how much. It may be called twice.
func (w *Writer) Close(ctx context.Context) error {
	w.mu.Lock()
	w.closed = true
	w.progress() // who waits for room learns of it
	w.mu.Unlock()
	w.signal()
	err := w.Flush(ctx)
	w.stop()
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := int64(len(w.queue)); n > 0 {
		w.lose(n)
		w.queue, w.bytes = nil, 0
		return fmt.Errorf("close audit log: %d records are lost: %w", n, err)
	}
	return nil
}

// State is how the writer does.
type State struct {
	Waiting int   `json:"waiting"` // records appended and not committed
	Written int64 `json:"written"`
	Lost    int64 `json:"lost"`
	// Failing since when the database refuses, and its error; zero when it does not.
	Failing time.Time `json:"failing,omitzero"`
	Error   string    `json:"error,omitempty"`
}

// State returns how the writer does, for health checks.
func (w *Writer) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state
	s.Waiting = len(w.queue)
	return s
}

// run writes batch after batch until it is stopped.
func (w *Writer) run(ctx context.Context) {
	defer close(w.done)
	for {
		select {
		case <-w.wake:
		case <-ctx.Done():
			return
		}
		for {
			records, gap := w.next()
			if len(records) == 0 {
				break
			}
			if !w.write(ctx, records, gap) {
				return
			}
		}
	}
}

// next returns what the next transaction writes. The records stay in the queue.
func (w *Writer) next() ([]Record, gap) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, bytes := 0, int64(0)
	for n < len(w.queue) && n < batchRecords && (n == 0 || bytes+w.queue[n].size() <= batchBytes) {
		bytes += w.queue[n].size()
		n++
	}
	return w.queue[:n:n], w.gap
}

// write commits a batch, and tries until it has or ctx ends. It reports whether the
// loop goes on.
func (w *Writer) write(ctx context.Context, records []Record, g gap) bool {
	b := &batch{records: records}
	if g.records > 0 {
		b.records = append(b.records, Record{Started: g.since, Duration: time.Since(g.since), Kind: KindGap,
			Outcome: "lost", Description: fmt.Sprintf("%d records were lost here", g.records)})
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		lost, err := w.store.write(ctx, b)
		if err == nil {
			w.settle(records, g, lost)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		w.mu.Lock()
		if w.state.Error == "" {
			w.state.Failing = time.Now()
		}
		w.state.Error = err.Error()
		w.mu.Unlock()
		w.cfg.OnError(fmt.Errorf("write audit log: %w", err))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
	}
}

// settle takes a committed batch out of the queue.
func (w *Writer) settle(records []Record, g gap, lost int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range records {
		w.bytes -= r.size()
	}
	clear(w.queue[:len(records)]) // their texts can go
	w.queue = w.queue[len(records):]
	w.state.Written += int64(len(records)) - lost
	w.state.Failing, w.state.Error = time.Time{}, ""
	if w.gap.records -= g.records; w.gap.records > 0 {
		w.gap.since = time.Now()
	}
	if lost > 0 {
		w.lose(lost)
	}
	w.progress()
}
