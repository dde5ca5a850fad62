-- 0077: the database session of the process that has recorded a first attempt with its change.

alter table attempt add column session_of text;
comment on column attempt.session_of is 'Database session of the process that submits this attempt; null for an attempt of a job on the queue.';
create index attempt_in_session on attempt (at) where session_of is not null;
