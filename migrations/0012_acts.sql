-- 0012: what persons do to operations: acts that are about no single change.

alter table audit
  alter column change_id drop not null,
  alter column from_state drop not null,
  alter column to_state drop not null,
  add constraint audit_states_are_of_a_change check (num_nulls(change_id, from_state, to_state) in (0, 3));
comment on column audit.change_id is 'Null for what was done to no single change.';
