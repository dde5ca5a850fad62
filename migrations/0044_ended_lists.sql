-- 0044: lists of what has ended, by the state in which it did, in the order of all lists.

create index lifecycle_ended_provider on lifecycle (kind, provider, state, app_user, list_no, id)
  where ended_at is not null;
-- As of active ones: only a query that repeats the condition, which is always true, can use it.
create index lifecycle_ended_user on lifecycle (kind, app_user, state, list_no, id)
  where ended_at is not null and app_user <> '';
