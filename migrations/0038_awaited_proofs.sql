-- 0038: what waits for a proof, whatever else it waits for, and clocks of each synchronizer.

-- Whatever is undecided, and known to be over at some record time: little, and of an idle ledger nothing.
create index attempt_proof on attempt (participant, over_at)
where over_at is not null and coalesce(verdict, 'unknown') = 'unknown';
drop index change_proof;

alter table query_store_offset
  add column clocks_apart jsonb not null default '{}' check (jsonb_typeof(clocks_apart) = 'object');
comment on column query_store_offset.clocks_apart is
  'By synchronizer: by how many milliseconds its record times, or the ledger times of the participant there, are too far from our clocks.';
comment on column query_store_offset.clock_apart_ms is
  'The greatest of clocks_apart: no proof is believed; null where no clock is wrong.';

-- Which synchronizer it was is not known.
update query_store_offset o
set clocks_apart = (
  select coalesce(jsonb_object_agg(s, o.clock_apart_ms), '{}') from jsonb_object_keys(o.synchronizer_times) s)
where o.clock_apart_ms is not null;

create function synchronizers_of(of_participant text)
returns table (synchronizer text, told_at timestamptz, passed_at timestamptz, is_given_up boolean)
language sql stable parallel safe
begin atomic
  select t.synchronizer, t.at::timestamptz,
         least(t.at::timestamptz, (u.synchronizer_times ->> t.synchronizer)::timestamptz),
         coalesce((o.given_up ->> t.synchronizer)::timestamptz >= t.at::timestamptz, false)
  from query_store_offset o cross join lateral jsonb_each_text(o.synchronizer_times) as t(synchronizer, at)
    left join query_store_offset u on u.stream = 'updates'
  where o.stream = 'completions:' || of_participant;
end;
comment on function synchronizers_of(text) is
  'How far the completions of a participant have told of each synchronizer, and the updates as well where they know it.';

-- Where a person has given all of them up nothing tells a time any more: our own has to do.
create or replace function told_time(of_participant text) returns timestamptz
language sql stable parallel safe
begin atomic
  select case when bool_and(s.is_given_up) then now() else min(s.told_at) filter (where not s.is_given_up) end
  from synchronizers_of(of_participant) s;
end;

create or replace function proven_time(of_participant text) returns timestamptz
language sql stable parallel safe
begin atomic
  select case when bool_and(s.is_given_up) then now()
              when not exists (select from query_store_offset o
                               where o.stream = 'completions:' || of_participant and o.clock_apart_ms is not null)
              then min(s.passed_at) filter (where not s.is_given_up) end
  from synchronizers_of(of_participant) s;
end;
