-- 0047: how many queues there are for what is to be submitted, and whose turn it is.

create table queue_shards (
  single boolean primary key default true check (single),
  shards integer not null check (shards between 1 and 64),
  most integer not null check (most >= shards),
  set_at timestamptz not null default now()
);
comment on table queue_shards is 'How many queues share what is to be submitted; without a row there is one. A relay holds its row while it puts effects there.';
comment on column queue_shards.most is 'The most there have ever been: what is left on those that are not used any more is worked off.';

alter table effect add column provider text collate "C" not null default '',
                   add column party text collate "C" not null default '';
comment on column effect.provider is 'Whose turn it is, where there is more than can be dispatched: providers take turns, and the callers of each.';
comment on column effect.party is 'Who asked for its change.';
update effect e set provider = c.provider, party = c.caller_party
from change c where c.id = e.change_id and e.done_at is null;
create index effect_turn on effect (provider, party, due_at) where done_at is null and held_at is null;
