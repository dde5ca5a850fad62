-- 0026: what a policy asked for is found by its name, also where a person had it done again.

alter table change add column policy text collate "C"
  generated always as (fixed #>> '{policy,name}') stored;
comment on column change.policy is 'The policy that asked for it, or for what it is a retry of: expiry or renewal. Null for what somebody asked for.';

-- As the others of the search: by outcome, and of whom without a look at the row.
create index change_policy on change (policy, outcome, accepted_at, id) include (provider)
  where finished_at is not null and policy is not null;
