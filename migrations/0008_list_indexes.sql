-- Indexes of lists.

-- Of one state: few of a provider's lifecycles are in most of them, and would be looked for among all.
create index lifecycle_list_state on lifecycle (kind, provider, state, app_user, list_no, id)
  where ended_at is null;

-- What a user has. Its order is that of every list, so it could serve a provider's too, past everything that others
-- provide; and statistics from when there were no others make that look cheap. Only a query that repeats the condition,
-- which is always true, can use it.
drop index lifecycle_list_user;
create index lifecycle_list_user on lifecycle (kind, app_user, list_no, id)
  where ended_at is null and app_user <> '';

-- Allocations by the request that they name. Whether a contract is one is left to the query: where the template stood
-- here, other indexes that begin with it could be chosen for the same look-up.
drop index contract_allocation;
create index contract_allocation on contract ((payload #>> '{allocation,settlement,settlementRef,id}'))
  where payload #>> '{allocation,settlement,settlementRef,id}' is not null
    and archived_at_offset is null and not divulged_only;
