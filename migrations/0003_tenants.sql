-- 0003: tenants. The provider's own tenant is configuration and not in here.

create table tenant (
  tenant_id        text collate "C" primary key check (tenant_id <> ''),
  party            text        not null check (party <> ''),
  wallet_url       text        check (wallet_url <> ''),
  client_id        text        check (client_id <> ''),
  issuer_url       text        check (issuer_url <> ''),
  registered_at    timestamptz not null default now(),
  registration_id  text        not null generated always as (tenant_id || coalesce('-' || client_id, '')) stored,
  constraint tenant_pair unique (client_id, issuer_url),
  constraint tenant_registration unique (registration_id),
  constraint tenant_login_is_whole check ((client_id is null) = (issuer_url is null))
);

comment on table tenant is 'Organisations whose people and programs may call, as registered.';
comment on column tenant.party is 'Whom its callers stand for.';
comment on column tenant.wallet_url is 'Where its people find their wallet.';
comment on column tenant.client_id is 'What our login is registered as at the issuer; null in mode shared-secret.';
comment on column tenant.issuer_url is 'Its authorization server: claim iss of its tokens; null in mode shared-secret.';
comment on column tenant.registration_id is 'Names its login in addresses.';

create table tenant_user (
  user_name  text collate "C" primary key check (user_name <> ''),
  tenant_id  text collate "C" not null references tenant on delete cascade,
  position   integer not null check (position >= 1)
);
create index tenant_user_tenant on tenant_user (tenant_id);

comment on table tenant_user is 'Names that may log in, in mode shared-secret. A name belongs to one tenant.';
comment on column tenant_user.position is 'Place in the list as it was registered, from 1.';
