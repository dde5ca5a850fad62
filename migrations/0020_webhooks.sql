-- Where parties want to be told of events, and what became of telling them.

create table webhook (
  id text primary key check (id <> ''),
  party text not null check (party <> ''),
  created_by text not null,
  url text not null check (url <> ''),
  types text[] not null,
  secret text not null check (secret <> ''),
  previous_secret text,
  previous_secret_until timestamptz,
  after_seq bigint not null,
  is_enabled boolean not null default true,
  disabled_reason text,
  created_at timestamptz not null default now(),
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  not_before timestamptz not null default now(),
  constraint webhook_previous_secret_ends check ((previous_secret is null) = (previous_secret_until is null)),
  constraint webhook_is_disabled_for_a_reason check (is_enabled = (disabled_reason is null))
);
create index webhook_party on webhook (party, created_at, id);
comment on table webhook is 'Where a party wants to be told of its events. secret signs what is sent, so it is kept as it is.';
comment on column webhook.after_seq is 'The last event before it was there.';
comment on column webhook.failures is 'In a row, of whatever deliveries. While there are any, one delivery at a time is tried, not before not_before.';

create table delivery (
  id uuid primary key default gen_random_uuid(),
  webhook_id text not null references webhook(id) on delete cascade,
  message_id text not null check (message_id <> ''),
  type text not null,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0 check (attempts >= 0),
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  finished_at timestamptz,
  last_at timestamptz,
  last_ms integer,
  last_status integer,
  last_error text,
  constraint delivery_message unique (webhook_id, message_id),
  constraint delivery_is_finished check ((state = 'pending') = (finished_at is null))
);
create index delivery_due on delivery (webhook_id, due_at) where state = 'pending';
create index delivery_log on delivery (webhook_id, created_at desc, id desc);
comment on table delivery is 'One event for one webhook. Tried until it is taken or given up; message_id stays the same.';
comment on column delivery.due_at is 'Of one that is being tried: when another takes it up, should whoever tries it have died.';

create table webhook_cursor (
  is_only boolean primary key default true check (is_only),
  last bigint not null
);
comment on table webhook_cursor is 'Events up to this number have their deliveries. Moved by the sequencer, under its lease.';
insert into webhook_cursor (last) select last from event_sequence;
