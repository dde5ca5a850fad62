-- 0067: an expiry policy leaves suspended licences alone, unless it says otherwise.

create table expiry_policy_suspended (
  provider text primary key check (provider <> ''),
  version integer not null check (version >= 1)
);
comment on table expiry_policy_suspended is 'Policies that also end licences that the provider has suspended, by their version. A table, since processes of 0.2.0 read every column of expiry_policy.';

create view lifecycle_hold as
select r.lifecycle_id, r.suspended_at is not null as is_suspended,
       r.began_at + v.trial_ms * interval '1 millisecond' as trial_until,
       v.grace_ms
from license_record r
  left join plan_version v on v.provider = r.provider and v.plan_id = r.plan_id and v.version = r.plan_version
where r.plan_id is not null or r.suspended_at is not null;
comment on view lifecycle_hold is 'What keeps policies from ending a licence. Null: no trial, and no grace.';
