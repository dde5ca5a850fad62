import type { Pool } from 'pg';
import type { ForeignLedger } from '../../app/ports/foreign-ledgers.ts';
import type { Reads } from '../../app/ports/reads.ts';
import type { Io } from '../../app/ports/io.ts';
import type {
  AppliedUpdate,
  Followed,
  Store,
  StoreObserver,
  Tx,
} from '../../app/ports/transaction.ts';
import type { Replay, Tombstone } from '../../app/ports/tombstones.ts';
import type { CommandKey, CursorMove, Landmark, Writes } from '../../app/ports/writes.ts';
import type { Timer, TimerMove } from '../../app/ports/policies.ts';
import type { PolicyName } from '../../domain/automatic.ts';
import type { Attempt, Change } from '../../domain/change.ts';
import type {
  ChangeId,
  CommandId,
  ContractId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
  UpdateId,
} from '../../domain/ids.ts';
import type { ActiveContract, FollowedType, LedgerTransaction } from '../../domain/ledger.ts';
import type { Lifecycle, LifecycleKind } from '../../domain/lifecycle.ts';
import { assert } from '../../domain/unreachable.ts';
import { sendStandstill } from './standstills.ts';
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
import { clearForeignLedgers, markForeignLedger, readForeignLedgers } from './foreign-ledgers.ts';
import { lockFreeLanes, lockLanes } from './lock.ts';
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
import { LookUp } from '../sql/session.ts';
import { findSettlement } from './settlements.ts';
import { bury } from './tombstones.ts';
import { holdTimer, sendTimer } from '../policies/timers.ts';
import { transact } from '../sql/transact.ts';

/**
 * A transaction of the core. Writes are sent without waiting: they resolve at once, and a failure appears in the next
 * awaited statement, at the latest in the commit.
 */
export class PostgresTx implements Tx {
  protected readonly session: Session;
  readonly #process: string;
  readonly #saved: Writes[] = [];
  readonly #byCommand: LookUp<CommandKey, Change>;
  readonly #byId: LookUp<string, Lifecycle>;
  /** Values of rows that stay locked until the end are read once, however many requests need them. */
  readonly #held = new Map<string, Promise<number | boolean>>();

  /** @param process see `StoreObserver` */
  constructor(session: Session, process = '') {
    this.session = session;
    this.#process = process;
    this.#byCommand = new LookUp((keys) => findChangesByCommands(session, keys));
    this.#byId = new LookUp((ids) => findLifecycles(session, ids));
  }

  changeByCommand(key: CommandKey): Promise<Change | null> {
    return this.#byCommand.find(key);
  }

  findLifecycle(id: string): Promise<Lifecycle | null> {
    return this.#byId.find(id);
  }

  begunThrough(id: LifecycleId): Promise<LifecycleId | null> {
    return findBegunThrough(this.session, id);
  }

  alike(kind: LifecycleKind, of: Lifecycle): Promise<readonly LifecycleId[]> {
    return findAlike(this.session, kind, of);
  }

  async lanesOf(query: Parameters<Tx['lanesOf']>[0]): ReturnType<Tx['lanesOf']> {
    const [lineage, submissions, waiting] = await Promise.all([
      findLineage(this.session, query.contracts),
      findSubmissions(this.session, query.submissions),
      findWaitingForUpdates(this.session, query.updates, query.carried),
    ]);
    return { lineage, submissions, ...waiting };
  }

  lanesWaitingFor(cursors: ReadonlyMap<string, bigint>): Promise<readonly LaneId[]> {
    return findLanesWaitingFor(this.session, cursors);
  }

  lock(lanes: readonly LaneId[]): ReturnType<Tx['lock']> {
    return lockLanes(this.session, lanes);
  }

  lockFree(lanes: readonly LaneId[]): ReturnType<Tx['lock']> {
    return lockFreeLanes(this.session, lanes);
  }

  queued(lane: LaneId, afterNo: number, limit: number): Promise<readonly Change[]> {
    return findQueued(this.session, lane, afterNo, limit);
  }

  interruptedLanes(limit: number): ReturnType<Tx['interruptedLanes']> {
    return findInterruptedLanes(this.session, limit);
  }

  change(id: ChangeId): Promise<Change | null> {
    return findChange(this.session, id);
  }

  retriesOf(root: ChangeId): Promise<readonly Change[]> {
    return findRetries(this.session, root);
  }

  openIn(...asked: Parameters<Tx['openIn']>): Promise<Change | null> {
    return findOpenIn(this.session, ...asked);
  }

  timer(lifecycle: LifecycleId): Promise<Timer | null> {
    return holdTimer(this.session, lifecycle);
  }

  async moveTimer(move: TimerMove): Promise<void> {
    sendTimer(this.session, move);
  }

  attemptsOf(change: ChangeId): Promise<readonly Attempt[]> {
    return findAttempts(this.session, change);
  }

  /** The arguments of all `save` calls, in order. */
  get saved(): readonly Writes[] {
    return this.#saved;
  }

  async save(writes: Writes): Promise<void> {
    this.#saved.push(writes);
    sendWrites(this.session, writes, this.#process);
  }

  provenTime(participant: ParticipantName): Promise<string | null> {
    return findProvenTime(this.session, participant);
  }

  toldTime(participant: ParticipantName): Promise<string | null> {
    return findToldTime(this.session, participant);
  }

  creationOf(contract: ContractId): ReturnType<Tx['creationOf']> {
    return findCreationOf(this.session, contract);
  }

  lanesUnheard(...asked: Parameters<Tx['lanesUnheard']>): Promise<readonly LaneId[]> {
    return findLanesUnheard(this.session, ...asked);
  }

  endedWithoutEffect(
    ...asked: Parameters<Tx['endedWithoutEffect']>
  ): ReturnType<Tx['endedWithoutEffect']> {
    return findEndedWithoutEffect(this.session, ...asked);
  }

  followedFrom(participant: ParticipantName): Promise<bigint | null> {
    return findFollowedFrom(this.session, participant);
  }

  synchronizersOf(participant: ParticipantName): ReturnType<Tx['synchronizersOf']> {
    return findSynchronizersOf(this.session, participant);
  }

  awaitedProofs(participant: ParticipantName): ReturnType<Tx['awaitedProofs']> {
    return findAwaitedProofs(this.session, participant);
  }

  async giveUpSynchronizer(...asked: Parameters<Tx['giveUpSynchronizer']>): Promise<void> {
    sendGivenUp(this.session, ...asked);
  }

  async setClocksApart(...asked: Parameters<Tx['setClocksApart']>): Promise<void> {
    sendClocksApart(this.session, ...asked);
  }

  clocksApart(participant: ParticipantName): ReturnType<Tx['clocksApart']> {
    return findClocksApart(this.session, participant);
  }

  async setStandstill(...told: Parameters<Tx['setStandstill']>): Promise<void> {
    sendStandstill(this.session, ...told);
  }

  async knowSynchronizers(...known: Parameters<Tx['knowSynchronizers']>): Promise<void> {
    sendSynchronizers(this.session, ...known);
  }

  cursors(): Promise<ReadonlyMap<string, bigint>> {
    return readCursors(this.session);
  }

  followed(commandIds: readonly CommandId[] = []): Promise<Followed> {
    return readFollowed(this.session, commandIds);
  }

  replays(): Promise<ReadonlyMap<string, Replay>> {
    return readReplays(this.session);
  }

  beginReplay(...asked: Parameters<Tx['beginReplay']>): Promise<boolean> {
    return beginReplay(this.session, ...asked);
  }

  boundLost(...asked: Parameters<Tx['boundLost']>): Promise<boolean> {
    return boundLost(this.session, ...asked);
  }

  bury(tombstones: readonly Tombstone[]): Promise<readonly Tombstone[]> {
    return bury(this.session, tombstones);
  }

  policyVersion(name: PolicyName, provider: Party): Promise<number> {
    return this.#hold(`policy ${name} ${provider}`, () =>
      holdPolicyVersion(this.session, name, provider),
    );
  }

  quotaUse(...asked: Parameters<Tx['quotaUse']>): ReturnType<Tx['quotaUse']> {
    return findQuotaUse(this.session, ...asked);
  }

  traffic(...asked: Parameters<Tx['traffic']>): ReturnType<Tx['traffic']> {
    return findTraffic(this.session, ...asked);
  }

  holdsLease(name: string, epoch: bigint): Promise<boolean> {
    return this.#hold(`lease ${name} ${epoch}`, () => holdLease(this.session, name, epoch));
  }

  #hold<T extends number | boolean>(row: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#held.get(row) as Promise<T> | undefined;
    if (asked !== undefined) return asked;
    const held = ask();
    this.#held.set(row, held);
    return held;
  }

  landmarks(): Promise<ReadonlyMap<string, Landmark>> {
    return readLandmarks(this.session);
  }

  foreignLedgers(): Promise<readonly ForeignLedger[]> {
    return readForeignLedgers(this.session);
  }

  markForeign(...[ledger, leaseEpoch]: Parameters<Tx['markForeign']>): Promise<boolean> {
    return markForeignLedger(this.session, ledger, leaseEpoch);
  }

  clearForeign(streams: readonly string[], leaseEpoch: bigint): Promise<boolean> {
    return clearForeignLedgers(this.session, streams, leaseEpoch);
  }

  startCursor(move: CursorMove, leaseEpoch: bigint): Promise<boolean> {
    return startCursor(this.session, move, leaseEpoch);
  }

  followedTypes(): Promise<ReadonlySet<string>> {
    return readFollowedTypes(this.session);
  }

  async followTypes(types: readonly FollowedType[]): Promise<void> {
    sendFollowedTypes(this.session, types);
  }

  moveCursors(moves: readonly CursorMove[], leaseEpoch: bigint): Promise<boolean> {
    return moveCursors(this.session, moves, leaseEpoch);
  }

  async insertUpdates(
    updates: readonly LedgerTransaction[],
    readAs: readonly Party[],
  ): Promise<void> {
    sendUpdates(this.session, updates, readAs);
  }

  async insertActiveContracts(
    contracts: readonly ActiveContract[],
    readAs: readonly Party[],
  ): Promise<void> {
    sendActiveContracts(this.session, contracts, readAs);
  }

  settlement(query: Parameters<Tx['settlement']>[0]): ReturnType<Tx['settlement']> {
    return findSettlement(this.session, query);
  }

  appliedUpdate(updateId: UpdateId): Promise<AppliedUpdate | null> {
    return findAppliedUpdate(this.session, updateId);
  }

  updatesCarrying(change: Parameters<Tx['updatesCarrying']>[0]): Promise<readonly UpdateId[]> {
    return findUpdatesCarrying(this.session, change);
  }
}

/** Runs `work` in a transaction of the core: see `transact`. The observer is notified after the commit. */
export async function transactCore<T>(
  pool: Pool,
  io: Io,
  work: (tx: PostgresTx, session: Session) => Promise<T>,
  observer: StoreObserver | null,
): Promise<T> {
  const startMs = Date.now();
  let saved: readonly Writes[] = [];
  const transaction = transact(pool, io, (session) => {
    const tx = new PostgresTx(session, observer?.process);
    // Writes that an earlier try saved were rolled back.
    saved = tx.saved;
    return work(tx, session);
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
