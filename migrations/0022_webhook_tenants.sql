-- 0022: webhooks end with the tenant whose user made them.

alter table webhook add column tenant_id text references tenant(tenant_id) on delete cascade;
comment on column webhook.tenant_id is 'Null for tenants of the configuration, which nobody removes.';
create index webhook_tenant on webhook (tenant_id) where tenant_id is not null;

-- Of those that are there it is known only where their party has one tenant.
update webhook w set tenant_id = t.tenant_id
from (select party, min(tenant_id) as tenant_id from tenant group by party having count(*) = 1) t
where t.party = w.party;
