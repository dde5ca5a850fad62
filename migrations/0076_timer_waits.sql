-- 0076: the next timer that waits after a failure is found without those that do not wait.

create index timer_waits on timer (provider, kind, not_before) where change_id is null and not_before is not null;
