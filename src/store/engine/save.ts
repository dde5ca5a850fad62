import type { AttemptUpdate, LineageEntry, Writes } from '../../app/ports/writes.ts';
import { movesEffects } from '../../app/ports/writes.ts';
import type { Change } from '../../domain/change.ts';
import { isAsSure, isAtHead, isOpen } from '../../domain/change.ts';
import type { LifecycleId } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { sendAudit } from './audit.ts';
import {
  ARRIVALS_CHANNEL,
  CHANGES_CHANNEL,
  EFFECTS_CHANNEL,
  TIMERS_CHANNEL,
  TIMER_FACTS,
  packIds,
} from '../sql/channels.ts';
import { closedBy, sendOpenings } from './circuits.ts';
import { attemptUpdateToJson } from '../rows/attempt-row.ts';
import { failureToJson } from '../rows/failure-row.ts';
import { CHANGE_COLUMNS, changeToJson } from '../rows/change-row.ts';
import { eventToJson } from '../rows/event-row.ts';
import { historyToJson } from '../rows/history-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleToJson } from '../rows/lifecycle-row.ts';
import { mailboxToJson } from '../rows/mailbox-row.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';

/*
 * Writes rows with one statement, or with one statement for each table, however many rows there are: the rows are
 * passed as one JSON array. A row that must not be overwritten is omitted by the statement's own `where`, which judges
 * the row under its lock; `require_rows` then fails the statement. So nothing has to be read back before the commit is
 * sent.
 *
 * An update also passes its keys as an array. PostgreSQL expects fewer keys in an array than rows in JSON, and few
 * enough that it uses the index even if the plan is made while the table is small.
 */

/** Parts of a statement that saves changes and starts their first attempts: see `SAVE_FIRST` in `claims.ts`. */
interface FirstParts {
  /** Parts of the `with` before the changes are saved. They must not read rows that the statement itself writes. */
  readonly parts: string;
  /** A part of the `with` after the changes are saved. */
  readonly recorded: string;
  /** The value of `change.waiting_for` for the row `r`. */
  readonly waitingFor: string;
  /** The value of `effect.due_at` for the row `r`. */
  readonly dueAt: string;
  /** Returns the number of attempts that are started for a change: 0 or 1. */
  readonly attempts: (change: string) => string;
  /** The query at the end. It must read `checked`. */
  readonly answer: string;
}

/** SQL, parts of the `with`: the rows that come before the changes. */
const LANES_SAVED = `mailboxes as (
     insert into mailbox (lane, head, next_no, waiting)
     select r.lane, r.head, r.next_no, r.waiting
     from json_to_recordset($1::json) as r(lane text, head uuid, next_no integer, waiting integer)
     on conflict (lane) do update
     set head = excluded.head, next_no = excluded.next_no, waiting = excluded.waiting
   ), lifecycles as (
     insert into lifecycle (${LIFECYCLE_COLUMNS.join(', ')}, listed_as, listed_version)
     select ${columnsOf('r', LIFECYCLE_COLUMNS)},
            coalesce((select k.listed_as from lifecycle k where k.id = r.id and r.is_under_way), r.state), r.version
     from json_to_recordset($2::json) as r(
       id text, kind text, machine_version integer, state text, context jsonb, lane text, origin_id text,
       provider text, app_user text, contract_id text, license_num bigint, expires_at timestamptz, version integer,
       created_at timestamptz, ended_at timestamptz, is_under_way boolean)
     on conflict (id) do update
     set machine_version = excluded.machine_version, state = excluded.state, context = excluded.context,
         contract_id = excluded.contract_id, license_num = excluded.license_num,
         origin_id = coalesce(lifecycle.origin_id, excluded.origin_id),
         expires_at = excluded.expires_at, version = excluded.version, ended_at = excluded.ended_at,
         listed_as = excluded.listed_as, listed_version = excluded.listed_version
     where lifecycle.version < excluded.version and lifecycle.ended_at is null
     returning 1
   ), lineages as (
     insert into lineage (contract_id, lifecycle_id)
     select r.contract_id, r.lifecycle_id
     from json_to_recordset($4::json) as r(contract_id text, lifecycle_id text)
     on conflict (contract_id) do nothing
   ), belonging as (
     update contract c set origin_id = r.lifecycle_id
     from json_to_recordset($10::json) as r(contract_id text, lifecycle_id text)
     where c.contract_id = r.contract_id and c.contract_id = any($11) and c.origin_id is null
   )`;

/** SQL, parts of the `with`: history and events. */
const NEWS_SAVED = `lines as (
     insert into history (lifecycle_id, seq, n, at, kind, state, by, command_id, ledger_offset, update_id,
                          contract_id, detail)
     select r.lifecycle_id, r.seq,
            coalesce((select max(h.n) from history h where h.lifecycle_id = r.lifecycle_id and h.seq = r.seq), 0)
              + row_number() over (partition by r.lifecycle_id, r.seq order by r.place),
            r.at, r.kind, r.state, r.by, r.command_id, r.ledger_offset, r.update_id, r.contract_id, r.detail
     from rows from (json_to_recordset($8::json) as (
            lifecycle_id text, seq integer, at timestamptz, kind text, state text, by text, command_id text,
            ledger_offset bigint, update_id text, contract_id text, detail jsonb))
          with ordinality as r(lifecycle_id, seq, at, kind, state, by, command_id, ledger_offset, update_id,
                               contract_id, detail, place)
   ), arrivals as (
     insert into arrival (events) select $9::jsonb where $9::jsonb is not null
   )`;

/**
 * SQL: does the writes of most transactions in one statement, because each statement costs messages, whatever it
 * writes. No part reads rows that another part writes, and references are checked at the end. Only `FirstParts` read
 * the result of `changes`.
 *
 * - belonging: contracts that the same transaction has just inserted.
 * - lifecycles: a step from an older version, or on a lifecycle that has ended since, is an error. While an operation
 *   is in progress, the lifecycle stays listed under its previous state: then its indexed columns do not change, so its
 *   row can stay on its page.
 * - changes: an outcome is written only once, so writing a finished change is an error.
 * - effects: due at once by the database's clock, because the clock of the recording process may be ahead.
 * - done: effects that end. No other part writes them.
 * - history: lines of one version have a further number, which continues where an earlier transaction stopped.
 * - events: the events of a transaction are one row, because a batch of operations notifies the same parties
 *   repeatedly.
 */
export const savingTogether = (first: FirstParts | null): string =>
  `with ${first === null ? '' : `${first.parts},`}
   ${LANES_SAVED}, changes as (
     insert into change (${CHANGE_COLUMNS.join(', ')}, failure${first === null ? '' : ', last_attempt_no'})
     select ${columnsOf('r', CHANGE_COLUMNS).replace('r.waiting_for', first?.waitingFor ?? '$&')}, r.failure
            ${first === null ? '' : `, ${first.attempts('r.id')}`}
     from json_to_recordset($5::json) as r(
       id uuid, command_id text, operation text, lifecycle_id text, lane text, mailbox_no integer,
       caller_party text, caller_subject text, provider text, app_user text, participant text, ledger_user text,
       act_as text, body json,
       fixed json, fingerprint text, traceparent text, state text, accepted_at timestamptz, finished_at timestamptz,
       deduplication_offset bigint, attempts integer, accepted_update_id text, accepted_offset bigint,
       accepted_read_back boolean, verify_at bigint, proof_at timestamptz, pending_refusal jsonb, waiting_for jsonb,
       retrying_for text, result json,
       error jsonb, failure text)
     on conflict (id) do update
     set lifecycle_id = excluded.lifecycle_id, ledger_user = excluded.ledger_user,
         deduplication_offset = excluded.deduplication_offset, state = excluded.state, finished_at = excluded.finished_at,
         attempts = excluded.attempts, accepted_update_id = excluded.accepted_update_id,
         accepted_offset = excluded.accepted_offset, accepted_read_back = excluded.accepted_read_back,
         verify_at = excluded.verify_at, proof_at = excluded.proof_at, pending_refusal = excluded.pending_refusal,
         waiting_for = excluded.waiting_for, retrying_for = excluded.retrying_for, result = excluded.result, error = excluded.error,
         failure = excluded.failure
     where change.finished_at is null
     returning ${columnsOf('change', CHANGE_COLUMNS)}, change.last_attempt_no
   ), effects as (
     insert into effect (id, change_id, due_at, provider, party, dispatch_no)
     select r.id, r.change_id, ${first?.dueAt ?? 'least(r.due_at, now())'}, coalesce(r.provider, c.provider, ''),
            coalesce(r.party, c.caller_party, ''), ${first?.attempts('r.change_id') ?? '0'}
     from json_to_recordset($7::json) as r(id text, change_id uuid, due_at timestamptz, provider text, party text)
       -- A change that is saved here is not there for this statement, or not as it will be, and tells this itself.
       left join change c on r.provider is null and c.id = r.change_id
   ), ${NEWS_SAVED}, ${first?.recorded ?? `done as (${ending('$12')})`}, checked as materialized (
     select require_rows('lifecycle', $3, (select count(*) from lifecycles)) as lifecycles,
            require_rows('change', $6, (select count(*) from changes)) as changes
   )
   ${first?.answer ?? 'select * from checked'}`;

/** SQL: ends the effects of changes. */
function ending(changes: string): string {
  return `update effect set done_at = now() where change_id = any(${changes}) and done_at is null`;
}

const SAVE_TOGETHER = statement<never>('save-together', savingTogether(null));

/**
 * Updates the listed state of a lifecycle after an operation has ended without changing the lifecycle. Lifecycles of
 * other lanes are left out: they are not locked here, and an operation of this lane did not delay their listed state.
 */
const SETTLE_LISTED = statement<never>(
  'settle-listed',
  `update lifecycle l set listed_as = l.state
   from json_to_recordset($1::json) as r(id text, lane text)
   where l.id = r.id and l.id = any($2) and l.lane = r.lane and l.listed_as <> l.state`,
);

/** SQL: the values of a lifecycle from which its timers follow. */
const TIMED = `select l.id, l.kind, l.lane, l.provider, l.app_user, l.license_num, l.origin_id, l.expires_at,
            l.created_at, l.ended_at, nullif(l.context ->> 'settleBefore', '')::timestamptz as settle_before
     from lifecycle l`;

const KEPT = columnsOf('l', [
  'id',
  'provider',
  'app_user',
  'license_num',
  'expires_at',
  'created_at',
]);

/**
 * Updates the timers of lifecycles in the transaction that changes these lifecycles. A timer whose lapse time changes
 * may fire again. Other lifecycles of the lane are not read, however many there are.
 *
 * An open renewal delays the expiry of its licence. If the licence of the renewal is not known, the renewal delays all
 * licences with its number and parties. Such a renewal has a lane of its own, and refreshes the timers of all licences
 * that it delays.
 *
 * `offset 0` makes PostgreSQL look up each licence by its key. Otherwise a plan made while the table is small would use
 * an index of active lifecycles, and would read all of them when the table is large.
 *
 * `$1`: the IDs of the lifecycles.
 */
const REFRESH_TIMERS = statement<never>(
  'refresh-timers',
  `with mine as materialized (
     ${TIMED} where l.id = any($1)
   ), kept as materialized (
     select ${KEPT} from mine l where l.kind = 'license' and l.ended_at is null
     union
     select ${KEPT}
     from mine m cross join lateral (select * from lifecycle o where o.id = m.origin_id offset 0) l
     where l.kind = 'license' and l.ended_at is null
     union
     select ${KEPT}
     from mine m cross join lateral (
       select * from lifecycle o
       where o.kind = 'license' and o.provider = m.provider and o.app_user = m.app_user and o.list_no = m.license_num
         and o.ended_at is null
       offset 0) l
     where m.kind = 'renewal' and m.lane is distinct from (select o.lane from lifecycle o where o.id = m.origin_id)
   ), ended as (
     delete from timer t using mine m where t.lifecycle_id = m.id and m.ended_at is not null
   ), wanted as (
     select k.id, 'expire' as kind, k.provider, k.expires_at as lapses_at,
            (select max(nullif(r.context ->> 'settleBefore', '')::timestamptz) from lifecycle r
             where r.kind = 'renewal' and r.ended_at is null and r.provider = k.provider and r.app_user = k.app_user
               and r.license_num = k.license_num and coalesce(r.origin_id, k.id) = k.id) as open_until,
            k.expires_at <= k.created_at as never_renewed
     from kept k
     union all
     select m.id, 'withdraw', m.provider, m.settle_before, null, false
     from mine m where m.kind = 'renewal' and m.ended_at is null
   )
   insert into timer as t (lifecycle_id, kind, provider, lapses_at, open_until, never_renewed)
   select w.id, w.kind, w.provider, w.lapses_at, w.open_until, w.never_renewed
   from wanted w
   where w.lapses_at is not null and not exists (
     -- What is proposed to a row that is there locks it, whatever becomes of that.
     select from timer u where u.lifecycle_id = w.id and (u.lapses_at, u.open_until, u.never_renewed)
       is not distinct from (w.lapses_at, w.open_until, w.never_renewed))
   order by w.id collate "C"
   on conflict (lifecycle_id) do update
   set lapses_at = excluded.lapses_at, open_until = excluded.open_until, never_renewed = excluded.never_renewed,
       generation = case when t.lapses_at = excluded.lapses_at then t.generation else 0 end,
       failures = case when t.lapses_at = excluded.lapses_at then t.failures else 0 end,
       not_before = case when t.lapses_at = excluded.lapses_at then t.not_before end,
       change_id = case when t.lapses_at = excluded.lapses_at then t.change_id end,
       given_up = t.given_up and t.lapses_at = excluded.lapses_at
   where (t.lapses_at, t.open_until, t.never_renewed)
     is distinct from (excluded.lapses_at, excluded.open_until, excluded.never_renewed)`,
);

/**
 * Raises the dispatch number, so that a late job of an earlier dispatch does not submit too early. The delay starts at
 * the database's time, because the clock of the process may be wrong.
 */
const SAVE_EFFECTS_DUE = statement<never>(
  'save-effects-due',
  `with written as (
     update effect e set due_at = now() + r.in_ms * interval '1 millisecond',
       dispatch_no = e.dispatch_no + 1, done_at = null, put_off_by = null
     from json_to_recordset($1::json) as r(change_id uuid, in_ms float8)
     where e.change_id = r.change_id and e.change_id = any($2)
     returning 1
   )
   select require_rows('effect', cardinality($2), count(*)) from written`,
);

const SAVE_EFFECTS_DONE = statement<never>('save-effects-done', ending('$1'));

/**
 * A less certain answer never replaces a more certain one, whichever arrives later. An answer from the participant or
 * from the network closes a circuit.
 */
const SAVE_ANSWERS = statement<never>(
  'save-answers',
  `with r as materialized (
     select * from json_to_recordset($1::json) as r(
       submission_id text, answered_at timestamptz, verdict text, ledger_code text, explanation text,
       answer_offset bigint, cost bigint, unsent boolean, reached text, proven_at timestamptz)
   ), ${closedBy('r', '$2')}
   update attempt a
   set answered_at = r.answered_at, verdict = r.verdict, ledger_code = r.ledger_code,
       explanation = r.explanation, answer_offset = r.answer_offset, unsent = r.unsent, proven_at = r.proven_at,
       -- What was paid is paid, also where a later answer does not tell.
       cost = coalesce(r.cost, a.cost)
   from r
   where a.submission_id = r.submission_id and a.submission_id = any($2)
     and a.verdict is distinct from 'accepted'
     and array_position(array['unknown', 'refused', 'accepted'], r.verdict)
         >= coalesce(array_position(array['unknown', 'refused', 'accepted'], a.verdict), 0)`,
);

const SAVE_PINS = statement<never>(
  'save-pins',
  `update attempt a set over_at = r.over_at
   from json_to_recordset($1::json) as r(submission_id text, over_at timestamptz)
   where a.submission_id = r.submission_id and a.submission_id = any($2) and a.over_at is null`,
);

/**
 * Stores each kind of failure once. The rows are in fingerprint order, so that two transactions with the same new kind
 * cannot deadlock.
 */
const SAVE_FAILURES = statement<never>(
  'save-failures',
  `insert into failure (fingerprint, operation, state, code, ledger_code, class, explanation)
   select distinct on (r.fingerprint) r.fingerprint, r.operation, r.state, r.code, r.ledger_code, r.class, r.explanation
   from json_to_recordset($1::json) as r(
     fingerprint text, operation text, state text, code text, ledger_code text, class text, explanation text)
   order by r.fingerprint
   on conflict (fingerprint) do nothing`,
);

/** A share lock: concurrent failures do not block each other, but they block decisions about the failure. */
const LOCK_FAILURES = statement<never>(
  'lock-failures',
  'select from failure where fingerprint = any($1) order by fingerprint for key share',
);

/**
 * Reopens failures that one of the change's parties had marked as resolved. Runs as a separate statement after the
 * lock, so that it sees all decisions committed before the lock was granted.
 */
const REOPEN_FAILURES = statement<never>(
  'reopen-failures',
  `update failure_decision d set reopened_at = r.finished_at
   from json_to_recordset($1::json) as r(
     fingerprint text, provider text, caller_party text, finished_at timestamptz)
   where d.fingerprint = r.fingerprint and d.fingerprint = any($2) and d.party in (r.provider, r.caller_party)
     and d.state = 'resolved' and d.reopened_at is null`,
);

/** Saves the events of a transaction. If a person's act caused them, the event of the act comes first. */
const SAVE_EVENTS = statement<never>('save-events', 'insert into arrival (events) values ($1)');

/** Moves the lane to the end of the queue of interrupted lanes. */
const SAVE_INTERRUPTED = statement<never>(
  'save-interrupted',
  `insert into interrupted_lane (lane, after_no)
   select r.lane, r.after_no from json_to_recordset($1::json) as r(lane text, after_no integer)
   order by r.lane collate "C"
   on conflict (lane) do update set after_no = excluded.after_no, turn_at = clock_timestamp()`,
);

const SAVE_RESUMED = statement<never>(
  'save-resumed',
  'delete from interrupted_lane where lane = any($1)',
);

/**
 * Returns one answer for each attempt: the most certain one in the batch; among equally certain answers, the latest.
 */
function surestAnswers(updates: readonly AttemptUpdate[]): AttemptUpdate[] {
  const kept = new Map<string, AttemptUpdate>();
  for (const update of updates) {
    const other = kept.get(update.submissionId);
    if (isAsSure(update.answer, other?.answer ?? null)) kept.set(update.submissionId, update);
  }
  return [...kept.values()];
}

/** Whether waiting callers must be notified of a change: it has an outcome, or it needs a person's decision. */
const isNews = (change: Change): boolean => !isOpen(change.state) || change.state === 'in-doubt';

function announce(session: Session, writes: Writes, process: string): void {
  const news = writes.changes.filter(isNews).map((change) => change.id);
  for (const payload of packIds(news)) session.announce(CHANGES_CHANNEL, payload);
  if (movesEffects(writes)) session.announce(EFFECTS_CHANNEL, process);
  if (writes.events.length > 0) session.announce(ARRIVALS_CHANNEL, '');
  if (writes.timerLanes.length > 0 || writes.wakesClock)
    session.announce(TIMERS_CHANNEL, TIMER_FACTS);
}

const byKey =
  <T>(key: (item: T) => string) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : 1;

const rows = (items: readonly object[]): string => JSON.stringify(items);

/** Returns the lifecycles of those saved changes that are heads of their lanes. */
const underWay = (changes: readonly Change[]): ReadonlySet<LifecycleId | null> =>
  new Set(changes.filter(({ state }) => isAtHead(state)).map(({ lifecycleId }) => lifecycleId));

const listedToJson = (lifecycle: Lifecycle, heads: ReadonlySet<LifecycleId | null>) => ({
  ...lifecycleToJson(lifecycle),
  is_under_way: lifecycle.endedAt === null && heads.has(lifecycle.id),
});

function sendSettled(session: Session, { changes, lifecycles }: Writes): void {
  const heads = underWay(changes);
  const written = new Set<LifecycleId | null>(lifecycles.map(({ id }) => id));
  const entries = changes
    .filter(({ state }) => !isOpen(state))
    .filter(({ lifecycleId: id }) => id !== null && !written.has(id) && !heads.has(id))
    .map(({ lifecycleId: id, lane }) => ({ id, lane }));
  if (entries.length > 0) session.send(SETTLE_LISTED, [rows(entries), entries.map(({ id }) => id)]);
}

/** Sends a statement that `savingTogether` has built. Its parameters from `$12` on are the caller's. */
export type SendTogether = (values: readonly unknown[]) => void;

/** Returns whether there was anything to send. */
function sendTogether(writes: Writes, send: SendTogether): boolean {
  const { mailboxes, lifecycles, lineage, origins, changes, newEffects, history } = writes;
  const events = writes.audit.length === 0 ? writes.events : [];
  const all = [mailboxes, lifecycles, lineage, origins, changes, newEffects, history, events];
  if (all.every(({ length }) => length === 0)) return false;
  const entriesOf = (named: readonly Omit<LineageEntry, 'lane'>[]): string =>
    rows(named.map((one) => ({ contract_id: one.contractId, lifecycle_id: one.lifecycleId })));
  const heads = underWay(changes);
  const saved = new Map(changes.map((change) => [change.id, change]));
  const effects = newEffects.map(({ id, changeId: change_id, dueAt: due_at }) => {
    const { provider = null, callerParty: party = null } = saved.get(change_id) ?? {};
    return { id, change_id, due_at, provider, party };
  });
  // Rows that free a lane's head are written first, because the unique index is checked per row.
  const inOrder = changes.toSorted((a, b) => Number(isOpen(a.state)) - Number(isOpen(b.state)));
  send([
    rows(mailboxes.toSorted(byKey(({ lane }) => lane)).map(mailboxToJson)),
    rows(lifecycles.toSorted(byKey(({ id }) => id)).map((one) => listedToJson(one, heads))),
    lifecycles.length,
    entriesOf(lineage),
    rows(inOrder.map(changeToJson)),
    changes.length,
    rows(effects),
    rows(history.map(historyToJson)),
    events.length === 0 ? null : rows(events.map(eventToJson)),
    entriesOf(origins),
    origins.map(({ contractId }) => contractId),
  ]);
  return true;
}

/** Records the failures with which changes have ended, in the order of the changes. */
function sendFailures(session: Session, changes: readonly Change[]): void {
  const failures = changes.filter(({ error }) => error !== null).flatMap(failureToJson);
  if (failures.length === 0) return;
  const keys = failures.map(({ fingerprint }) => fingerprint);
  session.send(SAVE_FAILURES, [rows(failures)]);
  session.send(LOCK_FAILURES, [keys]);
  session.send(REOPEN_FAILURES, [rows(failures), keys]);
}

/**
 * Sends all writes of a step without waiting for answers. If one of them fails, the commit fails, and so does every
 * statement before the commit.
 *
 * @param process see `StoreObserver`
 * @param send sends the first statement. @default sends `SAVE_TOGETHER`
 */
export function sendWrites(
  session: Session,
  writes: Writes,
  process: string,
  send?: SendTogether,
): void {
  const { changes, effectsDue, effectsDone } = writes;
  const together = send === undefined ? effectsDone : [];
  const isSent = sendTogether(
    writes,
    send ?? ((values) => session.send(SAVE_TOGETHER, [...values, together])),
  );
  sendSettled(session, writes);
  sendFailures(session, changes);
  if (effectsDue.length > 0) {
    const entries = effectsDue.map((due) => ({ change_id: due.changeId, in_ms: due.inMs }));
    session.send(SAVE_EFFECTS_DUE, [rows(entries), entries.map((due) => due.change_id)]);
  }
  if (effectsDone.length > (isSent ? together.length : 0))
    session.send(SAVE_EFFECTS_DONE, [effectsDone]);
  sendRest(session, writes, process);
}

/** Sends rows about the turns of interrupted lanes. The transaction has locked these lanes. */
function sendTurns(session: Session, { interrupted, resumed }: Writes): void {
  if (interrupted.length > 0) {
    const entries = interrupted.map(({ lane, afterNo: after_no }) => ({ lane, after_no }));
    session.send(SAVE_INTERRUPTED, [rows(entries)]);
  }
  if (resumed.length > 0) session.send(SAVE_RESUMED, [resumed]);
}

function sendRest(session: Session, writes: Writes, process: string): void {
  const { attempts, audit, events, circuits } = writes;
  if (attempts.length > 0) {
    const answers = surestAnswers(attempts).map(attemptUpdateToJson);
    const keys = answers.map((row) => row.submission_id);
    session.send(SAVE_ANSWERS, [JSON.stringify(answers), keys]);
  }
  if (writes.pins.length > 0) {
    const pins = writes.pins.map(({ submissionId, overAt }) => ({
      submission_id: submissionId,
      over_at: overAt,
    }));
    session.send(SAVE_PINS, [JSON.stringify(pins), pins.map((pin) => pin.submission_id)]);
  }
  if (audit.length > 0) {
    sendAudit(session, audit);
    if (events.length > 0) session.send(SAVE_EVENTS, [rows(events.map(eventToJson))]);
  }
  if (circuits.length > 0) sendOpenings(session, circuits);
  sendTurns(session, writes);
  if (writes.timerLanes.length > 0) {
    const timed = writes.lifecycles.filter(({ lane }) => writes.timerLanes.includes(lane));
    session.send(REFRESH_TIMERS, [timed.map(({ id }) => id)]);
  }
  announce(session, writes, process);
}
