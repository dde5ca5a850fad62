-- 0034: a command ID is one change, wherever it was sent; and a ledger that is not the store's gets nothing.

-- Recorded more than once, because processes knew different rights of ours, or because the ledger user was another one
-- since. All of it stays. Answered from now on is what took effect, else what still may, else what was refused first.
alter table change add column duplicate_no integer not null default 0 check (duplicate_no >= 0);
comment on column change.duplicate_no is 'Above 0 only of what was recorded again before a command ID belonged to one change of its acting party: callers who repeat theirs are answered from the one that has 0.';

update change c set duplicate_no = d.no
from (
  select id, row_number() over (
    partition by command_id, act_as
    order by case when state = 'succeeded' then 0 when accepted_update_id is not null then 1 when finished_at is null then 2 else 3 end,
             accepted_at, id) - 1 as no
  from change
) d
where d.id = c.id and d.no > 0;

alter table change
  drop constraint change_command_key,
  add constraint change_command_key unique (command_id, act_as, duplicate_no);

create table foreign_ledger (
  stream text not null primary key,
  participant text not null check (participant <> ''),
  reason text not null check (reason <> ''),
  since timestamptz not null default now()
);
comment on table foreign_ledger is 'Streams whose participant was found to hold another history than this store: nothing is sent to it. Written by whoever holds the lease of the projector, alone; gone as soon as the history is this store''s again.';
comment on column foreign_ledger.reason is 'How it was found, and what to do about it.';

comment on column effect.held_at is 'A pause, or a ledger that is not the store''s, keeps it from being dispatched, since then; whoever ends that takes it back.';
