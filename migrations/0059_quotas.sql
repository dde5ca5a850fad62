-- 0059: what a tenant has open is counted before its next request is recorded.

create index change_open_of on change (caller_party, operation, accepted_at) where finished_at is null;
