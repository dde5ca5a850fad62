-- 0067: an expiry policy leaves suspended licences alone, unless it says otherwise.

alter table expiry_policy add column include_suspended boolean not null default false;
comment on column expiry_policy.include_suspended is 'Whether the policy also ends licences that the provider has suspended.';

create view lifecycle_hold as
select r.lifecycle_id, r.suspended_at is not null as is_suspended,
       r.began_at + v.trial_ms * interval '1 millisecond' as trial_until,
       v.grace_ms
from license_record r
  left join plan_version v on v.provider = r.provider and v.plan_id = r.plan_id and v.version = r.plan_version
where r.plan_id is not null or r.suspended_at is not null;
comment on view lifecycle_hold is 'What keeps policies from ending a licence. Null: no trial, and no grace.';
