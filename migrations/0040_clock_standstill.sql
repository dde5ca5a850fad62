-- 0040: clocks that are too far apart are told like what else keeps a participant's answers away.

alter table standstill drop constraint standstill_kind_check;
alter table standstill add constraint standstill_kind_check
  check (kind in ('behind', 'quiet', 'gone', 'clock'));
