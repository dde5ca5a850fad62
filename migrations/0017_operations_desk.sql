-- 0017: what the operations desk looks for: changes by whom they concern and by how they ended, failures of one kind as
-- one, acts that concern no change, and what an attempt cost.

alter table change
  add column provider text not null default '',
  add column app_user text not null default '',
  add column failure text collate "C";
comment on column change.provider is 'The provider of what it is about: whose operators see it.';
comment on column change.app_user is 'The user of what it is about, whoever asked.';
comment on column change.failure is 'Which kind of failure it ended with.';

update change c set provider = l.provider, app_user = l.app_user from lifecycle l where l.id = c.lifecycle_id;
update change set provider = coalesce(body ->> 'provider', act_as), app_user = caller_party where provider = '';

create table failure (
  fingerprint text collate "C" primary key,
  operation text not null,
  state text not null,
  code text not null,
  ledger_code text,
  class text,
  explanation text not null,
  constraint failure_fingerprint_check check (fingerprint <> ''),
  constraint failure_class_comes_with_a_ledger_code check (class is null or ledger_code is not null)
);
comment on table failure is 'Ways in which changes have ended badly: an operation, its state, the codes, and why, in words without ids. Few.';
comment on column failure.fingerprint is 'Of all other columns: see src/app/failures.ts.';
comment on column failure.class is 'What the ledger''s code means: see src/domain/ledger-codes.ts.';

-- The same as src/app/failures.ts, which makes every later one; a test compares the two.
create function pg_temp.words(said text) returns text language sql as $$
  select left(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(said,
      '[A-Za-z0-9_-]+::[0-9a-zA-Z]+', '<party>', 'g'),
      '\d{4}-\d\d-\d\dT[0-9:.]+Z', '<time>', 'g'),
      '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}', '<id>', 'g'),
      '\d+', '<n>', 'g'),
    300)
$$;

create temporary table failed on commit drop as
  select id, operation, state, error ->> 'code' as code, error ->> 'ledgerCode' as ledger_code,
    case when error ->> 'code' in ('DECIDED_NO_EFFECT', 'CANCELLED') then ''
         else pg_temp.words(coalesce(error -> 'extra' ->> 'ledgerText', error ->> 'message')) end as explanation
  from change where finished_at is not null and error is not null;
alter table failed add column fingerprint text;
update failed set fingerprint = left(encode(sha256(convert_to(
  concat_ws(E'\n', operation, state, code, coalesce(ledger_code, ''), explanation), 'UTF8')), 'hex'), 16);

insert into failure (fingerprint, operation, state, code, ledger_code, class, explanation)
select distinct on (f.fingerprint) f.fingerprint, f.operation, f.state, f.code, f.ledger_code,
  case
    when f.ledger_code is null then null
    when f.ledger_code in ('LOCAL_VERDICT_LOCKED_CONTRACTS', 'LOCAL_VERDICT_TIMEOUT', 'MEDIATOR_SAYS_TX_TIMED_OUT',
      'NOT_SEQUENCED_TIMEOUT', 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND', 'FAILED_TO_DETERMINE_LEDGER_TIME',
      'INTERPRETATION_TIME_EXCEEDED', 'INCONSISTENT_CONTRACT_KEY', 'ALLOCATION_NOT_FOUND') then 'contention'
    when f.ledger_code in ('CONTRACT_NOT_FOUND', 'CONTRACT_NOT_ACTIVE', 'LOCAL_VERDICT_INACTIVE_CONTRACTS',
      'UNKNOWN_CONTRACT_SYNCHRONIZERS', 'UNKNOWN_CONTRACT_SYNCHRONIZER', 'INCONSISTENT') then 'stale-contract'
    when f.ledger_code in ('PARTICIPANT_BACKPRESSURE', 'PARTICIPANT_OVERLOADED', 'SERVER_OVERLOADED',
      'HEAP_MEMORY_OVER_LIMIT', 'THREADPOOL_OVERLOADED', 'MAXIMUM_NUMBER_OF_STREAMS', 'SEQUENCER_BACKPRESSURE',
      'SEQUENCER_REQUEST_FAILED', 'SUBMISSION_DURING_SHUTDOWN', 'CHOSEN_MEDIATOR_IS_INACTIVE', 'SERVICE_NOT_RUNNING',
      'NOT_CONNECTED_TO_ANY_SYNCHRONIZER', 'NOT_CONNECTED_TO_SYNCHRONIZER') then 'busy'
    when f.ledger_code = 'SUBMISSION_ALREADY_IN_FLIGHT' then 'in-flight'
    when f.ledger_code = 'DUPLICATE_COMMAND' then 'done'
    when f.ledger_code in ('REQUEST_TIME_OUT', 'REQUEST_DEADLINE_EXCEEDED', 'ABORTED_DUE_TO_SHUTDOWN',
      'NODE_IS_PASSIVE_REPLICA', 'INVALID_DEDUPLICATION_PERIOD', 'TOKEN_UNAVAILABLE') then 'unknown'
    when f.ledger_code in ('UNAUTHENTICATED', 'ACCESS_TOKEN_EXPIRED', 'STALE_STREAM_AUTHORIZATION', 'INVALID_TOKEN',
      'TOKEN_REFUSED', 'NO_ERROR_INFO:UNAUTHENTICATED') then 'credentials'
    when f.ledger_code like 'NO\_ERROR\_INFO:%' and f.ledger_code <> 'NO_ERROR_INFO:PERMISSION_DENIED' then 'unknown'
    else 'refused'
  end,
  f.explanation
from failed f;
update change c set failure = f.fingerprint from failed f where f.id = c.id;

-- Derived by the database, so that no writer can leave a finished change out of what is searched.
alter table change add column outcome text collate "C"
  generated always as (case when finished_at is null then null else coalesce(failure, operation || ':' || state) end) stored;
comment on column change.outcome is 'How it ended, as few different texts: its failure, or operation and state. What is searched and counted by state, class, code, operation or failure reads the indexes that have it, one stretch for each text.';

-- A change enters these once, when it is finished; until then it is in the first alone.
create index change_open on change (accepted_at, id) where finished_at is null;
create index change_finished on change (accepted_at, id) where finished_at is not null;
create index change_outcome on change (outcome, accepted_at, id) where finished_at is not null;
create index change_app_user on change (app_user, outcome, accepted_at, id) where finished_at is not null;
create index change_subject on change (caller_subject, outcome, accepted_at, id) where finished_at is not null;
create index change_lifecycle on change (lifecycle_id, outcome, accepted_at, id)
  where finished_at is not null and lifecycle_id is not null;
create index change_command_prefix on change (command_id text_pattern_ops) where finished_at is not null;

alter table attempt add column cost bigint check (cost >= 0);
comment on column attempt.cost is 'Traffic that its participant paid for it, in bytes, where the ledger says so.';
alter table attempt drop constraint attempt_without_answer_has_no_part_of_one;
alter table attempt add constraint attempt_without_answer_has_no_part_of_one
  check (verdict is not null or num_nonnulls(ledger_code, answer_offset, cost) = 0);
-- Contract IDs are long, and nobody asks for a range of them.
create index attempt_contract on attempt using hash (contract_id) where contract_id is not null;

create table failure_decision (
  fingerprint text collate "C" not null references failure,
  party text not null,
  state text not null check (state in ('resolved', 'ignored')),
  at timestamptz not null,
  by_subject text not null,
  reason text not null check (reason <> ''),
  reopened_at timestamptz,
  primary key (fingerprint, party),
  constraint failure_decision_ignored_stays check (reopened_at is null or state = 'resolved')
);
comment on table failure_decision is 'What operators have said of a kind of failure, each for its own party. No row: open.';
comment on column failure_decision.reopened_at is 'It has happened again since it was resolved: open.';

alter table audit add column subject text check (subject <> '');
comment on column audit.subject is 'What was acted on besides a change: kind and name, such as failure:1f2e3d4c5b6a7988.';
create index audit_at on audit (at, id);
