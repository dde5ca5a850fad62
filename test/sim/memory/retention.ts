import type { PruneBatch, Retention } from '../../../src/app/ports/retention.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import { SCHEDULER_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM } from '../../../src/app/ports/streams.ts';
import type { Change } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import type { ChangeRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import type { Table } from './table.ts';
import type { Tables } from './tables.ts';
import { ownsLease } from './write.ts';

/*
 * Deletes old rows of finished operations: see `src/store/engine/retention.ts`.
 */

type Work<T> = (tx: ServerTransaction) => Promise<T>;

// oxlint-disable-next-line typescript/no-explicit-any -- tables of all kinds of rows
type AnyTable<Row extends object> = Table<Row, any>;

/** Removes the rows, and returns how many of them existed. */
async function removeAll<Row extends object>(
  tx: ServerTransaction,
  table: AnyTable<Row>,
  rows: readonly Row[],
): Promise<number> {
  let removed = 0;
  for (const row of rows) removed += Number(await tx.remove(table, table.keyOf(row)));
  return removed;
}

const isOld = (tx: ServerTransaction, at: string | null, { olderThanMs }: PruneBatch): boolean =>
  at !== null && isoToMs(at) < tx.beganAtMs - olderThanMs;

/**
 * Returns the parts of the request that are kept. An operation without an effect can be repeated, so its whole request
 * is kept. For all other operations, only those fields are kept that decide whether a renewal is a second one.
 */
function strippedBody({ state, body }: Change): Change['body'] {
  if (state !== 'succeeded') return body;
  return body['allowConcurrent'] === true ? { allowConcurrent: true } : {};
}

const pruneChanges =
  (batch: PruneBatch): Work<number> =>
  async (tx) => {
    const { changes, attempts, effects } = tx.tables;
    /**
     * Returns whether the result of a change is known. As long as a change may have taken effect, it cannot be retried.
     */
    const isKnown = ({ id, state }: Change): boolean =>
      state === 'succeeded' ||
      attempts.find(tx, 'change', id).every(({ answer }) => answer?.verdict === 'refused');
    const old = changes
      .all(tx)
      .filter(({ change, isPruned }) => isPruned !== true && isOld(tx, change.finishedAt, batch))
      .filter(({ change }) => isKnown(change))
      .toSorted((a, b) => isoToMs(a.change.finishedAt ?? '') - isoToMs(b.change.finishedAt ?? ''));
    let pruned = 0;
    for (const { change } of old.slice(0, batch.limit)) {
      if (!tx.tryLock(changes, change.id)) continue;
      await removeAll(tx, attempts, attempts.find(tx, 'change', change.id));
      await removeAll(tx, effects, effects.find(tx, 'change', change.id));
      await tx.update(changes, change.id, (before): ChangeRow => ({
        ...before,
        isPruned: true,
        change: { ...before.change, body: strippedBody(before.change) },
      }));
      pruned += 1;
    }
    return pruned;
  };

/** Deletes events from the oldest on, so that there are no gaps in the numbers that remain. */
const pruneEvents =
  (batch: PruneBatch): Work<number> =>
  (tx) => {
    const first = tx.tables.events
      .all(tx)
      .toSorted((a, b) => Number(a.seq - b.seq))
      .slice(0, batch.limit);
    const told = tx.tables.webhookCursor.get(tx, '')?.last ?? 0n;
    const kept = first.findIndex(({ at, seq }) => !isOld(tx, at, batch) || seq > told);
    return removeAll(tx, tx.tables.events, kept === -1 ? first : first.slice(0, kept));
  };

const pruneDeliveries =
  (batch: PruneBatch): Work<number> =>
  (tx) => {
    const { deliveries } = tx.tables;
    const endOf = ({ finishedAtMs }: { readonly finishedAtMs: number | null }): number =>
      finishedAtMs ?? Infinity;
    const old = deliveries
      .all(tx)
      .filter((row) => endOf(row) < tx.beganAtMs - batch.olderThanMs)
      .toSorted((a, b) => endOf(a) - endOf(b));
    return removeAll(tx, deliveries, old.slice(0, batch.limit));
  };

/** Deletes items of bulk acts first. An act is deleted together with its last item. */
const pruneActs =
  (batch: PruneBatch): Work<number> =>
  async (tx) => {
    const { bulkActs, bulkItems } = tx.tables;
    const old = bulkActs
      .all(tx)
      .filter(({ finishedAtMs }) => (finishedAtMs ?? Infinity) < tx.beganAtMs - batch.olderThanMs)
      .toSorted((a, b) => (a.finishedAtMs ?? 0) - (b.finishedAtMs ?? 0))
      .slice(0, batch.limit);
    const items = old.flatMap(({ id }) =>
      bulkItems.find(tx, 'act', id).toSorted((a, b) => a.n - b.n),
    );
    const removed = await removeAll(tx, bulkItems, items.slice(0, batch.limit));
    const empty = old.filter(({ id }) => bulkItems.find(tx, 'act', id).length === 0);
    return removed + (await removeAll(tx, bulkActs, empty));
  };

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function cutOf(tables: Tables, olderThanMs: number, projected: ParticipantName): bigint | null {
  const cursor = tables.cursors.get(null, UPDATES_STREAM);
  if (cursor?.recordTime == null) return null;
  const untilMs = isoToMs(cursor.recordTime) - olderThanMs;
  const aged = tables.updates
    .all(null)
    .filter(({ effectiveAt }) => isoToMs(effectiveAt) < untilMs)
    .reduce<bigint | null>((most, { offset }) => (offset > (most ?? 0n) ? offset : most), null);
  const open = tables.changes
    .all(null)
    .map(({ change }) => change)
    .filter(({ state }) => isOpen(state));
  if (aged === null || open.some(({ submitter }) => submitter.participant !== projected))
    return null;
  const cut = open.reduce(
    (least, { deduplicationOffset }) => smaller(least, deduplicationOffset),
    aged,
  );
  return cut > cursor.oldestOffset ? cut : null;
}

type Archived = Parameters<Retention['archived']>;

/**
 * Returns the first rows after an offset and up to the cutoff: about `limit` rows, with all that share the last offset.
 * Also returns this offset.
 */
function walked<Row>(
  rows: readonly Row[],
  offsetOf: (row: Row) => bigint | undefined,
  { cut, after, limit }: Archived[1],
): { readonly rows: readonly Row[]; readonly at: bigint | null } {
  const within = rows
    .flatMap((row) => {
      const offset = offsetOf(row);
      return offset !== undefined && offset > after && offset <= cut ? [{ row, offset }] : [];
    })
    .toSorted((a, b) => Number(a.offset - b.offset));
  const last = within[limit]?.offset ?? cut;
  const taken = within.filter(({ offset }) => offset <= last);
  return { rows: taken.map(({ row }) => row), at: taken.at(-1)?.offset ?? null };
}

/** Returns whether an ended lifecycle is shown with this contract, which must therefore be kept. */
function isShown(tx: ServerTransaction, contractId: string): boolean {
  const { lineage, lifecycles } = tx.tables;
  const led = lineage.get(tx, contractId)?.lifecycleId;
  return led !== undefined && lifecycles.get(tx, led)?.contractId === contractId;
}

const archived =
  (what: Archived[0], batch: Archived[1]): Work<{ pruned: number; at: bigint | null }> =>
  async (tx) => {
    const { contracts, exercises, updates } = tx.tables;
    if (what === 'contracts') {
      const old = walked(contracts.all(tx), (row) => row.archived?.offset, batch);
      const unseen = old.rows.filter(({ contractId }) => !isShown(tx, contractId));
      return { pruned: await removeAll(tx, contracts, unseen), at: old.at };
    }
    if (what === 'exercises') {
      const old = walked(exercises.all(tx), ({ offset }) => offset, batch);
      return { pruned: await removeAll(tx, exercises, old.rows), at: old.at };
    }
    const old = walked(updates.all(tx), ({ offset }) => offset, batch);
    const named = new Set(
      contracts.all(tx).flatMap((row) => [row.createdAtOffset, row.archived?.offset]),
    );
    const unnamed = old.rows.filter(({ offset }) => !named.has(offset));
    return { pruned: await removeAll(tx, updates, unnamed), at: old.at };
  };

export function createRetention(connection: Connection, projected: ParticipantName): Retention {
  const { tables } = connection.server;
  const owned = <T>(call: string, epoch: bigint, io: Io, work: Work<T>): Promise<T | null> =>
    transact(
      connection,
      io,
      (session) =>
        session.run(call, async (tx) =>
          (await ownsLease(tx, SCHEDULER_LEASE, epoch)) ? work(tx) : null,
        ),
      { call, repeated: false },
    );
  const pruning =
    (what: string, work: (batch: PruneBatch) => Work<number>) =>
    (batch: PruneBatch, epoch: bigint, io: Io) =>
      owned(`retention.${what}`, epoch, io, work(batch));
  return {
    changes: pruning('changes', pruneChanges),
    events: pruning('events', pruneEvents),
    deliveries: pruning('deliveries', pruneDeliveries),
    acts: pruning('acts', pruneActs),
    // The audit log is kept for ever in the simulation.
    audit: pruning('audit', () => async () => 0),
    cut: (olderThanMs, io) =>
      query(connection, io, 'retention.cut', () => cutOf(tables, olderThanMs, projected)),
    beginAt: async (cut, epoch, io) =>
      (await owned('retention.beginAt', epoch, io, (tx) =>
        tx.update(tx.tables.cursors, UPDATES_STREAM, (before) =>
          before.oldestOffset < cut ? { ...before, oldestOffset: cut } : null,
        ),
      )) ?? false,
    archived: (what, batch, epoch, io) =>
      owned(`retention.${what}`, epoch, io, archived(what, batch)),
  };
}
