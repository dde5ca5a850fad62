-- 0049: processes of the version before, which write and read events one by one, run beside this one. They go through
-- the views, which act as the tables were that these took the place of.

-- The number of each event first, the rest only of those that are wanted: a reader of an earlier version has no index.
create or replace view event as
select s.seq, b.at,
       b.events -> (s.seq - b.first)::integer ->> 'type' as type,
       b.events -> (s.seq - b.first)::integer ->> 'subject' as subject,
       b.events -> (s.seq - b.first)::integer ->> 'lifecycle_id' as lifecycle_id,
       array(select jsonb_array_elements_text(b.events -> (s.seq - b.first)::integer -> 'parties')) as parties,
       b.events -> (s.seq - b.first)::integer -> 'data' as data
from event_batch b cross join lateral generate_series(b.first, b.last) as s(seq);
comment on view event is 'Events by number, one a row, to be looked at, and for processes of the version before.';

-- Places tell apart the events of one transaction too, of which there are fewer than a million.
create or replace view event_arrival as
select a.place * 1000000 + e.n as place, e.n, a.at, e.type, e.subject, e.lifecycle_id, e.parties, e.data
from arrival a cross join lateral rows from (jsonb_to_recordset(a.events) as (
  type text, subject text, lifecycle_id text, parties text[], data jsonb)) with ordinality
  as e(type, subject, lifecycle_id, parties, data, n);
comment on view event_arrival is
  'Events that have no number yet, one a row, to be looked at, and for processes of the version before.';

create function arrive_alone() returns trigger language plpgsql as $$
begin
  insert into arrival (events) values (jsonb_build_array(jsonb_build_object(
    'type', new.type, 'subject', new.subject, 'lifecycle_id', new.lifecycle_id,
    'parties', to_jsonb(new.parties), 'data', new.data)));
  return new;
end $$;
create trigger arrive_alone instead of insert on event_arrival for each row execute function arrive_alone();

-- Whoever takes events takes the first ones, in whichever order it names them: so each takes the first one left.
create function leave_arrival() returns trigger language plpgsql as $$
begin
  delete from arrival where place = old.place / 1000000 and jsonb_array_length(events) = 1;
  if not found then
    update arrival set events = events - 0 where place = old.place / 1000000;
  end if;
  return old;
end $$;
create trigger leave_arrival instead of delete on event_arrival for each row execute function leave_arrival();

create function number_alone() returns trigger language plpgsql as $$
begin
  insert into event_batch (last, first, at, events) values (new.seq, new.seq, new.at, jsonb_build_array(
    jsonb_build_object('type', new.type, 'subject', new.subject, 'lifecycle_id', new.lifecycle_id,
      'parties', to_jsonb(new.parties), 'data', new.data)));
  return new;
end $$;
create trigger number_alone instead of insert on event for each row execute function number_alone();

-- As above: numbers are pruned from the smallest on.
create function prune_alone() returns trigger language plpgsql as $$
declare
  of_batch bigint := (select min(last) from event_batch where last >= old.seq);
begin
  delete from event_batch where last = of_batch and first = last;
  if not found then
    update event_batch set first = first + 1, events = events - 0 where last = of_batch;
  end if;
  return old;
end $$;
create trigger prune_alone instead of delete on event for each row execute function prune_alone();

-- What the audit log tells is delivered only where it is named, also by a version that did not know of it.
create function audit_where_named() returns trigger language plpgsql as $$
begin
  if exists (select from webhook w where w.id = new.webhook_id and cardinality(w.types) = 0) then
    return null;
  end if;
  return new;
end $$;
create trigger audit_where_named before insert on delivery for each row
  when (starts_with(new.type, 'tenure.audit.')) execute function audit_where_named();

alter table process_clock add column job_format integer;
comment on column process_clock.job_format is
  'Which jobs of the queue the process understands. 2: with several operations, and on several queues; null: with one.';
