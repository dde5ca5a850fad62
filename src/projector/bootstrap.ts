import { applySnapshot } from '../app/apply-ledger.ts';
import { LeaseLostError } from '../app/leased.ts';
import type { Io, LedgerGateway, LedgerStreams, Log, Store, Tx } from '../app/ports.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports.ts';
import { orNull } from '../app/record-answer.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { ActiveContract } from '../domain/ledger.ts';
import { LIMITS } from '../domain/limits.ts';

export interface BootstrapDeps {
  readonly store: Store;
  readonly streams: LedgerStreams;
  readonly gateway: LedgerGateway;
  readonly leaseEpoch: bigint;
  readonly log: Log;
}

/** The store was filled from another ledger, or from this one before it was reset. */
export class ForeignLedgerError extends Error {
  override readonly name = 'ForeignLedgerError';
}

/** One transaction reads the whole active contract set: a long one, and the only one. */
const BOOTSTRAP_DEADLINE_MS = 10 * 60 * 1000;

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
    await applySnapshot(tx, chunk, deps.streams.readAs);
    stored += chunk.length;
    chunk = [];
  };
  for await (const contract of deps.streams.activeContracts(atOffset, signal, only)) {
    chunk.push(contract);
    if (chunk.length >= LIMITS.snapshotChunk) await flush();
  }
  await flush();
  return stored;
}

/**
 * Fills an empty store: the active contracts as of the ledger's end, and cursors from there, in one
 * transaction. The streams continue exactly behind it: no gap and no repetition.
 */
async function fill(deps: BootstrapDeps, io: Io): Promise<void> {
  const long: Io = { signal: io.signal, deadlineMs: BOOTSTRAP_DEADLINE_MS };
  const stored = await deps.store.transact(long, async (tx) => {
    const end = await deps.gateway.ledgerEnd(deps.streams.projected, io);
    const contracts = end === 0n ? 0 : await storeSnapshot(tx, deps, end, io.signal);
    const move = { stream: UPDATES_STREAM, from: 0n, to: end, recordTime: null };
    if (!(await tx.startCursor(move, deps.leaseEpoch))) throw new LeaseLostError();
    await tx.followTypes(deps.streams.types);
    return { contracts, end };
  });
  deps.log.info(
    { contracts: stored.contracts, offset: String(stored.end) },
    'query store filled from the active contract set',
  );
}

/**
 * Adds what the store has not followed so far: a template that a newer version of ours reads, or that the participant
 * has learnt. Its contracts that are active where the store stands are read once; the stream tells all that follows.
 */
async function followNewTypes(deps: BootstrapDeps, at: bigint, io: Io): Promise<void> {
  const long: Io = { signal: io.signal, deadlineMs: BOOTSTRAP_DEADLINE_MS };
  await deps.store.transact(long, async (tx) => {
    const followed = await tx.followedTypes();
    const types = deps.streams.types.filter((type) => !followed.has(type));
    if (types.length === 0) return;
    const contracts = at === 0n ? 0 : await storeSnapshot(tx, deps, at, io.signal, new Set(types));
    await tx.followTypes(types);
    // Last: it locks the lease, which has to be renewed while the snapshot is read.
    const stays = { stream: UPDATES_STREAM, from: at, to: at, recordTime: null };
    if (!(await tx.moveCursors([stays], deps.leaseEpoch))) throw new LeaseLostError();
    deps.log.info({ types, contracts, offset: String(at) }, 'query store follows more types');
  });
}

const RESET =
  'Reset the local data with `make clean-docker`, or point DATABASE_URL to another database.';

/** Refuses a store that is ahead of a participant: it followed another one, or this one before it was reset. */
async function checkNotAhead(
  deps: BootstrapDeps,
  participant: ParticipantName,
  cursors: ReadonlyMap<string, bigint>,
  io: Io,
): Promise<void> {
  const end = await deps.gateway.ledgerEnd(participant, io);
  const streams = [completionsStream(participant)];
  if (participant === deps.streams.projected) streams.push(UPDATES_STREAM);
  for (const stream of streams) {
    const cursor = cursors.get(stream) ?? 0n;
    if (cursor <= end) continue;
    throw new ForeignLedgerError(
      `the query store has followed ${stream} to offset ${cursor}, but participant ${participant} ends at ${end}: ` +
        `it is another ledger, or it was reset. ${RESET}`,
    );
  }
}

/** Refuses a store whose newest update is another one on the ledger. Nothing is deleted unasked. */
async function checkSameLedger(deps: BootstrapDeps, io: Io): Promise<void> {
  const last = await deps.store.transact(io, (tx) => tx.lastUpdate());
  if (last === null) return;
  // Pruned since, or not to be had for another reason: then it proves nothing.
  const there = await orNull(deps.gateway.updateAt(deps.streams.projected, last.offset, io));
  if (there === null || there.updateId === last.updateId) return;
  throw new ForeignLedgerError(
    `the query store knows update ${last.updateId} at offset ${last.offset}, the ledger has ${there.updateId} there: ` +
      `it is another ledger. ${RESET}`,
  );
}

/** Makes the store ready to follow the projected participant; the others join when they can be asked. */
export async function prepare(deps: BootstrapDeps, io: Io): Promise<ReadonlyMap<string, bigint>> {
  const before = await deps.store.transact(io, (tx) => tx.cursors());
  const at = before.get(UPDATES_STREAM);
  if (at !== undefined) {
    await checkNotAhead(deps, deps.streams.projected, before, io);
    await checkSameLedger(deps, io);
    await followNewTypes(deps, at, io);
  } else {
    await fill(deps, io);
  }
  await join(deps, deps.streams.projected, io);
  return deps.store.transact(io, (tx) => tx.cursors());
}

/**
 * The offset after which a participant's completions are to be followed: where they were left, or its ledger end when
 * they never were. Nothing is accepted for a participant before that, so nothing is missed.
 */
export async function join(
  deps: BootstrapDeps,
  participant: ParticipantName,
  io: Io,
): Promise<bigint> {
  const stream = completionsStream(participant);
  const cursors = await deps.store.transact(io, (tx) => tx.cursors());
  const known = cursors.get(stream);
  if (known !== undefined) {
    await checkNotAhead(deps, participant, cursors, io);
    return known;
  }
  const to = await deps.gateway.ledgerEnd(participant, io);
  const move = { stream, from: 0n, to, recordTime: null };
  if (await deps.store.transact(io, (tx) => tx.startCursor(move, deps.leaseEpoch))) return to;
  throw new LeaseLostError();
}
