-- 0064: requests that are held until the ledger has told what took effect are told like what else keeps answers away.

alter table standstill drop constraint standstill_kind_check;
alter table standstill add constraint standstill_kind_check
  check (kind in ('behind', 'quiet', 'gone', 'clock', 'replay'));
