-- 0021: what the operations desk lists besides changes: lifecycles by state and age, and what persons did.

-- One stretch in order of age for each state: a page of some states is the oldest of the oldest of each.
create index lifecycle_age on lifecycle (provider, kind, state, created_at, id) where ended_at is null;

create index audit_by on audit (by_subject, at, id);
create index audit_act on audit (act, at, id);
create index audit_subject on audit (subject, at, id) where subject is not null;
