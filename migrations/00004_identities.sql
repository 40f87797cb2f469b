-- +goose Up
-- Who may ask. Names are never used twice: an identity is not deleted, its tokens are
-- revoked. Number 1 is who comes over stdio or loopback without a token.
create table identities (
    id         bigint generated always as identity (start with 2) primary key,
    name       text not null unique,
    policy     jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
-- "Alice" beside "alice" would be a trap.
create unique index identities_name on identities (lower(name));
insert into identities (id, name, policy) overriding system value
    values (1, 'local', '{"all_collections": true, "admin": true, "restore_pii": true}');

-- A token itself is nowhere: only its sha256, and its first letters so that a person
-- recognises it.
create table tokens (
    id           bigint generated always as identity primary key,
    identity_id  bigint not null references identities on delete restrict,
    hash         bytea not null unique check (octet_length(hash) = 32),
    hint         text not null,
    label        text not null default '',
    created_at   timestamptz not null default now(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);
create index tokens_identity on tokens (identity_id);

-- +goose Down
drop table tokens;
drop table identities;
