-- What happened, for those who follow it: written with what it tells of, numbered after the commit.

create table event_arrival (
  place bigint generated always as identity primary key,
  at timestamptz not null default now(),
  type text not null check (type <> ''),
  subject text not null check (subject <> ''),
  lifecycle_id text,
  parties text[] not null,
  data jsonb not null check (jsonb_typeof(data) = 'object')
);
comment on table event_arrival is 'Events of committed transactions that have no number yet. Emptied by the sequencer.';
comment on column event_arrival.place is 'Order of writing, not of commits: never shown to anybody.';
comment on column event_arrival.parties is 'Who may see it, besides operators.';

create table event (
  seq bigint primary key,
  at timestamptz not null,
  type text not null,
  subject text not null,
  lifecycle_id text,
  parties text[] not null,
  data jsonb not null
);
comment on table event is 'Events by number. Whoever sees a number sees all smaller ones that are still kept.';
comment on column event.seq is 'Given after the commit by one sequencer, without holes. Pruned from the smallest on.';

create table event_sequence (
  is_only boolean primary key default true check (is_only),
  last bigint not null default 0 check (last >= 0)
);
comment on table event_sequence is 'The last number that was given. Its row is locked while numbers are given, so that they become visible in order.';
insert into event_sequence default values;
