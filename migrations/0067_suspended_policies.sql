-- 0067: an expiry policy leaves suspended licences alone, unless it says otherwise.

alter table expiry_policy add column include_suspended boolean not null default false;
comment on column expiry_policy.include_suspended is 'Whether the policy also ends licences that the provider has suspended.';
