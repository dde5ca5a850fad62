import type { Pool } from 'pg';
import type { Reads } from '../../app/ports/reads.ts';
import type { Io } from '../../app/ports/io.ts';
import type { Store, StoreObserver, Tx } from '../../app/ports/transaction.ts';
import type { CommandKey, Writes } from '../../app/ports/writes.ts';
import { assert } from '../../domain/unreachable.ts';
import {
  clearForeignLedgers,
  markForeignLedger,
  readParticipantCauses,
  sendStandstill,
} from './participant-causes.ts';
import {
  moveCursors,
  readCursors,
  readLandmarks,
  readFollowedTypes,
  readFollowed,
  readReplays,
  beginReplay,
  boundLost,
  sendFollowedTypes,
  startCursor,
} from './cursors.ts';
import {
  findCreationOf,
  findAttempts,
  findChange,
  findChangesByCommands,
  findEndedWithoutEffect,
  findFollowedFrom,
  findInterruptedLanes,
  findLanesUnheard,
  findLanesWaitingFor,
  findAlike,
  findBegunThrough,
  findLifecycles,
  findLineage,
  findOpenIn,
  findProvenTime,
  findQueued,
  findRetries,
  findSubmissions,
  findToldTime,
  findWaitingForUpdates,
} from './find.ts';
import { startFirst } from './claims.ts';
import { lockFreeLanes, lockLanes, lockOf } from './lock.ts';
import { holdLease } from './lease.ts';
import { holdPolicyVersion } from '../policies/policies.ts';
import { findQuotaUse, findTraffic } from './quotas.ts';
import { createReads } from './reads.ts';
import {
  findAppliedUpdate,
  findUpdatesCarrying,
  sendActiveContracts,
  sendUpdates,
} from './projection.ts';
import {
  findAwaitedProofs,
  findClocksApart,
  findSynchronizersOf,
  sendClocksApart,
  sendGivenUp,
  sendSynchronizers,
} from './proofs.ts';
import { sendWrites } from './save.ts';
import type { Session } from '../sql/session.ts';
import { LookUp, bind } from '../sql/session.ts';
import { findSettlement } from './settlements.ts';
import { bury } from './tombstones.ts';
import { holdTimer, sendTimer } from '../policies/timers.ts';
import { transact } from '../sql/transact.ts';

/** Turns a function that only sends a statement into an operation of `Tx`, which resolves at once. */
const sent =
  <Rest extends unknown[]>(send: (session: Session, ...rest: Rest) => void) =>
  async (session: Session, ...rest: Rest): Promise<void> =>
    send(session, ...rest);

async function findLanesOf(
  session: Session,
  query: Parameters<Tx['lanesOf']>[0],
): ReturnType<Tx['lanesOf']> {
  const [lineage, submissions, waiting] = await Promise.all([
    findLineage(session, query.contracts),
    findSubmissions(session, query.submissions),
    findWaitingForUpdates(session, query.updates, query.carried),
  ]);
  return { lineage, submissions, ...waiting };
}

/** The operations of `Tx` that need nothing but the session. */
const OPERATIONS = {
  begunThrough: findBegunThrough,
  alike: findAlike,
  lanesOf: findLanesOf,
  lanesWaitingFor: findLanesWaitingFor,
  lock: lockLanes,
  lockFree: lockFreeLanes,
  lockOf,
  queued: findQueued,
  interruptedLanes: findInterruptedLanes,
  change: findChange,
  retriesOf: findRetries,
  openIn: findOpenIn,
  timer: holdTimer,
  moveTimer: sent(sendTimer),
  attemptsOf: findAttempts,
  provenTime: findProvenTime,
  toldTime: findToldTime,
  creationOf: findCreationOf,
  lanesUnheard: findLanesUnheard,
  endedWithoutEffect: findEndedWithoutEffect,
  followedFrom: findFollowedFrom,
  synchronizersOf: findSynchronizersOf,
  awaitedProofs: findAwaitedProofs,
  giveUpSynchronizer: sent(sendGivenUp),
  setClocksApart: sent(sendClocksApart),
  clocksApart: findClocksApart,
  setStandstill: sent(sendStandstill),
  knowSynchronizers: sent(sendSynchronizers),
  cursors: readCursors,
  followed: readFollowed,
  replays: readReplays,
  beginReplay,
  boundLost,
  bury,
  quotaUse: findQuotaUse,
  traffic: findTraffic,
  landmarks: readLandmarks,
  participantCauses: readParticipantCauses,
  markForeign: markForeignLedger,
  clearForeign: clearForeignLedgers,
  startCursor,
  followedTypes: readFollowedTypes,
  followTypes: sent(sendFollowedTypes),
  moveCursors,
  insertUpdates: sent(sendUpdates),
  insertActiveContracts: sent(sendActiveContracts),
  settlement: findSettlement,
  appliedUpdate: findAppliedUpdate,
  updatesCarrying: findUpdatesCarrying,
};

/**
 * Creates a transaction of the core. A write sends its statement without waiting for the answer, and resolves at once.
 * If the statement fails, the next awaited answer fails, at the latest the commit.
 *
 * @param saved collects the writes, in order
 * @param process see `StoreObserver`
 */
export function createTx(session: Session, saved: Writes[] = [], process = ''): Tx {
  const byCommand = new LookUp((keys: readonly CommandKey[]) =>
    findChangesByCommands(session, keys),
  );
  const byId = new LookUp((ids: readonly string[]) => findLifecycles(session, ids));
  /** Answers that depend on rows which stay locked until the transaction ends, so each row is read only once. */
  const held = new Map<string, Promise<number | boolean>>();
  const hold = <T extends number | boolean>(row: string, ask: () => Promise<T>): Promise<T> => {
    const asked = held.get(row) as Promise<T> | undefined;
    if (asked !== undefined) return asked;
    const answer = ask();
    held.set(row, answer);
    return answer;
  };
  return {
    ...bind(session, OPERATIONS),
    changeByCommand: (key) => byCommand.find(key),
    findLifecycle: (id) => byId.find(id),
    async save(writes) {
      saved.push(writes);
      sendWrites(session, writes, process);
    },
    startFirst(writes, name, attempts) {
      saved.push(writes);
      return startFirst(session, writes, { process, session: name }, attempts);
    },
    policyVersion: (name, provider) =>
      hold(`policy ${name} ${provider}`, () => holdPolicyVersion(session, name, provider)),
    holdsLease: (name, epoch) =>
      hold(`lease ${name} ${epoch}`, () => holdLease(session, name, epoch)),
  };
}

/** Runs `work` in a transaction of the core; see `transact`. The observer is notified after the commit. */
export async function transactCore<T>(
  pool: Pool,
  io: Io,
  work: (tx: Tx, session: Session) => Promise<T>,
  observer: StoreObserver | null,
): Promise<T> {
  const startMs = Date.now();
  let saved: readonly Writes[] = [];
  const transaction = transact(pool, io, (session) => {
    // Nothing that an earlier try saved was committed, so each try starts with an empty list.
    const ofThis: Writes[] = [];
    saved = ofThis;
    return work(createTx(session, ofThis, observer?.process), session);
  });
  const value = await transaction.catch((error: unknown) => {
    observer?.failed?.(saved);
    throw error;
  });
  observer?.committed(saved, startMs);
  return value;
}

/** @param pool opened with `pipelined`; the caller closes it */
export function createPostgresStore(pool: Pool, observer: StoreObserver | null = null): Store {
  assert(pool.options.pipeline === true, 'the store sends without waiting, on a pipelined pool');
  const reads: Reads = createReads(pool);
  return {
    transact: (io, work) => transactCore(pool, io, work, observer),
    reads,
  };
}
