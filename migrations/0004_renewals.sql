-- Renewals: their lifecycles, what was fixed for a change when it was recorded, and the allocations that pay for them.

alter table lifecycle
  drop constraint lifecycle_kind_check,
  add constraint lifecycle_kind_check check (kind in ('install-request', 'install', 'license', 'renewal')),
  drop constraint lifecycle_number_is_of_licenses,
  add constraint lifecycle_number_is_of_licenses
    check ((license_num is not null) = (kind in ('license', 'renewal')));
create index lifecycle_renewals on lifecycle (provider, app_user, license_num)
  where kind = 'renewal' and ended_at is null;

comment on table lifecycle is
  'One install request, install, licence or renewal from birth to end, and where its machine is.';
comment on column lifecycle.license_num is 'Licences and their renewals: the number of the licence, unique per install.';

-- A licence shares its lane with its renewals, which name it by its number alone. One that has work under way stays
-- where it is.
update lifecycle l
set lane = 'license:' || l.provider || '/' || l.app_user || '/' || l.license_num
where l.kind = 'license'
  and not exists (select from change c where c.lane = l.lane and c.finished_at is null);

alter table change add column fixed json not null default '{}' check (json_typeof(fixed) = 'object');
comment on column change.fixed is 'Ids and times that were chosen when it was recorded: every attempt carries the same.';

-- Allocations name the request that they pay for.
create index contract_allocation on contract ((payload #>> '{allocation,settlement,settlementRef,id}'))
  where template_fqn = 'splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation'
    and archived_at_offset is null and not divulged_only;
