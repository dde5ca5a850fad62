-- 0075: licences of a plan may renew themselves from their sale on, and other prices are announced before they are offered.

alter table plan_version add column offer_before_ms bigint check (offer_before_ms >= 0);
comment on column plan_version.offer_before_ms is 'As in terms: how long before the end of a period the next one is offered. Null: licences of this version renew themselves only if a person says so.';

/*
 * Runs in a transaction of the projector, where nothing may raise an error: the API has checked the terms before it
 * stored them.
 */
create function subscribe_sold_license() returns trigger language plpgsql as $$
begin
  insert into subscription (lifecycle_id, provider, app_user, offer_before_ms, tries, ends_unpaid)
  select new.lifecycle_id, new.provider, new.app_user, v.offer_before_ms,
         (v.terms #>> '{renews,tries}')::integer, (v.terms #>> '{renews,endUnpaid}')::boolean
  from plan_version v
  where v.provider = new.provider and v.plan_id = new.plan_id and v.version = new.plan_version
    and v.offer_before_ms is not null
  on conflict do nothing;
  return null;
end $$;

create trigger subscribe_sold_license after insert on license_record for each row
  when (new.plan_id is not null) execute function subscribe_sold_license();

alter table plan_version add column announced_after text collate "C";
create index plan_version_announced on plan_version (provider, plan_id, version) where announced_after is not null;
comment on column plan_version.announced_after is 'The price of this version is announced to licences that renew themselves, in the order of their IDs, and this is the last of those that were looked at. Null: there is nothing left to announce.';
