-- 0025: what gives a timer up is what failed because of its own contract, and those that are given up are counted.

alter table timer add column failures integer not null default 0 check (failures >= 0);
comment on column timer.failures is 'How often its own contract was why it failed; after a few it is given up.';
-- Until now the last failure of one that was given up was not counted with it.
update timer set failures = generation + given_up::integer where generation > 0;
create index timer_given_up on timer (kind) where given_up;
