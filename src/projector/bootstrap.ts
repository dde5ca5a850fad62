import { applySnapshot } from '../app/apply-ledger.ts';
import type { Io, LedgerGateway, LedgerStreams, Log, Store, Tx } from '../app/ports.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports.ts';
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
): Promise<number> {
  let chunk: ActiveContract[] = [];
  let stored = 0;
  const flush = async () => {
    if (chunk.length === 0) return;
    await applySnapshot(tx, chunk, deps.streams.readAs);
    stored += chunk.length;
    chunk = [];
  };
  for await (const contract of deps.streams.activeContracts(atOffset, signal)) {
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
    if (!(await tx.startCursor(move, deps.leaseEpoch)))
      throw new Error('the store has a cursor already');
    await startMissing(tx, deps, await tx.cursors(), io);
    return { contracts, end };
  });
  deps.log.info(
    { contracts: stored.contracts, offset: String(stored.end) },
    'query store filled from the active contract set',
  );
}

/** Refuses a store that follows another ledger. Nothing is deleted unasked. */
async function checkSameLedger(
  deps: BootstrapDeps,
  cursors: ReadonlyMap<string, bigint>,
  io: Io,
): Promise<void> {
  for (const participant of deps.streams.participants) {
    const end = await deps.gateway.ledgerEnd(participant, io);
    const streams = [completionsStream(participant)];
    if (participant === deps.streams.projected) streams.push(UPDATES_STREAM);
    for (const stream of streams) {
      const cursor = cursors.get(stream) ?? 0n;
      if (cursor <= end) continue;
      throw new ForeignLedgerError(
        `the query store has followed ${stream} to offset ${cursor}, but participant ${participant} ends at ${end}: ` +
          'it is another ledger, or it was reset. Reset the local data with `make clean-docker`, or point DATABASE_URL to another database.',
      );
    }
  }
  const last = await deps.store.transact(io, (tx) => tx.lastUpdate());
  if (last === null) return;
  const there = await deps.gateway.updateAt(deps.streams.projected, last.offset, io);
  if (there === null || there.updateId === last.updateId) return;
  throw new ForeignLedgerError(
    `the query store knows update ${last.updateId} at offset ${last.offset}, the ledger has ${there.updateId} there: ` +
      'it is another ledger. Reset the local data with `make clean-docker`, or point DATABASE_URL to another database.',
  );
}

/** Makes the store ready to follow the streams and tells from where. */
export async function prepare(deps: BootstrapDeps, io: Io): Promise<ReadonlyMap<string, bigint>> {
  const before = await deps.store.transact(io, (tx) => tx.cursors());
  if (before.has(UPDATES_STREAM)) await checkSameLedger(deps, before, io);
  else await fill(deps, io);
  return deps.store.transact(io, async (tx) => {
    const cursors = await tx.cursors();
    await startMissing(tx, deps, cursors, io);
    return tx.cursors();
  });
}

/** Completions of a participant without a cursor are followed from now on. */
async function startMissing(
  tx: Tx,
  deps: BootstrapDeps,
  cursors: ReadonlyMap<string, bigint>,
  io: Io,
): Promise<void> {
  for (const participant of deps.streams.participants) {
    const stream = completionsStream(participant);
    if (cursors.has(stream)) continue;
    const to = await deps.gateway.ledgerEnd(participant, io);
    await tx.startCursor({ stream, from: 0n, to, recordTime: null }, deps.leaseEpoch);
  }
}
