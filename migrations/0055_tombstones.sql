-- 0055: effects of operations that the database has lost, and which server start the streams were looked at under.

create table tombstone (
  update_id text collate "C" primary key check (update_id <> ''),
  command_id text collate "C" not null check (command_id <> ''),
  act_as text[] not null,
  recorded_at timestamptz not null default clock_timestamp()
);
create index tombstone_command on tombstone (command_id);
comment on table tombstone is 'Effects on the ledger of operations that this database does not have: a restore or a failover has lost them. A command ID that is here is never submitted again.';
comment on column tombstone.act_as is 'The parties that acted.';

alter table query_store_offset
  add column followed_on text collate "C",
  add column replay_to bigint check (replay_to >= 0);
comment on column query_store_offset.followed_on is 'The start of the database server under which a projector last compared the stream with its ledger. Another one: nothing is accepted until that has been done. Null: no projector that does so has run yet.';
comment on column query_store_offset.replay_to is 'Where the ledger ended then. Nothing is accepted, submitted or refused until the stream has reached it.';
