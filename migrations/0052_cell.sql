-- 0052: which cell this is, and which others were seen to submit as its ledger users.

create table cell (
  is_only boolean primary key default true check (is_only),
  id text collate "C" not null check (id ~ '^[0-9a-f]{16}$'),
  made_at timestamptz not null default now(),
  claimed_at timestamptz
);
comment on table cell is 'The cell whose provider this is. It moves with the provider. No row: no process that knows of cells has run yet.';
comment on column cell.id is 'Milliseconds since 1970 and a random end: of two the smaller is the older one. Marks submissions and ledger users.';
comment on column cell.claimed_at is 'When a person last said that the ledger users are this cell''s: what others submitted before does not count.';

create table other_cell (
  participant text not null check (participant <> ''),
  ledger_user text not null check (ledger_user <> ''),
  cell text collate "C" not null check (cell ~ '^[0-9a-f]{16}$'),
  command_id text not null,
  recorded_at timestamptz not null,
  primary key (participant, ledger_user, cell)
);
comment on table other_cell is 'Other cells whose submissions were completed for a ledger user of this one. It does not move with the provider.';
comment on column other_cell.command_id is 'The last one that was seen.';
comment on column other_cell.recorded_at is 'When the ledger recorded it.';
