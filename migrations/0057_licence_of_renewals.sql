-- 0057: renewals and comments belong to one licence.

alter table lifecycle add column origin_id text collate "C";
comment on column lifecycle.origin_id is
  'The lifecycle that it belongs to, such as the licence of a renewal: where it began, else as a caller has chosen. Never replaced; null: to none, or it is not known.';
alter table contract add column origin_id text collate "C";
comment on column contract.origin_id is
  'Contracts that stand for no lifecycle: the lifecycle of which an operation has made them, such as the licence of a comment. Null: another client made them.';

-- The line of its birth names the lifecycle by whose step a renewal began.
update lifecycle r set origin_id = l.id
from history h join lifecycle l on l.id = h.detail ->> 'through' and l.kind = 'license'
where r.kind = 'renewal' and h.lifecycle_id = r.id and h.seq = 1 and h.kind = 'ledger.created';

-- Where that line is not there, the exercise that created its contract names the licence's.
update lifecycle r set origin_id = l.id
from contract c
  join exercise e on e."offset" = c.created_at_offset
    and c.created_node_id > e.node_id and c.created_node_id <= e.last_descendant_node_id
    and e.template_fqn = 'quickstart-licensing:Licensing.License:License' and e.choice = 'License_Renew'
  join lineage a on a.contract_id = e.contract_id
  join lifecycle l on l.id = a.lifecycle_id and l.kind = 'license'
where r.kind = 'renewal' and r.origin_id is null and c.contract_id = r.contract_id
  and c.template_fqn = 'quickstart-licensing:Licensing.License:LicenseRenewalRequest';

update contract c set origin_id = o.lifecycle_id
from ledger_update u
  join change o on o.id = case
    when u.workflow_id ~ '^tenure-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substr(u.workflow_id, 8)::uuid end
where c.template_fqn = 'quickstart-licensing:Licensing.LicenseComment:LicenseComment'
  and u."offset" = c.created_at_offset and o.operation = 'comment-license' and o.lifecycle_id is not null
  and o.act_as = c.payload ->> 'commenter'
  and coalesce(o.fixed ->> 'licenseNum', c.payload ->> 'licenseNum') = c.payload ->> 'licenseNum';

-- A renewal of another licence of the same number keeps no policy from ending this one.
update timer t
set open_until = (
  select max(nullif(r.context ->> 'settleBefore', '')::timestamptz) from lifecycle r
  where r.kind = 'renewal' and r.ended_at is null and r.provider = l.provider and r.app_user = l.app_user
    and r.license_num = l.license_num and (r.origin_id = l.id or r.origin_id is null))
from lifecycle l
where l.id = t.lifecycle_id and t.kind = 'expire' and t.open_until is not null;
