-- 0080: events are numbered in one statement, which also passes them to no webhook.

-- The function is volatile, so its query has a snapshot of its own: it sees a webhook that was added while the
-- statement that calls it waited for the row with the last number.
create function pass_webhooks(began bigint, ended bigint) returns boolean language plpgsql as $$
begin
  update webhook_cursor set last = ended
  where last = began and not exists (select from webhook where is_enabled);
  return found;
end $$;
comment on function pass_webhooks is
  'Moves the cursor of the webhooks over events that no webhook wants. Returns false if an earlier event or a webhook waits.';
