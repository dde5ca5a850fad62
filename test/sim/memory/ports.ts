import type { Dispatched, Outbox } from '../../../src/app/ports/outbox.ts';
import { NotAllPutError } from '../../../src/app/ports/outbox.ts';
import type { Store, Tx } from '../../../src/app/ports/transaction.ts';
import { completionsStream } from '../../../src/app/ports/streams.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { EffectId, ParticipantName } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { isDatabaseUnavailable } from '../../../src/store/sql/deadline.ts';
import {
  createFirstOutbox,
  isParticipantReadAgain,
  lockForAttempt,
  mayStart,
  releaseEnded,
  startAttempt,
  startAttempts,
  startFirstOf,
  unreachableBefore,
} from './claims.ts';
import type { Connection, Session } from './connection.ts';
import { query, transact } from './connection.ts';
import { byText, findInterrupted } from './find.ts';
import { findAppliedUpdate, findOwnCarrying } from './carrying.ts';
import {
  findAwaitedProofs,
  findAttempts,
  findChange,
  findChangeByCommand,
  findLanes,
  findEndedWithoutEffect,
  findLanesUnheard,
  findLanesWaitingFor,
  findAlike,
  findBegunThrough,
  findLifecycle,
  findOpenIn,
  findProvenTime,
  findQuotaUse,
  findTraffic,
  findQueued,
  findCreationOf,
  findRetries,
  findSynchronizersOf,
  findToldTime,
} from './find.ts';
import { clearForeign, markForeign } from './foreign-ledgers.ts';
import {
  circuitBefore,
  closeUnreachable,
  findParticipantCauses,
  isForeign,
  isStopped,
  lockForeignLedgers,
  lockPauses,
  submitAgain,
  takeProbe,
} from './pauses.ts';
import { holdPolicyVersion } from './policies.ts';
import { createLocks } from './lanes.ts';
import { insertActiveContracts, insertUpdates } from './projection.ts';
import { createReads } from './reads.ts';
import type { CircuitRow, EffectRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import { holdTimer, moveAll } from './timers.ts';
import { findSettlement } from './views.ts';
import {
  beginReplay,
  boundLost,
  findReplays,
  bury,
  isReplaying,
  knowSynchronizers,
  moveCursors,
  startCursor,
} from './cursors.ts';
import { createSynchronizersTx } from './synchronizers.ts';
import { inTurn } from './turns.ts';
import { assertWrites, newsOf, ownsLease, saveWrites } from './write.ts';

/**
 * The engine's transaction. Calls that write are sent without waiting for the answer: see
 * `src/store/postgres-store.ts`.
 */
export function createTx(session: Session): Tx {
  return {
    changeByCommand: (key) =>
      session.run('tx.changeByCommand', (tx) => findChangeByCommand(tx.tables, tx, key)),
    findLifecycle: (id) =>
      session.run('tx.findLifecycle', (tx) => findLifecycle(tx.tables, tx, id)),
    begunThrough: (id) =>
      session.run('tx.begunThrough', (tx) => findBegunThrough(tx.tables, tx, id)),
    alike: (kind, of) => session.run('tx.alike', (tx) => findAlike(tx.tables, tx, kind, of)),
    lanesOf: (asked) => session.run('tx.lanesOf', (tx) => findLanes(tx.tables, tx, asked)),
    lanesWaitingFor: (cursors) =>
      session.run('tx.lanesWaitingFor', (tx) => findLanesWaitingFor(tx.tables, tx, cursors)),
    ...createLocks(session),
    queued: (lane, afterNo, limit) =>
      session.run('tx.queued', (tx) => findQueued(tx.tables, tx, lane, afterNo, limit)),
    interruptedLanes: (limit) =>
      session.run('tx.interruptedLanes', (tx) => findInterrupted(tx.tables, tx, limit)),
    change: (id) => session.run('tx.change', (tx) => findChange(tx.tables, tx, id)),
    retriesOf: (root) => session.run('tx.retriesOf', (tx) => findRetries(tx.tables, tx, root)),
    openIn: (lane, lifecycle, operations) =>
      session.run('tx.openIn', (tx) => findOpenIn(tx.tables, tx, lane, lifecycle, operations)),
    timer: (lifecycle) => session.run('tx.timer', (tx) => holdTimer(tx, lifecycle)),
    async moveTimer(move) {
      session.send('tx.moveTimer', (tx) => moveAll(tx, [move]));
    },
    attemptsOf: (id) => session.run('tx.attemptsOf', (tx) => findAttempts(tx.tables, tx, id)),
    async save(writes) {
      assertWrites(writes);
      session.send('tx.save', (tx) => saveWrites(tx, writes));
      session.announce(newsOf(writes));
    },
    startFirst: startFirstOf(session),
    provenTime: (participant) =>
      session.run('tx.provenTime', (tx) => findProvenTime(tx.tables, tx, participant)),
    toldTime: (participant) =>
      session.run('tx.toldTime', (tx) => findToldTime(tx.tables, tx, participant)),
    creationOf: (contract) =>
      session.run('tx.creationOf', (tx) => findCreationOf(tx.tables, tx, contract)),
    synchronizersOf: (participant) =>
      session.run('tx.synchronizersOf', (tx) => findSynchronizersOf(tx.tables, tx, participant)),
    awaitedProofs: (participant) =>
      session.run('tx.awaitedProofs', (tx) => findAwaitedProofs(tx.tables, tx, participant)),
    ...createSynchronizersTx(session),
    async setStandstill(participant, standstill) {
      session.send('tx.setStandstill', async (tx) => {
        const { standstills } = tx.tables;
        if (standstill === null) await tx.remove(standstills, participant);
        else {
          const row = { participant, ...standstill };
          await tx.upsert(standstills, row, () => row);
        }
      });
    },
    lanesUnheard: (...asked) =>
      session.run('tx.lanesUnheard', (tx) => findLanesUnheard(tx.tables, tx, ...asked)),
    endedWithoutEffect: (...asked) =>
      session.run('tx.endedWithoutEffect', (tx) => findEndedWithoutEffect(tx.tables, tx, ...asked)),
    followedFrom: (participant) =>
      session.run(
        'tx.followedFrom',
        (tx) => tx.tables.cursors.get(tx, completionsStream(participant))?.oldestOffset ?? null,
      ),
    async knowSynchronizers(...known) {
      session.send('tx.knowSynchronizers', (tx) => knowSynchronizers(tx, ...known));
    },
    cursors: () =>
      session.run(
        'tx.cursors',
        (tx) => new Map(tx.tables.cursors.all(tx).map((row) => [row.stream, row.offset])),
      ),
    followed: (commandIds = []) =>
      session.run('tx.followed', (tx) => ({
        cursors: new Map(tx.tables.cursors.all(tx).map((row) => [row.stream, row.offset])),
        ledgerTime: tx.tables.cursors.get(tx, 'updates')?.recordTime ?? null,
        foreign: tx.tables.foreignLedgers.all(tx).map(({ participant }) => participant),
        replaying: new Set(
          tx.tables.cursors.all(tx).flatMap((row) => (isReplaying(tx, row) ? [row.stream] : [])),
        ),
        tombstones: commandIds.flatMap((id) => tx.tables.tombstones.find(tx, 'command', id)),
      })),
    replays: () => session.run('tx.replays', findReplays),
    beginReplay: (...asked) => session.run('tx.beginReplay', (tx) => beginReplay(tx, ...asked)),
    boundLost: (...asked) => session.run('tx.boundLost', (tx) => boundLost(tx, ...asked)),
    bury: (tombstones) => session.run('tx.bury', (tx) => bury(tx, tombstones)),
    policyVersion: (name, provider) =>
      session.run('tx.policyVersion', (tx) => holdPolicyVersion(tx, name, provider)),
    quotaUse: (parties, bounds) =>
      session.run('tx.quotaUse', (tx) => findQuotaUse(tx.tables, tx, parties, bounds)),
    traffic: (asked) => session.run('tx.traffic', (tx) => findTraffic(tx.tables, tx, asked)),
    holdsLease: (name, epoch) => session.run('tx.holdsLease', (tx) => ownsLease(tx, name, epoch)),
    landmarks: () =>
      session.run(
        'tx.landmarks',
        (tx) =>
          new Map(
            tx.tables.cursors
              .all(tx)
              .flatMap(({ stream, landmark }) => (landmark === null ? [] : [[stream, landmark]])),
          ),
      ),
    participantCauses: () =>
      session.run('tx.participantCauses', (tx) =>
        findParticipantCauses(tx.tables, tx, tx.beganAtMs),
      ),
    markForeign: (ledger, epoch) =>
      session.run('tx.markForeign', (tx) => markForeign(tx, ledger, epoch)),
    clearForeign: (streams, epoch) =>
      session.run('tx.clearForeign', (tx) => clearForeign(tx, streams, epoch)),
    startCursor: (move, epoch) =>
      session.run('tx.startCursor', (tx) => startCursor(tx, move, epoch)),
    followedTypes: () =>
      session.run(
        'tx.followedTypes',
        (tx) => new Set(tx.tables.followedTypes.all(tx).map(({ type }) => type)),
      ),
    async followTypes(types) {
      session.send('tx.followTypes', async (tx) => {
        for (const { fqn } of types) {
          await tx.insertIfAbsent(tx.tables.followedTypes, { type: fqn });
        }
      });
    },
    moveCursors: (moves, epoch) =>
      session.run('tx.moveCursors', (tx) => moveCursors(tx, moves, epoch)),
    async insertUpdates(updates, readAs) {
      session.send('tx.insertUpdates', (tx) => insertUpdates(tx, updates, readAs));
    },
    async insertActiveContracts(contracts, readAs) {
      session.send('tx.insertActiveContracts', (tx) =>
        insertActiveContracts(tx, contracts, readAs),
      );
    },
    settlement: (asked) =>
      session.run('tx.settlement', (tx) => findSettlement(tx.tables, tx, asked)),
    updatesCarrying: (change) =>
      session.run('tx.updatesCarrying', (tx) => findOwnCarrying(tx.tables, tx, change)),
    appliedUpdate: (updateId) =>
      session.run('tx.appliedUpdate', (tx) => findAppliedUpdate(tx.tables, tx, updateId)),
  };
}

export const createStore = (connection: Connection): Store => ({
  transact: (io, work) =>
    transact(connection, io, (session) => work(createTx(session)), { call: 'transact' }),
  reads: createReads(connection),
});

/** Takes due effects that no other relay has locked. Effects that have been due longest come first. */
function takeDue(tx: ServerTransaction, limit: number): EffectRow[] {
  const { effects } = tx.tables;
  const due = effects
    .find(tx, 'open', '')
    .filter(({ dueAtMs, heldAtMs }) => heldAtMs === null && dueAtMs <= tx.beganAtMs)
    .toSorted((a, b) => a.dueAtMs - b.dueAtMs || byText(a.id, b.id));
  const taken: EffectRow[] = [];
  for (const effect of inTurn(tx, due, limit)) {
    if (taken.length === limit) break;
    if (tx.tryLock(effects, effect.id)) taken.push(effect);
  }
  return taken;
}

interface Taken {
  readonly taken: number;
  readonly dispatched: Dispatched[];
}

/** See `LET_STRAYS_GO` in `src/store/engine/circuits.ts`. */
async function letStraysGo(tx: ServerTransaction): Promise<void> {
  const { effects, circuits } = tx.tables;
  for (const { id, putOffBy, heldAtMs, dueAtMs } of effects.find(tx, 'open', '')) {
    if (putOffBy === null || heldAtMs !== null || dueAtMs <= tx.beganAtMs) continue;
    if (circuits.get(tx, putOffBy) !== undefined) continue;
    if (isParticipantReadAgain(tx, trusted<ParticipantName>(putOffBy))) continue;
    if (!tx.tryLock(effects, id)) continue;
    await tx.update(effects, id, (before) => ({
      ...before,
      dueAtMs: tx.beganAtMs,
      putOffBy: null,
    }));
  }
}

/** Blocks paused effects, and postpones effects of a participant whose circuit is open: see `DISPATCH_DUE`. */
async function dispatch(tx: ServerTransaction, limit: number): Promise<Taken> {
  await releaseEnded(tx);
  const taken = takeDue(tx, limit);
  await letStraysGo(tx);
  const pauses = await lockPauses(tx);
  await lockForeignLedgers(tx);
  const dispatched: Taken['dispatched'] = [];
  for (const effect of taken) {
    const isPaused = pauses.length > 0 && isStopped(tx.tables, tx, effect, pauses);
    const isHeld = isPaused || isForeign(tx.tables, tx, effect);
    const circuit = isHeld ? null : circuitBefore(tx, effect);
    const isPutOff = circuit !== null && !(circuit.probe && (await takeProbe(tx, circuit, effect)));
    const isDispatched = !isHeld && !isPutOff;
    await tx.update(tx.tables.effects, effect.id, (before) => ({
      ...before,
      heldAtMs: isHeld ? tx.beganAtMs : null,
      dispatchNo: before.dispatchNo + Number(isDispatched),
      putOffBy: isPutOff && circuit.probe ? circuit.participant : null,
      dueAtMs: isHeld
        ? before.dueAtMs
        : tx.beganAtMs + (isPutOff ? putOffMs(tx, circuit) : LIMITS.redispatchMs),
    }));
    const change = tx.tables.changes.get(tx, effect.changeId)?.change;
    if (isDispatched && change !== undefined) {
      const { lane, provider, callerParty: party } = change;
      dispatched.push({ id: effect.id, dispatchNo: effect.dispatchNo + 1, lane, provider, party });
    }
  }
  return { taken: taken.length, dispatched };
}

async function dueAgain(tx: ServerTransaction, refused: readonly EffectId[]): Promise<void> {
  const dueAtMs = tx.beganAtMs + STORE_LIMITS.refusedAgainMs;
  for (const id of refused) await tx.update(tx.tables.effects, id, (row) => ({ ...row, dueAtMs }));
}

/** The delay is not random here, so this is its mean. */
const putOffMs = (tx: ServerTransaction, { untilMs, delayMs, probe }: CircuitRow): number =>
  Math.max(0, untilMs - tx.beganAtMs) + (probe ? STORE_LIMITS.probeSpreadMs : delayMs) / 2;

/** See `PUT_OFF` in `src/store/engine/outbox.ts`. */
async function putOff(
  tx: ServerTransaction,
  id: EffectId,
  dispatchNo: number,
): Promise<Change | null> {
  await lockForAttempt(tx, id);
  const { effects, changes } = tx.tables;
  const effect = effects.get(tx, id);
  if (effect === undefined || effect.dispatchNo !== dispatchNo) return null;
  if (effect.doneAtMs !== null || effect.heldAtMs !== null) return null;
  const row = changes.get(tx, effect.changeId);
  const circuit = unreachableBefore(tx, effect);
  if (row === undefined || !mayStart(row) || isForeign(tx.tables, tx, effect)) return null;
  if (circuit === null) {
    const { participant } = row.change.submitter;
    if (isParticipantReadAgain(tx, participant)) {
      await tx.update(effects, id, (before) => ({ ...before, putOffBy: participant }));
    }
    return null;
  }
  if (circuit.probeEffect === id) return row.change;
  await tx.update(effects, id, (before) => ({
    ...before,
    putOffBy: circuit.participant,
    dueAtMs: tx.beganAtMs + putOffMs(tx, circuit),
  }));
  return null;
}

export function createOutbox(connection: Connection): Outbox {
  const { server } = connection;
  return {
    dispatchDue: (limit, put, io) =>
      transact(
        connection,
        io,
        async (session) => {
          const { taken, dispatched } = await session.run('outbox.dispatchDue', (tx) =>
            dispatch(tx, limit),
          );
          if (dispatched.length > 0) {
            await put(dispatched, 1, false).catch(async (error: unknown) => {
              if (!(error instanceof NotAllPutError)) throw error;
              await session.run('outbox.dueAgain', (tx) => dueAgain(tx, error.refused));
            });
          }
          return taken;
        },
        // If a crash of the server loses this commit, the same effects are dispatched again with the same numbers.
        { call: 'outbox.dispatchDue', durable: false },
      ),
    nextDueInMs: (io) =>
      query(connection, io, 'outbox.nextDueInMs', () => {
        let next: number | null = null;
        for (const { dueAtMs, heldAtMs } of server.tables.effects.find(null, 'open', '')) {
          if (heldAtMs === null) next = Math.min(next ?? Infinity, dueAtMs);
        }
        return next === null ? null : Math.max(0, Math.ceil(next - server.now()));
      }),
    startAttempt: (effect, dispatchNo, submissionId, io, isReached = false) =>
      transact(
        connection,
        io,
        (session) =>
          session.run('outbox.startAttempt', (tx) =>
            startAttempt(tx, { effect, dispatchNo, submissionId, isReached }),
          ),
        { call: 'outbox.startAttempt' },
      ),
    async startAttempts(claims, io) {
      try {
        return await transact(
          connection,
          io,
          (session) => session.run('outbox.startAttempts', (tx) => startAttempts(tx, claims)),
          { call: 'outbox.startAttempts' },
        );
      } catch (error) {
        if (isDatabaseUnavailable(error) || io.signal.aborted) throw error;
        return claims.map(() => 'apart');
      }
    },
    putOff: (effect, dispatchNo, io) =>
      transact(
        connection,
        io,
        (session) => session.run('outbox.putOff', (tx) => putOff(tx, effect, dispatchNo)),
        { call: 'outbox.putOff' },
      ),
    participantReached: (participant, io) =>
      transact(
        connection,
        io,
        (session) =>
          session.run('outbox.participantReached', (tx) => closeUnreachable(tx, participant)),
        { call: 'outbox.participantReached' },
      ),
    completionsBack: (participant, io) =>
      transact(
        connection,
        io,
        (session) => session.run('outbox.completionsBack', (tx) => submitAgain(tx, participant)),
        { call: 'outbox.completionsBack' },
      ),
    ...createFirstOutbox(connection),
  };
}
