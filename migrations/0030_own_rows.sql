-- 0030: what is one's own is read without looking through everybody's.

alter table audit add column of_party text;
comment on column audit.of_party is 'Whose operators see it besides the provider''s: who asked for the change, else who did it. Null: written by an older version.';
update audit a
set of_party = coalesce((select c.caller_party from change c where c.id = a.change_id), a.by_party);
create index audit_of on audit (of_party, at, id);

-- What has waited longest, of each webhook.
create index delivery_waiting on delivery (webhook_id, created_at) where state = 'pending';

comment on column webhook.failed_at is 'The last failure that was counted: what was begun before it counts as one with it. Long before the next one, failures and failing_since begin anew.';
