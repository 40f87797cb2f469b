-- +goose Up
create extension if not exists vector;

-- A collection is the unit of search: one language, one set of BM25 statistics, one embedding space.
create table collections (
    id         bigint generated always as identity primary key,
    name       text not null unique,
    language   text not null default 'english',
    k1         double precision not null default 1.2,
    b          double precision not null default 0.75,
    -- Counts committed changes; cursors and caches pin it.
    generation bigint not null default 0,
    settings   jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

-- An embedding space is what makes two vectors comparable: the model file and the runtime that ran it.
create table embedding_spaces (
    id           bigint generated always as identity primary key,
    model        text not null,
    model_sha256 text not null,
    runtime      text not null,
    dimensions   int not null,
    unique (model_sha256, runtime)
);

create table documents (
    id            bigint generated always as identity primary key,
    collection_id bigint not null references collections on delete cascade,
    external_id   text not null,
    title         text not null default '',
    source        text not null default '',
    uri           text not null default '',
    metadata      jsonb not null default '{}',
    body          text not null,
    content_hash  bytea not null,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    unique (collection_id, external_id)
);
create index documents_metadata on documents using gin (metadata jsonb_path_ops);
create index documents_source on documents (collection_id, source);

create table chunks (
    id            bigint generated always as identity primary key,
    document_id   bigint not null references documents on delete cascade,
    collection_id bigint not null references collections on delete cascade,
    -- The public id: stable across runs, made from the document's id and the chunk's content.
    stable_id     text not null,
    ordinal       int not null,
    headings      text[] not null default '{}',
    body          text not null,
    start_offset  int not null,
    end_offset    int not null,
    embedding     halfvec(384),
    space_id      bigint references embedding_spaces,
    unique (collection_id, stable_id)
);
create index chunks_document on chunks (document_id, ordinal);
create index chunks_embedding on chunks using hnsw (embedding halfvec_cosine_ops);
alter table chunks alter column embedding set storage plain;

-- +goose Down
drop table chunks;
drop table documents;
drop table embedding_spaces;
drop table collections;
