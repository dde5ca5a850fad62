-- 0068: keys by which programs ask about their licence, and the machines that hold its seats.

create table license_key (
  id text primary key check (id <> ''),
  license_id text collate "C" not null check (license_id <> ''),
  hash bytea not null unique check (length(hash) = 32),
  name text not null,
  by_party text not null check (by_party <> ''),
  by_subject text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  revoked_by text check ((revoked_by is null) = (revoked_at is null))
);
create index license_key_license on license_key (license_id, created_at, id);
comment on table license_key is 'Keys of licences. The key itself is shown once and stored nowhere.';
comment on column license_key.license_id is
  'The lifecycle of the licence, which outlives each of its contracts. Not a reference: a rebuilt projection gives the same IDs.';
comment on column license_key.hash is 'SHA-256 of the key.';
comment on column license_key.by_party is 'The party of the licence that created the key.';

create table license_machine (
  license_id text collate "C" not null check (license_id <> ''),
  fingerprint text collate "C" not null check (fingerprint <> ''),
  id text not null unique check (id <> ''),
  name text not null,
  key_id text not null,
  activated_at timestamptz not null,
  seen_at timestamptz not null check (seen_at >= activated_at),
  primary key (license_id, fingerprint)
) with (fillfactor = 80);
comment on table license_machine is
  'Machines that programs have activated. A machine that was not seen for the heartbeat time of its plan holds no seat.';
comment on column license_machine.key_id is 'The key that activated the machine.';
comment on column license_machine.seen_at is 'Ledger time of the last activation or heartbeat.';
