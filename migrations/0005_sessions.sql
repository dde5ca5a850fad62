-- 0005: sessions of browsers.

create table session (
  id_hash            bytea       primary key check (octet_length(id_hash) = 32),
  tenant_id          text collate "C" not null,
  registered_tenant  text collate "C" references tenant on delete cascade,
  party              text        not null,
  roles              text[]      not null,
  subject            text        not null,
  name               text        not null,
  registration_id    text,
  id_token           text,
  created_at         timestamptz not null,
  seen_at            timestamptz not null,
  constraint session_token_belongs_to_login check (registration_id is not null or id_token is null),
  constraint session_tenant_is_the_registered check (registered_tenant = tenant_id)
) with (fillfactor = 70);
create index session_seen on session (seen_at);
create index session_subject on session (tenant_id, subject, seen_at);
create index session_tenant on session (registered_tenant);

comment on table session is 'Browsers whose users have signed in. What is decided at login holds until the session ends.';
comment on column session.id_hash is 'SHA-256 of the secret that the browser holds: reading the table lets nobody in.';
comment on column session.registered_tenant is 'Null for a tenant of the configuration. With the tenant its sessions end.';
comment on column session.registration_id is 'Through which login; null where people sign in by name.';
comment on column session.id_token is 'What a logout at the authorization server asks for.';
comment on column session.seen_at is 'Moves on once a minute while the session is in use.';
