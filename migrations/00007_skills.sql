-- +goose Up
create table skills (
    id         bigint generated always as identity primary key,
    owner_id   bigint not null references identities on delete restrict,
    name       text collate "C" not null,
    -- Everyone may load it; else the owner and whom skill_shares names.
    public     boolean not null default false,
    created_at timestamptz not null default now(),
    unique (owner_id, name)
);
create index skills_name on skills (name);

-- Code of a version never changes. A version that is revoked stays as a record and is
-- not loaded any more.
create table skill_versions (
    skill_id    bigint not null references skills on delete cascade,
    version     int not null,
    code        text not null,
    digest      bytea not null check (octet_length(digest) = 32),
    description text not null,
    modules     text[] not null,
    inputs      jsonb not null,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    revoked_at  timestamptz,
    primary key (skill_id, version)
);

create table skill_shares (
    skill_id    bigint not null references skills on delete cascade,
    identity_id bigint not null references identities on delete restrict,
    created_at  timestamptz not null default now(),
    primary key (skill_id, identity_id)
);
create index skill_shares_identity on skill_shares (identity_id);

-- +goose Down
drop table skill_shares;
drop table skill_versions;
drop table skills;
