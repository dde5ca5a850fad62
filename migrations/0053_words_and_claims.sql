-- 0053: a claim stays with its deployment, and a move has no words before its freeze.

-- Apart from what is frozen: a provider that has come here may be kept from being opened by what a claim would mend.
create table cell_claim (
  is_only boolean primary key default true check (is_only),
  claimed_at timestamptz not null
);
comment on table cell_claim is 'When a person last said that the ledger users are this cell''s: what others submitted before does not count. No row: never. It does not move with the provider.';
insert into cell_claim (claimed_at) select claimed_at from cell where claimed_at is not null;
alter table cell drop column claimed_at;

alter table cell_move
  drop constraint cell_move_has_its_clearance_where_it_began,
  alter column clearance_sha256 drop not null,
  alter column receipt drop not null;
update cell_move set clearance = null, clearance_sha256 = null, receipt = null where state = 'draining';
alter table cell_move add constraint cell_move_has_its_words_from_the_freeze_on check (
  state = 'draining'
  or (clearance_sha256 is not null and receipt is not null
      and (clearance is not null) = (state in ('frozen', 'copied', 'moved')))
);
comment on column cell_move.clearance is 'What the other cell opens with; made by the freeze. It is not in the file, and shown only once this cell is closed for good.';
comment on column cell_move.receipt is 'What this cell is closed with; made by the freeze. It is in the file, and shown only once what it holds was imported and checked.';
