-- 0023: only failures that follow each other closely add up to a webhook that is disabled.

alter table webhook add column failed_at timestamptz;
comment on column webhook.failed_at is 'The last failure. Long before the next one, failures and failing_since begin anew.';
