import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Times } from '../app/engine/lanes/lane.ts';
import type { ContractModel } from '../app/contract/model.ts';
import { followedIn } from '../app/contract/model.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { LedgerGateway, LedgerStreams } from '../app/ports/ledger.ts';
import type { RebuildTx, Rebuilds } from '../app/ports/rebuilds.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports/streams.ts';
import type { Reconciled } from '../app/engine/follow/reconcile.ts';
import { endGone, reconcilePage, resolveChanges } from '../app/engine/follow/reconcile.ts';
import type { Change } from '../domain/change.ts';
import type { ChangeId, ContractId, ParticipantName, SubmissionId } from '../domain/ids.ts';
import type { JsonRecord } from '../domain/json.ts';
import type { ActiveContract } from '../domain/ledger.ts';
import type { Followed } from '../app/engine/follow/recognise-ledger.ts';
import { recognise } from '../app/engine/follow/recognise-ledger.ts';
import { answeredAttempts } from './answered-attempts.ts';
import { PROJECTOR_LIMITS } from './limits.ts';
import { ForeignLedgerError } from './ledger-check.ts';

export interface RebuildDeps {
  readonly model: ContractModel;
  readonly rebuilds: Rebuilds;
  readonly streams: LedgerStreams;
  readonly gateway: LedgerGateway;
  readonly leaseEpoch: bigint;
  readonly log: Log;
}

/** The old and the new position of a cursor, and the offset up to which the participant has pruned. */
interface Move {
  readonly from: bigint;
  readonly to: bigint;
  readonly pruned: bigint;
}

/** The positions at which the streams continue, and which data was pruned before it was read. */
interface Plan {
  /** The position of the snapshot: the store's or, if that was pruned, the earliest that the participant still has. */
  readonly at: bigint;
  readonly updatesPruned: boolean;
  readonly cursors: ReadonlyMap<string, Move>;
  /** Participants whose completions were pruned before they were read, with the offsets of the pruning. */
  readonly lost: ReadonlyMap<ParticipantName, bigint>;
  readonly open: readonly Change[];
  /** Accepted changes whose update the stream will not report. */
  readonly unseen: ReadonlySet<ChangeId>;
  /** Attempts whose answer is in completions after the pruned range: the streams record them after the rebuild. */
  readonly answered: ReadonlySet<SubmissionId>;
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Makes the projection agree with the active contracts of the ledger at the store's position, or at the earliest
 * position that the participant can still report. Nothing is deleted: lifecycles, history, changes and the audit log
 * stay. Completions are read again, beginning with those of the oldest open change.
 *
 * @throws ForeignLedgerError; LeaseLostError
 */
export async function rebuild(
  deps: RebuildDeps,
  isDryRun: boolean,
  times: Times,
  io: Io,
): Promise<JsonRecord> {
  const plan = await planOf(deps, io);
  const long: Io = { signal: io.signal, deadlineMs: PROJECTOR_LIMITS.rebuildMs };
  let report: JsonRecord = {};
  try {
    await deps.rebuilds.transact(long, async (tx) => {
      report = await reconcile(tx, deps, plan, times, io.signal);
      if (isDryRun) throw new DryRun();
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
  deps.log.warn({ report, isDryRun }, 'rebuilt the projection');
  return report;
}

/** Ends the transaction of a dry run, so that its work is rolled back. */
class DryRun extends Error {}

async function planOf(deps: RebuildDeps, io: Io): Promise<Plan> {
  const { rebuilds, streams, gateway } = deps;
  const [cursors, landmarks, open] = await rebuilds.transact(io, (tx) =>
    Promise.all([tx.cursors(), tx.landmarks(), tx.openChanges()]),
  );
  const updatesAt = cursors.get(UPDATES_STREAM);
  if (updatesAt === undefined)
    throw new Error(
      'the query store is empty: the projector fills it from the ledger without a rebuild',
    );
  const moves = new Map<string, Move>();
  const lost = new Map<ParticipantName, bigint>();
  let at = updatesAt;
  for (const participant of streams.participants) {
    const name = completionsStream(participant);
    const pruned = await gateway.prunedUpTo(participant, io);
    if (participant === streams.projected) {
      const landmark = landmarks.get(UPDATES_STREAM) ?? null;
      const followed = { stream: UPDATES_STREAM, at: updatesAt, landmark };
      await requireFollowed(deps, participant, followed, io);
      at = larger(updatesAt, pruned);
    }
    const from = cursors.get(name);
    if (from === undefined) continue;
    const followed = { stream: name, at: from, landmark: landmarks.get(name) ?? null };
    await requireFollowed(deps, participant, followed, io);
    if (pruned > from) lost.set(participant, pruned);
    const to = larger(pruned, smaller(from, oldestOf(open, participant, from)));
    moves.set(name, { from, to, pruned });
  }
  moves.set(UPDATES_STREAM, { from: updatesAt, to: at, pruned: 0n });
  const plan = { at, updatesPruned: at > updatesAt, cursors: moves, lost, open };
  const unseen = await unseenOf(deps, plan, io);
  return { ...plan, unseen, answered: await answeredAttempts(deps, open, lost, io) };
}

/**
 * Checks that the ledgers are the ones that were followed. A ledger whose history can no longer be read is accepted,
 * because a person has requested the rebuild.
 */
async function requireFollowed(
  { gateway }: RebuildDeps,
  participant: ParticipantName,
  followed: Followed,
  io: Io,
): Promise<void> {
  const found = await recognise(gateway, participant, followed, io);
  if (found.kind === 'foreign') throw new ForeignLedgerError(found.reason);
}

/** Returns the offset after which a participant's oldest open change may have been completed. */
const oldestOf = (open: readonly Change[], participant: ParticipantName, from: bigint): bigint =>
  open
    .filter(({ submitter }) => submitter.participant === participant)
    .reduce((least, { deduplicationOffset }) => smaller(least, deduplicationOffset), from);

/** Finds changes that another participant accepted and whose update the projected participant has pruned. */
async function unseenOf(
  { gateway, streams }: RebuildDeps,
  { at, updatesPruned, open }: Pick<Plan, 'at' | 'updatesPruned' | 'open'>,
  io: Io,
): Promise<Set<ChangeId>> {
  const unseen = new Set<ChangeId>();
  if (!updatesPruned) return unseen;
  for (const { id, acceptance, submitter } of open) {
    if (acceptance === null || submitter.participant === streams.projected) continue;
    const offset = await gateway.offsetOf(streams.projected, acceptance.updateId, io);
    if (offset === null || offset <= at) unseen.add(id);
  }
  return unseen;
}

async function reconcile(
  tx: RebuildTx,
  deps: RebuildDeps,
  plan: Plan,
  times: Times,
  signal: AbortSignal,
): Promise<JsonRecord> {
  const { at } = plan;
  const origin = { offset: at, updateId: null, effectiveAt: times.now };
  const { seen, total } = await reconcileAll(tx, deps, origin, signal);
  const ended = (await tx.activeContracts()).filter((contractId) => !seen.has(contractId));
  await tx.endContracts(ended, origin);
  const gone = (await tx.standing()).filter(({ contractId }) => !seen.has(contractId));
  const goneIds = await endGone(tx, deps.model, gone, origin);
  const { settled, inDoubt } = await resolveChanges(tx, deps.model, plan.open, times, {
    isUnseen: ({ id }) => plan.unseen.has(id),
    lost: ({ submitter }) => plan.lost.get(submitter.participant) ?? null,
    isAnswered: (submissionId) => plan.answered.has(submissionId),
  });
  // This is done last, because it locks the lease, which must be renewed while the snapshot is read.
  const cursors = [...plan.cursors].map(([stream, { to, pruned }]) => ({ stream, to, pruned }));
  await tx.followTypes(followedIn(deps.model, deps.streams.types));
  const isOurs =
    (await tx.resetCursors(cursors, deps.leaseEpoch)) &&
    (await tx.clearForeign([...plan.cursors.keys()], deps.leaseEpoch));
  if (!isOurs) throw new LeaseLostError();
  return {
    offset: String(at),
    pruned: plan.updatesPruned,
    contracts: {
      active: seen.size,
      added: total.contractsAdded,
      corrected: total.contractsCorrected,
      ended: ended.length,
    },
    lifecycles: {
      begun: total.lifecyclesBegun,
      corrected: total.lifecyclesCorrected,
      gone: goneIds.length,
      goneIds: goneIds.slice(0, PROJECTOR_LIMITS.rebuildNamedMax),
    },
    changes: { open: plan.open.length, settledUnseen: settled, inDoubt },
    streams: Object.fromEntries(
      [...plan.cursors].map(([stream, { from, to }]) => [
        stream,
        { from: String(from), to: String(to) },
      ]),
    ),
  };
}

const NOTHING: Reconciled = {
  contractsAdded: 0,
  contractsCorrected: 0,
  lifecyclesBegun: 0,
  lifecyclesCorrected: 0,
};

const plus = (a: Reconciled, b: Reconciled): Reconciled => ({
  contractsAdded: a.contractsAdded + b.contractsAdded,
  contractsCorrected: a.contractsCorrected + b.contractsCorrected,
  lifecyclesBegun: a.lifecyclesBegun + b.lifecyclesBegun,
  lifecyclesCorrected: a.lifecyclesCorrected + b.lifecyclesCorrected,
});

async function reconcileAll(
  tx: RebuildTx,
  { streams, model }: RebuildDeps,
  origin: { readonly offset: bigint; readonly updateId: null; readonly effectiveAt: string },
  signal: AbortSignal,
): Promise<{ readonly seen: ReadonlySet<ContractId>; readonly total: Reconciled }> {
  const seen = new Set<ContractId>();
  let total = NOTHING;
  let page: ActiveContract[] = [];
  const flush = async () => {
    total = plus(total, await reconcilePage(tx, model, page, streams.readAs, origin));
    page = [];
  };
  if (origin.offset > 0n) {
    for await (const contract of streams.activeContracts(origin.offset, signal)) {
      seen.add(contract.created.contractId);
      page.push(contract);
      if (page.length >= PROJECTOR_LIMITS.snapshotChunk) await flush();
    }
  }
  await flush();
  return { seen, total };
}
