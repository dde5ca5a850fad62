import type {
  Claim,
  Claimed,
  FirstAttempt,
  Outbox,
  StartedAttempt,
} from '../../../src/app/ports/outbox.ts';
import type { Change, WaitingFor } from '../../../src/domain/change.ts';
import type { EffectId, ParticipantName, SubmissionId } from '../../../src/domain/ids.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import type { Tx } from '../../../src/app/ports/transaction.ts';
import type { Writes } from '../../../src/app/ports/writes.ts';
import type { Connection, Session } from './connection.ts';
import { query, transact } from './connection.ts';
import { isReplaying } from './cursors.ts';
import { instantOf } from './instants.ts';
import { circuitBefore, isForeign, isStopped } from './pauses.ts';
import type { ChangeRow, CircuitRow, EffectRow } from './rows.ts';
import type { Server, ServerTransaction } from './server.ts';
import { assertWrites, newsOf, saveWrites } from './write.ts';

export const unreachableBefore = (tx: ServerTransaction, effect: EffectRow): CircuitRow | null => {
  const circuit = circuitBefore(tx, effect);
  return circuit?.reason === 'unreachable' ? circuit : null;
};

/** Returns whether the change still has something to submit: see `CLAIM` in `src/store/engine/claims.ts`. */
export const mayStart = ({ change }: ChangeRow): boolean =>
  (change.state === 'submitting' || change.state === 'retrying') &&
  change.acceptance === null &&
  // While the store checks whether an earlier attempt took effect, no new attempt may begin.
  change.verifyAt === null;

/**
 * Returns whether the stream of the change's participant, or of the projection, is being read again after a restore.
 */
function isReadAgain(tx: ServerTransaction, { changeId }: EffectRow): boolean {
  const participant = tx.tables.changes.get(tx, changeId)?.change.submitter.participant;
  return participant !== undefined && isParticipantReadAgain(tx, participant);
}

export function isParticipantReadAgain(
  tx: ServerTransaction,
  participant: ParticipantName,
): boolean {
  const streams = [UPDATES_STREAM, completionsStream(participant)];
  return streams.some((stream) => {
    const row = tx.tables.cursors.get(tx, stream);
    return row !== undefined && isReplaying(tx, row);
  });
}

/** Locks the change and then its effect. All transactions lock them in this order. */
export async function lockForAttempt(tx: ServerTransaction, id: EffectId): Promise<void> {
  const { effects, changes } = tx.tables;
  const found = effects.get(tx, id);
  if (found === undefined) return;
  const blockedByChange = tx.lock(changes, found.changeId);
  if (blockedByChange !== undefined) await blockedByChange;
  // A job may run before the transaction that dispatched it has ended, so this waits until the job's dispatch number is
  // visible.
  const blockedByRelay = tx.lock(effects, id, 'share');
  if (blockedByRelay !== undefined) await blockedByRelay;
}

/** Returns what the change waits for. The wait continues if the attempt changes nothing. */
const waitedFor = ({ state, waitingFor }: Change): Pick<WaitingFor, 'after'> => {
  const after =
    state === 'retrying' && waitingFor !== null
      ? { kind: waitingFor.kind, since: waitingFor.since }
      : waitingFor?.after;
  return after === undefined ? {} : { after };
};

const started = (row: ChangeRow, n: number, atMs: number): ChangeRow => {
  const before = row.change.waitingFor;
  const change: Change = {
    ...row.change,
    state: 'submitting',
    waitingFor:
      before?.kind === 'traffic'
        ? before
        : {
            kind: 'ledger',
            detail: `attempt ${n} is on its way and not answered yet`,
            since: before?.kind === 'ledger' ? before.since : new Date(atMs).toISOString(),
            ...waitedFor(row.change),
          },
  };
  return { change, lastAttemptNo: n };
};

export async function startAttempt(
  tx: ServerTransaction,
  { effect: id, dispatchNo, submissionId, isReached }: Claim,
  sessionOf?: string,
): Promise<StartedAttempt | null> {
  await lockForAttempt(tx, id);
  const { effects, changes, lifecycles, attempts } = tx.tables;
  const effect = effects.get(tx, id);
  if (effect === undefined || effect.dispatchNo !== dispatchNo || effect.doneAtMs !== null) {
    return null;
  }
  if (isForeign(tx.tables, tx, effect) || isReadAgain(tx, effect)) return null;
  if (!isReached && unreachableBefore(tx, effect) !== null) return null;
  const newest = attempts
    .find(tx, 'change', effect.changeId)
    .find(({ n }) => n === changes.get(tx, effect.changeId)?.lastAttemptNo);
  // The next attempt replaces an attempt that was not sent.
  const unsent = newest?.answer?.unsent === true ? newest : undefined;
  const isStarted = await tx.update(changes, effect.changeId, (row) =>
    mayStart(row) ? started(row, unsent?.n ?? row.lastAttemptNo + 1, tx.beganAtMs) : null,
  );
  const row = changes.get(tx, effect.changeId);
  if (!isStarted || row === undefined) return null;
  const { change, lastAttemptNo: attempt } = row;
  const lifecycleOf = (name: unknown) =>
    typeof name === 'string' ? (lifecycles.get(tx, name) ?? null) : null;
  const lifecycle = lifecycleOf(change.lifecycleId);
  const begun = {
    changeId: change.id,
    n: attempt,
    submissionId,
    submitter: change.submitter,
    contractId: lifecycle?.contractId ?? null,
    at: instantOf(tx.beganAtMs),
    overAt: null,
    answer: null,
    ...(sessionOf === undefined ? {} : { sessionOf }),
  };
  await tx.upsert(attempts, begun, (before) => ({
    ...begun,
    unsent: {
      tries: (before.unsent?.tries ?? 0) + 1,
      since: before.unsent?.since ?? before.at,
    },
  }));
  const circuit = tx.tables.circuits.get(tx, change.submitter.participant);
  return {
    change,
    attempt,
    lifecycle,
    through:
      Object.values(change.fixed)
        .map(lifecycleOf)
        .find((found) => found !== null && found.id !== change.lifecycleId) ?? null,
    circuit: circuit?.probe === true ? circuit.reason : null,
  };
}

/** See `startFirst` in `src/store/engine/claims.ts`. */
async function startFirst(
  tx: ServerTransaction,
  writes: Writes,
  sessionOf: string,
  firsts: readonly FirstAttempt[],
): Promise<ReadonlyMap<EffectId, StartedAttempt>> {
  const { effects, pauses } = tx.tables;
  const blocked = tx.lock(pauses, 'all', 'share');
  if (blocked !== undefined) await blocked;
  await saveWrites(tx, writes);
  const begun = new Map<EffectId, StartedAttempt>();
  if (!tx.server.sessions.has(sessionOf)) return begun;
  const saved = new Set(writes.newEffects.map(({ id }) => id));
  for (const { effect: id, submissionId } of firsts) {
    const effect = effects.get(tx, id);
    if (effect === undefined || !saved.has(id)) continue;
    const isPaused = isStopped(tx.tables, tx, effect, pauses.all(tx));
    if (isPaused || isForeign(tx.tables, tx, effect) || isReadAgain(tx, effect)) continue;
    if (circuitBefore(tx, effect) !== null) continue;
    const dueAtMs = tx.beganAtMs + LIMITS.redispatchMs;
    await tx.update(effects, id, (row) => ({ ...row, dispatchNo: 1, dueAtMs }));
    const claim = { effect: id, dispatchNo: 1, submissionId, isReached: false };
    const started = await startAttempt(tx, claim, sessionOf);
    if (started !== null) begun.set(id, started);
  }
  return begun;
}

/**
 * See `RELEASE_ENDED` in `src/store/engine/claims.ts`. The simulation uses no random times here: all effects become due
 * at the same time, after the beginning of this transaction.
 */
export async function releaseEnded(tx: ServerTransaction): Promise<void> {
  const { effects } = tx.tables;
  const dueAtMs = tx.beganAtMs + 1;
  for (const effect of effects.find(tx, 'open', '')) {
    if (effect.dispatchNo !== 1 || effect.heldAtMs !== null || effect.dueAtMs <= dueAtMs) continue;
    const [first] = tx.tables.attempts
      .find(tx, 'change', effect.changeId)
      .filter(({ sessionOf, answer }) => sessionOf !== undefined && answer === null);
    if (first?.sessionOf === undefined || tx.server.sessions.has(first.sessionOf)) continue;
    if (!tx.tryLock(effects, effect.id)) continue;
    await tx.update(effects, effect.id, (row) => ({ ...row, dueAtMs }));
  }
}

/** See `Outbox.isCurrent`. */
function isCurrent(server: Server, id: EffectId, submissionId: SubmissionId): boolean {
  const { effects, changes, attempts } = server.tables;
  const effect = effects.get(null, id);
  if (effect?.dispatchNo !== 1 || effect.doneAtMs !== null || effect.heldAtMs !== null)
    return false;
  const row = changes.get(null, effect.changeId);
  if (row?.change.state !== 'submitting' || !mayStart(row)) return false;
  return attempts
    .find(null, 'change', effect.changeId)
    .some(
      (one) =>
        one.n === row.lastAttemptNo && one.submissionId === submissionId && one.answer === null,
    );
}

/** See `Outbox.giveUp`. */
async function giveUp(tx: ServerTransaction, ids: readonly EffectId[]): Promise<void> {
  for (const id of ids) {
    await tx.update(tx.tables.effects, id, (row) =>
      row.dispatchNo === 1 && row.doneAtMs === null && row.heldAtMs === null
        ? { ...row, dueAtMs: Math.min(row.dueAtMs, tx.beganAtMs) }
        : null,
    );
  }
}

/** See `Tx.startFirst`. */
export const startFirstOf =
  (session: Session): Tx['startFirst'] =>
  (writes, ...first) => {
    assertWrites(writes);
    const answer = session.run('tx.startFirst', (tx) => startFirst(tx, writes, ...first));
    session.announce(newsOf(writes));
    answer.catch(() => undefined);
    return () => answer;
  };

/** Creates the part of the outbox that serves first attempts. */
export const createFirstOutbox = (
  connection: Connection,
): Pick<Outbox, 'isCurrent' | 'giveUp'> => ({
  isCurrent: (effect, submissionId, io) =>
    query(connection, io, 'outbox.isCurrent', () =>
      isCurrent(connection.server, effect, submissionId),
    ),
  giveUp: (effects, io) =>
    transact(
      connection,
      io,
      (session) => {
        session.announce({ changes: [], effects: true, timers: false });
        return session.run('outbox.giveUp', (tx) => giveUp(tx, effects));
      },
      { call: 'outbox.giveUp' },
    ),
});

/** Locks the change and then its effect. Fails if another transaction has locked one of them. */
function tryLockForAttempt(tx: ServerTransaction, id: EffectId): boolean {
  const { effects, changes } = tx.tables;
  const found = effects.get(tx, id);
  return (
    found !== undefined && tx.tryLock(changes, found.changeId) && tx.tryLock(effects, id, 'share')
  );
}

/** Begins all attempts in one statement. Rows that another transaction has locked are skipped. */
export async function startAttempts(
  tx: ServerTransaction,
  claims: readonly Claim[],
): Promise<Claimed[]> {
  const seen = new Set<EffectId>();
  const claimed: Claimed[] = [];
  for (const claim of claims) {
    const isTaken = !seen.has(claim.effect) && tryLockForAttempt(tx, claim.effect);
    seen.add(claim.effect);
    claimed.push(isTaken ? await startAttempt(tx, claim) : 'apart');
  }
  return claimed;
}
