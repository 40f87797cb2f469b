-- +goose Up
-- Who ran what. The log names identities by number and name without a foreign key: it
-- outlives whatever it speaks of.
create table audit_runs (
    id              bigint generated always as identity primary key,
    started_at      timestamptz not null,
    duration_us     bigint not null,
    identity_id     bigint not null,
    identity        text not null,
    session         text not null,
    transport       text not null,
    kind            text not null,
    tool            text not null,
    program         text not null,
    digest          bytea not null check (octet_length(digest) = 32),
    description     text not null,
    limits          jsonb,
    outcome         text not null,
    error           text not null,
    ledger          jsonb,
    usage           jsonb,
    tokens_touched  bigint not null,
    tokens_returned bigint not null,
    host_calls      int not null,
    calls_omitted   int not null,
    written_at      timestamptz not null default clock_timestamp()
);
create index audit_runs_identity on audit_runs (identity_id, started_at);
create index audit_runs_started on audit_runs (started_at);

create table audit_calls (
    run_id      bigint not null references audit_runs on delete cascade,
    ordinal     int not null,
    method      text not null,
    target      text not null,
    args_digest bytea not null check (octet_length(args_digest) = 32),
    start_us    bigint not null,
    duration_us bigint not null,
    outcome     text not null,
    error       text not null,
    primary key (run_id, ordinal)
);

-- Append-only. Rows leave by audit_prune alone, which only the owner of the tables may
-- call; the trigger holds for the owner and for superusers too, as long as they do not
-- disable it. docs/audit.md states the grants for a server with a role of its own.
-- +goose StatementBegin
create function audit_refuse() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and current_setting('bmcis.audit_prune', true) = pg_current_xact_id()::text then
        return null;
    end if;
    raise exception 'the audit log is append-only: % on % is refused', lower(tg_op), tg_table_name
        using errcode = 'insufficient_privilege', hint = 'retention is `bmcis audit prune --before TIME`';
end $$;
-- +goose StatementEnd
create trigger audit_runs_append_only before update or delete or truncate on audit_runs
    for each statement execute function audit_refuse();
create trigger audit_calls_append_only before update or delete or truncate on audit_calls
    for each statement execute function audit_refuse();

-- Deletes the runs that started before a time, and returns how many.
-- +goose StatementBegin
create function audit_prune(before timestamptz) returns bigint language plpgsql as $$
declare
    n bigint;
begin
    perform set_config('bmcis.audit_prune', pg_current_xact_id()::text, true);
    delete from audit_runs where started_at < before;
    get diagnostics n = row_count;
    perform set_config('bmcis.audit_prune', '', true);
    return n;
end $$;
-- +goose StatementEnd
revoke execute on function audit_prune(timestamptz) from public;

-- +goose Down
drop function audit_prune(timestamptz);
drop table audit_calls;
drop table audit_runs;
drop function audit_refuse();
