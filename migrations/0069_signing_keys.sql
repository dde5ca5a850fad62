-- 0069: keys that sign licence files.

create table signing_key (
  id text primary key check (id <> ''),
  public_key jsonb not null check (jsonb_typeof(public_key) = 'object'),
  secret text,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  last_file_ends_at timestamptz,
  constraint signing_key_that_signs_has_a_secret check ((secret is null) = (retired_at is not null))
);
create unique index signing_key_current on signing_key ((true)) where retired_at is null;
comment on table signing_key is 'Ed25519 keys of licence files. One key signs; a retired key stays public until its last file ends.';
comment on column signing_key.id is 'The key ID (kid) that files name: the thumbprint of the public key (RFC 7638).';
comment on column signing_key.public_key is 'The public key as a JWK.';
comment on column signing_key.secret is
  'The private key as a JWK, encrypted as webhook.secret is. Deleted when the key is retired.';
comment on column signing_key.last_file_ends_at is 'When the last file of the key ends. Null: the key has signed no file.';
