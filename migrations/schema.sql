-- What the migrations in this folder amount to. Made by scripts/write-schema.ts from a freshly migrated database, to be
-- read in reviews; a test fails when it does not match. Never edited, never executed.

create type contract_row as (
  template_fqn text,
  payload_type text,
  create_event_id event_id,
  created_at_ix bigint,
  created_at_offset bigint,
  archive_event_id event_id,
  archived_at_ix bigint,
  archived_at_offset bigint,
  life_ix int8range,
  contract_id text,
  payload jsonb,
  metadata bytea,
  created_effective_at timestamp with time zone,
  archived_effective_at timestamp with time zone,
  package_name text,
  package_id text,
  signatories text[],
  observers text[],
  witnesses text[],
  divulged_only boolean
);

create type event_id as (
  "offset" bigint,
  node_id integer
);

create type exercise_row as (
  template_fqn text,
  payload_type text,
  choice_fqn text,
  choice text,
  consuming boolean,
  exercise_event_id event_id,
  exercised_at_ix bigint,
  exercised_at_offset bigint,
  exercised_effective_at timestamp with time zone,
  contract_id text,
  argument jsonb,
  result jsonb,
  package_name text,
  controllers text[],
  witnesses text[],
  last_descendant_node_id integer
);

create table alarm (
  change_id uuid not null,
  kind text not null,
  since timestamp with time zone not null,
  detail text not null,
  raised_at timestamp with time zone default now() not null,
  constraint alarm_pkey PRIMARY KEY (change_id),
  constraint alarm_change_id_fkey FOREIGN KEY (change_id) REFERENCES change(id),
  constraint alarm_kind_check CHECK (kind <> ''::text)
);
comment on table alarm is 'Changes that have waited too long for one thing. Written by whoever holds the lease of the clock, alone.';
comment on column alarm.kind is 'What it waits for: see waiting_for of the change.';

create table arrival (
  place bigint generated always as identity not null,
  at timestamp with time zone default now() not null,
  events jsonb not null,
  constraint arrival_pkey PRIMARY KEY (place),
  constraint arrival_events_check CHECK (jsonb_typeof(events) = 'array'::text AND jsonb_array_length(events) > 0)
);
comment on table arrival is 'The events of committed transactions that have no numbers yet: objects with type, subject, lifecycle_id, parties, data.';

create table attempt (
  change_id uuid not null,
  n integer not null,
  submission_id text not null,
  participant text not null,
  ledger_user text not null,
  act_as text not null,
  contract_id text,
  at timestamp with time zone not null,
  answered_at timestamp with time zone,
  verdict text,
  ledger_code text,
  explanation text,
  answer_offset bigint,
  cost bigint,
  over_at timestamp with time zone,
  proven_at timestamp with time zone,
  unsent boolean default false not null,
  unsent_tries integer default 0 not null,
  unsent_since timestamp with time zone,
  session_of text,
  constraint attempt_pkey PRIMARY KEY (change_id, n),
  constraint attempt_submission_id_key UNIQUE (submission_id),
  constraint attempt_change_id_fkey FOREIGN KEY (change_id) REFERENCES change(id),
  constraint attempt_answer_is_whole CHECK (num_nulls(answered_at, verdict, explanation) = ANY (ARRAY[0, 3])),
  constraint attempt_cost_check CHECK (cost >= 0),
  constraint attempt_n_check CHECK (n >= 1),
  constraint attempt_submission_id_check CHECK (submission_id <> ''::text),
  constraint attempt_unsent_is_refused CHECK (NOT unsent OR NOT verdict IS DISTINCT FROM 'refused'::text),
  constraint attempt_unsent_tries_are_whole CHECK ((unsent_tries = 0) = (unsent_since IS NULL)),
  constraint attempt_unsent_tries_check CHECK (unsent_tries >= 0),
  constraint attempt_verdict_check CHECK (verdict = ANY (ARRAY['accepted'::text, 'refused'::text, 'unknown'::text])),
  constraint attempt_without_answer_has_no_part_of_one CHECK (verdict IS NOT NULL OR num_nonnulls(ledger_code, answer_offset, cost) = 0)
) with (fillfactor=70);
comment on table attempt is 'Submissions of a change''s command. A row is committed before the ledger is called.';
comment on column attempt.n is 'Counts from 1 within the change.';
comment on column attempt.submission_id is 'New for each attempt; completions are matched by it.';
comment on column attempt.contract_id is 'The contract that the choice was exercised on; null for a create.';
comment on column attempt.verdict is 'Null until an answer is known. A surer one replaces a less sure one (unknown, refused, accepted), never the reverse.';
comment on column attempt.answer_offset is 'Of the completion, where the answer came by one.';
comment on column attempt.cost is 'Traffic that its participant paid for it, in bytes, where the ledger says so.';
comment on column attempt.over_at is 'From this record time on nothing of it can be sequenced; null while its participant has not been heard after its deadline.';
comment on column attempt.proven_at is 'Refused by no answer: the streams passed this record time without it.';
comment on column attempt.unsent is 'Nothing of it was sent: the next try of its change takes its place, under its number and a submission ID of its own.';
comment on column attempt.unsent_tries is 'Tries before this one that sent nothing and whose place it has taken; unsent_since is when the first of them began.';
comment on column attempt.session_of is 'Database session of the process that submits this attempt; null for an attempt of a job on the queue.';
CREATE INDEX attempt_contract ON public.attempt USING hash (contract_id) WHERE (contract_id IS NOT NULL);
CREATE INDEX attempt_in_session ON public.attempt USING btree (at) WHERE (session_of IS NOT NULL);
CREATE INDEX attempt_proof ON public.attempt USING btree (participant, over_at) WHERE (over_at IS NOT NULL);

create table audit (
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  by_party text not null,
  by_subject text not null,
  act text not null,
  change_id uuid,
  from_state text,
  to_state text,
  reason text not null,
  detail jsonb not null,
  subject text,
  of_party text,
  constraint audit_pkey PRIMARY KEY (id),
  constraint audit_change_id_fkey FOREIGN KEY (change_id) REFERENCES change(id),
  constraint audit_act_check CHECK (act <> ''::text),
  constraint audit_by_party_check CHECK (by_party <> ''::text),
  constraint audit_detail_check CHECK (jsonb_typeof(detail) = 'object'::text),
  constraint audit_reason_check CHECK (reason <> ''::text),
  constraint audit_states_are_of_a_change CHECK (num_nulls(change_id, from_state, to_state) = ANY (ARRAY[0, 3])),
  constraint audit_subject_check CHECK (subject <> ''::text)
);
comment on table audit is 'What persons did, and why. Rows are only added, and only retention deletes them, from the beginning of the chain on.';
comment on column audit.by_subject is 'The pseudonym of the identity behind the party: see person.';
comment on column audit.change_id is 'Null for what was done to no single change.';
comment on column audit.subject is 'What was acted on besides a change: kind and name, such as failure:1f2e3d4c5b6a7988.';
comment on column audit.of_party is 'Whose operators see it besides the provider''s: who asked for the change, else who did it. Null: written by an older version.';
CREATE INDEX audit_act ON public.audit USING btree (act, at, id);
CREATE INDEX audit_at ON public.audit USING btree (at, id);
CREATE INDEX audit_by ON public.audit USING btree (by_subject, at, id);
CREATE INDEX audit_change ON public.audit USING btree (change_id, id);
CREATE INDEX audit_of ON public.audit USING btree (of_party, at, id);
CREATE INDEX audit_subject ON public.audit USING btree (subject, at, id) WHERE (subject IS NOT NULL);
CREATE TRIGGER audit_by_pseudonym BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_by_pseudonym();
CREATE TRIGGER audit_is_kept BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_write();
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_write();

create table audit_chain (
  is_only boolean default true not null,
  last_seq bigint default 0 not null,
  last_hash bytea default decode(repeat('00'::text, 32), 'hex'::text) not null,
  settled_id bigint default 0 not null,
  deleted_seq bigint default 0 not null,
  deleted_hash bytea default decode(repeat('00'::text, 32), 'hex'::text) not null,
  deleted_until timestamp with time zone,
  constraint audit_chain_pkey PRIMARY KEY (is_only),
  constraint audit_chain_check CHECK (last_seq >= deleted_seq),
  constraint audit_chain_deleted_hash_check CHECK (length(deleted_hash) = 32),
  constraint audit_chain_deleted_seq_check CHECK (deleted_seq >= 0),
  constraint audit_chain_is_only_check CHECK (is_only),
  constraint audit_chain_last_hash_check CHECK (length(last_hash) = 32)
);
comment on table audit_chain is 'Both ends of the chain.';
comment on column audit_chain.settled_id is 'The sequencer looks for rows with greater IDs only: it has seen all others for longer than any transaction lasts.';
comment on column audit_chain.deleted_hash is 'The hash of the last row that retention deleted: the chain begins with it.';

create table audit_link (
  seq bigint not null,
  audit_id bigint not null,
  hash bytea not null,
  chained_at timestamp with time zone default now() not null,
  constraint audit_link_pkey PRIMARY KEY (seq),
  constraint audit_link_audit_id_key UNIQUE (audit_id),
  constraint audit_link_hash_check CHECK (length(hash) = 32),
  constraint audit_link_seq_check CHECK (seq > 0)
);
comment on table audit_link is 'The place of each row of the audit log in the chain, without holes, in the order in which the sequencer saw the commits.';
comment on column audit_link.hash is 'SHA-256 of the hash before it and of the row.';
CREATE TRIGGER audit_link_is_kept BEFORE DELETE OR UPDATE ON audit_link FOR EACH ROW EXECUTE FUNCTION refuse_audit_write();
CREATE TRIGGER audit_link_is_not_emptied BEFORE TRUNCATE ON audit_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_write();

create table book_cursor (
  is_only boolean default true not null,
  read_to bigint default 0 not null,
  rebuilt_at timestamp with time zone,
  reminded_to timestamp with time zone,
  constraint book_cursor_pkey PRIMARY KEY (is_only),
  constraint book_cursor_is_only_check CHECK (is_only),
  constraint book_cursor_read_to_check CHECK (read_to >= 0)
);
comment on table book_cursor is 'How far the projection was read into payments and roll-ups.';
comment on column book_cursor.rebuilt_at is 'The rebuild of the projection after which licences were last counted from the beginning.';
comment on column book_cursor.reminded_to is 'Ledger time. Everything due until then was told. Null: nothing was, and nothing of before will be.';

create table bulk_act (
  id uuid not null,
  action text not null,
  decision text,
  scope text not null,
  filter jsonb not null,
  reason text not null,
  by_party text not null,
  by_subject text not null,
  by_name text not null,
  tenant_id text not null,
  state text not null,
  count integer not null,
  token_hash text,
  previewed_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  applied_at timestamp with time zone,
  finished_at timestamp with time zone,
  worked_at timestamp with time zone,
  constraint bulk_act_pkey PRIMARY KEY (id),
  constraint bulk_act_action_check CHECK (action = ANY (ARRAY['retry'::text, 'cancel'::text, 'decide'::text])),
  constraint bulk_act_applied_at_is_of_applied CHECK ((state = 'previewed'::text) = (applied_at IS NULL)),
  constraint bulk_act_by_party_check CHECK (by_party <> ''::text),
  constraint bulk_act_check CHECK ((decision IS NOT NULL) = (action = 'decide'::text)),
  constraint bulk_act_count_check CHECK (count >= 0),
  constraint bulk_act_filter_check CHECK (jsonb_typeof(filter) = 'object'::text),
  constraint bulk_act_is_applied_once CHECK ((state = 'previewed'::text) = (token_hash IS NOT NULL)),
  constraint bulk_act_is_finished CHECK ((finished_at IS NOT NULL) = (state = ANY (ARRAY['done'::text, 'stopped'::text]))),
  constraint bulk_act_reason_check CHECK (reason <> ''::text),
  constraint bulk_act_scope_check CHECK (scope = ANY (ARRAY['provider'::text, 'caller'::text])),
  constraint bulk_act_state_check CHECK (state = ANY (ARRAY['previewed'::text, 'running'::text, 'done'::text, 'stopped'::text]))
);
comment on table bulk_act is 'Acts of persons on many changes: previewed, and once applied worked off item by item under the lease of the clock.';
comment on column bulk_act.scope is 'What the operator sees: see src/app/ops-scope.ts.';
comment on column bulk_act.token_hash is 'Whoever holds the token may apply it, once, until it expires.';
comment on column bulk_act.worked_at is 'When the last item of it was worked off.';
CREATE INDEX bulk_act_finished ON public.bulk_act USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX bulk_act_party ON public.bulk_act USING btree (by_party, applied_at DESC, id DESC) WHERE (state <> 'previewed'::text);
CREATE INDEX bulk_act_running ON public.bulk_act USING btree (applied_at, id) WHERE (state = 'running'::text);
CREATE UNIQUE INDEX bulk_act_token ON public.bulk_act USING btree (token_hash) WHERE (token_hash IS NOT NULL);

create table bulk_item (
  act_id uuid not null,
  n integer not null,
  change_id uuid not null,
  state text default 'waiting'::text not null,
  code text,
  message text,
  result_change_id uuid,
  at timestamp with time zone,
  constraint bulk_item_pkey PRIMARY KEY (act_id, n),
  constraint bulk_item_of_a_change_is_one UNIQUE (act_id, change_id),
  constraint bulk_item_at_is_of_worked_off CHECK ((state = 'waiting'::text) = (at IS NULL)),
  constraint bulk_item_n_check CHECK (n >= 1),
  constraint bulk_item_refused_says_why CHECK ((state = 'refused'::text) = (code IS NOT NULL AND message IS NOT NULL)),
  constraint bulk_item_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'done'::text, 'refused'::text]))
) with (fillfactor=80);
comment on table bulk_item is 'A change of a bulk act, numbered in the order in which they are worked off: by lane, and in a lane by place; of a cancel the last place of a lane first. Written by the ten thousand, so without references.';
comment on column bulk_item.result_change_id is 'What a retry has made of it.';
CREATE INDEX bulk_item_waiting ON public.bulk_item USING btree (act_id, n) WHERE (state = 'waiting'::text);

create table cell (
  is_only boolean default true not null,
  id text collate "C" not null,
  made_at timestamp with time zone default now() not null,
  constraint cell_pkey PRIMARY KEY (is_only),
  constraint cell_id_check CHECK (id ~ '^[0-9a-f]{16}$'::text),
  constraint cell_is_only_check CHECK (is_only)
);
comment on table cell is 'The cell whose provider this is. It moves with the provider. No row: no process that knows of cells has run yet.';
comment on column cell.id is 'Milliseconds since 1970 and a random end: of two the smaller is the older one. Marks submissions and ledger users.';

create table cell_claim (
  is_only boolean default true not null,
  claimed_at timestamp with time zone not null,
  constraint cell_claim_pkey PRIMARY KEY (is_only),
  constraint cell_claim_is_only_check CHECK (is_only)
);
comment on table cell_claim is 'When a person last said that the ledger users are this cell''s: what others submitted before does not count. No row: never. It does not move with the provider.';

create table cell_move (
  is_only boolean default true not null,
  id uuid not null,
  state text not null,
  provider text not null,
  address text,
  clearance text,
  clearance_sha256 text,
  receipt text,
  began_at timestamp with time zone default now() not null,
  state_at timestamp with time zone default now() not null,
  closed_by text,
  closed_because text,
  constraint cell_move_pkey PRIMARY KEY (is_only),
  constraint cell_move_has_its_words_from_the_freeze_on CHECK (state = 'draining'::text OR clearance_sha256 IS NOT NULL AND receipt IS NOT NULL AND (clearance IS NOT NULL) = (state = ANY (ARRAY['frozen'::text, 'copied'::text, 'moved'::text]))),
  constraint cell_move_is_only_check CHECK (is_only),
  constraint cell_move_provider_check CHECK (provider <> ''::text),
  constraint cell_move_state_check CHECK (state = ANY (ARRAY['draining'::text, 'frozen'::text, 'copied'::text, 'moved'::text, 'arrived'::text, 'checked'::text, 'open'::text]))
);
comment on table cell_move is 'The last move of the provider from this cell or to it. No row: there was none. From frozen to moved, arrived and checked nothing of the provider can be written here.';
comment on column cell_move.id is 'The same in both cells.';
comment on column cell_move.address is 'Where the provider is to be found once it has moved.';
comment on column cell_move.clearance is 'What the other cell opens with; made by the freeze. It is not in the file, and shown only once this cell is closed for good.';
comment on column cell_move.receipt is 'What this cell is closed with; made by the freeze. It is in the file, and shown only once what it holds was imported and checked.';
comment on column cell_move.closed_by is 'The person who closed this cell for the provider.';
comment on column cell_move.closed_because is 'The reason for which this cell was closed.';

create table change (
  id uuid not null,
  command_id text not null,
  operation text not null,
  lifecycle_id text collate "C",
  lane text collate "C" not null,
  mailbox_no integer not null,
  caller_party text not null,
  caller_subject text not null,
  participant text not null,
  ledger_user text not null,
  act_as text not null,
  body json not null,
  fingerprint text not null,
  state text not null,
  accepted_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  deduplication_offset bigint not null,
  attempts integer default 0 not null,
  last_attempt_no integer default 0 not null,
  accepted_update_id text,
  accepted_offset bigint,
  accepted_read_back boolean,
  verify_at bigint,
  pending_refusal jsonb,
  waiting_for jsonb,
  result json,
  error jsonb,
  fixed json default '{}'::json not null,
  traceparent text,
  provider text default ''::text not null,
  app_user text default ''::text not null,
  failure text collate "C",
  outcome text collate "C" generated always as (
CASE
    WHEN finished_at IS NULL THEN NULL::text
    ELSE COALESCE(failure, (operation || ':'::text) || state)
END) stored,
  pruned_at timestamp with time zone,
  policy text collate "C" generated always as (fixed #>> '{policy,name}'::text[]) stored,
  proof_at timestamp with time zone,
  paid_cost bigint,
  unpriced_attempts integer,
  duplicate_no integer default 0 not null,
  retrying_for text,
  constraint change_pkey PRIMARY KEY (id),
  constraint change_command_key UNIQUE (command_id, act_as, duplicate_no),
  constraint change_lane_fkey FOREIGN KEY (lane) REFERENCES mailbox(lane),
  constraint change_acceptance_is_whole CHECK (num_nulls(accepted_update_id, accepted_offset, accepted_read_back) = ANY (ARRAY[0, 3])),
  constraint change_accepted_offset_check CHECK (accepted_offset > 0),
  constraint change_act_as_check CHECK (act_as <> ''::text),
  constraint change_attempts_check CHECK (attempts >= 0),
  constraint change_body_check CHECK (json_typeof(body) = 'object'::text),
  constraint change_command_id_check CHECK (command_id <> ''::text),
  constraint change_deduplication_offset_check CHECK (deduplication_offset >= 0),
  constraint change_duplicate_no_check CHECK (duplicate_no >= 0),
  constraint change_fingerprint_check CHECK (fingerprint <> ''::text),
  constraint change_fixed_check CHECK (json_typeof(fixed) = 'object'::text),
  constraint change_has_a_result_when_it_succeeded CHECK ((result IS NOT NULL) = (state = 'succeeded'::text)),
  constraint change_has_an_error_when_refused CHECK (error IS NOT NULL OR (state <> ALL (ARRAY['rejected'::text, 'failed'::text]))),
  constraint change_has_no_error_when_it_succeeded CHECK (error IS NULL OR state <> 'succeeded'::text),
  constraint change_is_finished_in_a_final_state CHECK ((finished_at IS NOT NULL) = (state = ANY (ARRAY['succeeded'::text, 'rejected'::text, 'failed'::text, 'cancelled'::text]))),
  constraint change_is_finished_when_pruned CHECK (pruned_at IS NULL OR finished_at IS NOT NULL),
  constraint change_is_proved_while_verified CHECK (proof_at IS NULL OR verify_at IS NOT NULL),
  constraint change_is_untried_while_queued CHECK (state <> 'queued'::text OR last_attempt_no = 0),
  constraint change_last_attempt_no_check CHECK (last_attempt_no >= 0),
  constraint change_mailbox_no_check CHECK (mailbox_no >= 1),
  constraint change_operation_check CHECK (operation <> ''::text),
  constraint change_paid_cost_check CHECK (paid_cost >= 0),
  constraint change_participant_check CHECK (participant <> ''::text),
  constraint change_refusal_is_pending_until_verified CHECK (pending_refusal IS NULL OR verify_at IS NOT NULL),
  constraint change_state_check CHECK (state = ANY (ARRAY['queued'::text, 'submitting'::text, 'retrying'::text, 'in-doubt'::text, 'succeeded'::text, 'rejected'::text, 'failed'::text, 'cancelled'::text])),
  constraint change_traceparent_check CHECK (traceparent <> ''::text),
  constraint change_unpriced_attempts_check CHECK (unpriced_attempts >= 0),
  constraint change_verify_at_check CHECK (verify_at >= 0),
  constraint change_waits_for_nothing_once_finished CHECK (finished_at IS NULL OR num_nonnulls(verify_at, pending_refusal, waiting_for) = 0)
) with (fillfactor=70);
comment on table change is 'What a caller or a policy asked for, and its outcome. REST calls it an operation.';
comment on column change.command_id is 'The caller''s name for it; the ledger deduplicates by it.';
comment on column change.lifecycle_id is 'Null for a create until its contract is known. Not a reference: changes outlive a projection that is built anew.';
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
comment on column change.fixed is 'Ids and times that were chosen when it was recorded: every attempt carries the same.';
comment on column change.traceparent is 'W3C Trace Context of the request that recorded it.';
comment on column change.provider is 'The provider of what it is about: whose operators see it.';
comment on column change.app_user is 'The user of what it is about, whoever asked.';
comment on column change.failure is 'Which kind of failure it ended with.';
comment on column change.outcome is 'How it ended, as few different texts: its failure, or operation and state. What is searched and counted by state, class, code, operation or failure reads the indexes that have it, one stretch for each text.';
comment on column change.pruned_at is 'Its attempts and its effect are gone since, and its body if it succeeded. What it was, and what became of it, stays.';
comment on column change.policy is 'The policy that asked for it, or for what it is a retry of: expiry or renewal. Null for what somebody asked for.';
comment on column change.proof_at is 'Nor before the streams have passed this record time: until then an undecided attempt may take effect.';
comment on column change.paid_cost is 'Traffic that was paid for its attempts, in bytes; null while they are kept.';
comment on column change.unpriced_attempts is 'How many of them nobody has said the cost of; null while they are kept.';
comment on column change.duplicate_no is 'Above 0 only of what was recorded again before a command ID belonged to one change of its acting party: callers who repeat theirs are answered from the one that has 0.';
comment on column change.retrying_for is 'What it waited for when it was last told that it is retried: told once for each.';
CREATE INDEX change_accepted_offset ON public.change USING btree (accepted_offset) WHERE ((finished_at IS NULL) AND (accepted_offset IS NOT NULL));
CREATE INDEX change_accepted_update ON public.change USING btree (accepted_update_id) WHERE ((finished_at IS NULL) AND (accepted_update_id IS NOT NULL));
CREATE INDEX change_app_user ON public.change USING btree (app_user, outcome, accepted_at, id) INCLUDE (provider) WHERE (finished_at IS NOT NULL);
CREATE INDEX change_asked ON public.change USING btree (caller_party, outcome, accepted_at, id) WHERE ((finished_at IS NOT NULL) AND (caller_party <> provider));
CREATE INDEX change_automatic ON public.change USING btree (act_as, command_id) WHERE ((finished_at IS NULL) AND starts_with(command_id, 'tenure:'::text));
CREATE INDEX change_command_prefix ON public.change USING btree (outcome, command_id text_pattern_ops) WHERE (finished_at IS NOT NULL);
CREATE INDEX change_finished ON public.change USING btree (accepted_at, id) WHERE (finished_at IS NOT NULL);
CREATE UNIQUE INDEX change_head ON public.change USING btree (lane) WHERE (state = ANY (ARRAY['submitting'::text, 'retrying'::text, 'in-doubt'::text]));
CREATE INDEX change_lifecycle ON public.change USING btree (lifecycle_id, outcome, accepted_at, id) WHERE ((finished_at IS NOT NULL) AND (lifecycle_id IS NOT NULL));
CREATE INDEX change_open ON public.change USING btree (accepted_at, id) WHERE (finished_at IS NULL);
CREATE INDEX change_open_of ON public.change USING btree (caller_party, operation, accepted_at) WHERE (finished_at IS NULL);
CREATE INDEX change_outcome ON public.change USING btree (outcome, accepted_at, id) INCLUDE (provider) WHERE (finished_at IS NOT NULL);
CREATE INDEX change_policy ON public.change USING btree (policy, outcome, accepted_at, id) INCLUDE (provider) WHERE ((finished_at IS NOT NULL) AND (policy IS NOT NULL));
CREATE UNIQUE INDEX change_queued ON public.change USING btree (lane, mailbox_no) WHERE (state = 'queued'::text);
CREATE INDEX change_subject ON public.change USING btree (caller_subject, outcome, accepted_at, id) INCLUDE (provider) WHERE (finished_at IS NOT NULL);
CREATE INDEX change_to_prune ON public.change USING btree (finished_at) WHERE ((finished_at IS NOT NULL) AND (pruned_at IS NULL));
CREATE INDEX change_traffic ON public.change USING btree (caller_party, accepted_at) WHERE (caller_party <> provider);
CREATE INDEX change_verify ON public.change USING btree (verify_at) WHERE ((finished_at IS NULL) AND (verify_at IS NOT NULL));
CREATE INDEX change_without_effect ON public.change USING btree (participant, id) WHERE ((finished_at IS NOT NULL) AND (state <> 'succeeded'::text) AND (pruned_at IS NULL));

create table choice (
  template_fqn text not null,
  choice text not null,
  constraint choice_pkey PRIMARY KEY (template_fqn, choice),
  constraint choice_template_fqn_fkey FOREIGN KEY (template_fqn) REFERENCES template(template_fqn)
);

create table circuit (
  participant text not null,
  level integer not null,
  delay_ms integer not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  ledger_code text not null,
  reason text not null,
  probe boolean not null,
  probed_at timestamp with time zone,
  probe_effect text,
  constraint circuit_pkey PRIMARY KEY (participant),
  constraint circuit_delay_ms_check CHECK (delay_ms >= 1),
  constraint circuit_ledger_code_check CHECK (ledger_code <> ''::text),
  constraint circuit_level_check CHECK (level >= 1),
  constraint circuit_reason_check CHECK (reason = ANY (ARRAY['busy'::text, 'traffic'::text, 'unreachable'::text]))
);
comment on table circuit is 'Participants that are left alone: nothing is dispatched to them until then.';
comment on column circuit.level is 'Rises, and the delay with it, when it is the same again.';
comment on column circuit.reason is 'busy: too much to do. traffic: nothing left to pay the network with. unreachable: no connection.';
comment on column circuit.probe is 'Not over with its time: one effect at a time is let through, until one is answered as the reason allows.';
comment on column circuit.probed_at is 'When one was let through that is not answered yet.';
comment on column circuit.probe_effect is 'The effect that was let through last.';

create table contract (
  contract_id text not null,
  template_fqn text not null,
  payload jsonb not null,
  signatories text[] default '{}'::text[] not null,
  observers text[] default '{}'::text[] not null,
  witnesses text[] default '{}'::text[] not null,
  divulged_only boolean default false not null,
  package_id text not null,
  package_name text not null,
  created_at_offset bigint not null,
  created_node_id integer not null,
  created_effective_at timestamp with time zone not null,
  archived_at_offset bigint,
  archived_node_id integer,
  archived_effective_at timestamp with time zone,
  created_event_blob bytea,
  origin_id text collate "C",
  constraint contract_pkey PRIMARY KEY (contract_id, template_fqn),
  constraint contract_template_fqn_fkey FOREIGN KEY (template_fqn) REFERENCES template(template_fqn),
  constraint contract_check CHECK (archived_at_offset >= created_at_offset),
  constraint contract_check1 CHECK (num_nulls(archived_at_offset, archived_node_id, archived_effective_at) = ANY (ARRAY[0, 3]))
) with (fillfactor=70);
comment on column contract.origin_id is 'Contracts that stand for no lifecycle: the lifecycle of which an operation has made them, such as the licence of a comment. Null: another client made them.';
CREATE INDEX contract_active_provider ON public.contract USING btree (template_fqn, ((payload ->> 'provider'::text))) WHERE ((archived_at_offset IS NULL) AND (NOT divulged_only));
CREATE INDEX contract_active_user ON public.contract USING btree (template_fqn, ((payload ->> 'user'::text))) WHERE ((archived_at_offset IS NULL) AND (NOT divulged_only));
CREATE INDEX contract_allocation ON public.contract USING hash (((payload #>> '{allocation,settlement,settlementRef,id}'::text[]))) WHERE (((payload #>> '{allocation,settlement,settlementRef,id}'::text[]) IS NOT NULL) AND (archived_at_offset IS NULL) AND (NOT divulged_only));
CREATE INDEX contract_archived ON public.contract USING btree (archived_at_offset) WHERE (archived_at_offset IS NOT NULL);
CREATE INDEX contract_comment ON public.contract USING btree (((payload ->> 'provider'::text)), ((payload ->> 'user'::text)), ((payload ->> 'licenseNum'::text)), rtrim((payload ->> 'createdAt'::text), 'Z'::text) COLLATE "C", contract_id COLLATE "C") WHERE ((template_fqn = 'quickstart-licensing:Licensing.LicenseComment:LicenseComment'::text) AND (NOT divulged_only));
CREATE INDEX contract_created ON public.contract USING btree (created_at_offset);

create table customer (
  id text collate "C" not null,
  provider text not null,
  party text collate "C" not null,
  name text not null,
  short_name text,
  emails text[] default '{}'::text[] not null,
  time_zone text,
  language text,
  note text default ''::text not null,
  external_references jsonb default '{}'::jsonb not null,
  version integer default 1 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint customer_pkey PRIMARY KEY (id),
  constraint customer_party UNIQUE (provider, party),
  constraint customer_external_references_check CHECK (jsonb_typeof(external_references) = 'object'::text),
  constraint customer_id_check CHECK (id <> ''::text),
  constraint customer_name_check CHECK (name <> ''::text),
  constraint customer_party_check CHECK (party <> ''::text),
  constraint customer_provider_check CHECK (provider <> ''::text),
  constraint customer_version_check CHECK (version >= 1)
);
comment on table customer is 'A party as its provider knows it. Nothing of it is on the ledger. It outlives the tenant of the party, as licences do.';
comment on column customer.short_name is 'The prefix of the references of licences that the party gets from now on.';
CREATE INDEX customer_name ON public.customer USING btree (provider, name, id);

create table delivery (
  id uuid default gen_random_uuid() not null,
  webhook_id text not null,
  message_id text not null,
  type text not null,
  body text not null,
  state text default 'pending'::text not null,
  attempts integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  due_at timestamp with time zone default now() not null,
  finished_at timestamp with time zone,
  last_at timestamp with time zone,
  last_ms integer,
  last_status integer,
  last_error text,
  constraint delivery_pkey PRIMARY KEY (id),
  constraint delivery_message UNIQUE (webhook_id, message_id),
  constraint delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE,
  constraint delivery_attempts_check CHECK (attempts >= 0),
  constraint delivery_is_finished CHECK ((state = 'pending'::text) = (finished_at IS NULL)),
  constraint delivery_message_id_check CHECK (message_id <> ''::text),
  constraint delivery_state_check CHECK (state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
);
comment on table delivery is 'One event for one webhook. Tried until it is taken or given up; message_id stays the same.';
comment on column delivery.due_at is 'Of one that is being tried: when another takes it up, should whoever tries it have died.';
CREATE INDEX delivery_due ON public.delivery USING btree (webhook_id, due_at) WHERE (state = 'pending'::text);
CREATE INDEX delivery_finished ON public.delivery USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX delivery_log ON public.delivery USING btree (webhook_id, created_at DESC, id DESC);
CREATE INDEX delivery_waiting ON public.delivery USING btree (webhook_id, created_at) WHERE (state = 'pending'::text);
CREATE TRIGGER audit_where_named BEFORE INSERT ON delivery FOR EACH ROW WHEN (starts_with(new.type, 'tenure.audit.'::text)) EXECUTE FUNCTION audit_where_named();

create table effect (
  id text not null,
  change_id uuid not null,
  due_at timestamp with time zone not null,
  dispatch_no integer default 0 not null,
  done_at timestamp with time zone,
  made_at timestamp with time zone default now() not null,
  held_at timestamp with time zone,
  put_off_by text,
  provider text collate "C" default ''::text not null,
  party text collate "C" default ''::text not null,
  constraint effect_pkey PRIMARY KEY (id),
  constraint effect_change_id_key UNIQUE (change_id),
  constraint effect_change_id_fkey FOREIGN KEY (change_id) REFERENCES change(id),
  constraint effect_dispatch_no_check CHECK (dispatch_no >= 0)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);
comment on table effect is 'What the relay has to put on the queue. A row outlives the queue, so losing the queue loses no work.';
comment on column effect.due_at is 'Not dispatched before. A dispatch moves it on: without an outcome it is due again.';
comment on column effect.dispatch_no is 'Rises with every dispatch and every postponement; a job of an earlier one does nothing.';
comment on column effect.done_at is 'Null while the change may need another submission.';
comment on column effect.made_at is 'When its change reached the head of its lane: a drain lets go on what did before it.';
comment on column effect.held_at is 'A pause, or a ledger that is not the store''s, keeps it from being dispatched, since then; whoever ends that takes it back.';
comment on column effect.put_off_by is 'The participant whose circuit has moved its due time: due at once when that circuit closes.';
comment on column effect.provider is 'Whose turn it is, where there is more than can be dispatched: providers take turns, and the callers of each.';
comment on column effect.party is 'Who asked for its change.';
CREATE INDEX effect_due ON public.effect USING btree (due_at) WHERE ((done_at IS NULL) AND (held_at IS NULL));
CREATE INDEX effect_held ON public.effect USING btree (held_at, id) WHERE (held_at IS NOT NULL);
CREATE INDEX effect_open ON public.effect USING btree (id) WHERE (COALESCE(done_at, held_at) IS NULL);
CREATE INDEX effect_put_off ON public.effect USING btree (put_off_by) WHERE (put_off_by IS NOT NULL);
CREATE INDEX effect_turn ON public.effect USING btree (provider, party, due_at) WHERE ((done_at IS NULL) AND (held_at IS NULL));

create table event_batch (
  last bigint not null,
  first bigint not null,
  at timestamp with time zone not null,
  events jsonb not null,
  constraint event_batch_pkey PRIMARY KEY (last),
  constraint event_batch_check CHECK ((last - first + 1) = jsonb_array_length(events))
);
comment on table event_batch is 'Events by number, those of one transaction a row. Whoever sees a number sees all smaller ones that are still kept.';
comment on column event_batch.last is 'Numbers are given after the commit by one sequencer, without holes. Pruned from the smallest on.';

create table event_sequence (
  is_only boolean default true not null,
  last bigint default 0 not null,
  constraint event_sequence_pkey PRIMARY KEY (is_only),
  constraint event_sequence_is_only_check CHECK (is_only),
  constraint event_sequence_last_check CHECK (last >= 0)
);
comment on table event_sequence is 'The last number that was given. Its row is locked while numbers are given, so that they become visible in order.';

create table exercise (
  "offset" bigint not null,
  node_id integer not null,
  contract_id text not null,
  template_fqn text not null,
  choice text not null,
  argument jsonb not null,
  result jsonb,
  controllers text[] default '{}'::text[] not null,
  consuming boolean not null,
  last_descendant_node_id integer not null,
  effective_at timestamp with time zone not null,
  package_name text not null,
  witnesses text[] default '{}'::text[] not null,
  constraint exercise_pkey PRIMARY KEY ("offset", node_id),
  constraint exercise_template_fqn_fkey FOREIGN KEY (template_fqn) REFERENCES template(template_fqn),
  constraint exercise_check CHECK (last_descendant_node_id >= node_id)
);
CREATE INDEX exercise_choice ON public.exercise USING btree (template_fqn, choice, "offset");
CREATE INDEX exercise_contract ON public.exercise USING btree (contract_id);
CREATE TRIGGER exercise_teaches_choices AFTER INSERT ON exercise REFERENCING NEW TABLE AS exercised FOR EACH STATEMENT EXECUTE FUNCTION query_store_learn_choices();

create table expiry_policy (
  provider text not null,
  mode text not null,
  grace text not null,
  grace_ms bigint not null,
  include_never_renewed boolean not null,
  quiet_hours jsonb not null,
  paused boolean not null,
  max_in_flight integer not null,
  version integer not null,
  constraint expiry_policy_pkey PRIMARY KEY (provider),
  constraint expiry_policy_grace_ms_check CHECK (grace_ms >= 0),
  constraint expiry_policy_max_in_flight_check CHECK (max_in_flight >= 1),
  constraint expiry_policy_mode_check CHECK (mode = ANY (ARRAY['off'::text, 'dry-run'::text, 'on'::text])),
  constraint expiry_policy_quiet_hours_check CHECK (jsonb_typeof(quiet_hours) = 'array'::text),
  constraint expiry_policy_version_check CHECK (version >= 1)
);
comment on table expiry_policy is 'When a provider''s lapsed licences end by themselves. No row: never.';
comment on column expiry_policy.grace is 'As the provider wrote it, ISO 8601.';

create table expiry_policy_suspended (
  provider text not null,
  version integer not null,
  constraint expiry_policy_suspended_pkey PRIMARY KEY (provider),
  constraint expiry_policy_suspended_provider_check CHECK (provider <> ''::text),
  constraint expiry_policy_suspended_version_check CHECK (version >= 1)
);
comment on table expiry_policy_suspended is 'Policies that also end licences that the provider has suspended, by their version. A table, since processes of 0.2.0 read every column of expiry_policy.';

create table failure (
  fingerprint text collate "C" not null,
  operation text not null,
  state text not null,
  code text not null,
  ledger_code text,
  class text,
  explanation text not null,
  constraint failure_pkey PRIMARY KEY (fingerprint),
  constraint failure_class_comes_with_a_ledger_code CHECK (class IS NULL OR ledger_code IS NOT NULL),
  constraint failure_fingerprint_check CHECK (fingerprint <> ''::text)
);
comment on table failure is 'Ways in which changes have ended badly: an operation, its state, the codes, and why, in words without ids. Few.';
comment on column failure.fingerprint is 'Of all other columns: see src/app/failures.ts.';
comment on column failure.class is 'What the ledger''s code means: see src/domain/ledger-codes.ts.';

create table failure_decision (
  fingerprint text collate "C" not null,
  party text not null,
  state text not null,
  at timestamp with time zone not null,
  by_subject text not null,
  reason text not null,
  reopened_at timestamp with time zone,
  constraint failure_decision_pkey PRIMARY KEY (fingerprint, party),
  constraint failure_decision_fingerprint_fkey FOREIGN KEY (fingerprint) REFERENCES failure(fingerprint),
  constraint failure_decision_ignored_stays CHECK (reopened_at IS NULL OR state = 'resolved'::text),
  constraint failure_decision_reason_check CHECK (reason <> ''::text),
  constraint failure_decision_state_check CHECK (state = ANY (ARRAY['resolved'::text, 'ignored'::text]))
);
comment on table failure_decision is 'What operators have said of a kind of failure, each for its own party. No row: open.';
comment on column failure_decision.reopened_at is 'It has happened again since it was resolved: open.';

create table followed_type (
  type_fqn text not null,
  constraint followed_type_pkey PRIMARY KEY (type_fqn),
  constraint followed_type_type_fqn_check CHECK (type_fqn <> ''::text)
);
comment on table followed_type is 'Templates and interfaces whose active contracts the projection holds. What is not here is read once when it is first followed.';

create table foreign_ledger (
  stream text not null,
  participant text not null,
  reason text not null,
  since timestamp with time zone default now() not null,
  constraint foreign_ledger_pkey PRIMARY KEY (stream),
  constraint foreign_ledger_participant_check CHECK (participant <> ''::text),
  constraint foreign_ledger_reason_check CHECK (reason <> ''::text)
);
comment on table foreign_ledger is 'Streams whose participant was found to hold another history than this store: nothing is sent to it. Written by whoever holds the lease of the projector, alone; gone as soon as the history is this store''s again.';
comment on column foreign_ledger.reason is 'How it was found, and what to do about it.';

create table history (
  lifecycle_id text collate "C" not null,
  seq integer not null,
  n integer not null,
  at timestamp with time zone not null,
  kind text not null,
  state text not null,
  by text,
  command_id text,
  ledger_offset bigint,
  update_id text,
  contract_id text,
  detail jsonb not null,
  constraint history_pkey PRIMARY KEY (lifecycle_id, seq, n),
  constraint history_detail_check CHECK (jsonb_typeof(detail) = 'object'::text),
  constraint history_n_check CHECK (n >= 1),
  constraint history_seq_check CHECK (seq >= 1)
);
comment on table history is 'What happened to a lifecycle. Not a reference to it: who did what outlives a projection that is built anew.';
comment on column history.seq is 'The lifecycle''s version after this happened.';
comment on column history.n is 'Tells lines of one version apart, in the order in which they were written.';
comment on column history.at is 'Wall time for what callers did, ledger time for what the ledger said.';
comment on column history.by is 'The party that asked for it.';

create table interrupted_lane (
  lane text collate "C" not null,
  after_no integer not null,
  turn_at timestamp with time zone default clock_timestamp() not null,
  constraint interrupted_lane_pkey PRIMARY KEY (lane),
  constraint interrupted_lane_lane_fkey FOREIGN KEY (lane) REFERENCES mailbox(lane)
);
comment on table interrupted_lane is 'Lanes without a head in which operations wait: one transaction ends a bounded number of them, and the next one goes on here.';
comment on column interrupted_lane.after_no is 'Every operation of the lane up to this place has been judged.';
comment on column interrupted_lane.turn_at is 'When the lane last had its turn: the lane that waits for longest is next.';
CREATE INDEX interrupted_lane_turn ON public.interrupted_lane USING btree (turn_at, lane);

create table kept_answer (
  id bytea not null,
  request bytea not null,
  began_at timestamp with time zone default now() not null,
  answer json,
  constraint kept_answer_pkey PRIMARY KEY (id)
);
comment on table kept_answer is 'Rows are deleted after a day. Operations are not here: their commandId is their key.';
comment on column kept_answer.id is 'SHA-256 of the caller and the key.';
comment on column kept_answer.request is 'SHA-256 of the method, the address and the body.';
comment on column kept_answer.answer is 'Status, headers and body, without secrets. Null while the request is carried out, and for ever if its end was not recorded.';
CREATE INDEX kept_answer_old ON public.kept_answer USING btree (began_at);

create table lease (
  name text not null,
  holder text not null,
  epoch bigint not null,
  expires_at timestamp with time zone not null,
  session_of text,
  granted_on text collate "C",
  constraint lease_pkey PRIMARY KEY (name),
  constraint lease_epoch_check CHECK (epoch >= 1)
) with (fillfactor=50);
comment on table lease is 'Which process runs a role of which there is one. All times are the database''s.';
comment on column lease.epoch is 'Rises with every acquisition and never falls: writers name theirs, so one that has been replaced writes nothing.';
comment on column lease.session_of is 'The holder, while it has a session with the advisory lock of its name: once nobody has that lock the holder is gone, and the lease need not run out. Null, or another than the holder: only the time tells.';
comment on column lease.granted_on is 'The start of the database server under which the epoch was given out. Under another start the next epoch is the time in microseconds: a database that went back to an earlier state would give out epochs again that processes still hold.';

create table ledger_update (
  "offset" bigint not null,
  update_id text not null,
  record_time timestamp with time zone not null,
  effective_at timestamp with time zone,
  workflow_id text,
  command_id text,
  synchronizer_id text not null,
  constraint ledger_update_pkey PRIMARY KEY ("offset"),
  constraint ledger_update_update_id_key UNIQUE (update_id),
  constraint ledger_update_offset_check CHECK ("offset" > 0)
);
CREATE INDEX ledger_update_effective ON public.ledger_update USING btree (effective_at);
CREATE INDEX ledger_update_workflow ON public.ledger_update USING btree (workflow_id) WHERE (workflow_id IS NOT NULL);

create table license_key (
  id text not null,
  license_id text collate "C" not null,
  hash bytea not null,
  name text not null,
  by_party text not null,
  by_subject text not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  revoked_by text,
  constraint license_key_pkey PRIMARY KEY (id),
  constraint license_key_hash_key UNIQUE (hash),
  constraint license_key_by_party_check CHECK (by_party <> ''::text),
  constraint license_key_check CHECK ((revoked_by IS NULL) = (revoked_at IS NULL)),
  constraint license_key_hash_check CHECK (length(hash) = 32),
  constraint license_key_id_check CHECK (id <> ''::text),
  constraint license_key_license_id_check CHECK (license_id <> ''::text)
);
comment on table license_key is 'Keys of licences. The key itself is shown once and stored nowhere.';
comment on column license_key.license_id is 'The lifecycle of the licence, which outlives each of its contracts. Not a reference: a rebuilt projection gives the same IDs.';
comment on column license_key.hash is 'SHA-256 of the key.';
comment on column license_key.by_party is 'The party of the licence that created the key.';
CREATE INDEX license_key_license ON public.license_key USING btree (license_id, created_at, id);

create table license_machine (
  license_id text collate "C" not null,
  fingerprint text collate "C" not null,
  id text not null,
  name text not null,
  key_id text not null,
  activated_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint license_machine_pkey PRIMARY KEY (license_id, fingerprint),
  constraint license_machine_id_key UNIQUE (id),
  constraint license_machine_check CHECK (seen_at >= activated_at),
  constraint license_machine_fingerprint_check CHECK (fingerprint <> ''::text),
  constraint license_machine_id_check CHECK (id <> ''::text),
  constraint license_machine_license_id_check CHECK (license_id <> ''::text)
) with (fillfactor=80);
comment on table license_machine is 'Machines that programs have activated. A machine that was not seen for the heartbeat time of its plan holds no seat.';
comment on column license_machine.key_id is 'The key that activated the machine.';
comment on column license_machine.seen_at is 'Ledger time of the last activation or heartbeat.';

create table license_record (
  lifecycle_id text collate "C" not null,
  provider text not null,
  app_user text collate "C" not null,
  began_at timestamp with time zone not null,
  number bigint,
  reference text collate "C",
  sold jsonb default '{}'::jsonb not null,
  plan_id text collate "C",
  plan_version integer,
  renewal_id text collate "C",
  plan_since timestamp with time zone,
  suspended_at timestamp with time zone,
  suspended_for text,
  constraint license_record_pkey PRIMARY KEY (lifecycle_id),
  constraint license_record_number UNIQUE (provider, number),
  constraint license_record_number_check CHECK (number >= 1),
  constraint license_record_plan CHECK ((plan_id IS NULL) = (plan_version IS NULL) AND (plan_id IS NULL) = (plan_since IS NULL)),
  constraint license_record_plan_version_check CHECK (plan_version >= 1),
  constraint license_record_sold_check CHECK (jsonb_typeof(sold) = 'object'::text),
  constraint license_record_suspended CHECK ((suspended_at IS NULL) = (suspended_for IS NULL))
);
comment on table license_record is 'One for each licence that was ever projected. It refers to no lifecycle, because it outlives a projection that is built anew.';
comment on column license_record.number is 'Counts the licences of the provider in the order of the ledger. Given once.';
comment on column license_record.reference is 'For people: the short name of the customer at that time and the number, ACME-0007. Given once.';
comment on column license_record.sold is 'The entries of the first contract''s metadata that name the plan, as they are on the ledger.';
comment on column license_record.plan_id is 'The plan that applies: of the first contract, or of the newest completed renewal that names one.';
comment on column license_record.renewal_id is 'The renewal that named the plan. Null: the first contract did.';
comment on column license_record.plan_since is 'Ledger time at which the plan was named. An older renewal that is projected again does not take its place.';
comment on column license_record.suspended_for is 'The reason that the provider gave.';
CREATE INDEX license_record_plan_of ON public.license_record USING btree (provider, plan_id, plan_version) WHERE (plan_id IS NOT NULL);
CREATE INDEX license_record_reference ON public.license_record USING btree (provider, reference);
CREATE INDEX license_record_suspended_of ON public.license_record USING btree (provider, lifecycle_id) WHERE (suspended_at IS NOT NULL);
CREATE TRIGGER subscribe_sold_license AFTER INSERT ON license_record FOR EACH ROW WHEN (new.plan_id IS NOT NULL) EXECUTE FUNCTION subscribe_sold_license();
CREATE TRIGGER wake_recorded_subscription AFTER UPDATE ON license_record FOR EACH ROW WHEN (old.suspended_at IS DISTINCT FROM new.suspended_at OR old.plan_id IS DISTINCT FROM new.plan_id) EXECUTE FUNCTION wake_recorded_subscription();

create table license_tally (
  provider text not null,
  at timestamp with time zone not null,
  began integer default 0 not null,
  ended integer default 0 not null,
  active integer default 0 not null,
  past_due integer default 0 not null,
  trial integer default 0 not null,
  not_started integer default 0 not null,
  expiring integer default 0 not null,
  due integer default 0 not null,
  renewed integer default 0 not null,
  constraint license_tally_pkey PRIMARY KEY (provider, at)
) with (fillfactor=70);
comment on table license_tally is 'By how much the number of licences of each kind changes in a quarter of an hour, also by what will pass as things are. Sums of it are the numbers at any time.';
comment on column license_tally.at is 'The beginning of the quarter of an hour: days and months of every time zone begin with one.';
comment on column license_tally.due is 'Paid times that end in the quarter; renewed counts those of them that were followed by another.';

create table lifecycle (
  id text collate "C" not null,
  kind text not null,
  machine_version integer not null,
  state text not null,
  context jsonb not null,
  lane text collate "C" not null,
  provider text not null,
  app_user text collate "C" not null,
  contract_id text not null,
  license_num bigint,
  expires_at timestamp with time zone,
  version integer not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  list_no bigint generated always as (COALESCE(license_num, 0::bigint)) stored not null,
  listed_as text not null,
  listed_version integer,
  origin_id text collate "C",
  constraint lifecycle_pkey PRIMARY KEY (id),
  constraint lifecycle_app_user_check CHECK (app_user <> ''::text),
  constraint lifecycle_context_check CHECK (jsonb_typeof(context) = 'object'::text),
  constraint lifecycle_contract_id_check CHECK (contract_id <> ''::text),
  constraint lifecycle_kind_check CHECK (kind <> ''::text),
  constraint lifecycle_lane_check CHECK (lane <> ''::text),
  constraint lifecycle_license_num_check CHECK (license_num >= 0),
  constraint lifecycle_machine_version_check CHECK (machine_version >= 1),
  constraint lifecycle_provider_check CHECK (provider <> ''::text),
  constraint lifecycle_state_check CHECK (state <> ''::text),
  constraint lifecycle_version_check CHECK (version >= 1)
) with (fillfactor=80);
comment on table lifecycle is 'One life of the contracts of a package from birth to end, such as one licence, and where its machine is.';
comment on column lifecycle.id is 'Follows from the first contract: a projection built anew gives the same names.';
comment on column lifecycle.machine_version is 'Version of the machine definition that wrote state and context.';
comment on column lifecycle.context is 'The context of the machine.';
comment on column lifecycle.lane is 'What must happen one after the other with it.';
comment on column lifecycle.contract_id is 'The contract that stands for it now; the last one once it has ended.';
comment on column lifecycle.license_num is 'Licences and their renewals: the number of the licence, unique per install.';
comment on column lifecycle.expires_at is 'Licences only: ledger time.';
comment on column lifecycle.version is 'Rises with every step; the ETag. A lower one never replaces a higher one.';
comment on column lifecycle.created_at is 'Ledger time of the first contract.';
comment on column lifecycle.ended_at is 'Null while it is active. Set once.';
comment on column lifecycle.list_no is 'Second part of the order of lists: the number of a licence, else 0.';
comment on column lifecycle.listed_as is 'Its state, or the last one before what is under way. Where the two differ, a change at the head of its lane is about it.';
comment on column lifecycle.listed_version is 'The version that listed_as was told with. One that is not version was written by a process that does not know them.';
comment on column lifecycle.origin_id is 'The lifecycle that it belongs to, such as the licence of a renewal: where it began, else as a caller has chosen. Never replaced; null: to none, or it is not known.';
CREATE INDEX lifecycle_age ON public.lifecycle USING btree (provider, kind, listed_as, created_at, id) WHERE (ended_at IS NULL);
CREATE INDEX lifecycle_ended_provider ON public.lifecycle USING btree (kind, provider, listed_as, app_user, list_no, id) WHERE (ended_at IS NOT NULL);
CREATE INDEX lifecycle_ended_user ON public.lifecycle USING btree (kind, app_user, listed_as, list_no, id) WHERE ((ended_at IS NOT NULL) AND (app_user <> ''::text));
CREATE INDEX lifecycle_expiry ON public.lifecycle USING btree (provider, expires_at) WHERE ((ended_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX lifecycle_in_lane ON public.lifecycle USING btree (lane, COALESCE(ended_at, 'infinity'::timestamp with time zone));
CREATE INDEX lifecycle_list_provider ON public.lifecycle USING btree (kind, provider, app_user, list_no, id) WHERE (ended_at IS NULL);
CREATE INDEX lifecycle_list_state ON public.lifecycle USING btree (kind, provider, listed_as, app_user, list_no, id) WHERE (ended_at IS NULL);
CREATE INDEX lifecycle_list_user ON public.lifecycle USING btree (kind, app_user, list_no, id) WHERE ((ended_at IS NULL) AND (app_user <> ''::text));
CREATE INDEX lifecycle_renewals ON public.lifecycle USING btree (provider, app_user, license_num) WHERE ((kind = 'renewal'::text) AND (ended_at IS NULL));
CREATE TRIGGER list_lifecycle BEFORE INSERT OR UPDATE ON lifecycle FOR EACH ROW WHEN (new.listed_version IS DISTINCT FROM new.version) EXECUTE FUNCTION list_lifecycle();
CREATE TRIGGER record_begun_renewal AFTER INSERT ON lifecycle FOR EACH ROW WHEN (new.kind = 'renewal'::text AND new.state = 'renewed'::text) EXECUTE FUNCTION record_renewed_plan();
CREATE TRIGGER record_license AFTER INSERT ON lifecycle FOR EACH ROW WHEN (new.kind = 'license'::text) EXECUTE FUNCTION record_license();
CREATE TRIGGER record_renewed AFTER UPDATE ON lifecycle FOR EACH ROW WHEN (new.kind = 'renewal'::text AND new.state = 'renewed'::text AND old.state <> new.state) EXECUTE FUNCTION record_renewed_plan();
CREATE TRIGGER wake_subscription AFTER UPDATE ON lifecycle FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['license'::text, 'renewal'::text])) AND (old.ended_at IS DISTINCT FROM new.ended_at OR old.expires_at IS DISTINCT FROM new.expires_at)) EXECUTE FUNCTION wake_subscription();

create table lineage (
  contract_id text not null,
  lifecycle_id text collate "C" not null,
  constraint lineage_pkey PRIMARY KEY (contract_id),
  constraint lineage_lifecycle_id_fkey FOREIGN KEY (lifecycle_id) REFERENCES lifecycle(id) ON DELETE CASCADE
);
comment on table lineage is 'Every contract that ever stood for a lifecycle, so that a stale contract ID leads to it.';
CREATE INDEX lineage_lifecycle ON public.lineage USING btree (lifecycle_id);

create table mail_link (
  token_hash bytea not null,
  provider text collate "C" not null,
  party text collate "C" not null,
  address_hash bytea not null,
  unsubscribed_at timestamp with time zone,
  accepted text[] default '{}'::text[] not null,
  constraint mail_link_pkey PRIMARY KEY (token_hash),
  constraint mail_link_address_hash_check CHECK (length(address_hash) = 32),
  constraint mail_link_party_check CHECK (party <> ''::text),
  constraint mail_link_provider_check CHECK (provider <> ''::text),
  constraint mail_link_token_hash_check CHECK (length(token_hash) = 32)
);
comment on table mail_link is 'An address has a link for each secret of a mail subscription. The link of an old mail stays valid.';
comment on column mail_link.token_hash is 'SHA-256 of the token, which only mails contain.';
comment on column mail_link.address_hash is 'SHA-256 of the address in lower case. The address is not here.';
comment on column mail_link.unsubscribed_at is 'Once one link of an address has it, the address gets no mail of this provider.';
comment on column mail_link.accepted is 'IDs of the newest messages that the mail server has accepted, of deliveries that are tried again for another address.';
CREATE INDEX mail_link_address ON public.mail_link USING btree (provider, party, address_hash);

create table mailbox (
  lane text collate "C" not null,
  head uuid,
  next_no integer default 1 not null,
  waiting integer default 0 not null,
  constraint mailbox_pkey PRIMARY KEY (lane),
  constraint mailbox_has_numbered_those_who_wait CHECK (waiting < next_no),
  constraint mailbox_next_no_check CHECK (next_no >= 1),
  constraint mailbox_waiting_check CHECK (waiting >= 0)
) with (fillfactor=50);
comment on table mailbox is 'Who is at the head of a lane and how many wait. Its row is the lock of the lane.';
comment on column mailbox.head is 'The change that is on its way to the ledger, or in doubt.';
comment on column mailbox.next_no is 'The place that the next change of the lane gets.';
comment on column mailbox.waiting is 'Changes of the lane in state queued.';

create table migration (
  number integer not null,
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migration_pkey PRIMARY KEY (number)
);

create table other_cell (
  participant text not null,
  ledger_user text not null,
  cell text collate "C" not null,
  command_id text not null,
  recorded_at timestamp with time zone not null,
  constraint other_cell_pkey PRIMARY KEY (participant, ledger_user, cell),
  constraint other_cell_cell_check CHECK (cell ~ '^[0-9a-f]{16}$'::text),
  constraint other_cell_ledger_user_check CHECK (ledger_user <> ''::text),
  constraint other_cell_participant_check CHECK (participant <> ''::text)
);
comment on table other_cell is 'Other cells whose submissions were completed for a ledger user of this one. It does not move with the provider.';
comment on column other_cell.command_id is 'The last one that was seen.';
comment on column other_cell.recorded_at is 'When the ledger recorded it.';

create table participant_answer (
  participant text not null,
  address text not null,
  asked_as text not null,
  question text not null,
  answer jsonb not null,
  answered_at timestamp with time zone default now() not null,
  constraint participant_answer_pkey PRIMARY KEY (participant, address, asked_as, question)
);
comment on table participant_answer is 'What each participant answered last, at each address, to what a process asks it when it starts.';
comment on column participant_answer.address is 'Host and port as configured: what another address said is no answer of this one.';
comment on column participant_answer.asked_as is 'The client, or a hash of the token, that asked: what another one may do is no answer to this one.';

create table pause (
  id uuid default gen_random_uuid() not null,
  scope text not null,
  name text not null,
  mode text not null,
  since timestamp with time zone default now() not null,
  by_party text not null,
  by_subject text not null,
  reason text not null,
  constraint pause_pkey PRIMARY KEY (id),
  constraint pause_of_what UNIQUE (scope, name),
  constraint pause_by_party_check CHECK (by_party <> ''::text),
  constraint pause_mode_check CHECK (mode = ANY (ARRAY['pause'::text, 'drain'::text])),
  constraint pause_name_check CHECK (name <> ''::text),
  constraint pause_reason_check CHECK (reason <> ''::text),
  constraint pause_scope_check CHECK (scope = ANY (ARRAY['participant'::text, 'operation'::text, 'provider'::text]))
);
comment on table pause is 'What persons have stopped: the relay dispatches none of it. A few rows.';
comment on column pause.mode is 'pause: nothing of it is dispatched. drain: only what had reached the head of its lane before.';

create table payment (
  renewal_id text collate "C" not null,
  contract_id text not null,
  request_id text not null,
  provider text not null,
  app_user text collate "C" not null,
  license_id text collate "C",
  license_num bigint not null,
  plan_id text collate "C",
  plan_version integer,
  amount numeric(38,10) not null,
  instrument_admin text not null,
  instrument text not null,
  extension_ms bigint not null,
  description text not null,
  state text not null,
  requested_at timestamp with time zone not null,
  requested_offset bigint not null,
  requested_node integer not null,
  request_update_id text,
  settle_before timestamp with time zone not null,
  ended_at timestamp with time zone,
  ended_offset bigint,
  ended_node integer,
  update_id text,
  valid_from timestamp with time zone,
  valid_until timestamp with time zone,
  receipt_no bigint,
  constraint payment_pkey PRIMARY KEY (renewal_id),
  constraint payment_contract_id_key UNIQUE (contract_id),
  constraint payment_receipt UNIQUE (provider, receipt_no),
  constraint payment_end_is_whole CHECK (num_nulls(ended_at, ended_offset, ended_node) = ANY (ARRAY[0, 3])),
  constraint payment_has_ended CHECK ((state = ANY (ARRAY['requested'::text, 'allocated'::text])) = (ended_at IS NULL)),
  constraint payment_plan_is_whole CHECK ((plan_id IS NULL) = (plan_version IS NULL)),
  constraint payment_receipt_is_of_settled CHECK (receipt_no IS NULL OR state = 'settled'::text),
  constraint payment_receipt_no_check CHECK (receipt_no >= 1),
  constraint payment_state_check CHECK (state = ANY (ARRAY['requested'::text, 'allocated'::text, 'settled'::text, 'withdrawn'::text, 'rejected'::text]))
) with (fillfactor=80);
comment on table payment is 'One for each renewal that was ever projected: what was asked for, and what came of it. It refers to no lifecycle, because it outlives a projection that is built anew.';
comment on column payment.plan_id is 'The plan that the description names, else the plan of the licence when the payment was read.';
comment on column payment.requested_offset is 'With requested_node the place on the ledger, the order of lists.';
comment on column payment.ended_offset is 'With ended_node the place on the ledger, the order of receipts.';
comment on column payment.valid_from is 'Settled ones: the payment is for the time from here until valid_until.';
comment on column payment.receipt_no is 'Counts the settled payments of the provider in the order of the ledger. Given once. Null: not given yet, or not settled.';
CREATE INDEX payment_in_state ON public.payment USING btree (provider, state, requested_offset, requested_node);
CREATE INDEX payment_of_provider ON public.payment USING btree (provider, requested_offset, requested_node);
CREATE INDEX payment_of_user ON public.payment USING btree (app_user, requested_offset, requested_node);
CREATE INDEX payment_request ON public.payment USING btree (request_id) WHERE (ended_at IS NULL);
CREATE INDEX payment_until ON public.payment USING btree (provider, valid_until) WHERE (valid_until IS NOT NULL);
CREATE INDEX payment_window ON public.payment USING btree (provider, settle_before) WHERE (state <> 'settled'::text);
CREATE INDEX payment_without_receipt ON public.payment USING btree (ended_offset, ended_node) WHERE ((state = 'settled'::text) AND (receipt_no IS NULL));

create table pending_policy (
  provider text not null,
  name text not null,
  version integer not null,
  policy jsonb not null,
  previous jsonb,
  by_subject text not null,
  reason text not null,
  count integer not null,
  starts_at timestamp with time zone not null,
  previous_starts_at timestamp with time zone,
  constraint pending_policy_pkey PRIMARY KEY (provider, name),
  constraint pending_policy_count_check CHECK (count >= 0),
  constraint pending_policy_name_check CHECK (name = ANY (ARRAY['expiry'::text, 'renewal'::text])),
  constraint pending_policy_version_check CHECK (version >= 1)
);
comment on table pending_policy is 'Confirmed policies that do not act before their start. No row: the policy''s own row is in force. A row of another version than the policy''s is over.';
comment on column pending_policy.policy is 'The confirmed policy. The policy''s own row is paused or off until the start.';
comment on column pending_policy.previous is 'The policy before, which an undo restores. Null: nobody confirmed this version, so it cannot be undone.';
comment on column pending_policy.starts_at is 'By the clock of the database.';
comment on column pending_policy.previous_starts_at is 'The start of the policy before, which an undo restores. Null: that policy acted already.';

create table person (
  pseudonym text not null,
  subject text not null,
  party text not null,
  constraint person_pkey PRIMARY KEY (pseudonym),
  constraint person_subject_party_key UNIQUE (subject, party),
  constraint person_party_check CHECK (party <> ''::text),
  constraint person_pseudonym_check CHECK (pseudonym ~ '^person:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text)
);
comment on table person is 'Who stands behind a pseudonym of the audit log. The erasure of a person deletes the row.';

create table plan (
  provider text not null,
  id text collate "C" not null,
  version integer not null,
  revision integer default 1 not null,
  archived_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint plan_pkey PRIMARY KEY (provider, id),
  constraint plan_id_check CHECK (id <> ''::text),
  constraint plan_provider_check CHECK (provider <> ''::text),
  constraint plan_revision_check CHECK (revision >= 1),
  constraint plan_version_check CHECK (version >= 1)
);
comment on table plan is 'What a provider sells. Never deleted: licences name it.';
comment on column plan.version is 'The newest version, which new licences get.';
comment on column plan.revision is 'Rises with every change, also where a change makes no version: the ETag.';

create table plan_version (
  provider text not null,
  plan_id text collate "C" not null,
  version integer not null,
  terms jsonb not null,
  trial_ms bigint not null,
  grace_ms bigint not null,
  created_at timestamp with time zone default now() not null,
  archived_at timestamp with time zone,
  offer_before_ms bigint,
  announced_after text collate "C",
  constraint plan_version_pkey PRIMARY KEY (provider, plan_id, version),
  constraint plan_version_plan_fkey FOREIGN KEY (provider, plan_id) REFERENCES plan(provider, id),
  constraint plan_version_grace_ms_check CHECK (grace_ms >= 0),
  constraint plan_version_offer_before_ms_check CHECK (offer_before_ms >= 0),
  constraint plan_version_terms_check CHECK (jsonb_typeof(terms) = 'object'::text),
  constraint plan_version_trial_ms_check CHECK (trial_ms >= 0),
  constraint plan_version_version_check CHECK (version >= 1)
);
comment on table plan_version is 'The terms of a plan at one time. Only archived_at changes: licences keep the version under which they were sold.';
comment on column plan_version.trial_ms is 'As in terms, for policies: no policy ends a licence within this time after its creation.';
comment on column plan_version.grace_ms is 'As in terms, for policies: no policy ends a licence within this time after it lapsed.';
comment on column plan_version.offer_before_ms is 'As in terms: how long before the end of a period the next one is offered. Null: licences of this version renew themselves only if a person says so.';
comment on column plan_version.announced_after is 'The price of this version is announced to licences that renew themselves, in the order of their IDs, and this is the last of those that were looked at. Null: there is nothing left to announce.';
CREATE INDEX plan_version_announced ON public.plan_version USING btree (provider, plan_id, version) WHERE (announced_after IS NOT NULL);

create table preview (
  token_hash text not null,
  act text not null,
  digest text not null,
  count integer not null,
  by_party text not null,
  by_subject text not null,
  tenant_id text not null,
  expires_at timestamp with time zone not null,
  constraint preview_pkey PRIMARY KEY (token_hash),
  constraint preview_count_check CHECK (count >= 0)
);
comment on table preview is 'The previews of single irreversible acts. Each token is good for one act, by the same person, on what was previewed.';
comment on column preview.digest is 'SHA-256 of the act with all of its parameters.';
comment on column preview.count is 'How many things the act was shown to end. A person confirms this number.';

create table process_clock (
  process text not null,
  roles text not null,
  seen_at timestamp with time zone not null,
  ahead_ms double precision,
  uncertain_ms double precision,
  ledger_apart_ms double precision,
  job_format integer,
  constraint process_clock_pkey PRIMARY KEY (process),
  constraint process_clock_is_whole CHECK (num_nulls(ahead_ms, uncertain_ms) = ANY (ARRAY[0, 2])),
  constraint process_clock_roles_check CHECK (roles <> ''::text)
);
comment on table process_clock is 'Clocks of the processes that run, as each has measured its own: a row is written every few seconds, and one that is old belongs to a process that has ended.';
comment on column process_clock.seen_at is 'By the clock of the database.';
comment on column process_clock.ahead_ms is 'By how much it is ahead of the database''s clock, behind it where negative; null: not measured yet.';
comment on column process_clock.uncertain_ms is 'Half of the round trip that it was measured over.';
comment on column process_clock.ledger_apart_ms is 'By how much the clocks of the network are certainly apart from the database''s; null: nothing of the network has been seen.';
comment on column process_clock.job_format is 'Which jobs of the queue the process understands. 2: with several operations, and on several queues; null: with one.';

create table query_store_offset (
  stream text not null,
  "offset" bigint not null,
  oldest_offset bigint not null,
  update_id text,
  record_time timestamp with time zone,
  landmark_offset bigint,
  landmark_update_id text,
  synchronizer_times jsonb default '{}'::jsonb not null,
  given_up jsonb default '{}'::jsonb not null,
  clock_apart_ms bigint,
  clocks_apart jsonb default '{}'::jsonb not null,
  followed_on text collate "C",
  replay_to bigint,
  ledger_user text collate "C",
  lost_until timestamp with time zone,
  held_from bigint,
  constraint query_store_offset_pkey PRIMARY KEY (stream),
  constraint query_store_offset_check CHECK (oldest_offset <= "offset"),
  constraint query_store_offset_clock_apart_ms_check CHECK (clock_apart_ms > 0),
  constraint query_store_offset_clocks_apart_check CHECK (jsonb_typeof(clocks_apart) = 'object'::text),
  constraint query_store_offset_given_up_check CHECK (jsonb_typeof(given_up) = 'object'::text),
  constraint query_store_offset_held_from_check CHECK (held_from >= 0),
  constraint query_store_offset_landmark_is_whole CHECK ((landmark_offset IS NULL) = (landmark_update_id IS NULL)),
  constraint query_store_offset_landmark_offset_check CHECK (landmark_offset > 0),
  constraint query_store_offset_offset_check CHECK ("offset" >= 0),
  constraint query_store_offset_oldest_offset_check CHECK (oldest_offset >= 0),
  constraint query_store_offset_replay_to_check CHECK (replay_to >= 0),
  constraint query_store_offset_stream_check CHECK (stream = 'updates'::text OR stream ~ '^completions:.'::text),
  constraint query_store_offset_synchronizer_times_check CHECK (jsonb_typeof(synchronizer_times) = 'object'::text)
);
comment on column query_store_offset.landmark_update_id is 'The newest update of the stream that is known by id: what the ledger has at landmark_offset does not change.';
comment on column query_store_offset.synchronizer_times is 'Record times by synchronizer: everything before has been told. One that is connected and was never told of stands at the begin of time.';
comment on column query_store_offset.given_up is 'Synchronizers that a person has said not to come back, with the time at which each stood then: as long as it stands there, nothing waits for it.';
comment on column query_store_offset.clock_apart_ms is 'The greatest of clocks_apart: no proof is believed; null where no clock is wrong.';
comment on column query_store_offset.clocks_apart is 'By synchronizer: by how many milliseconds its record times, or the ledger times of the participant there, are too far from our clocks.';
comment on column query_store_offset.followed_on is 'The start of the database server under which a projector last compared the stream with its ledger. Another one: nothing is accepted until that has been done. Null: no projector that does so has run yet.';
comment on column query_store_offset.replay_to is 'Where the ledger ended then. Nothing is accepted, submitted or refused until the stream has reached it.';
comment on column query_store_offset.ledger_user is 'The ledger user that submits on the participant and follows these completions. Null: no projector that says so has run yet.';
comment on column query_store_offset.lost_until is 'The record time until which a submission may take effect that the database has lost, since its server started anew; 9999-12-31 until the participant has been heard after every such submission was sent. Null: none can.';
comment on column query_store_offset.held_from is 'Requests are held, because the ledger user is another one than when such a submission may have been sent: the participant would take a repeat under the new user as a new command. Requests go on when lost_until has passed. Effects after this offset are still to be read.';

create table queue_shards (
  single boolean default true not null,
  shards integer not null,
  most integer not null,
  set_at timestamp with time zone default now() not null,
  constraint queue_shards_pkey PRIMARY KEY (single),
  constraint queue_shards_check CHECK (most >= shards),
  constraint queue_shards_shards_check CHECK (shards >= 1 AND shards <= 64),
  constraint queue_shards_single_check CHECK (single)
);
comment on table queue_shards is 'How many queues share what is to be submitted; without a row there is one. A relay holds its row while it puts effects there.';
comment on column queue_shards.most is 'The most there have ever been: what is left on those that are not used any more is worked off.';

create table rebuild (
  id uuid not null,
  asked_at timestamp with time zone default clock_timestamp() not null,
  asked_by text not null,
  is_dry_run boolean not null,
  answered_at timestamp with time zone,
  report jsonb,
  error text,
  constraint rebuild_pkey PRIMARY KEY (id),
  constraint rebuild_asked_by_check CHECK (asked_by <> ''::text),
  constraint rebuild_is_answered_once CHECK (num_nonnulls(report, error) = (answered_at IS NOT NULL)::integer)
);
comment on table rebuild is 'Asked by an operator, done by the projector under its lease, one at a time.';
comment on column rebuild.is_dry_run is 'Do everything and commit none of it, for the report alone.';
CREATE UNIQUE INDEX rebuild_open ON public.rebuild USING btree ((true)) WHERE (answered_at IS NULL);

create table reminder (
  lifecycle_id text collate "C" not null,
  cause text not null,
  due_at timestamp with time zone not null,
  told_at timestamp with time zone default now() not null,
  constraint reminder_pkey PRIMARY KEY (lifecycle_id, cause, due_at),
  constraint reminder_cause_check CHECK (cause <> ''::text)
);
comment on table reminder is 'A row keeps the cause from being told twice. Old rows go: nothing that was due so long ago is looked for.';
comment on column reminder.cause is 'expired, renewal-unpaid, or expiring and the number of days.';
CREATE INDEX reminder_old ON public.reminder USING btree (due_at);

create table renewal_policy (
  provider text not null,
  complete boolean not null,
  withdraw_lapsed boolean not null,
  version integer not null,
  constraint renewal_policy_pkey PRIMARY KEY (provider),
  constraint renewal_policy_version_check CHECK (version >= 1)
);
comment on table renewal_policy is 'What a provider''s renewals do by themselves. No row: nothing.';

create table revenue_tally (
  provider text not null,
  at timestamp with time zone not null,
  instrument_admin text not null,
  instrument text not null,
  plan_id text collate "C" not null,
  payments integer default 0 not null,
  amount numeric default 0 not null,
  recurring numeric default 0 not null,
  constraint revenue_tally_pkey PRIMARY KEY (provider, at, instrument_admin, instrument, plan_id)
) with (fillfactor=70);
comment on table revenue_tally is 'Settled payments of a quarter of an hour, counted with their receipt numbers.';
comment on column revenue_tally.plan_id is 'Empty where the payment has no plan.';
comment on column revenue_tally.recurring is 'By how much the revenue of 30 days changes: a payment counts for the time that it is for.';

create table session (
  id_hash bytea not null,
  tenant_id text collate "C" not null,
  registered_tenant text collate "C",
  party text not null,
  roles text[] not null,
  subject text not null,
  name text not null,
  registration_id text,
  id_token text,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  refresh_token text,
  checked_at timestamp with time zone,
  check_begun_at timestamp with time zone,
  constraint session_pkey PRIMARY KEY (id_hash),
  constraint session_registered_tenant_fkey FOREIGN KEY (registered_tenant) REFERENCES tenant(tenant_id) ON DELETE CASCADE,
  constraint session_id_hash_check CHECK (octet_length(id_hash) = 32),
  constraint session_refresh_token_belongs_to_login CHECK (registration_id IS NOT NULL OR refresh_token IS NULL),
  constraint session_tenant_is_the_registered CHECK (registered_tenant = tenant_id),
  constraint session_token_belongs_to_login CHECK (registration_id IS NOT NULL OR id_token IS NULL)
) with (fillfactor=70);
comment on table session is 'Browsers whose users have signed in.';
comment on column session.id_hash is 'SHA-256 of the secret that the browser holds: reading the table lets nobody in.';
comment on column session.registered_tenant is 'Null for a tenant of the configuration. With the tenant its sessions end.';
comment on column session.registration_id is 'Through which login; null where people sign in by name.';
comment on column session.id_token is 'What a logout at the authorization server asks for. Encrypted as webhook.secret is.';
comment on column session.seen_at is 'Moves on once a minute while the session is in use.';
comment on column session.refresh_token is 'What the authorization server takes for the current rights. Encrypted as webhook.secret is. Null: it gave none, and rights hold until the session ends.';
comment on column session.checked_at is 'When the rights were read last. Null: at the login, in created_at.';
comment on column session.check_begun_at is 'When a process began to read them. It alone does for some seconds, because a refresh token may be good for one use.';
CREATE INDEX session_seen ON public.session USING btree (seen_at);
CREATE INDEX session_subject ON public.session USING btree (tenant_id, subject, seen_at);
CREATE INDEX session_tenant ON public.session USING btree (registered_tenant);
CREATE TRIGGER audit_session AFTER INSERT OR DELETE ON session FOR EACH ROW EXECUTE FUNCTION audit_session();

create table signing_key (
  id text not null,
  public_key jsonb not null,
  secret text,
  created_at timestamp with time zone default now() not null,
  retired_at timestamp with time zone,
  last_file_ends_at timestamp with time zone,
  constraint signing_key_pkey PRIMARY KEY (id),
  constraint signing_key_id_check CHECK (id <> ''::text),
  constraint signing_key_public_key_check CHECK (jsonb_typeof(public_key) = 'object'::text),
  constraint signing_key_that_signs_has_a_secret CHECK ((secret IS NULL) = (retired_at IS NOT NULL))
);
comment on table signing_key is 'Ed25519 keys of licence files. One key signs; a retired key stays public until its last file ends.';
comment on column signing_key.id is 'The key ID (kid) that files name: the thumbprint of the public key (RFC 7638).';
comment on column signing_key.public_key is 'The public key as a JWK.';
comment on column signing_key.secret is 'The private key as a JWK, encrypted as webhook.secret is. Deleted when the key is retired.';
comment on column signing_key.last_file_ends_at is 'When the last file of the key ends. Null: the key has signed no file.';
CREATE UNIQUE INDEX signing_key_current ON public.signing_key USING btree ((true)) WHERE (retired_at IS NULL);

create table silence (
  participant text not null,
  since timestamp with time zone not null,
  constraint silence_pkey PRIMARY KEY (participant)
);
comment on table silence is 'Participants that have left a submission without an answer, and have answered none that was begun since: the next one they leave opens their circuit.';

create table standstill (
  participant text not null,
  kind text not null,
  since timestamp with time zone not null,
  detail text not null,
  constraint standstill_pkey PRIMARY KEY (participant),
  constraint standstill_detail_check CHECK (detail <> ''::text),
  constraint standstill_kind_check CHECK (kind = ANY (ARRAY['behind'::text, 'quiet'::text, 'gone'::text, 'clock'::text, 'replay'::text])),
  constraint standstill_participant_check CHECK (participant <> ''::text)
);
comment on table standstill is 'Why a participant tells nothing of what was submitted through it, as whoever follows it has found. None where there is nothing to say.';

create table subscription (
  lifecycle_id text collate "C" not null,
  provider text not null,
  app_user text collate "C" not null,
  plan_id text collate "C",
  offer_before_ms bigint not null,
  tries integer not null,
  ends_unpaid boolean not null,
  cancelled_at timestamp with time zone,
  version integer default 1 not null,
  anchor timestamp with time zone,
  offer_id text,
  due_at timestamp with time zone default '-infinity'::timestamp with time zone,
  wakes bigint default 0 not null,
  constraint subscription_pkey PRIMARY KEY (lifecycle_id),
  constraint subscription_lifecycle_id_check CHECK (lifecycle_id <> ''::text),
  constraint subscription_offer_before_ms_check CHECK (offer_before_ms >= 0),
  constraint subscription_provider_check CHECK (provider <> ''::text),
  constraint subscription_tries_check CHECK (tries >= 1),
  constraint subscription_version_check CHECK (version >= 1)
);
comment on table subscription is 'What a provider decided about a licence that renews itself. Its state is not stored: it follows from the ledger. It refers to no lifecycle, because it outlives a projection that is built anew.';
comment on column subscription.plan_id is 'The plan whose newest version is offered. Null: the plan of the licence.';
comment on column subscription.anchor is 'From which boundaries of calendar periods are counted.';
comment on column subscription.offer_id is 'The request ID of the open offer, by which the allocation that pays it is found.';
comment on column subscription.due_at is 'Ledger time from which there may be something to do. Null: not before a fact of the ledger or a person changes something.';
comment on column subscription.wakes is 'Rises with every such change, so that the result of an older look is not kept.';
CREATE INDEX subscription_due ON public.subscription USING btree (provider, due_at, lifecycle_id) WHERE (due_at IS NOT NULL);
CREATE INDEX subscription_of_provider ON public.subscription USING btree (provider, lifecycle_id);
CREATE INDEX subscription_of_user ON public.subscription USING btree (app_user, lifecycle_id);
CREATE INDEX subscription_offered ON public.subscription USING btree (provider, lifecycle_id) WHERE (offer_id IS NOT NULL);

create table template (
  template_fqn text not null,
  package_name text not null,
  module_name text not null,
  entity_name text not null,
  payload_type text not null,
  constraint template_pkey PRIMARY KEY (template_fqn),
  constraint template_check CHECK (template_fqn = ((((package_name || ':'::text) || module_name) || ':'::text) || entity_name)),
  constraint template_payload_type_check CHECK (payload_type = ANY (ARRAY['template'::text, 'interface'::text]))
);

create table tenant (
  tenant_id text collate "C" not null,
  party text not null,
  wallet_url text,
  client_id text,
  issuer_url text,
  registered_at timestamp with time zone default now() not null,
  registration_id text generated always as (tenant_id || COALESCE('-'::text || client_id, ''::text)) stored not null,
  constraint tenant_pkey PRIMARY KEY (tenant_id),
  constraint tenant_pair UNIQUE (client_id, issuer_url),
  constraint tenant_registration UNIQUE (registration_id),
  constraint tenant_client_id_check CHECK (client_id <> ''::text),
  constraint tenant_issuer_url_check CHECK (issuer_url <> ''::text),
  constraint tenant_login_is_whole CHECK ((client_id IS NULL) = (issuer_url IS NULL)),
  constraint tenant_party_check CHECK (party <> ''::text),
  constraint tenant_tenant_id_check CHECK (tenant_id <> ''::text),
  constraint tenant_wallet_url_check CHECK (wallet_url <> ''::text)
);
comment on table tenant is 'Organisations whose people and programs may call, as registered.';
comment on column tenant.party is 'Whom its callers stand for.';
comment on column tenant.wallet_url is 'Where its people find their wallet.';
comment on column tenant.client_id is 'What our login is registered as at the issuer; null in mode shared-secret.';
comment on column tenant.issuer_url is 'Its authorization server: claim iss of its tokens; null in mode shared-secret.';
comment on column tenant.registration_id is 'Names its login in addresses.';

create table tenant_user (
  user_name text collate "C" not null,
  tenant_id text collate "C" not null,
  "position" integer not null,
  constraint tenant_user_pkey PRIMARY KEY (user_name),
  constraint tenant_user_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id) ON DELETE CASCADE,
  constraint tenant_user_position_check CHECK ("position" >= 1),
  constraint tenant_user_user_name_check CHECK (user_name <> ''::text)
);
comment on table tenant_user is 'Names that may log in, in mode shared-secret. A name belongs to one tenant.';
comment on column tenant_user."position" is 'Place in the list as it was registered, from 1.';
CREATE INDEX tenant_user_tenant ON public.tenant_user USING btree (tenant_id);

create table time_wanted (
  participant text not null,
  record_time timestamp with time zone not null,
  constraint time_wanted_pkey PRIMARY KEY (participant)
);
comment on table time_wanted is 'What record time somebody waits for on a participant''s network, where nothing else may move time. Over once it has been seen.';

create table timer (
  lifecycle_id text collate "C" not null,
  kind text not null,
  provider text not null,
  lapses_at timestamp with time zone not null,
  open_until timestamp with time zone,
  never_renewed boolean not null,
  generation integer default 0 not null,
  not_before timestamp with time zone,
  change_id uuid,
  given_up boolean default false not null,
  failures integer default 0 not null,
  constraint timer_pkey PRIMARY KEY (lifecycle_id),
  constraint timer_change_id_fkey FOREIGN KEY (change_id) REFERENCES change(id),
  constraint timer_lifecycle_id_fkey FOREIGN KEY (lifecycle_id) REFERENCES lifecycle(id) ON DELETE CASCADE,
  constraint timer_check CHECK (NOT given_up OR change_id IS NOT NULL),
  constraint timer_failures_check CHECK (failures >= 0),
  constraint timer_generation_check CHECK (generation >= 0),
  constraint timer_kind_check CHECK (kind = ANY (ARRAY['expire'::text, 'withdraw'::text]))
);
comment on table timer is 'When a licence lapses, and when the window of a renewal closes, by ledger time. One for each that is active.';
comment on column timer.open_until is 'When the last window of the licence''s open renewals closes.';
comment on column timer.generation is 'Rises when a change that a policy made has definitely failed; part of the command ID of the next.';
comment on column timer.not_before is 'Wall time: distance after a failure.';
comment on column timer.change_id is 'It has fired: the newest change that a policy made of it.';
comment on column timer.given_up is 'No policy tries again before it lapses at another time.';
comment on column timer.failures is 'How often its own contract was why it failed; after a few it is given up.';
CREATE INDEX timer_due ON public.timer USING btree (provider, kind, lapses_at) WHERE (change_id IS NULL);
CREATE INDEX timer_due_renewed ON public.timer USING btree (provider, kind, lapses_at) WHERE ((change_id IS NULL) AND (NOT never_renewed));
CREATE INDEX timer_fired ON public.timer USING btree (provider, change_id) WHERE ((change_id IS NOT NULL) AND (NOT given_up));
CREATE INDEX timer_given_up ON public.timer USING btree (kind) WHERE given_up;
CREATE INDEX timer_page ON public.timer USING btree (provider, lapses_at, lifecycle_id);
CREATE INDEX timer_waits ON public.timer USING btree (provider, kind, not_before) WHERE ((change_id IS NULL) AND (not_before IS NOT NULL));

create table tombstone (
  update_id text collate "C" not null,
  command_id text collate "C" not null,
  act_as text[] not null,
  recorded_at timestamp with time zone default clock_timestamp() not null,
  constraint tombstone_pkey PRIMARY KEY (update_id),
  constraint tombstone_command_id_check CHECK (command_id <> ''::text),
  constraint tombstone_update_id_check CHECK (update_id <> ''::text)
);
comment on table tombstone is 'Effects on the ledger of operations that this database does not have: a restore or a failover has lost them. A command ID that is here is never submitted again.';
comment on column tombstone.act_as is 'The parties that acted.';
CREATE INDEX tombstone_command ON public.tombstone USING btree (command_id);

create table webhook (
  id text not null,
  party text not null,
  created_by text not null,
  url text not null,
  types text[] not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  after_seq bigint not null,
  is_enabled boolean default true not null,
  disabled_reason text,
  created_at timestamp with time zone default now() not null,
  failures integer default 0 not null,
  failing_since timestamp with time zone,
  not_before timestamp with time zone default now() not null,
  tenant_id text,
  failed_at timestamp with time zone,
  content_type text default 'application/json'::text not null,
  constraint webhook_pkey PRIMARY KEY (id),
  constraint webhook_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id) ON DELETE CASCADE,
  constraint webhook_content_type_check CHECK (content_type = ANY (ARRAY['application/json'::text, 'application/cloudevents+json'::text])),
  constraint webhook_failures_check CHECK (failures >= 0),
  constraint webhook_id_check CHECK (id <> ''::text),
  constraint webhook_is_disabled_for_a_reason CHECK (is_enabled = (disabled_reason IS NULL)),
  constraint webhook_party_check CHECK (party <> ''::text),
  constraint webhook_previous_secret_ends CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
  constraint webhook_secret_check CHECK (secret <> ''::text),
  constraint webhook_url_check CHECK (url <> ''::text)
);
comment on table webhook is 'Where a party wants to be told of its events.';
comment on column webhook.secret is 'Signs what is sent. Encrypted as sealed:<key>:<text> where the deployment has a key, and in clear otherwise.';
comment on column webhook.after_seq is 'The last event before it was there.';
comment on column webhook.failures is 'In a row, of whatever deliveries. While there are any, one delivery at a time is tried, not before not_before.';
comment on column webhook.tenant_id is 'Null for tenants of the configuration, which nobody removes.';
comment on column webhook.failed_at is 'The last failure that was counted: what was begun before it counts as one with it. Long before the next one, failures and failing_since begin anew.';
CREATE INDEX webhook_party ON public.webhook USING btree (party, created_at, id);
CREATE INDEX webhook_tenant ON public.webhook USING btree (tenant_id) WHERE (tenant_id IS NOT NULL);

create table webhook_cursor (
  is_only boolean default true not null,
  last bigint not null,
  constraint webhook_cursor_pkey PRIMARY KEY (is_only),
  constraint webhook_cursor_is_only_check CHECK (is_only)
);
comment on table webhook_cursor is 'Events up to this number have their deliveries. Moved by the sequencer, under its lease.';

create view event as
 SELECT s.seq,
    b.at,
    (b.events -> (s.seq - b.first)::integer) ->> 'type'::text AS type,
    (b.events -> (s.seq - b.first)::integer) ->> 'subject'::text AS subject,
    (b.events -> (s.seq - b.first)::integer) ->> 'lifecycle_id'::text AS lifecycle_id,
    ARRAY( SELECT jsonb_array_elements_text((b.events -> (s.seq - b.first)::integer) -> 'parties'::text) AS jsonb_array_elements_text) AS parties,
    (b.events -> (s.seq - b.first)::integer) -> 'data'::text AS data
   FROM event_batch b
     CROSS JOIN LATERAL generate_series(b.first, b.last) s(seq);
comment on view event is 'Events by number, one a row, to be looked at, and for processes of the version before.';

create view event_arrival as
 SELECT a.place * 1000000 + e.n AS place,
    e.n,
    a.at,
    e.type,
    e.subject,
    e.lifecycle_id,
    e.parties,
    e.data
   FROM arrival a
     CROSS JOIN LATERAL ROWS FROM(jsonb_to_recordset(a.events) AS (type text, subject text, lifecycle_id text, parties text[], data jsonb)) WITH ORDINALITY e(type, subject, lifecycle_id, parties, data, n);
comment on view event_arrival is 'Events that have no number yet, one a row, to be looked at, and for processes of the version before.';

create view lifecycle_hold as
 SELECT r.lifecycle_id,
    r.suspended_at IS NOT NULL AS is_suspended,
    r.began_at + v.trial_ms::double precision * '00:00:00.001'::interval AS trial_until,
    v.grace_ms
   FROM license_record r
     LEFT JOIN plan_version v ON v.provider = r.provider AND v.plan_id = r.plan_id AND v.version = r.plan_version
  WHERE r.plan_id IS NOT NULL OR r.suspended_at IS NOT NULL;
comment on view lifecycle_hold is 'What keeps policies from ending a licence. Null: no trial, and no grace.';

create view transactions as
 SELECT "offset" AS ix,
    "offset",
    update_id AS transaction_id,
    effective_at,
    workflow_id,
    command_id,
    record_time,
    synchronizer_id
   FROM ledger_update;
comment on view transactions is 'Metadata of updates. ix orders like the *_at_ix columns and joins with them.';

CREATE OR REPLACE FUNCTION public.active(qname text DEFAULT NULL::text, at_offset bigint DEFAULT latest_offset())
 RETURNS SETOF contract_row
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  -- Still active: found by the indexes of what is active. Nearly all of those were created before the offset, so that
  -- condition must not choose the index; the + 0 keeps it from doing so.
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         null::event_id, null::bigint, null::bigint,
         int8range(c.created_at_offset, null),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, null::timestamptz,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
  where query_store_reads(at_offset, at_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and not c.divulged_only
    and c.archived_at_offset is null
    and c.created_at_offset + 0 <= (select at_offset)
  union all
  -- Archived since: none when asked for the latest offset, and few when asked for a recent one. The one comparison
  -- without a sub-select, so that the planner can estimate it and take the index of what is archived.
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         case when a.told then row(c.archived_at_offset, c.archived_node_id)::event_id end,
         case when a.told then c.archived_at_offset end, case when a.told then c.archived_at_offset end,
         int8range(c.created_at_offset, case when a.told then c.archived_at_offset end),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, case when a.told then c.archived_effective_at end,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
    cross join lateral (select c.archived_at_offset <= (select latest_offset()) as told) a
  where query_store_reads(at_offset, at_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and not c.divulged_only
    and c.archived_at_offset > at_offset
    and c.created_at_offset <= (select at_offset)
$function$;
comment on function active(qname text, at_offset bigint) is 'Contracts and interface views that were active at the offset. Archivals after latest_offset() are not told.';

CREATE OR REPLACE FUNCTION public.archives(qname text DEFAULT NULL::text, from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS SETOF contract_row
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         row(c.archived_at_offset, c.archived_node_id)::event_id, c.archived_at_offset, c.archived_at_offset,
         int8range(c.created_at_offset, c.archived_at_offset),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, c.archived_effective_at,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
  where query_store_reads(from_offset, to_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and c.archived_at_offset >= (select from_offset)
    and c.archived_at_offset <= (select to_offset)
$function$;
comment on function archives(qname text, from_offset bigint, to_offset bigint) is 'Contracts and interface views archived in the range, both ends included.';

CREATE OR REPLACE FUNCTION public.arrive_alone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into arrival (events) values (jsonb_build_array(jsonb_build_object(
    'type', new.type, 'subject', new.subject, 'lifecycle_id', new.lifecycle_id,
    'parties', to_jsonb(new.parties), 'data', new.data)));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_by_pseudonym()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  known text;
begin
  if new.by_subject ~ '^person:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then return new; end if;
  loop
    select p.pseudonym into known from person p where p.subject = new.by_subject and p.party = new.by_party;
    exit when found;
    insert into person (pseudonym, subject, party)
    values ('person:' || gen_random_uuid(), new.by_subject, new.by_party) on conflict do nothing;
  end loop;
  new.by_subject := known;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  it session := case tg_op when 'INSERT' then new else old end;
begin
  insert into audit (at, by_party, by_subject, act, subject, reason, detail, of_party)
  values (now(), it.party, it.subject, case tg_op when 'INSERT' then 'signed-in' else 'session-ended' end,
    'tenant:' || it.tenant_id, case tg_op when 'INSERT' then 'a session began' else 'a session ended' end,
    jsonb_build_object('session', left(encode(it.id_hash, 'hex'), 16), 'roles', to_jsonb(it.roles)), it.party);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_where_named()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from webhook w where w.id = new.webhook_id and cardinality(w.types) = 0) then
    return null;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.creates(qname text DEFAULT NULL::text, from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS SETOF contract_row
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         case when a.told then row(c.archived_at_offset, c.archived_node_id)::event_id end,
         case when a.told then c.archived_at_offset end, case when a.told then c.archived_at_offset end,
         int8range(c.created_at_offset, case when a.told then c.archived_at_offset end),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, case when a.told then c.archived_effective_at end,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
    cross join lateral (select c.archived_at_offset <= (select latest_offset()) as told) a
  where query_store_reads(from_offset, to_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and c.created_at_offset >= (select from_offset)
    and c.created_at_offset <= (select to_offset)
$function$;
comment on function creates(qname text, from_offset bigint, to_offset bigint) is 'Contracts and interface views created in the range, both ends included.';

CREATE OR REPLACE FUNCTION public.exercises(qname text DEFAULT NULL::text, from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS SETOF exercise_row
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select e.template_fqn, t.payload_type, e.template_fqn || ':' || e.choice, e.choice, e.consuming,
         row(e."offset", e.node_id)::event_id, e."offset", e."offset", e.effective_at,
         e.contract_id, e.argument, e.result, e.package_name, e.controllers, e.witnesses, e.last_descendant_node_id
  from exercise e left join template t on t.template_fqn = e.template_fqn
  where query_store_reads(from_offset, to_offset)
    and (qname is null or (query_store_choice(qname)).template_fqn is not null)
    and (qname is null or e.template_fqn = (select n.template_fqn from query_store_choice(qname) n))
    and (qname is null or e.choice = coalesce((select n.choice from query_store_choice(qname) n), e.choice))
    and e."offset" >= (select from_offset)
    and e."offset" <= (select to_offset)
$function$;
comment on function exercises(qname text, from_offset bigint, to_offset bigint) is 'Choices exercised in the range, both ends included.';

CREATE OR REPLACE FUNCTION public.latest_offset()
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  -- A pin from before the store was reset is beyond it now, and counts for nothing.
  return (
    select least(nullif(current_setting('tenure.latest_offset', true), '')::bigint, o."offset")
    from query_store_offset o
    where o.stream = 'updates'
  );
end
$function$;
comment on function latest_offset() is 'Newest offset that this session reads; null when nothing has been projected.';

CREATE OR REPLACE FUNCTION public.leave_arrival()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from arrival where place = old.place / 1000000 and jsonb_array_length(events) = 1;
  if not found then
    update arrival set events = events - 0 where place = old.place / 1000000;
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION public.license_reference(prefix text, number bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ select prefix || '-' || lpad(number::text, greatest(4, length(number::text)), '0') $function$;
comment on function license_reference(prefix text, number bigint) is 'ACME-0007';

CREATE OR REPLACE FUNCTION public.list_lifecycle()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.listed_as := new.state;
  new.listed_version := new.version;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.lookup_contract(contract_id text, qname text DEFAULT NULL::text)
 RETURNS SETOF contract_row
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         case when a.told then row(c.archived_at_offset, c.archived_node_id)::event_id end,
         case when a.told then c.archived_at_offset end, case when a.told then c.archived_at_offset end,
         int8range(c.created_at_offset, case when a.told then c.archived_at_offset end),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, case when a.told then c.archived_effective_at end,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
    cross join lateral (select c.archived_at_offset <= (select latest_offset()) as told) a
  where (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and c.contract_id = lookup_contract.contract_id
    and c.created_at_offset <= (select latest_offset())
$function$;
comment on function lookup_contract(contract_id text, qname text) is 'A contract and its interface views by contract ID, also when archived or only divulged.';

CREATE OR REPLACE FUNCTION public.lookup_exercises(contract_id text, qname text DEFAULT NULL::text)
 RETURNS SETOF exercise_row
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select e.template_fqn, t.payload_type, e.template_fqn || ':' || e.choice, e.choice, e.consuming,
         row(e."offset", e.node_id)::event_id, e."offset", e."offset", e.effective_at,
         e.contract_id, e.argument, e.result, e.package_name, e.controllers, e.witnesses, e.last_descendant_node_id
  from exercise e left join template t on t.template_fqn = e.template_fqn
  where (qname is null or (query_store_choice(qname)).template_fqn is not null)
    and (qname is null or e.template_fqn = (select n.template_fqn from query_store_choice(qname) n))
    and (qname is null or e.choice = coalesce((select n.choice from query_store_choice(qname) n), e.choice))
    and e.contract_id = lookup_exercises.contract_id
    and e."offset" <= (select latest_offset())
$function$;
comment on function lookup_exercises(contract_id text, qname text) is 'Choices exercised on a contract, by contract ID.';

CREATE OR REPLACE FUNCTION public.nearest_offset("time" timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
AS $function$
  select max(u."offset") from ledger_update u where u.effective_at <= "time" and u."offset" <= latest_offset()
$function$;
comment on function nearest_offset("time" timestamp with time zone) is 'Newest offset whose ledger time is not after the given time.';

CREATE OR REPLACE FUNCTION public.nearest_offset(ago interval)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
AS $function$
  select nearest_offset(now() - ago)
$function$;
comment on function nearest_offset(ago interval) is 'Newest offset whose ledger time is at least the given interval ago.';

CREATE OR REPLACE FUNCTION public.number_alone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event_batch (last, first, at, events) values (new.seq, new.seq, new.at, jsonb_build_array(
    jsonb_build_object('type', new.type, 'subject', new.subject, 'lifecycle_id', new.lifecycle_id,
      'parties', to_jsonb(new.parties), 'data', new.data)));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.oldest_offset()
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  return (
    select greatest(nullif(current_setting('tenure.oldest_offset', true), '')::bigint, o.oldest_offset)
    from query_store_offset o
    where o.stream = 'updates'
  );
end
$function$;
comment on function oldest_offset() is 'Oldest offset that this session reads; null when nothing has been projected.';

CREATE OR REPLACE FUNCTION public.plan_in(id text, version text)
 RETURNS TABLE(plan_id text, plan_version integer)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select id, case when version ~ '^[1-9][0-9]{0,8}$' then version::integer end
  where id ~ '^[a-z0-9][a-z0-9-]{0,62}$' and version ~ '^[1-9][0-9]{0,8}$'
$function$;
comment on function plan_in(id text, version text) is 'A plan and its version, where these texts name one.';

CREATE OR REPLACE FUNCTION public.proven_time(of_participant text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN bool_and(s.is_given_up) THEN now()
             WHEN (NOT (EXISTS ( SELECT
                FROM query_store_offset o
               WHERE ((o.stream = ('completions:'::text || proven_time.of_participant)) AND (o.clock_apart_ms IS NOT NULL))))) THEN min(s.passed_at) FILTER (WHERE (NOT s.is_given_up))
             ELSE NULL::timestamp with time zone
         END AS "case"
    FROM synchronizers_of(proven_time.of_participant) s(synchronizer, told_at, passed_at, is_given_up);
END;
comment on function proven_time(of_participant text) is 'The same, and the updates as well on those synchronizers that they know: what came of a submission before is here.';

CREATE OR REPLACE FUNCTION public.prune_alone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  of_batch bigint := (select min(last) from event_batch where last >= old.seq);
begin
  delete from event_batch where last = of_batch and first = last;
  if not found then
    update event_batch set first = first + 1, events = events - 0 where last = of_batch;
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION public.query_store_choice(qname text, OUT template_fqn text, OUT choice text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
AS $function$
declare
  -- 'a:b:C' is 'a:b' and 'C'
  last_part text := split_part(qname, ':', -1);
  before_last text := rtrim(left(qname, length(qname) - length(last_part)), ':');
  known text[];
  unheard text[];
  meanings text[];
begin
  known := array(
    select t.template_fqn from query_store_templates(qname) t
    union
    select c.template_fqn || ':' || c.choice
    from choice c join template t on t.template_fqn = c.template_fqn
    where c.choice = last_part
      and (before_last in ('', t.module_name, t.package_name || ':' || t.module_name)
           or t.template_fqn in (select n.template_fqn from query_store_templates(before_last) n))
  );
  unheard := array(select t.template_fqn || ':' || last_part from query_store_templates(before_last) t);
  meanings := case when cardinality(known) > 0 then known else unheard end;
  case cardinality(meanings)
    when 1 then
      template_fqn := array_to_string((string_to_array(meanings[1], ':'))[1:3], ':');
      choice := (string_to_array(meanings[1], ':'))[4];
    when 0 then raise exception 'Identifier not found: %', qname using errcode = 'undefined_object';
    else raise exception 'Ambiguous identifier: %', qname using errcode = 'ambiguous_alias';
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION public.query_store_learn_choices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into choice (template_fqn, choice)
    select distinct e.template_fqn, e.choice from exercised e
    where not exists (select from choice c where c.template_fqn = e.template_fqn and c.choice = e.choice)
    on conflict do nothing;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.query_store_reads(from_offset bigint, to_offset bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  if to_offset > latest_offset() then
    raise exception 'Offset % is after the latest offset %', to_offset, latest_offset()
      using errcode = 'object_not_in_prerequisite_state';
  elsif from_offset < oldest_offset() then
    raise exception 'Offset % is before the oldest offset %', from_offset, oldest_offset()
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.query_store_template(qname text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
AS $function$
declare
  found_fqns text[] := array(select t.template_fqn from query_store_templates(qname) t);
begin
  case cardinality(found_fqns)
    when 1 then return found_fqns[1];
    when 0 then raise exception 'Identifier not found: %', qname using errcode = 'undefined_object';
    else raise exception 'Ambiguous identifier: %', qname using errcode = 'ambiguous_alias';
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION public.query_store_templates(qname text)
 RETURNS SETOF template
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
AS $function$
  select t.*
  from template t
  where case
          when qname like '%:%:%' then t.template_fqn = qname
          when qname like '%:%' then t.module_name || ':' || t.entity_name = qname
          else t.entity_name = qname
        end
$function$;

CREATE OR REPLACE FUNCTION public.record_license()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  next bigint := coalesce((select max(r.number) from license_record r where r.provider = new.provider), 0) + 1;
  prefix text := coalesce((
    select c.short_name from customer c where c.provider = new.provider and c.party = new.app_user), 'LIC');
  words jsonb := sold_in(new.contract_id);
begin
  insert into license_record (
    lifecycle_id, provider, app_user, began_at, number, reference, sold, plan_id, plan_version, plan_since)
  select new.id, new.provider, new.app_user, new.created_at, next, license_reference(prefix, next), words,
         p.plan_id, p.plan_version, case when p.plan_id is not null then new.created_at end
  from (select) as one left join plan_in(words ->> 'tenure/plan', words ->> 'tenure/plan-version') p on true
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.record_renewed_plan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update license_record r
  set plan_id = p.plan_id, plan_version = p.plan_version, renewal_id = new.id, plan_since = new.ended_at
  from contract c
    cross join lateral regexp_match(c.payload ->> 'description', '\[plan ([a-z0-9-]+) version ([0-9]+)\]$') as named(parts)
    cross join lateral plan_in(named.parts[1], named.parts[2]) p
  where c.contract_id = new.contract_id and c.payload ? 'description' and r.lifecycle_id = new.origin_id
    and new.ended_at is not null and coalesce(r.plan_since, '-infinity') <= new.ended_at;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_write()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  place bigint;
begin
  if tg_op = 'DELETE' then
    if tg_table_name = 'audit_link' then
      place := old.seq;
    else
      select l.seq into place from audit_link l where l.audit_id = old.id;
    end if;
    if place <= (select c.deleted_seq from audit_chain c) then return old; end if;
  end if;
  raise exception 'rows of % are only added', tg_table_name using errcode = 'TN003';
end $function$;
comment on function refuse_audit_write() is 'Raises TN003, unless retention has moved the beginning of the chain past the row.';

CREATE OR REPLACE FUNCTION public.refuse_cell_write()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'nothing of a provider that moves to another cell can be written here' using errcode = 'TN002';
end
$function$;
comment on function refuse_cell_write() is 'Raises TN002. The trigger is there while a provider is in none of the two cells that it moves between, and for good where it has left.';

CREATE OR REPLACE FUNCTION public.require_rows(what text, expected bigint, written bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if written <> expected then
    raise exception '% of % % rows could not be written', expected - written, expected, what
      using errcode = 'TN001';
  end if;
end
$function$;
comment on function require_rows(what text, expected bigint, written bigint) is 'Raises TN001 unless as many rows were written as expected.';

CREATE OR REPLACE FUNCTION public.set_latest("offset" bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('tenure.latest_offset', coalesce(validate_offset_exists("offset")::text, ''), false);
  return latest_offset();
end
$function$;
comment on function set_latest("offset" bigint) is 'Pins the newest offset that this session reads, so that several queries see one state; null unpins.';

CREATE OR REPLACE FUNCTION public.set_oldest("offset" bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('tenure.oldest_offset', coalesce(validate_offset_exists("offset")::text, ''), false);
  return oldest_offset();
end
$function$;
comment on function set_oldest("offset" bigint) is 'Sets the oldest offset that creates, archives and exercises of this session start from; null unsets.';

CREATE OR REPLACE FUNCTION public.sold_in(license_contract text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(jsonb_object_agg(e.key, e.value), '{}')
  from contract c
    cross join lateral jsonb_each(
      case when jsonb_typeof(c.payload #> '{params,meta,values}') = 'object'
        then c.payload #> '{params,meta,values}' else '{}' end) e
  where c.contract_id = license_contract and starts_with(e.key, 'tenure/')
$function$;
comment on function sold_in(license_contract text) is 'What the contract of a licence says of its plan.';

CREATE OR REPLACE FUNCTION public.stakeholders(of contract_row)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select array(select unnest(of.signatories) union select unnest(of.observers) order by 1)
$function$;
comment on function stakeholders(of contract_row) is 'Signatories and observers of a contract, each once.';

CREATE OR REPLACE FUNCTION public.subscribe_sold_license()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into subscription (lifecycle_id, provider, app_user, offer_before_ms, tries, ends_unpaid)
  select new.lifecycle_id, new.provider, new.app_user, v.offer_before_ms,
         (v.terms #>> '{renews,tries}')::integer, (v.terms #>> '{renews,endUnpaid}')::boolean
  from plan_version v
  where v.provider = new.provider and v.plan_id = new.plan_id and v.version = new.plan_version
    and v.offer_before_ms is not null
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.summary_active(at_offset bigint DEFAULT latest_offset())
 RETURNS TABLE(template_fqn text, payload_type text, count bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select a.template_fqn, a.payload_type, count(*) from active(null, at_offset) a group by 1, 2
$function$;
comment on function summary_active(at_offset bigint) is 'Number of contracts per template that were active at the offset.';

CREATE OR REPLACE FUNCTION public.summary_archives(from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS TABLE(template_fqn text, payload_type text, count bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select a.template_fqn, a.payload_type, count(*) from archives(null, from_offset, to_offset) a group by 1, 2
$function$;
comment on function summary_archives(from_offset bigint, to_offset bigint) is 'Number of archivals per template in the range.';

CREATE OR REPLACE FUNCTION public.summary_creates(from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS TABLE(template_fqn text, payload_type text, count bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select c.template_fqn, c.payload_type, count(*) from creates(null, from_offset, to_offset) c group by 1, 2
$function$;
comment on function summary_creates(from_offset bigint, to_offset bigint) is 'Number of creates per template in the range.';

CREATE OR REPLACE FUNCTION public.summary_exercises(from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS TABLE(template_fqn text, choice text, count bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select e.template_fqn, e.choice, count(*) from exercises(null, from_offset, to_offset) e group by 1, 2
$function$;
comment on function summary_exercises(from_offset bigint, to_offset bigint) is 'Number of exercises per template and choice in the range.';

CREATE OR REPLACE FUNCTION public.summary_transients(from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS TABLE(template_fqn text, payload_type text, count bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select a.template_fqn, a.payload_type, count(*)
  from archives(null, from_offset, to_offset) a
  where a.created_at_offset >= from_offset
  group by 1, 2
$function$;
comment on function summary_transients(from_offset bigint, to_offset bigint) is 'Number of contracts per template that were both created and archived in the range.';

CREATE OR REPLACE FUNCTION public.summary_updates(from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset())
 RETURNS TABLE(template_fqn text, payload_type text, creates bigint, archives bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select t.template_fqn, t.payload_type, coalesce(c.count, 0), coalesce(a.count, 0)
  from template t
    left join summary_creates(from_offset, to_offset) c on c.template_fqn = t.template_fqn
    left join summary_archives(from_offset, to_offset) a on a.template_fqn = t.template_fqn
  where c.count is not null or a.count is not null
$function$;
comment on function summary_updates(from_offset bigint, to_offset bigint) is 'Numbers of creates and archivals per template in the range.';

CREATE OR REPLACE FUNCTION public.synchronizers_of(of_participant text)
 RETURNS TABLE(synchronizer text, told_at timestamp with time zone, passed_at timestamp with time zone, is_given_up boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT t.synchronizer,
     (t.at)::timestamp with time zone AS at,
     LEAST((t.at)::timestamp with time zone, ((u.synchronizer_times ->> t.synchronizer))::timestamp with time zone) AS "least",
     COALESCE((((o.given_up ->> t.synchronizer))::timestamp with time zone >= (t.at)::timestamp with time zone), false) AS "coalesce"
    FROM ((query_store_offset o
      CROSS JOIN LATERAL jsonb_each_text(o.synchronizer_times) t(synchronizer, at))
      LEFT JOIN query_store_offset u ON ((u.stream = 'updates'::text)))
   WHERE (o.stream = ('completions:'::text || synchronizers_of.of_participant));
END;
comment on function synchronizers_of(of_participant text) is 'How far the completions of a participant have told of each synchronizer, and the updates as well where they know it.';

CREATE OR REPLACE FUNCTION public.told_time(of_participant text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN bool_and(s.is_given_up) THEN now()
             ELSE min(s.told_at) FILTER (WHERE (NOT s.is_given_up))
         END AS min
    FROM synchronizers_of(told_time.of_participant) s(synchronizer, told_at, passed_at, is_given_up);
END;
comment on function told_time(of_participant text) is 'Up to when the completions of a participant have told everything, on every synchronizer; null where they have told of none.';

CREATE OR REPLACE FUNCTION public.validate_offset_exists("offset" bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
AS $function$
declare
  known record;
begin
  select o.oldest_offset as oldest, o."offset" as latest into known from query_store_offset o where o.stream = 'updates';
  if not found then
    raise exception 'Offset % is not available: nothing has been projected', "offset"
      using errcode = 'object_not_in_prerequisite_state';
  elsif "offset" > known.latest then
    raise exception 'Offset % is after the latest projected offset %', "offset", known.latest
      using errcode = 'object_not_in_prerequisite_state';
  elsif "offset" < known.oldest then
    raise exception 'Offset % is before the oldest projected offset %', "offset", known.oldest
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  return "offset";
end
$function$;
comment on function validate_offset_exists("offset" bigint) is 'The offset itself, or an error if history does not reach it.';

CREATE OR REPLACE FUNCTION public.wake_recorded_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update subscription s set due_at = '-infinity', wakes = s.wakes + 1 where s.lifecycle_id = new.lifecycle_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.wake_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update subscription s set due_at = '-infinity', wakes = s.wakes + 1
  where s.lifecycle_id = case when new.kind = 'license' then new.id else new.origin_id end;
  return null;
end $function$;
