-- 0065: customers have names, and plans have versions.

create table customer (
  id text collate "C" primary key check (id <> ''),
  provider text not null check (provider <> ''),
  party text collate "C" not null check (party <> ''),
  name text not null check (name <> ''),
  short_name text,
  emails text[] not null default '{}',
  time_zone text,
  language text,
  note text not null default '',
  external_references jsonb not null default '{}' check (jsonb_typeof(external_references) = 'object'),
  version integer not null default 1 check (version >= 1),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint customer_party unique (provider, party)
);
create index customer_name on customer (provider, name, id);
comment on table customer is 'A party as its provider knows it. Nothing of it is on the ledger. It outlives the tenant of the party, as licences do.';
comment on column customer.short_name is 'The prefix of the references of licences that the party gets from now on.';

create table plan (
  provider text not null check (provider <> ''),
  id text collate "C" not null check (id <> ''),
  version integer not null check (version >= 1),
  revision integer not null default 1 check (revision >= 1),
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  constraint plan_pkey primary key (provider, id)
);
comment on table plan is 'What a provider sells. Never deleted: licences name it.';
comment on column plan.version is 'The newest version, which new licences get.';
comment on column plan.revision is 'Rises with every change, also where a change makes no version: the ETag.';

create table plan_version (
  provider text not null,
  plan_id text collate "C" not null,
  version integer not null check (version >= 1),
  terms jsonb not null check (jsonb_typeof(terms) = 'object'),
  trial_ms bigint not null check (trial_ms >= 0),
  grace_ms bigint not null check (grace_ms >= 0),
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  constraint plan_version_pkey primary key (provider, plan_id, version),
  constraint plan_version_plan_fkey foreign key (provider, plan_id) references plan (provider, id)
);
comment on table plan_version is 'The terms of a plan at one time. Only archived_at changes: licences keep the version under which they were sold.';
comment on column plan_version.trial_ms is 'As in terms, for policies: no policy ends a licence within this time after its creation.';
comment on column plan_version.grace_ms is 'As in terms, for policies: no policy ends a licence within this time after it lapsed.';
