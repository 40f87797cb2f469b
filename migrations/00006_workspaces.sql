-- +goose Up
-- A space for files: an identity's own, which stays, or a session's, which has a handle
-- and an end.
create table workspaces (
    id         bigint generated always as identity primary key,
    owner_id   bigint not null references identities on delete restrict,
    handle     text unique, -- null: the owner's own space
    created_at timestamptz not null default now(),
    expires_at timestamptz, -- null: never
    bytes      bigint not null default 0,
    files      int not null default 0,
    check ((handle is null) = (expires_at is null))
);
create unique index workspaces_own on workspaces (owner_id) where handle is null;
create index workspaces_owner on workspaces (owner_id);
create index workspaces_expiry on workspaces (expires_at);

create table workspace_grants (
    workspace_id bigint not null references workspaces on delete cascade,
    identity_id  bigint not null references identities on delete restrict,
    writes       boolean not null,
    created_at   timestamptz not null default now(),
    primary key (workspace_id, identity_id)
);

create table workspace_files (
    workspace_id bigint not null references workspaces on delete cascade,
    name         text collate "C" not null,
    -- Drawn anew by each write, so that a deleted and rewritten file is another one,
    -- and nobody counts others' writes.
    etag         text not null,
    content_type text not null,
    size         int not null,
    writer_id    bigint not null references identities on delete restrict,
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    data         bytea not null,
    primary key (workspace_id, name)
);
-- Ranges are read out of the middle, which external storage makes cheap.
alter table workspace_files alter column data set storage external;

-- +goose Down
drop table workspace_files;
drop table workspace_grants;
drop table workspaces;
