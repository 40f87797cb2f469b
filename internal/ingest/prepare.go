package ingest

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/chunk"
)

// stored is what the database knows about a document.
type stored struct {
	id   int64
	hash [32]byte
	uri  string
}

// lookup reads what is stored under these external ids.
func lookup(ctx context.Context, db catalog.DB, collection int64, ids []string) (map[string]stored, error) {
	rows, err := db.Query(ctx, `select external_id, id, content_hash, uri from documents
		where collection_id = $1 and external_id = any($2)`, collection, ids)
	if err != nil {
		return nil, fmt.Errorf("look up documents: %w", err)
	}
	found := map[string]stored{}
	var external string
	var s stored
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&external, &s.id, &hash, &s.uri}, func() error {
		s.hash = [32]byte{}
		copy(s.hash[:], hash)
		found[external] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up documents: %w", err)
	}
	return found, nil
}

// idsOfFiles reads under which ids these file: URLs are stored.
func idsOfFiles(ctx context.Context, db catalog.DB, collection int64, uris []string) (map[string]string, error) {
	found := map[string]string{}
	if len(uris) == 0 {
		return found, nil
	}
	rows, err := db.Query(ctx, `select uri, external_id from documents
		where collection_id = $1 and uri = any($2) order by id desc`, collection, uris) // of several the first stays
	if err != nil {
		return nil, fmt.Errorf("look up files: %w", err)
	}
	var uri, id string
	if _, err := pgx.ForEachRow(rows, []any{&uri, &id}, func() error { found[uri] = id; return nil }); err != nil {
		return nil, fmt.Errorf("look up files: %w", err)
	}
	return found, nil
}

// prepare finds out what changed, cuts it into chunks and embeds what is not stored
// yet. It only reads; write decides again under the collection's lock.
func (r *run) prepare(ctx context.Context, b *batch) error {
	found, _, err := nameFiles(ctx, r.pool, r.colID.Load(), b.items)
	if err != nil {
		return err
	}
	var changed []*item
	for _, it := range b.items {
		if s, ok := found[it.doc.ID]; ok && s.hash == it.hash {
			it.state = unchanged
			continue
		}
		fail := it.split(r.countTokens(ctx))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if fail != nil {
			it.state = failed
			b.failed = append(b.failed, fail)
			continue
		}
		changed = append(changed, it)
		r.tell(func(p *Progress) { p.Cut += len(it.chunks) })
	}
	return r.embed(ctx, b, changed, found)
}

// nameFiles gives each file the id that it is stored under already, or its other one
// when another file has the first. It returns what is stored under the ids that came
// out, and the items whose id changed. A second call changes nothing unless another
// run has written between.
func nameFiles(ctx context.Context, db catalog.DB, collection int64, items []*item) (found map[string]stored, renamed []*item, err error) {
	var uris []string
	for _, it := range items {
		if it.doc.altID != "" {
			uris = append(uris, it.doc.URI)
		}
	}
	files, err := idsOfFiles(ctx, db, collection, uris)
	if err != nil {
		return nil, nil, err
	}
	if found, err = lookup(ctx, db, collection, ids(items)); err != nil || len(uris) == 0 {
		return found, nil, err
	}
	for _, it := range items {
		was := it.doc.ID
		if id, ok := files[it.doc.URI]; ok && it.doc.altID != "" {
			it.doc.ID, it.doc.altID = id, ""
		} else {
			it.resolveID(found)
		}
		if it.doc.ID != was {
			renamed = append(renamed, it)
		}
	}
	if len(renamed) > 0 {
		found, err = lookup(ctx, db, collection, ids(items))
	}
	return found, renamed, err
}

// countTokens is how chunks are measured. When the context has ended it counts nothing
// any more, so that cutting a long document ends soon; what it gives then is worthless.
func (r *run) countTokens(ctx context.Context) func(string) int {
	count := chunk.Estimate
	if r.emb != nil {
		count = r.emb.CountTokens
	}
	return func(s string) int {
		if ctx.Err() != nil {
			return 0
		}
		return count(s)
	}
}

// resolveID takes the document's other id when its first one belongs to another file
// that still exists: two folders may have the same name.
func (it *item) resolveID(found map[string]stored) {
	s, taken := found[it.doc.ID]
	if it.doc.altID == "" || !taken || s.uri == it.doc.URI {
		return
	}
	other, err := os.Stat(filePath(s.uri))
	if err != nil {
		return
	}
	if mine, err := os.Stat(filePath(it.doc.URI)); err == nil && os.SameFile(mine, other) {
		return // reached by another path
	}
	it.doc.ID, it.doc.altID = it.doc.altID, ""
}

// embed fills b.vectors for the chunks that are not stored. Long documents are written
// without vectors, which reembed makes at the end of the run, committing as it goes: an
// interrupt costs little, and their words are found meanwhile.
func (r *run) embed(ctx context.Context, b *batch, changed []*item, found map[string]stored) error {
	if !r.embeds || len(changed) == 0 {
		return nil
	}
	var documents []int64
	for _, it := range changed {
		if s, ok := found[it.doc.ID]; ok {
			documents = append(documents, s.id)
		}
	}
	have := map[string]bool{}
	if len(documents) > 0 {
		rows, err := r.pool.Query(ctx, `select stable_id from chunks where document_id = any($1)`, documents)
		if err != nil {
			return fmt.Errorf("look up chunks: %w", err)
		}
		var id string
		if _, err := pgx.ForEachRow(rows, []any{&id}, func() error { have[id] = true; return nil }); err != nil {
			return fmt.Errorf("look up chunks: %w", err)
		}
	}
	var ids, texts []string
	for _, it := range changed {
		from := len(ids)
		for _, p := range it.chunks {
			if !have[p.stableID] && b.vectors[p.stableID] == nil {
				ids = append(ids, p.stableID)
				texts = append(texts, chunk.Passage(it.doc.Title, p.Headings, p.Text))
			}
		}
		if it.late = len(ids)-from > lateChunks; it.late {
			ids, texts = ids[:from], texts[:from]
		}
	}
	vectors, err := r.vectors(ctx, texts, func(n int) { r.tell(func(p *Progress) { p.Embedded += n }) })
	if err != nil {
		return err
	}
	if b.vectors == nil {
		b.vectors = make(map[string][]float32, len(ids))
	}
	for i, id := range ids {
		b.vectors[id] = vectors[i]
	}
	return nil
}

// vectors embeds texts, equal ones once, and checks what comes back. made hears how many
// texts more have their vector.
func (r *run) vectors(ctx context.Context, texts []string, made func(n int)) ([][]float32, error) {
	place := make(map[string]int, len(texts)) // in distinct
	count := make(map[string]int, len(texts))
	var distinct []string
	for _, s := range texts {
		if count[s]++; count[s] == 1 {
			place[s] = len(distinct)
			distinct = append(distinct, s)
		}
	}
	vectors := make([][]float32, 0, len(distinct))
	dims := r.emb.Space().Dimensions
	for part := range slices.Chunk(distinct, toldTexts) {
		got, err := r.emb.Passages(ctx, part)
		if err != nil {
			return nil, fmt.Errorf("embed %d texts: %w", len(part), err)
		}
		if len(got) != len(part) {
			return nil, fmt.Errorf("embed %d texts: the model returned %d vectors", len(part), len(got))
		}
		n := 0
		for i, v := range got {
			if len(v) != dims {
				return nil, fmt.Errorf("embed: the model returned a vector of %d numbers, not %d", len(v), dims)
			}
			n += count[part[i]]
		}
		vectors = append(vectors, got...)
		made(n)
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = vectors[place[s]]
	}
	return out, nil
}
