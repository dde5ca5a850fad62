-- 0066: what Tenure keeps of a licence beside the ledger: its reference, its plan, its suspension.

create table license_record (
  lifecycle_id text collate "C" primary key,
  provider text not null,
  app_user text collate "C" not null,
  began_at timestamptz not null,
  number bigint check (number >= 1),
  reference text collate "C",
  sold jsonb not null default '{}' check (jsonb_typeof(sold) = 'object'),
  plan_id text collate "C",
  plan_version integer check (plan_version >= 1),
  renewal_id text collate "C",
  plan_since timestamptz,
  suspended_at timestamptz,
  suspended_for text,
  constraint license_record_number unique (provider, number),
  constraint license_record_plan check ((plan_id is null) = (plan_version is null) and (plan_id is null) = (plan_since is null)),
  constraint license_record_suspended check ((suspended_at is null) = (suspended_for is null))
);
create index license_record_reference on license_record (provider, reference);
create index license_record_plan_of on license_record (provider, plan_id, plan_version) where plan_id is not null;
create index license_record_suspended_of on license_record (provider, lifecycle_id) where suspended_at is not null;
comment on table license_record is 'One for each licence that was ever projected. It refers to no lifecycle, because it outlives a projection that is built anew.';
comment on column license_record.number is 'Counts the licences of the provider in the order of the ledger. Given once.';
comment on column license_record.reference is 'For people: the short name of the customer at that time and the number, ACME-0007. Given once.';
comment on column license_record.sold is 'The entries of the first contract''s metadata that name the plan, as they are on the ledger.';
comment on column license_record.plan_id is 'The plan that applies: of the first contract, or of the newest completed renewal that names one.';
comment on column license_record.renewal_id is 'The renewal that named the plan. Null: the first contract did.';
comment on column license_record.plan_since is 'Ledger time at which the plan was named. An older renewal that is projected again does not take its place.';
comment on column license_record.suspended_for is 'The reason that the provider gave.';

create function license_reference(prefix text, number bigint) returns text
language sql immutable parallel safe
as $$ select prefix || '-' || lpad(number::text, greatest(4, length(number::text)), '0') $$;
comment on function license_reference(text, bigint) is 'ACME-0007';

/*
 * These functions run in transactions of the projector, so that nothing in metadata may raise an error there. The
 * planner may compute a column before it looks at a condition: only `case` keeps the cast from other texts.
 */
create function plan_in(id text, version text) returns table (plan_id text, plan_version integer)
language sql immutable parallel safe
as $$
  select id, case when version ~ '^[1-9][0-9]{0,8}$' then version::integer end
  where id ~ '^[a-z0-9][a-z0-9-]{0,62}$' and version ~ '^[1-9][0-9]{0,8}$'
$$;
comment on function plan_in(text, text) is 'A plan and its version, where these texts name one.';

create function sold_in(license_contract text) returns jsonb
language sql stable
as $$
  select coalesce(jsonb_object_agg(e.key, e.value), '{}')
  from contract c
    cross join lateral jsonb_each(
      case when jsonb_typeof(c.payload #> '{params,meta,values}') = 'object'
        then c.payload #> '{params,meta,values}' else '{}' end) e
  where c.contract_id = license_contract and starts_with(e.key, 'tenure/')
$$;
comment on function sold_in(text) is 'What the contract of a licence says of its plan.';

/*
 * One transaction at a time makes licences, under the lease of the projector, so that the next number is read without a
 * lock. Should two ever do it, the second licence gets no record rather than an error.
 */
create function record_license() returns trigger language plpgsql as $$
declare
  next bigint := coalesce((select max(r.number) from license_record r where r.provider = new.provider), 0) + 1;
  prefix text := coalesce((
    select c.short_name from customer c where c.provider = new.provider and c.party = new.app_user), 'LIC');
  words jsonb := sold_in(new.contract_id);
begin
  insert into license_record (
    lifecycle_id, provider, app_user, began_at, number, reference, sold, plan_id, plan_version, plan_since)
  select new.id, new.provider, new.app_user, new.created_at, next, license_reference(prefix, next), words,
         p.plan_id, p.plan_version, case when p.plan_id is not null then new.created_at end
  from (select) as one left join plan_in(words ->> 'tenure/plan', words ->> 'tenure/plan-version') p on true
  on conflict do nothing;
  return null;
end $$;

create function record_renewed_plan() returns trigger language plpgsql as $$
begin
  update license_record r
  set plan_id = p.plan_id, plan_version = p.plan_version, renewal_id = new.id, plan_since = new.ended_at
  from contract c
    cross join lateral regexp_match(c.payload ->> 'description', '\[plan ([a-z0-9-]+) version ([0-9]+)\]$') as named(parts)
    cross join lateral plan_in(named.parts[1], named.parts[2]) p
  where c.contract_id = new.contract_id and c.payload ? 'description' and r.lifecycle_id = new.origin_id
    and new.ended_at is not null and coalesce(r.plan_since, '-infinity') <= new.ended_at;
  return null;
end $$;

create trigger record_license after insert on lifecycle for each row
  when (new.kind = 'license') execute function record_license();
create trigger record_begun_renewal after insert on lifecycle for each row
  when (new.kind = 'renewal' and new.state = 'renewed') execute function record_renewed_plan();
create trigger record_renewed after update on lifecycle for each row
  when (new.kind = 'renewal' and new.state = 'renewed' and old.state <> new.state) execute function record_renewed_plan();

insert into license_record (lifecycle_id, provider, app_user, began_at, number, reference, sold)
select l.id, l.provider, l.app_user, l.created_at, l.number, license_reference('LIC', l.number), sold_in(l.contract_id)
from (
  select l.*, row_number() over (
    partition by l.provider order by coalesce(h.ledger_offset, 0), l.created_at, l.id) as number
  from lifecycle l left join history h on h.lifecycle_id = l.id and h.seq = 1 and h.n = 1
  where l.kind = 'license') l;
