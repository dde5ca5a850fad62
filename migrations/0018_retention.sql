-- 0018: what is finished and old is pruned. A change keeps its row: its command ID must never mean anything else.

alter table change
  add column pruned_at timestamptz,
  add constraint change_is_finished_when_pruned check (pruned_at is null or finished_at is not null);
comment on column change.pruned_at is 'Its attempts and its effect are gone since, and its body if it succeeded. What it was, and what became of it, stays.';
create index change_to_prune on change (finished_at) where finished_at is not null and pruned_at is null;
