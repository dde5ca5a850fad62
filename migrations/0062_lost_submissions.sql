-- 0062: submissions that the database has lost and that may still take effect, by a former ledger user; epochs of leases
-- that a restored database does not give out again.

alter table query_store_offset
  add column ledger_user text collate "C",
  add column lost_until timestamptz,
  add column held_from bigint check (held_from >= 0);
update query_store_offset o
set ledger_user = (
  select a.ledger_user from attempt a
  where o.stream = 'completions:' || a.participant order by a.at desc limit 1);
comment on column query_store_offset.ledger_user is 'The ledger user that submits on the participant and follows these completions. Null: no projector that says so has run yet.';
comment on column query_store_offset.lost_until is 'The record time until which a submission may take effect that the database has lost, since its server started anew; 9999-12-31 until the participant has been heard after every such submission was sent. Null: none can.';
comment on column query_store_offset.held_from is 'Requests are held, because the ledger user is another one than when such a submission may have been sent: the participant would take a repeat under the new user as a new command. Requests go on when lost_until has passed. Effects after this offset are still to be read.';

alter table lease add column granted_on text collate "C";
comment on column lease.granted_on is 'The start of the database server under which the epoch was given out. Under another start the next epoch is the time in microseconds: a database that went back to an earlier state would give out epochs again that processes still hold.';
