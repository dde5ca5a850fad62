-- 0002: lifecycles and the changes that drive them. Unlike the query store, none of this can be read again from the
-- ledger: what callers asked for, what was tried for it, and what became of it.
--
-- Locks are taken in one order everywhere: mailboxes by lane, lifecycles by id, changes, effects. Whoever holds the
-- mailbox of a lane is the only one who writes the lifecycles and changes of that lane; only the start of an attempt
-- writes a change without it.
--
-- Columns by which rows are put in order are collated "C": the order is the same on every server, and the same as
-- the one in which programs compare texts.

create table lifecycle (
  id               text collate "C" primary key,
  kind             text        not null check (kind in ('install-request', 'install', 'license')),
  machine_version  integer     not null check (machine_version >= 1),
  state            text        not null check (state <> ''),
  context          jsonb       not null check (jsonb_typeof(context) = 'object'),
  lane             text collate "C" not null check (lane <> ''),
  provider         text        not null check (provider <> ''),
  app_user         text collate "C" not null check (app_user <> ''),
  contract_id      text        not null check (contract_id <> ''),
  license_num      bigint      check (license_num >= 0),
  expires_at       timestamptz,
  version          integer     not null check (version >= 1),
  created_at       timestamptz not null,
  ended_at         timestamptz,
  -- Lists are in one order for all kinds, and a row comparison knows no null.
  list_no          bigint      not null generated always as (coalesce(license_num, 0)) stored,
  constraint lifecycle_number_is_of_licenses check ((license_num is not null) = (kind = 'license')),
  constraint lifecycle_expiry_is_of_licenses check (expires_at is null or kind = 'license')
) with (fillfactor = 80);
create index lifecycle_lane on lifecycle (lane);
create index lifecycle_list_provider on lifecycle (kind, provider, app_user, list_no, id) where ended_at is null;
create index lifecycle_list_user on lifecycle (kind, app_user, list_no, id) where ended_at is null;
create index lifecycle_expiry on lifecycle (provider, expires_at) where ended_at is null and expires_at is not null;

comment on table lifecycle is 'One install request, install or licence from birth to end, and where its machine is.';
comment on column lifecycle.id is 'Follows from the first contract: a projection built anew gives the same names.';
comment on column lifecycle.machine_version is 'Version of the machine definition that wrote state and context.';
comment on column lifecycle.context is 'The context of the machine.';
comment on column lifecycle.lane is 'What must happen one after the other with it.';
comment on column lifecycle.contract_id is 'The contract that stands for it now; the last one once it has ended.';
comment on column lifecycle.license_num is 'Licences only: their number, unique per install.';
comment on column lifecycle.expires_at is 'Licences only: ledger time.';
comment on column lifecycle.version is 'Rises with every step; the ETag. A lower one never replaces a higher one.';
comment on column lifecycle.created_at is 'Ledger time of the first contract.';
comment on column lifecycle.ended_at is 'Null while it is active. Set once.';
comment on column lifecycle.list_no is 'Second part of the order of lists: the number of a licence, else 0.';

create table lineage (
  contract_id   text primary key,
  lifecycle_id  text collate "C" not null references lifecycle on delete cascade
);
create index lineage_lifecycle on lineage (lifecycle_id);

comment on table lineage is 'Every contract that ever stood for a lifecycle, so that a stale contract ID leads to it.';

create table mailbox (
  lane     text collate "C" primary key,
  head     uuid,
  next_no  integer not null default 1 check (next_no >= 1),
  waiting  integer not null default 0 check (waiting >= 0),
  constraint mailbox_has_numbered_those_who_wait check (waiting < next_no)
) with (fillfactor = 50);

comment on table mailbox is 'Who is at the head of a lane and how many wait. Its row is the lock of the lane.';
comment on column mailbox.head is 'The change that is on its way to the ledger, or in doubt.';
comment on column mailbox.next_no is 'The place that the next change of the lane gets.';
comment on column mailbox.waiting is 'Changes of the lane in state queued.';

create table change (
  id                    uuid        primary key,
  command_id            text        not null check (command_id <> ''),
  operation             text        not null check (operation <> ''),
  lifecycle_id          text collate "C",
  lane                  text collate "C" not null references mailbox,
  mailbox_no            integer     not null check (mailbox_no >= 1),
  caller_party          text        not null,
  caller_subject        text        not null,
  participant           text        not null check (participant <> ''),
  ledger_user           text        not null,
  act_as                text        not null check (act_as <> ''),
  body                  json        not null check (json_typeof(body) = 'object'),
  fingerprint           text        not null check (fingerprint <> ''),
  state                 text        not null
                        check (state in ('queued', 'submitting', 'retrying', 'in-doubt',
                                         'succeeded', 'rejected', 'failed', 'cancelled')),
  accepted_at           timestamptz not null,
  finished_at           timestamptz,
  deduplication_offset  bigint      not null check (deduplication_offset >= 0),
  attempts              integer     not null default 0 check (attempts >= 0),
  last_attempt_no       integer     not null default 0 check (last_attempt_no >= 0),
  accepted_update_id    text,
  accepted_offset       bigint      check (accepted_offset > 0),
  accepted_read_back    boolean,
  verify_at             bigint      check (verify_at >= 0),
  pending_refusal       jsonb,
  waiting_for           jsonb,
  result                json,
  error                 jsonb,
  -- What the ledger deduplicates by; the command ID first, so that it is found by that alone as well.
  constraint change_command_key unique (command_id, act_as, ledger_user, participant),
  constraint change_is_finished_in_a_final_state
    check ((finished_at is not null) = (state in ('succeeded', 'rejected', 'failed', 'cancelled'))),
  constraint change_has_a_result_when_it_succeeded check ((result is not null) = (state = 'succeeded')),
  constraint change_has_an_error_when_refused check (error is not null or state not in ('rejected', 'failed')),
  constraint change_has_no_error_when_it_succeeded check (error is null or state <> 'succeeded'),
  constraint change_waits_for_nothing_once_finished
    check (finished_at is null or num_nonnulls(verify_at, pending_refusal, waiting_for) = 0),
  constraint change_is_untried_while_queued check (state <> 'queued' or last_attempt_no = 0),
  constraint change_acceptance_is_whole
    check (num_nulls(accepted_update_id, accepted_offset, accepted_read_back) in (0, 3)),
  constraint change_refusal_is_pending_until_verified check (pending_refusal is null or verify_at is not null)
) with (fillfactor = 70);
create unique index change_head on change (lane) where state in ('submitting', 'retrying', 'in-doubt');
create unique index change_queued on change (lane, mailbox_no) where state = 'queued';
create index change_accepted_update on change (accepted_update_id)
  where finished_at is null and accepted_update_id is not null;
create index change_accepted_offset on change (accepted_offset)
  where finished_at is null and accepted_offset is not null;
create index change_verify on change (verify_at) where finished_at is null and verify_at is not null;

comment on table change is 'What a caller or a policy asked for, and its outcome. REST calls it an operation.';
comment on column change.command_id is 'The caller''s name for it; the ledger deduplicates by it.';
comment on column change.lifecycle_id is
  'Null for a create until its contract is known. Not a reference: changes outlive a projection that is built anew.';
comment on column change.mailbox_no is 'Place in the order of the lane.';
comment on column change.caller_subject is 'The identity behind the party: the subject of the token.';
comment on column change.participant is 'With ledger_user and act_as: through whom its command goes.';
comment on column change.body is 'As the caller sent it; json rather than jsonb keeps it so.';
comment on column change.fingerprint is 'Of operation, lifecycle and body: tells a replay from another meaning.';
comment on column change.state is 'One change of a lane is submitting, retrying or in-doubt; the others wait or are final.';
comment on column change.finished_at is 'Set once, with the outcome; a finished change is never written again.';
comment on column change.deduplication_offset is 'The ledger end of its participant when it was recorded, or before.';
comment on column change.attempts is 'Submissions that count against the budget.';
comment on column change.last_attempt_no is 'Number of the newest attempt, counted or not.';
comment on column change.accepted_update_id is 'The ledger said yes; the outcome waits until the projection holds this update.';
comment on column change.accepted_offset is 'Of that update, on its own participant.';
comment on column change.accepted_read_back is 'The update is known from a duplicate answer and has to prove to be ours.';
comment on column change.verify_at is 'It goes on once the completions of its participant have passed this offset.';
comment on column change.pending_refusal is 'Ends it if verify_at passes without an acceptance; null: submit again.';
comment on column change.waiting_for is 'For people: what an open change waits for, and since when.';
comment on column change.result is 'Status and body as they were answered; json rather than jsonb keeps them so.';

create table attempt (
  change_id      uuid        not null references change,
  n              integer     not null check (n >= 1),
  submission_id  text        not null unique check (submission_id <> ''),
  participant    text        not null,
  ledger_user    text        not null,
  act_as         text        not null,
  contract_id    text,
  at             timestamptz not null,
  answered_at    timestamptz,
  verdict        text        check (verdict in ('accepted', 'refused', 'unknown')),
  ledger_code    text,
  explanation    text,
  answer_offset  bigint,
  primary key (change_id, n),
  constraint attempt_answer_is_whole check (num_nulls(answered_at, verdict, explanation) in (0, 3)),
  constraint attempt_without_answer_has_no_part_of_one
    check (verdict is not null or num_nonnulls(ledger_code, answer_offset) = 0)
) with (fillfactor = 70);

comment on table attempt is 'Submissions of a change''s command. A row is committed before the ledger is called.';
comment on column attempt.n is 'Counts from 1 within the change.';
comment on column attempt.submission_id is 'New for each attempt; completions are matched by it.';
comment on column attempt.contract_id is 'The contract that the choice was exercised on; null for a create.';
comment on column attempt.verdict is
  'Null until an answer is known. A surer one replaces a less sure one (unknown, refused, accepted), never the reverse.';
comment on column attempt.answer_offset is 'Of the completion, where the answer came by one.';

create table effect (
  id           text        primary key,
  change_id    uuid        not null unique references change,
  due_at       timestamptz not null,
  dispatch_no  integer     not null default 0 check (dispatch_no >= 0),
  done_at      timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index effect_due on effect (due_at) where done_at is null;

comment on table effect is
  'What the relay has to put on the queue. A row outlives the queue, so losing the queue loses no work.';
comment on column effect.due_at is 'Not dispatched before. A dispatch moves it on: without an outcome it is due again.';
comment on column effect.dispatch_no is 'Rises with every dispatch and every postponement; a job of an earlier one does nothing.';
comment on column effect.done_at is 'Null while the change may need another submission.';

create table history (
  lifecycle_id   text collate "C" not null,
  seq            integer     not null check (seq >= 1),
  n              integer     not null check (n >= 1),
  at             timestamptz not null,
  kind           text        not null,
  state          text        not null,
  by             text,
  command_id     text,
  ledger_offset  bigint,
  update_id      text,
  contract_id    text,
  detail         jsonb       not null check (jsonb_typeof(detail) = 'object'),
  primary key (lifecycle_id, seq, n)
);

comment on table history is
  'What happened to a lifecycle. Not a reference to it: who did what outlives a projection that is built anew.';
comment on column history.seq is 'The lifecycle''s version after this happened.';
comment on column history.n is 'Tells lines of one version apart, in the order in which they were written.';
comment on column history.at is 'Wall time for what callers did, ledger time for what the ledger said.';
comment on column history.by is 'The party that asked for it.';

create table lease (
  name        text        primary key,
  holder      text        not null,
  epoch       bigint      not null check (epoch >= 1),
  expires_at  timestamptz not null
) with (fillfactor = 50);

comment on table lease is 'Which process runs a role of which there is one. All times are the database''s.';
comment on column lease.epoch is
  'Rises with every acquisition and never falls: writers name theirs, so one that has been replaced writes nothing.';

-- Ends a statement that did not write what its caller believed it would, and with it the transaction: a commit that
-- is already on its way behind the statement then undoes everything.
create function require_rows(what text, expected bigint, written bigint) returns void
language plpgsql volatile as $$
begin
  if written <> expected then
    raise exception '% of % % rows could not be written', expected - written, expected, what
      using errcode = 'TN001';
  end if;
end
$$;
comment on function require_rows(text, bigint, bigint) is
  'Raises TN001 unless as many rows were written as expected.';
