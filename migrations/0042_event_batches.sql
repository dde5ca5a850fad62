-- 0042: the events of a transaction are one row, written once and numbered as one. Five rows for each operation, copied
-- with their parties and indexes, were a fifth of what the write-ahead log held.

create table arrival (
  place bigint generated always as identity primary key,
  at timestamptz not null default now(),
  events jsonb not null check (jsonb_typeof(events) = 'array' and jsonb_array_length(events) > 0)
);
comment on table arrival is 'The events of committed transactions that have no numbers yet: objects with type, subject, lifecycle_id, parties, data.';

create table event_batch (
  last bigint primary key,
  first bigint not null,
  at timestamptz not null,
  events jsonb not null,
  check (last - first + 1 = jsonb_array_length(events))
);
comment on table event_batch is 'Events by number, those of one transaction a row. Whoever sees a number sees all smaller ones that are still kept.';
comment on column event_batch.last is 'Numbers are given after the commit by one sequencer, without holes. Pruned from the smallest on.';

insert into arrival (at, events)
select at, jsonb_build_array(jsonb_build_object(
  'type', type, 'subject', subject, 'lifecycle_id', lifecycle_id, 'parties', to_jsonb(parties), 'data', data))
from event_arrival order by place;

insert into event_batch (last, first, at, events)
select seq, seq, at, jsonb_build_array(jsonb_build_object(
  'type', type, 'subject', subject, 'lifecycle_id', lifecycle_id, 'parties', to_jsonb(parties), 'data', data))
from event order by seq;

drop table event_arrival;
drop table event;

create view event as
select b.first + e.n - 1 as seq, b.at, e.type, e.subject, e.lifecycle_id, e.parties, e.data
from event_batch b cross join lateral rows from (jsonb_to_recordset(b.events) as (
  type text, subject text, lifecycle_id text, parties text[], data jsonb)) with ordinality
  as e(type, subject, lifecycle_id, parties, data, n);
comment on view event is 'Events by number, one a row, to be looked at.';

create view event_arrival as
select a.place, e.n, a.at, e.type, e.subject, e.lifecycle_id, e.parties, e.data
from arrival a cross join lateral rows from (jsonb_to_recordset(a.events) as (
  type text, subject text, lifecycle_id text, parties text[], data jsonb)) with ordinality
  as e(type, subject, lifecycle_id, parties, data, n);
comment on view event_arrival is 'Events that have no number yet, one a row, to be looked at.';
