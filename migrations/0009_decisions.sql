-- 0009: what persons decide about changes, what has waited too long, and updates by the workflow ID that they carry.

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  by_party text not null check (by_party <> ''),
  by_subject text not null,
  act text not null check (act <> ''),
  change_id uuid not null references change(id),
  from_state text not null,
  to_state text not null,
  reason text not null check (reason <> ''),
  detail jsonb not null check (jsonb_typeof(detail) = 'object')
);
comment on table audit is 'What persons did to changes, and why. Never updated and never pruned.';
comment on column audit.by_subject is 'The identity behind the party: the subject of the token.';
create index audit_change on audit (change_id, id);

-- Attempts that were lost are found by what their update carries, should their completion never be told.
create index ledger_update_workflow on ledger_update (workflow_id) where workflow_id is not null;

create table alarm (
  change_id uuid primary key references change(id),
  kind text not null check (kind <> ''),
  since timestamptz not null,
  detail text not null,
  raised_at timestamptz not null default now()
);
comment on table alarm is 'Changes that have waited too long for one thing. Written by whoever holds the lease of the clock, alone.';
comment on column alarm.kind is 'What it waits for: see waiting_for of the change.';
