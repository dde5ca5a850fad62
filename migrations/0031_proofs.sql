-- 0031: record time as the proof that nothing of an attempt is still to come.

alter table query_store_offset
  add column synchronizer_times jsonb not null default '{}' check (jsonb_typeof(synchronizer_times) = 'object'),
  add column given_up jsonb not null default '{}' check (jsonb_typeof(given_up) = 'object'),
  add column clock_apart_ms bigint check (clock_apart_ms > 0);
comment on column query_store_offset.clock_apart_ms is
  'By so much record times and our clocks are too far apart for a proof to be believed; null where they are not.';
comment on column query_store_offset.synchronizer_times is
  'Record times by synchronizer: everything before has been told. One that is connected and was never told of stands at the begin of time.';
comment on column query_store_offset.given_up is
  'Synchronizers that a person has said not to come back, with the time at which each stood then: as long as it stands there, nothing waits for it.';

alter table attempt
  add column over_at timestamptz,
  add column proven_at timestamptz;
comment on column attempt.over_at is
  'From this record time on nothing of it can be sequenced; null while its participant has not been heard after its deadline.';
comment on column attempt.proven_at is 'Refused by no answer: the streams passed this record time without it.';

alter table change
  add column proof_at timestamptz,
  add constraint change_is_proved_while_verified check (proof_at is null or verify_at is not null);
comment on column change.proof_at is
  'Nor before the streams have passed this record time: until then an undecided attempt may take effect.';

-- What waited for a refusal to be sure waits for the proof as well; whoever follows the ledger finds out until when.
update change set proof_at = '9999-12-31T23:59:59.999Z', verify_at = 0
where finished_at is null and verify_at is not null and pending_refusal is not null
  and exists (select from attempt a where a.change_id = change.id and coalesce(a.verdict, 'unknown') = 'unknown');

create function told_time(of_participant text) returns timestamptz
language sql stable parallel safe
begin atomic
  select min(t.at::timestamptz)
  from query_store_offset o cross join lateral jsonb_each_text(o.synchronizer_times) as t(synchronizer, at)
  where o.stream = 'completions:' || of_participant
    and (o.given_up ->> t.synchronizer is null or (o.given_up ->> t.synchronizer)::timestamptz < t.at::timestamptz);
end;
comment on function told_time(text) is
  'Up to when the completions of a participant have told everything, on every synchronizer; null where they have told of none.';

create function proven_time(of_participant text) returns timestamptz
language sql stable parallel safe
begin atomic
  select min(least(t.at::timestamptz, (u.synchronizer_times ->> t.synchronizer)::timestamptz))
  from query_store_offset o cross join lateral jsonb_each_text(o.synchronizer_times) as t(synchronizer, at)
    left join query_store_offset u on u.stream = 'updates'
  where o.stream = 'completions:' || of_participant and o.clock_apart_ms is null
    and (o.given_up ->> t.synchronizer is null or (o.given_up ->> t.synchronizer)::timestamptz < t.at::timestamptz);
end;
comment on function proven_time(text) is
  'The same, and the updates as well on those synchronizers that they know: what came of a submission before is here.';

create table standstill (
  participant text primary key check (participant <> ''),
  kind text not null check (kind in ('behind', 'quiet', 'gone')),
  since timestamptz not null,
  detail text not null check (detail <> '')
);
comment on table standstill is
  'Why a participant tells nothing of what was submitted through it, as whoever follows it has found. None where there is nothing to say.';

create index change_proof on change (participant, proof_at) where finished_at is null and proof_at is not null;
