-- How the ledger behind a stream is recognised, and a look-up that contracts of others cannot break.

alter table query_store_offset
  add column landmark_offset bigint check (landmark_offset > 0),
  add column landmark_update_id text,
  add constraint query_store_offset_landmark_is_whole check ((landmark_offset is null) = (landmark_update_id is null));
comment on column query_store_offset.landmark_update_id is
  'The newest update of the stream that is known by id: what the ledger has at landmark_offset does not change.';

update query_store_offset o
set landmark_offset = u."offset", landmark_update_id = u.update_id
from (select "offset", update_id from ledger_update order by "offset" desc limit 1) u
where o.stream = 'updates';

-- Anybody may make an allocation that names us, with a reference as long as they like; a B-tree takes 2,704 bytes.
drop index contract_allocation;
create index contract_allocation on contract using hash ((payload #>> '{allocation,settlement,settlementRef,id}'))
  where payload #>> '{allocation,settlement,settlementRef,id}' is not null
    and archived_at_offset is null and not divulged_only;
