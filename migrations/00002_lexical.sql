-- +goose Up
-- The lexical index: immutable segments, kept as rows so that transactions, backup and
-- replication cover them. The set of a collection's rows is its manifest.
-- docs/segment-format.md describes the bytes.
create table lex_segments (
    id            bigint generated always as identity primary key,
    collection_id bigint not null references collections on delete cascade,
    -- 0: the tail, written with its documents; above: sealed and merged.
    level         smallint not null,
    docs          int not null,
    -- The first bytes, metadata and documents, that opening the segment reads.
    head          bigint not null,
    size          bigint not null,
    created_at    timestamptz not null default now()
);
create index lex_segments_collection on lex_segments (collection_id);

-- A segment's bytes in parts of 256 KiB. They do not compress, and ranges are read out
-- of the middle, which external storage makes cheap.
create table lex_parts (
    segment_id bigint not null references lex_segments on delete cascade,
    part       int not null,
    data       bytea not null,
    primary key (segment_id, part)
);
alter table lex_parts alter column data set storage external;

-- Births tell the versions of a chunk apart. A tomb kills the versions of its chunk that
-- were born before it; a merge that drops them drops the tomb.
create sequence lex_births;
create table lex_tombs (
    collection_id bigint not null references collections on delete cascade,
    chunk_id      bigint not null,
    seq           bigint not null,
    primary key (collection_id, chunk_id, seq)
);

-- +goose Down
drop table lex_tombs;
drop sequence lex_births;
drop table lex_parts;
drop table lex_segments;
