-- 0014: what persons and busy participants hold back. Rows, so that losing the queue forgets none of it.

create table pause (
  id uuid primary key default gen_random_uuid(),
  scope text not null check (scope in ('participant', 'operation', 'provider')),
  name text not null check (name <> ''),
  mode text not null check (mode in ('pause', 'drain')),
  since timestamptz not null default now(),
  by_party text not null check (by_party <> ''),
  by_subject text not null,
  reason text not null check (reason <> ''),
  constraint pause_of_what unique (scope, name)
);
comment on table pause is 'What persons have stopped: the relay dispatches none of it. A few rows.';
comment on column pause.mode is 'pause: nothing of it is dispatched. drain: only what had reached the head of its lane before.';

create table circuit (
  participant text primary key,
  level integer not null check (level >= 1),
  delay_ms integer not null check (delay_ms >= 1),
  since timestamptz not null,
  until timestamptz not null,
  ledger_code text not null check (ledger_code <> '')
);
comment on table circuit is 'Participants that answered that they are busy: nothing is dispatched to them until then.';
comment on column circuit.level is 'Rises, and the delay with it, when it is busy again soon after.';

alter table effect
  add column made_at timestamptz not null default now(),
  add column held_at timestamptz;
comment on column effect.made_at is 'When its change reached the head of its lane: a drain lets go on what did before it.';
comment on column effect.held_at is 'A pause keeps it from being dispatched, since then; whoever ends the pause takes it back.';

drop index effect_due;
create index effect_due on effect (due_at) where done_at is null and held_at is null;
create index effect_held on effect (held_at) where held_at is not null;
