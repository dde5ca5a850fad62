-- 0048: a provider that moves from this cell to another, or has come here.

create table cell_move (
  is_only boolean primary key default true check (is_only),
  id uuid not null,
  state text not null check (state in ('draining', 'frozen', 'copied', 'moved', 'arrived', 'checked', 'open')),
  provider text not null check (provider <> ''),
  address text,
  clearance text,
  clearance_sha256 text not null,
  receipt text not null,
  began_at timestamptz not null default now(),
  state_at timestamptz not null default now(),
  constraint cell_move_has_its_clearance_where_it_began
    check ((clearance is not null) = (state in ('draining', 'frozen', 'copied', 'moved')))
);
comment on table cell_move is 'The last move of the provider from this cell or to it. No row: there was none. From frozen to moved, arrived and checked nothing of the provider can be written here.';
comment on column cell_move.id is 'The same in both cells.';
comment on column cell_move.address is 'Where the provider is to be found once it has moved.';
comment on column cell_move.clearance is 'What the other cell opens with. It is not in the file, and shown only once this cell is closed for good.';
comment on column cell_move.receipt is 'What this cell is closed with. It is in the file, and shown only once what it holds was imported and checked.';

-- For each row that is written, so that a question that finds nothing to write is not refused.
create function refuse_cell_write() returns trigger language plpgsql as $$
begin
  raise exception 'nothing of a provider that moves to another cell can be written here' using errcode = 'TN002';
end
$$;
comment on function refuse_cell_write() is 'Raises TN002. The trigger is there while a provider is in none of the two cells that it moves between, and for good where it has left.';
