-- 0016: what ends by itself, and when.

create table expiry_policy (
  provider text primary key,
  mode text not null check (mode in ('off', 'dry-run', 'on')),
  grace text not null,
  grace_ms bigint not null check (grace_ms >= 0),
  include_never_renewed boolean not null,
  quiet_hours jsonb not null check (jsonb_typeof(quiet_hours) = 'array'),
  paused boolean not null,
  max_in_flight integer not null check (max_in_flight >= 1),
  version integer not null check (version >= 1)
);
comment on table expiry_policy is 'When a provider''s lapsed licences end by themselves. No row: never.';
comment on column expiry_policy.grace is 'As the provider wrote it, ISO 8601.';

create table renewal_policy (
  provider text primary key,
  complete boolean not null,
  withdraw_lapsed boolean not null,
  version integer not null check (version >= 1)
);
comment on table renewal_policy is 'What a provider''s renewals do by themselves. No row: nothing.';

-- What no policy changes: so a new policy, or a new grace, finds every timer as it should be.
create table timer (
  lifecycle_id text collate "C" primary key references lifecycle on delete cascade,
  kind text not null check (kind in ('expire', 'withdraw')),
  provider text not null,
  lapses_at timestamptz not null,
  open_until timestamptz,
  never_renewed boolean not null,
  generation integer not null default 0 check (generation >= 0),
  not_before timestamptz,
  change_id uuid references change,
  given_up boolean not null default false check (not given_up or change_id is not null)
);
comment on table timer is 'When a licence lapses, and when the window of a renewal closes, by ledger time. One for each that is active.';
comment on column timer.open_until is 'When the last window of the licence''s open renewals closes.';
comment on column timer.generation is 'Rises when a change that a policy made has definitely failed; part of the command ID of the next.';
comment on column timer.not_before is 'Wall time: distance after a failure.';
comment on column timer.change_id is 'It has fired: the newest change that a policy made of it.';
comment on column timer.given_up is 'No policy tries again before it lapses at another time.';
create index timer_due on timer (provider, kind, lapses_at) where change_id is null;
create index timer_due_renewed on timer (provider, kind, lapses_at) where change_id is null and not never_renewed;
create index timer_fired on timer (provider, change_id) where change_id is not null and not given_up;
create index timer_page on timer (provider, lapses_at, lifecycle_id);

-- Those that are on their way are counted before another one is sent.
create index change_automatic on change (act_as, command_id)
  where finished_at is null and starts_with(command_id, 'tenure:');

insert into timer (lifecycle_id, kind, provider, lapses_at, open_until, never_renewed)
select l.id, 'expire', l.provider, l.expires_at,
       (select max(nullif(r.context ->> 'settleBefore', '')::timestamptz) from lifecycle r
        where r.lane = l.lane and r.kind = 'renewal' and r.ended_at is null),
       l.expires_at <= l.created_at
from lifecycle l where l.kind = 'license' and l.ended_at is null and l.expires_at is not null
union all
select r.id, 'withdraw', r.provider, nullif(r.context ->> 'settleBefore', '')::timestamptz, null, false
from lifecycle r
where r.kind = 'renewal' and r.ended_at is null and nullif(r.context ->> 'settleBefore', '') is not null;
