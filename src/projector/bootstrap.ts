import { applySnapshot } from '../app/engine/follow/apply-ledger.ts';
import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { ContractModel } from '../app/contract/model.ts';
import { followedIn } from '../app/contract/model.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { LedgerGateway, LedgerStreams } from '../app/ports/ledger.ts';
import type { Store, Tx } from '../app/ports/transaction.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports/streams.ts';
import type { Replay, ReplayStart } from '../app/ports/tombstones.ts';
import type { Followed } from '../app/engine/follow/recognise-ledger.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { ActiveContract } from '../domain/ledger.ts';
import { PROJECTOR_LIMITS } from './limits.ts';
import type { LedgerCheck } from './ledger-check.ts';
import { buryLostOf } from './lost-submissions.ts';

export interface BootstrapDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly streams: LedgerStreams;
  readonly gateway: LedgerGateway;
  readonly leaseEpoch: bigint;
  /** Checks that the ledgers are the ones that were followed before. */
  readonly ledgers: LedgerCheck;
  readonly log: Log;
  /**
   * Called when a stream is replayed after its database was restored to an earlier state, with the offset up to which
   * it is replayed.
   */
  readonly onReplay?: (stream: string, to: bigint) => void;
}

async function storeSnapshot(
  tx: Tx,
  deps: BootstrapDeps,
  atOffset: bigint,
  signal: AbortSignal,
  only?: ReadonlySet<string>,
): Promise<number> {
  let chunk: ActiveContract[] = [];
  let stored = 0;
  const flush = async () => {
    if (chunk.length === 0) return;
    await applySnapshot(tx, deps.model, chunk, deps.streams.readAs);
    stored += chunk.length;
    chunk = [];
  };
  for await (const contract of deps.streams.activeContracts(atOffset, signal, only)) {
    chunk.push(contract);
    if (chunk.length >= PROJECTOR_LIMITS.snapshotChunk) await flush();
  }
  await flush();
  return stored;
}

/**
 * Fills an empty store in one transaction: the active contracts at the ledger end, and cursors at the ledger end. The
 * streams continue exactly after it, without a gap or a repetition.
 */
async function fill(deps: BootstrapDeps, io: Io): Promise<bigint> {
  const long: Io = { signal: io.signal, deadlineMs: PROJECTOR_LIMITS.bootstrapMs };
  const stored = await deps.store.transact(long, async (tx) => {
    const end = await deps.gateway.ledgerEnd(deps.streams.projected, io);
    const contracts = end === 0n ? 0 : await storeSnapshot(tx, deps, end, io.signal);
    const move = { stream: UPDATES_STREAM, from: 0n, to: end, recordTime: null };
    if (!(await tx.startCursor(move, deps.leaseEpoch))) throw new LeaseLostError();
    await tx.followTypes(followedIn(deps.model, deps.streams.types));
    return { contracts, end };
  });
  deps.log.info(
    { contracts: stored.contracts, offset: String(stored.end) },
    'filled the query store from the active contract set',
  );
  return stored.end;
}

/**
 * Adds types that the store has not followed yet: a newer version of Tenure reads the template, or the participant has
 * received its package since. Contracts of such a type that are active at the store's position are read once; the
 * stream reports all later ones.
 */
async function followNewTypes(deps: BootstrapDeps, at: bigint, io: Io): Promise<void> {
  const long: Io = { signal: io.signal, deadlineMs: PROJECTOR_LIMITS.bootstrapMs };
  await deps.store.transact(long, async (tx) => {
    const followed = await tx.followedTypes();
    const types = deps.streams.types.filter((type) => !followed.has(type));
    if (types.length === 0) return;
    const contracts = at === 0n ? 0 : await storeSnapshot(tx, deps, at, io.signal, new Set(types));
    await tx.followTypes(followedIn(deps.model, types));
    // This is done last, because it locks the lease, which must be renewed while the snapshot is read.
    const stays = { stream: UPDATES_STREAM, from: at, to: at, recordTime: null };
    if (!(await tx.moveCursors([stays], deps.leaseEpoch))) throw new LeaseLostError();
    deps.log.info(
      { types, contracts, offset: String(at) },
      'added contract types to the query store',
    );
  });
}

/** Returns a stream's position and the update that identifies its ledger; `null` if it was never followed. */
async function followedOf(
  store: Store,
  stream: string,
  io: Io,
): Promise<(Followed & { readonly replay: Replay }) | null> {
  return store.transact(io, async (tx) => {
    const asked = [tx.cursors(), tx.landmarks(), tx.replays()] as const;
    const [cursors, landmarks, replays] = await Promise.all(asked);
    const at = cursors.get(stream);
    const replay = replays.get(stream);
    if (at === undefined || replay === undefined) return null;
    return { stream, at, landmark: landmarks.get(stream) ?? null, replay };
  });
}

/** Returns whether the database server has restarted since one of the streams was compared with its ledger. */
export async function hasStartedAnew(
  store: Store,
  streams: readonly string[],
  io: Io,
): Promise<boolean> {
  const replays = await store.transact(io, (tx) => tx.replays());
  return streams.some((name) => replays.get(name)?.isChecked === false);
}

/**
 * Checks once after each start of the database server whether the store is behind its ledger. The server may have been
 * restored from a backup, or be a standby that missed commits; neither can be distinguished from an ordinary restart.
 * Checks again after the ledger user was replaced, because the completions of the former user are no longer reported.
 *
 * @throws LeaseLostError
 */
async function checkReplay(
  deps: BootstrapDeps,
  participant: ParticipantName,
  { stream, at, replay }: Followed & { readonly replay: Replay },
  io: Io,
): Promise<void> {
  const { streams, gateway, log, onReplay } = deps;
  let { to } = replay;
  const ledgerUser =
    stream === UPDATES_STREAM ? null : (await streams.rightsOn(participant, io)).ledgerUser;
  if (!replay.isChecked || replay.ledgerUser !== ledgerUser) {
    const end = await gateway.ledgerEnd(participant, io);
    if (end > at && ledgerUser !== null)
      await buryLostOf(deps, participant, { after: at, upTo: end }, io);
    await begin(deps, stream, { to: end, ledgerUser }, io);
    to = end > at ? end : null;
    const detail = { stream, offset: String(at), ledgerEnd: String(end) };
    if (to !== null && !replay.isChecked)
      log.info(
        detail,
        'the database has restarted: requests wait until the ledger has reported which operations took effect',
      );
  }
  onReplay?.(stream, to ?? 0n);
}

/** @throws LeaseLostError */
async function begin(
  { store, leaseEpoch, log }: BootstrapDeps,
  stream: string,
  start: ReplayStart,
  io: Io,
): Promise<void> {
  const replay = await store.transact(io, async (tx) => {
    if (!(await tx.beginReplay(stream, start, leaseEpoch))) throw new LeaseLostError();
    return (await tx.replays()).get(stream);
  });
  if ((replay?.heldFrom ?? null) === null) return;
  const { ledgerUser } = start;
  const words =
    'the ledger user was rotated while lost submissions may still take effect: requests wait until they cannot';
  log.warn({ stream, ledgerUser }, words);
}

/**
 * Prepares the store for the updates of the projected participant: fills an empty store, or checks one that has
 * followed the updates before.
 *
 * @returns the offset after which the updates must be followed
 * @throws ForeignLedgerError, LeaseLostError
 */
export async function prepareUpdates(deps: BootstrapDeps, io: Io): Promise<bigint> {
  const { store, ledgers, streams } = deps;
  const followed = await followedOf(store, UPDATES_STREAM, io);
  if (followed === null) return fill(deps, io);
  await ledgers.check(streams.projected, followed, io);
  await checkReplay(deps, streams.projected, followed, io);
  await followNewTypes(deps, followed.at, io);
  return followed.at;
}

/**
 * Returns the offset after which a participant's completions must be followed: the stored position or, if they were
 * never followed, the ledger end. No change is accepted for a participant before this point, so no completion is
 * missed.
 *
 * @throws ForeignLedgerError, LeaseLostError
 */
export async function join(
  deps: BootstrapDeps,
  participant: ParticipantName,
  io: Io,
): Promise<bigint> {
  const { store, ledgers, streams, gateway, leaseEpoch } = deps;
  const stream = completionsStream(participant);
  const followed = await followedOf(store, stream, io);
  if (followed !== null) {
    await ledgers.check(participant, followed, io);
    await checkReplay(deps, participant, followed, io);
    return followed.at;
  }
  const to = await gateway.ledgerEnd(participant, io);
  const move = { stream, from: 0n, to, recordTime: null };
  const { ledgerUser } = await streams.rightsOn(participant, io);
  await store.transact(io, async (tx) => {
    if (!(await tx.startCursor(move, leaseEpoch))) throw new LeaseLostError();
    if (!(await tx.beginReplay(stream, { to, ledgerUser }, leaseEpoch))) throw new LeaseLostError();
  });
  return to;
}
