-- +goose Up
-- Which personal data stands behind tokens such as [EMAIL_ab12cd], for each identity
-- its own. The key is not in the database: without it, digests tell nothing and the
-- sealed values cannot be opened. docs/privacy.md has the form of both.
create table vault_values (
    identity_id bigint not null references identities on delete restrict,
    -- Keyed hash of kind and value. The token has its first digits; when two values
    -- agree in six, the later one has more.
    digest     bytea not null check (octet_length(digest) = 32),
    token_id   text collate "C" not null check (token_id ~ '^[0-9a-f]{6,64}$'),
    kind       text not null,
    sealed     bytea not null,
    created_at timestamptz not null default now(),
    primary key (identity_id, digest),
    unique (identity_id, token_id)
);

-- A mark of the key that all values are sealed with, so that another one is noticed.
create table vault_key (
    only_row   boolean primary key default true check (only_row),
    mark       bytea not null,
    created_at timestamptz not null default now()
);

-- +goose Down
drop table vault_key;
drop table vault_values;
