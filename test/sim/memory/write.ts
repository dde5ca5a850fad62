import type { AttemptUpdate, Writes } from '../../../src/app/ports/writes.ts';
import { movesEffects } from '../../../src/app/ports/writes.ts';
import type { AttemptAnswer, Change } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { HistoryEntry, Lifecycle } from '../../../src/domain/lifecycle.ts';
import { attemptUpdateToJson } from '../../../src/store/rows/attempt-row.ts';
import { closeByAnswers, openCircuits } from './pauses.ts';
import { auditToJson } from '../../../src/store/rows/audit-row.ts';
import { assertChange } from '../../../src/store/rows/change-row.ts';
import { historyToJson } from '../../../src/store/rows/history-row.ts';
import { assertLifecycle } from '../../../src/store/rows/lifecycle-row.ts';
import { mailboxToJson } from '../../../src/store/rows/mailbox-row.ts';
import type { News } from './connection.ts';
import { foreignKeyViolation, rowTwice, rowsMissing, uniqueViolation } from './database-error.ts';
import { saveEvents } from './arrivals.ts';
import { byText } from './find.ts';
import { contractKey } from './tables.ts';
import { instant, instantOrNull, msOf } from './instants.ts';
import type { ServerTransaction } from './server.ts';
import { wakeSubscriptions } from './subscription-rows.ts';
import { refreshTimers } from './timer-rows.ts';

/* Writes the engine's steps statement by statement, as `src/store/engine/save.ts` does. */

/** Checks everything before anything is sent, because an invalid write is a mistake of the caller. */
export function assertWrites(writes: Writes): void {
  for (const change of writes.changes) assertChange(change);
  for (const lifecycle of writes.lifecycles) assertLifecycle(lifecycle);
  for (const mailbox of writes.mailboxes) mailboxToJson(mailbox);
  for (const entry of writes.history) historyToJson(entry);
  for (const update of writes.attempts) attemptUpdateToJson(update);
  for (const entry of writes.audit) auditToJson(entry);
  const moved = [...writes.newEffects, ...writes.effectsDue].map(({ changeId }) => changeId);
  assertOnce('effect', [...moved, ...writes.effectsDone]);
}

function assertOnce(table: string, keys: readonly string[]): void {
  if (new Set(keys).size < keys.length) throw rowTwice(table);
}

async function saveMailboxes(tx: ServerTransaction, mailboxes: Writes['mailboxes']): Promise<void> {
  assertOnce(
    'mailbox',
    mailboxes.map(({ lane }) => lane),
  );
  for (const mailbox of mailboxes.toSorted((a, b) => byText(a.lane, b.lane))) {
    await tx.upsert(tx.tables.mailboxes, mailbox, () => mailbox);
  }
}

const lifecycleRow = (lifecycle: Lifecycle): Lifecycle => ({
  ...lifecycle,
  expiresAt: instantOrNull(lifecycle.expiresAt),
  createdAt: instant(lifecycle.createdAt),
  endedAt: instantOrNull(lifecycle.endedAt),
});

/**
 * Returns the next version of a lifecycle, in which fields that cannot change have their original values. Throws if the
 * step was made on an older version, or if the lifecycle has ended since.
 */
function stepped(before: Lifecycle, after: Lifecycle): Lifecycle | null {
  if (before.version >= after.version || before.endedAt !== null) return null;
  const { id, kind, lane, provider, appUser, createdAt } = before;
  const originId = before.originId ?? after.originId;
  return { ...after, id, kind, lane, originId, provider, appUser, createdAt };
}

async function saveLifecycles(
  tx: ServerTransaction,
  lifecycles: readonly Lifecycle[],
): Promise<void> {
  assertOnce(
    'lifecycle',
    lifecycles.map(({ id }) => id),
  );
  let missing = 0;
  const before = new Map(lifecycles.map(({ id }) => [id, tx.tables.lifecycles.get(tx, id)]));
  for (const lifecycle of lifecycles.toSorted((a, b) => byText(a.id, b.id))) {
    const row = lifecycleRow(lifecycle);
    const written = await tx.upsert(tx.tables.lifecycles, row, (before) => stepped(before, row));
    if (!written) missing += 1;
  }
  if (missing > 0) throw rowsMissing('lifecycle', missing);
  await wakeSubscriptions(tx, before);
}

async function saveOrigins(tx: ServerTransaction, origins: Writes['origins']): Promise<void> {
  const { contracts } = tx.tables;
  for (const { contractId, lifecycleId: originId } of origins) {
    for (const row of contracts.find(tx, 'contract', contractId)) {
      const key = contractKey(row.contractId, row.templateFqn);
      await tx.update(contracts, key, (now) =>
        now.originId === null ? { ...now, originId } : null,
      );
    }
  }
}

/** Checks references after the rows of a statement have been written. */
function assertReferences(
  constraint: string,
  keys: readonly string[],
  isThere: (key: string) => boolean,
): void {
  if (!keys.every(isThere)) throw foreignKeyViolation(constraint);
}

async function saveLineage(tx: ServerTransaction, lineage: Writes['lineage']): Promise<void> {
  const inserted: string[] = [];
  for (const { contractId, lifecycleId } of lineage) {
    const isNew = await tx.insertIfAbsent(tx.tables.lineage, { contractId, lifecycleId });
    if (isNew) inserted.push(lifecycleId);
  }
  assertReferences(
    'lineage_lifecycle_id_fkey',
    inserted,
    (id) => tx.tables.lifecycles.get(tx, id) !== undefined,
  );
}

const changeRow = (change: Change): Change => ({
  ...change,
  acceptedAt: instant(change.acceptedAt),
  finishedAt: instantOrNull(change.finishedAt),
});

/** Returns the new version of a change, with the request as it was recorded; `null` if the change has already ended. */
function replaced(before: Change, after: Change): Change | null {
  if (before.finishedAt !== null) return null;
  const { retryingFor: _, ...recorded } = before;
  return {
    ...recorded,
    lifecycleId: after.lifecycleId,
    submitter: { ...before.submitter, ledgerUser: after.submitter.ledgerUser },
    deduplicationOffset: after.deduplicationOffset,
    state: after.state,
    finishedAt: instantOrNull(after.finishedAt),
    attempts: after.attempts,
    acceptance: after.acceptance,
    verifyAt: after.verifyAt,
    proofAt: instantOrNull(after.proofAt),
    pendingRefusal: after.pendingRefusal,
    waitingFor: after.waitingFor,
    ...(after.retryingFor === undefined ? {} : { retryingFor: after.retryingFor }),
    result: after.result,
    error: after.error,
  };
}

async function saveChanges(tx: ServerTransaction, changes: readonly Change[]): Promise<void> {
  assertOnce(
    'change',
    changes.map(({ id }) => id),
  );
  // A change that stops being the head of a lane is written before the change that becomes the head.
  const sorted = changes.toSorted((a, b) => Number(isOpen(a.state)) - Number(isOpen(b.state)));
  const lanes: string[] = [];
  let missing = 0;
  for (const change of sorted) {
    const proposed = { change: changeRow(change), lastAttemptNo: 0 };
    let isNew = true;
    const written = await tx.upsert(tx.tables.changes, proposed, (row) => {
      isNew = false;
      const after = replaced(row.change, change);
      return after === null ? null : { ...row, change: after };
    });
    if (!written) missing += 1;
    if (isNew) lanes.push(change.lane);
  }
  assertReferences(
    'change_lane_fkey',
    lanes,
    (lane) => tx.tables.mailboxes.get(tx, lane) !== undefined,
  );
  if (missing > 0) throw rowsMissing('change', missing);
}

const assertChangesThere = (
  tx: ServerTransaction,
  constraint: string,
  rows: readonly { readonly changeId: string }[],
): void =>
  assertReferences(
    constraint,
    rows.map(({ changeId }) => changeId),
    (id) => tx.tables.changes.get(tx, id) !== undefined,
  );

async function saveNewEffects(tx: ServerTransaction, effects: Writes['newEffects']): Promise<void> {
  for (const { id, changeId, dueAt } of effects) {
    const written = await tx.insertIfAbsent(tx.tables.effects, {
      id,
      changeId,
      // The earlier time is used, because the clock of the process that records the change may be ahead of the
      // database's.
      dueAtMs: Math.min(msOf(dueAt), tx.beganAtMs),
      dispatchNo: 0,
      doneAtMs: null,
      madeAtMs: tx.beganAtMs,
      heldAtMs: null,
      putOffBy: null,
    });
    if (!written) throw uniqueViolation('effect_pkey');
  }
  assertChangesThere(tx, 'effect_change_id_fkey', effects);
}

const effectsOf = (tx: ServerTransaction, changeId: string): string[] =>
  tx.tables.effects.find(tx, 'change', changeId).map(({ id }) => id);

/**
 * Makes effects due. Raises their dispatch numbers, so that a late job of an earlier dispatch submits nothing too
 * early.
 */
async function saveEffectsDue(tx: ServerTransaction, due: Writes['effectsDue']): Promise<void> {
  const byChange = new Map(due.map((one) => [one.changeId, one.inMs]));
  let written = 0;
  for (const [changeId, inMs] of byChange) {
    for (const id of effectsOf(tx, changeId)) {
      const isWritten = await tx.update(tx.tables.effects, id, (before) => ({
        ...before,
        // The time is computed from the database's clock, because the clock of the process that postpones the effect
        // may be wrong.
        dueAtMs: tx.beganAtMs + inMs,
        dispatchNo: before.dispatchNo + 1,
        doneAtMs: null,
        putOffBy: null,
      }));
      written += Number(isWritten);
    }
  }
  if (written !== due.length) throw rowsMissing('effect', due.length - written);
}

async function saveEffectsDone(tx: ServerTransaction, done: Writes['effectsDone']): Promise<void> {
  for (const changeId of done) {
    for (const id of effectsOf(tx, changeId)) {
      await tx.update(tx.tables.effects, id, (before) =>
        before.doneAtMs === null ? { ...before, doneAtMs: tx.beganAtMs } : null,
      );
    }
  }
}

const SURENESS: Readonly<Record<AttemptAnswer['verdict'], number>> = {
  unknown: 1,
  refused: 2,
  accepted: 3,
};

/**
 * Returns whether an answer may replace another one. A less certain answer never replaces a more certain one, and
 * nothing replaces an acceptance.
 */
function mayReplace(before: AttemptAnswer | null, after: AttemptAnswer): boolean {
  if (before === null) return true;
  return before.verdict !== 'accepted' && SURENESS[after.verdict] >= SURENESS[before.verdict];
}

/** Returns the cost of an attempt if it is known. It is kept even if a later answer contains no cost. */
const paidFor = (before: AttemptAnswer | null): Pick<AttemptAnswer, 'cost'> =>
  before?.cost === undefined ? {} : { cost: before.cost };

async function saveAnswers(
  tx: ServerTransaction,
  updates: readonly AttemptUpdate[],
): Promise<void> {
  const surest = new Map<string, AttemptUpdate>();
  for (const update of updates) {
    const other = surest.get(update.submissionId);
    if (other !== undefined && SURENESS[other.answer.verdict] > SURENESS[update.answer.verdict]) {
      continue;
    }
    surest.set(update.submissionId, update);
  }
  const { attempts } = tx.tables;
  for (const { submissionId, answer } of surest.values()) {
    for (const row of attempts.find(tx, 'submission', submissionId)) {
      if (!mayReplace(row.answer, answer)) continue;
      await tx.update(attempts, attempts.keyOf(row), (before) =>
        mayReplace(before.answer, answer)
          ? { ...before, answer: { ...paidFor(before.answer), ...answer, at: instant(answer.at) } }
          : null,
      );
    }
  }
  await closeByAnswers(tx, [...surest.values()]);
}

/** Saves facts about attempts. Facts that are known already are kept. */
async function savePins(tx: ServerTransaction, pins: Writes['pins']): Promise<void> {
  const { attempts } = tx.tables;
  for (const { submissionId, overAt } of pins) {
    for (const row of attempts.find(tx, 'submission', submissionId)) {
      await tx.update(attempts, attempts.keyOf(row), (before) =>
        before.overAt === null ? { ...before, overAt: instant(overAt) } : null,
      );
    }
  }
}

/** Saves lines of the history. Their numbers within a version continue after those of earlier transactions. */
async function saveHistory(tx: ServerTransaction, entries: readonly HistoryEntry[]): Promise<void> {
  const { history } = tx.tables;
  // All numbers are assigned before any line is written, because one statement writes all lines.
  const last = new Map<string, number>();
  const rows = entries.map((entry) => {
    const version = `${entry.lifecycleId} ${entry.seq}`;
    let n = last.get(version) ?? 0;
    if (n === 0) {
      for (const row of history.find(tx, 'lifecycle', entry.lifecycleId)) {
        if (row.entry.seq === entry.seq) n = Math.max(n, row.n);
      }
    }
    last.set(version, n + 1);
    return { entry: { ...entry, at: instant(entry.at) }, n: n + 1 };
  });
  for (const row of rows) {
    if (!(await tx.insertIfAbsent(history, row))) throw uniqueViolation('history_pkey');
  }
}

export async function saveAudit(tx: ServerTransaction, entries: Writes['audit']): Promise<void> {
  for (const entry of entries) {
    await tx.insertIfAbsent(tx.tables.audit, {
      id: tx.server.nextAuditId(),
      entry: { ...entry, at: instant(entry.at) },
    });
  }
  const named = entries.flatMap(({ changeId }) => (changeId === null ? [] : [{ changeId }]));
  assertChangesThere(tx, 'audit_change_id_fkey', named);
  const untold = entries.filter(({ changeId }) => changeId === null);
  await saveEvents(
    tx,
    untold.map(({ act, subject, byParty }) => ({
      type: 'tenure.audit.recorded',
      subject: subject ?? act,
      lifecycleId: null,
      parties: [byParty],
      data: { act, ...(subject === undefined ? {} : { object: subject }) },
    })),
  );
}

export async function saveWrites(tx: ServerTransaction, writes: Writes): Promise<void> {
  if (writes.mailboxes.length > 0) await saveMailboxes(tx, writes.mailboxes);
  if (writes.lifecycles.length > 0) await saveLifecycles(tx, writes.lifecycles);
  if (writes.lineage.length > 0) await saveLineage(tx, writes.lineage);
  if (writes.origins.length > 0) await saveOrigins(tx, writes.origins);
  if (writes.changes.length > 0) await saveChanges(tx, writes.changes);
  if (writes.newEffects.length > 0) await saveNewEffects(tx, writes.newEffects);
  if (writes.effectsDue.length > 0) await saveEffectsDue(tx, writes.effectsDue);
  if (writes.effectsDone.length > 0) await saveEffectsDone(tx, writes.effectsDone);
  if (writes.attempts.length > 0) await saveAnswers(tx, writes.attempts);
  if (writes.pins.length > 0) await savePins(tx, writes.pins);
  if (writes.history.length > 0) await saveHistory(tx, writes.history);
  if (writes.audit.length > 0) await saveAudit(tx, writes.audit);
  if (writes.events.length > 0) await saveEvents(tx, writes.events);
  if (writes.circuits.length > 0) await openCircuits(tx, writes.circuits);
  if (writes.timerLanes.length > 0) await refreshTimers(tx, writes);
  for (const { lane, afterNo } of writes.interrupted) {
    const row = { lane, afterNo, turnAtMs: tx.tables.now() };
    await tx.upsert(tx.tables.interruptedLanes, row, () => row);
  }
  for (const lane of writes.resumed) await tx.remove(tx.tables.interruptedLanes, lane);
}

/**
 * Returns what a write announces: changes that have ended or are in doubt, effects that may be due, and changed timers.
 */
export const newsOf = (writes: Writes): News => ({
  changes: writes.changes
    .filter(({ state }) => !isOpen(state) || state === 'in-doubt')
    .map(({ id }) => id),
  effects: movesEffects(writes),
  timers: writes.timerLanes.length > 0 || writes.wakesClock,
});

/**
 * Returns whether this is the epoch of the lease, and keeps it so until the transaction ends: because the row is
 * locked, no other process can take the lease before.
 */
export async function ownsLease(
  tx: ServerTransaction,
  name: string,
  epoch: bigint,
): Promise<boolean> {
  const { leases } = tx.tables;
  const isOurs = () => leases.get(tx, name)?.epoch === epoch;
  if (!isOurs()) return false;
  const blocked = tx.lock(leases, name, 'share');
  if (blocked !== undefined) await blocked;
  return isOurs();
}
