-- 0056: irreversible acts are previewed, and a confirmed policy starts after a delay.

create table preview (
  token_hash text primary key,
  act text not null,
  digest text not null,
  count integer not null check (count >= 0),
  by_party text not null,
  by_subject text not null,
  tenant_id text not null,
  expires_at timestamptz not null
);
comment on table preview is 'The previews of single irreversible acts. Each token is good for one act, by the same person, on what was previewed.';
comment on column preview.digest is 'SHA-256 of the act with all of its parameters.';
comment on column preview.count is 'How many things the act was shown to end. A person confirms this number.';

-- The policy's own row keeps the held values until the start: processes of earlier versions read that row alone.
create table pending_policy (
  provider text,
  name text check (name in ('expiry', 'renewal')),
  version integer not null check (version >= 1),
  policy jsonb not null,
  previous jsonb,
  by_subject text not null,
  reason text not null,
  count integer not null check (count >= 0),
  starts_at timestamptz not null,
  previous_starts_at timestamptz,
  primary key (provider, name)
);
comment on table pending_policy is 'Confirmed policies that do not act before their start. No row: the policy''s own row is in force. A row of another version than the policy''s is over.';
comment on column pending_policy.policy is 'The confirmed policy. The policy''s own row is paused or off until the start.';
comment on column pending_policy.previous is 'The policy before, which an undo restores. Null: nobody confirmed this version, so it cannot be undone.';
comment on column pending_policy.starts_at is 'By the clock of the database.';
comment on column pending_policy.previous_starts_at is 'The start of the policy before, which an undo restores. Null: that policy acted already.';

alter table cell_move add column closed_by text, add column closed_because text;
comment on column cell_move.closed_by is 'The person who closed this cell for the provider.';
comment on column cell_move.closed_because is 'The reason for which this cell was closed.';
