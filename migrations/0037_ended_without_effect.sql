-- 0037: attempts of ended changes that nobody answered are found, one part of the way at a time.

create index change_without_effect on change (participant, id)
  where finished_at is not null and state <> 'succeeded' and pruned_at is null;
