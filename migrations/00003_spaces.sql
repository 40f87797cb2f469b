-- +goose Up
-- Lets a search ask before each query whether a collection holds vectors of another
-- model, and re-embedding find them, without reading the chunks.
create index chunks_space on chunks (collection_id, space_id);

-- +goose Down
drop index chunks_space;
