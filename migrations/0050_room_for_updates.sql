-- 0050: rows have room in their page for what becomes of them. An update that finds it there logs what has changed of
-- the row, instead of all of it. Concerns pages that are filled from now on: the table is not rewritten, nothing waits.

alter table contract set (fillfactor = 70);

-- Without the verdict an answer changes nothing that is indexed, and leaves all indexes of attempts alone. What is asked
-- for are the record times that are still to come, of which few have been answered. Attempts are not written while the
-- index is made, which reads the table once.
drop index attempt_proof;
create index attempt_proof on attempt (participant, over_at) where over_at is not null;
