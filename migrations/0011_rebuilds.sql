-- Requests to make the projection agree with the ledger again, and what came of them.

create table rebuild (
  id uuid primary key,
  asked_at timestamptz not null default clock_timestamp(),
  asked_by text not null check (asked_by <> ''),
  is_dry_run boolean not null,
  answered_at timestamptz,
  report jsonb,
  error text,
  constraint rebuild_is_answered_once check (num_nonnulls(report, error) = (answered_at is not null)::integer)
);
create unique index rebuild_open on rebuild ((true)) where answered_at is null;

comment on table rebuild is 'Asked by an operator, done by the projector under its lease, one at a time.';
comment on column rebuild.is_dry_run is 'Do everything and commit none of it, for the report alone.';
