-- 0034: processes say what their clocks show, and what time the ledger should come to.

create table process_clock (
  process text primary key,
  roles text not null check (roles <> ''),
  seen_at timestamptz not null,
  ahead_ms double precision,
  uncertain_ms double precision,
  ledger_apart_ms double precision,
  constraint process_clock_is_whole check (num_nulls(ahead_ms, uncertain_ms) in (0, 2))
);
comment on table process_clock is 'Clocks of the processes that run, as each has measured its own: a row is written every few seconds, and one that is old belongs to a process that has ended.';
comment on column process_clock.seen_at is 'By the clock of the database.';
comment on column process_clock.ahead_ms is 'By how much it is ahead of the database''s clock, behind it where negative; null: not measured yet.';
comment on column process_clock.uncertain_ms is 'Half of the round trip that it was measured over.';
comment on column process_clock.ledger_apart_ms is 'By how much the clocks of the network are certainly apart from the database''s; null: nothing of the network has been seen.';

create table time_wanted (
  participant text primary key,
  record_time timestamptz not null
);
comment on table time_wanted is 'What record time somebody waits for on a participant''s network, where nothing else may move time. Over once it has been seen.';
