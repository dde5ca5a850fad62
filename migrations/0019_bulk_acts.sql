-- 0019: what persons do to many operations at once.

create table bulk_act (
  id uuid primary key,
  action text not null check (action in ('retry', 'cancel', 'decide')),
  decision text check ((decision is not null) = (action = 'decide')),
  scope text not null check (scope in ('provider', 'caller')),
  filter jsonb not null check (jsonb_typeof(filter) = 'object'),
  reason text not null check (reason <> ''),
  by_party text not null check (by_party <> ''),
  by_subject text not null,
  by_name text not null,
  tenant_id text not null,
  state text not null check (state in ('previewed', 'running', 'done', 'stopped')),
  count integer not null check (count >= 0),
  token_hash text,
  previewed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  applied_at timestamptz,
  finished_at timestamptz,
  constraint bulk_act_is_applied_once check ((state = 'previewed') = (token_hash is not null)),
  constraint bulk_act_applied_at_is_of_applied check ((state = 'previewed') = (applied_at is null)),
  constraint bulk_act_is_finished check ((finished_at is not null) = (state in ('done', 'stopped')))
);
comment on table bulk_act is 'Acts of persons on many changes: previewed, and once applied worked off item by item under the lease of the clock.';
comment on column bulk_act.scope is 'What the operator sees: see src/app/ops-scope.ts.';
comment on column bulk_act.token_hash is 'Whoever holds the token may apply it, once, until it expires.';
create unique index bulk_act_token on bulk_act (token_hash) where token_hash is not null;
create index bulk_act_running on bulk_act (applied_at, id) where state = 'running';
create index bulk_act_party on bulk_act (by_party, applied_at desc, id desc) where state <> 'previewed';

create table bulk_item (
  act_id uuid not null,
  n integer not null check (n >= 1),
  change_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'refused')),
  code text,
  message text,
  result_change_id uuid,
  at timestamptz,
  primary key (act_id, n),
  constraint bulk_item_of_a_change_is_one unique (act_id, change_id),
  constraint bulk_item_refused_says_why check ((state = 'refused') = (code is not null and message is not null)),
  constraint bulk_item_at_is_of_worked_off check ((state = 'waiting') = (at is null))
) with (fillfactor=80);
comment on table bulk_item is 'A change of a bulk act, in the order in which they are worked off: that of their lanes and of their places in them. Written by the ten thousand, so without references.';
comment on column bulk_item.result_change_id is 'What a retry has made of it.';
create index bulk_item_waiting on bulk_item (act_id, n) where state = 'waiting';
