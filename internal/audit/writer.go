package audit

import (
	"context"
	"errors"
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
//   - after Close, or Flush, returned nil, everything appended before is committed;
//   - an Append that returned nil is lost only when the process dies, or is closed
//     while the database is away; a loss that the process survives is counted
//     ([Writer.State]) and written into the log itself as a record of [KindGap].
//
// Methods may be called concurrently.
type Writer struct{}

// NewWriter starts a writer, which the caller closes.
func (s *Store) NewWriter(cfg WriterConfig) *Writer { return &Writer{} }

// Append takes a record. It returns at once unless the queue is full; then it waits
// until there is room or ctx ends, and returns an error that wraps [ErrNotRecorded]
// in the latter case, or after Close.
func (w *Writer) Append(ctx context.Context, r Record) error { return errors.ErrUnsupported }

// Flush waits until everything appended before it is committed, or ctx ends.
func (w *Writer) Flush(ctx context.Context) error { return errors.ErrUnsupported }

// Close flushes and ends the writer. When ctx ends first, what is not written is lost,
// and the error says how much. It may be called twice.
func (w *Writer) Close(ctx context.Context) error { return errors.ErrUnsupported }

// State is how the writer does.
type State struct {
	Waiting int   `json:"waiting"` // records appended and not committed
	Written int64 `json:"written"`
	Lost    int64 `json:"lost"`
	// Failing since when the database refuses; zero when it does not, with its error.
	Failing time.Time `json:"failing,omitzero"`
	Error   string    `json:"error,omitempty"`
}

// State returns how the writer does, for health checks.
func (w *Writer) State() State { return State{} }
