package ingest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	pgxvec "github.com/pgvector/pgvector-go/pgx"
	"golang.org/x/sync/errgroup"

	"github.com/bmcis/bmcis/internal/catalog"
)

const (
	// A batch is one transaction: at most this many documents, or the first to reach
	// this much text.
	batchDocuments = 64
	batchBytes     = 256 << 10
	// embedTexts get their vectors anew in one transaction.
	embedTexts = 128
	// toldTexts are embedded between two words of progress.
	toldTexts = 16
	// lateChunks is how many new chunks a document may have to be written together with
	// their vectors: about a minute's work.
	lateChunks = 1024
	// maintainChunks are written between two rounds of index maintenance, so that the
	// unsorted tail stays short during a long run.
	maintainChunks = 8192
)

// run is one call of Index. The writer goroutine owns col, report and seen; the
// reader's failures reach it inside batches.
type run struct {
	*Indexer
	opts    Options
	col     catalog.Collection // its ID is 0 until the first document makes it
	colID   atomic.Int64       // the same ID for the other goroutines, once committed
	src     Source
	embeds  bool
	spaceID *int64 // of new vectors; nil without
	began   time.Time
	total   int

	report    Report
	seen      map[[16]byte]bool // hashes of the ids that the source handed over
	sources   map[string]bool   // the Source fields of its documents
	protected []string          // URIs that could not be read
	unnamed   bool              // a failure whose document is not known
	lastKept  int               // chunks at the last maintenance

	telling sync.Mutex // guards told, and calls of opts.Progress
	told    Progress
}

// batch is some documents on their way through the stages.
type batch struct {
	items   []*item
	failed  []*Failure
	vectors map[string][]float32 // by stable id
	bytes   int
}

func (ix *Indexer) newRun(ctx context.Context, opts Options, col catalog.Collection, src Source) (*run, error) {
	r := &run{
		Indexer: ix, opts: opts, col: col, src: src, embeds: ix.emb != nil && !opts.LexicalOnly,
		seen: map[[16]byte]bool{}, sources: map[string]bool{},
	}
	r.colID.Store(col.ID)
	r.told.Stage = "indexing" // the first word may come from prepare
	// The database's clock, because document times are its.
	if err := ix.pool.QueryRow(ctx, `select now()`).Scan(&r.began); err != nil {
		return nil, fmt.Errorf("read the database's time: %w", err)
	}
	if r.embeds {
		id, err := catalog.SpaceID(ctx, ix.pool, catalog.Space(ix.emb.Space()))
		if err != nil {
			return nil, err
		}
		r.spaceID = &id
	}
	return r, nil
}

func (r *run) do(ctx context.Context) error {
	if c, ok := r.src.(counted); ok && r.opts.Progress != nil {
		r.total = c.Count(ctx)
		r.progress("indexing", 0, r.total)
	}
	if err := r.pipeline(ctx); err != nil {
		return err
	}
	r.progress("indexing", r.done(), r.total)
	if r.col.ID == 0 {
		return nil // nothing was stored, now or before
	}
	if r.opts.Prune {
		if err := r.prune(ctx); err != nil {
			return err
		}
	}
	if r.embeds {
		if err := r.reembed(ctx); err != nil {
			return err
		}
	}
	if _, err := r.lex.AfterLoad(ctx, LexicalCollection(r.col), r.report.Chunks); err != nil {
		return fmt.Errorf("maintain the lexical index: %w", err)
	}
	return nil
}

// pipeline runs the three stages until the source ends or one of them fails.
func (r *run) pipeline(ctx context.Context) error {
	read, ready := make(chan *batch, 1), make(chan *batch, 1)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(read)
		return r.read(ctx, read)
	})
	group.Go(func() error {
		defer close(ready)
		for b := range read {
			if err := r.prepare(ctx, b); err != nil {
				return err
			}
			if err := send(ctx, ready, b); err != nil {
				return err
			}
		}
		return nil
	})
	group.Go(func() error {
		for b := range ready {
			if err := r.write(ctx, b); err != nil {
				return err
			}
			r.progress("indexing", r.done(), r.total)
			if r.report.Chunks-r.lastKept >= maintainChunks {
				r.lastKept = r.report.Chunks
				if err := r.maintain(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return group.Wait()
}

// connect returns a connection that knows halfvec. It is held for one transaction
// only: runs that each held one and waited for a second could wait for ever.
func (r *run) connect(ctx context.Context) (*pgxpool.Conn, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if _, known := conn.Conn().TypeMap().TypeForName("halfvec"); known {
		return conn, nil
	}
	if err := pgxvec.RegisterTypes(ctx, conn.Conn()); err != nil {
		conn.Release()
		return nil, fmt.Errorf("look up pgvector's types: %w", err)
	}
	return conn, nil
}

// read turns the source into batches.
func (r *run) read(ctx context.Context, out chan<- *batch) error {
	b := &batch{}
	for d, err := range r.src.Documents(ctx) {
		var failure *Failure
		switch {
		case errors.As(err, &failure):
			b.failed = append(b.failed, failure)
		case err != nil:
			// What came before the error is good: write it first.
			return errors.Join(send(ctx, out, b), err)
		default:
			it, failure := newItem(d)
			if failure != nil {
				b.failed = append(b.failed, failure)
				break
			}
			b.items = append(b.items, it)
			b.bytes += len(it.doc.Text)
		}
		if len(b.items)+len(b.failed) >= batchDocuments || b.bytes >= batchBytes {
			if err := send(ctx, out, b); err != nil {
				return err
			}
			b = &batch{}
		}
	}
	return send(ctx, out, b)
}

func send(ctx context.Context, out chan<- *batch, b *batch) error {
	select {
	case out <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// note books a failure.
func (r *run) note(f *Failure) {
	r.report.Failed = append(r.report.Failed, *f)
	r.seen[idHash(f.ID)] = true
	if f.uri != "" {
		r.protected = append(r.protected, f.uri)
	}
	r.unnamed = r.unnamed || f.unnamed
}

func (r *run) done() int {
	return r.report.Added + r.report.Changed + r.report.Unchanged + len(r.report.Failed)
}

// progress tells how far a stage is; the writer's goroutine calls it.
func (r *run) progress(stage string, done, total int) {
	chunks := r.report.Chunks
	r.tell(func(p *Progress) { p.Stage, p.Done, p.Total, p.Chunks = stage, done, total, chunks })
}

// tell hands the changed progress on. All stages call it.
func (r *run) tell(change func(*Progress)) {
	if r.opts.Progress == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	change(&r.told)
	if r.told.Total > 0 { // files may have come since they were counted
		r.told.Total = max(r.told.Total, r.told.Done)
	}
	r.opts.Progress(r.told)
}

func (r *run) maintain(ctx context.Context) error {
	if _, err := r.lex.Maintain(ctx, LexicalCollection(r.col)); err != nil {
		return fmt.Errorf("maintain the lexical index: %w", err)
	}
	return nil
}

func idHash(id string) [16]byte {
	sum := sha256.Sum256([]byte(id))
	return [16]byte(sum[:16])
}
