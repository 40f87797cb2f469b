-- +goose Up
-- Lets a search ask before each query whether a collection holds vectors of another
-- model, and re-embedding find them, without reading the chunks.
create index chunks_space on chunks (collection_id, space_id);
-- A file keeps the id that it was first indexed under. Addresses may be longer than a
-- b-tree entry.
create index documents_uri on documents using hash (uri);

-- +goose Down
drop index documents_uri;
drop index chunks_space;
