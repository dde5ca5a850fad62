import type { BulkAct, BulkActs, ItemEnd, RefusedItems } from '../../../src/app/desk/bulk-acts.ts';
import type { OpsScope } from '../../../src/app/ports/ops-scope.ts';
import type { Tx } from '../../../src/app/ports/transaction.ts';
import { SCHEDULER_LEASE } from '../../../src/app/ports/leases.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { fail } from '../../../src/domain/problems.ts';
import { assert } from '../../../src/domain/unreachable.ts';
import type { BulkActRow, BulkItemRow } from './bulk-rows.ts';
import { judgedChanges, nextItems } from './bulk-rows.ts';
import type { Connection, Session } from './connection.ts';
import { query, transact } from './connection.ts';
import { byText } from './find.ts';
import { instantOf } from './instants.ts';
import type { ServerTransaction } from './server.ts';
import type { Reader } from './table.ts';
import type { Tables } from './tables.ts';
import { ownsLease, saveAudit } from './write.ts';
import { wayOf } from './reads.ts';

/* Acts on many changes: see `src/store/desk/bulk-acts.ts`. */

const instantOfOrNull = (ms: number | null): string | null => (ms === null ? null : instantOf(ms));

function actOf(tables: Tables, reader: Reader, row: BulkActRow): BulkAct {
  const { state, appliedAtMs, action, decision, filter, reason, by } = row;
  assert(state !== 'previewed' && appliedAtMs !== null, 'a preview is not a bulk action');
  const items = tables.bulkItems.find(reader, 'act', row.id);
  const count = (is: (end: ItemEnd | null) => boolean) => items.filter(({ end }) => is(end)).length;
  return {
    id: row.id,
    action,
    decision,
    filter,
    reason,
    byParty: by.party,
    bySubject: by.subject,
    state,
    count: row.count,
    appliedAt: instantOf(appliedAtMs),
    finishedAt: instantOfOrNull(row.finishedAtMs),
    done: count((end) => end?.state === 'done'),
    refused: count((end) => end?.state === 'refused'),
    left: count((end) => end === null),
  };
}

const isInScope = ({ of, party }: OpsScope, { by, scope }: BulkActRow): boolean =>
  by.party === party || (of === 'provider' && scope.of === 'caller');

async function sayAct(
  tx: ServerTransaction,
  act: string,
  { id, action, decision, filter, count }: BulkActRow,
  by: Caller,
  reason: string,
): Promise<void> {
  await saveAudit(tx, [
    {
      at: instantOf(tx.beganAtMs),
      byParty: by.party,
      bySubject: by.subject,
      act,
      changeId: null,
      from: null,
      to: null,
      subject: `act:${id}`,
      reason,
      detail: { action, ...(decision === null ? {} : { decision }), filter: { ...filter }, count },
    },
  ]);
}

async function insertItems(tx: ServerTransaction, row: BulkActRow): Promise<number> {
  const judged = judgedChanges(tx.tables, tx, row).filter(({ reason }) => reason === null);
  if (row.action === 'cancel') {
    // Within a lane, the last operation comes first.
    judged.sort(
      (a, b) => byText(a.change.lane, b.change.lane) || b.change.mailboxNo - a.change.mailboxNo,
    );
  }
  for (const [place, { change }] of judged.entries()) {
    const item: BulkItemRow = { actId: row.id, n: place + 1, changeId: change.id, end: null };
    await tx.insertIfAbsent(tx.tables.bulkItems, item);
  }
  return judged.length;
}

async function apply(
  tx: ServerTransaction,
  { hash, count }: Parameters<BulkActs['apply']>[0],
  by: Caller,
): Promise<BulkAct> {
  const { bulkActs } = tx.tables;
  // Bulk acts of one party are applied one after another.
  const blocked = tx.lock(bulkActs, `of ${by.party}`);
  if (blocked !== undefined) await blocked;
  const isMine = (row: BulkActRow): boolean =>
    row.tokenHash === hash &&
    row.by.party === by.party &&
    row.by.subject === by.subject &&
    row.by.tenantId === by.tenantId &&
    row.expiresAtMs > tx.beganAtMs;
  const all = bulkActs.all(tx);
  const found = all.find(isMine);
  if (found === undefined)
    return fail('PREVIEW_OVER', 'the token does not belong to a valid preview');
  const isTaken = await tx.update(bulkActs, found.id, (before): BulkActRow | null =>
    isMine(before)
      ? { ...before, state: 'running', tokenHash: null, appliedAtMs: tx.beganAtMs }
      : null,
  );
  const row = bulkActs.get(tx, found.id);
  if (!isTaken || row === undefined) return fail('PREVIEW_OVER', 'somebody was faster');
  if (row.count !== count) return fail('COUNT_MISMATCH', `the preview counted ${row.count}`);
  const beside = all.filter((one) => one.by.party === by.party && one.state === 'running').length;
  if (beside >= STORE_LIMITS.bulkActsRunningMax)
    return fail('ACTS_LIMITED', 'too many acts at a time');
  const now = await insertItems(tx, row);
  if (now !== row.count) return fail('COUNT_MISMATCH', `the filter now matches ${now} operations`);
  await sayAct(tx, `bulk-${row.action}`, row, by, row.reason);
  return actOf(tx.tables, tx, row);
}

async function stop(
  tx: ServerTransaction,
  id: string,
  scope: OpsScope,
  { by, reason }: Parameters<BulkActs['stop']>[2],
): Promise<BulkAct | null> {
  const { bulkActs } = tx.tables;
  const isStopped = await tx.update(bulkActs, id, (before): BulkActRow | null =>
    before.state === 'running' && isInScope(scope, before)
      ? { ...before, state: 'stopped', finishedAtMs: tx.beganAtMs }
      : null,
  );
  const row = bulkActs.get(tx, id);
  if (row === undefined || row.state === 'previewed' || !isInScope(scope, row)) return null;
  if (!isStopped) return fail('ACT_OVER', `the bulk action has already ended: it is ${row.state}`);
  await sayAct(tx, 'bulk-stopped', row, by, reason);
  return actOf(tx.tables, tx, row);
}

/** Thrown to undo the work on an item if it turns out that the item must no longer be worked on. */
class ItemGoneError extends Error {
  override readonly name = 'ItemGoneError';
}

async function close(
  tx: ServerTransaction,
  { actId, n }: Pick<BulkItemRow, 'actId' | 'n'>,
  end: ItemEnd,
  epoch: bigint,
): Promise<void> {
  const { bulkActs, bulkItems } = tx.tables;
  const isOurs = await ownsLease(tx, SCHEDULER_LEASE, epoch);
  const runs =
    isOurs &&
    (await tx.update(bulkActs, actId, (before) =>
      before.state === 'running' ? { ...before, workedAtMs: tx.beganAtMs } : null,
    ));
  const key = bulkItems.keyOf({ actId, n } as BulkItemRow);
  const isClosed =
    runs &&
    (await tx.update(bulkItems, key, (before) =>
      before.end === null ? { ...before, end } : null,
    ));
  if (!isClosed) throw new ItemGoneError();
}

async function finish(tx: ServerTransaction): Promise<void> {
  const { bulkActs, bulkItems } = tx.tables;
  for (const { id } of bulkActs.all(tx)) {
    await tx.update(bulkActs, id, (before): BulkActRow | null => {
      const isLeft = bulkItems.find(tx, 'act', id).some(({ end }) => end === null);
      if (before.state !== 'running' || isLeft) return null;
      return { ...before, state: 'done', finishedAtMs: tx.beganAtMs };
    });
  }
}

function refusedOf(tables: Tables, id: string): RefusedItems[] {
  const ends = tables.bulkItems.find(null, 'act', id).flatMap(({ end }) => end ?? []);
  const refused = ends.flatMap((end) => (end.state === 'refused' ? [end] : []));
  return [...Map.groupBy(refused, ({ code }) => code)]
    .map(([code, all]) => ({
      code,
      reason: all.map(({ message }) => message).toSorted(byText)[0] ?? '',
      count: all.length,
    }))
    .toSorted((a, b) => b.count - a.count || byText(a.code, b.code));
}

function requireSize(changes: readonly unknown[], itemsMax: number): void {
  if (changes.length > itemsMax) fail('BULK_TOO_LARGE', `more than ${itemsMax} operations`);
}

/** @param createTx creates the engine's transaction within a session */
export function createBulkActs(
  connection: Connection,
  createTx: (session: Session) => Tx,
  itemsMax: number = LIMITS.bulkItemsMax,
): BulkActs {
  const { tables } = connection.server;
  const alone = <T>(
    call: string,
    io: Parameters<BulkActs['finish']>[0],
    work: (tx: ServerTransaction) => Promise<T>,
  ): Promise<T> => transact(connection, io, (session) => session.run(call, work), { call });
  return {
    judge: (request, io) =>
      query(connection, io, 'bulk.judge', () => {
        const judged = judgedChanges(tables, null, request);
        requireSize(judged, itemsMax);
        const mine = judged.filter(({ reason }) => reason === null).map(({ change }) => change);
        const reasons = Map.groupBy(
          judged.flatMap(({ reason }) => reason ?? []),
          (reason) => reason,
        );
        return {
          count: mine.length,
          refused: [...reasons].map(([reason, all]) => ({ reason, count: all.length })),
          sample: mine.slice(0, STORE_LIMITS.bulkSampleMax),
        };
      }),
    remember: ({ expiresInMs, ...preview }, io) =>
      alone('bulk.remember', io, async (tx) => {
        await tx.insertIfAbsent(tx.tables.bulkActs, {
          ...preview,
          state: 'previewed',
          expiresAtMs: tx.beganAtMs + expiresInMs,
          appliedAtMs: null,
          finishedAtMs: null,
          workedAtMs: null,
        });
      }),
    apply: (token, by, io) => alone('bulk.apply', io, (tx) => apply(tx, token, by)),
    list: ({ scope, order, after, limit }, io) =>
      query(connection, io, 'bulk.list', () =>
        tables.bulkActs
          .all(null)
          .filter((row) => row.state !== 'previewed' && isInScope(scope, row))
          .map((row) => actOf(tables, null, row))
          .toSorted(
            (a, b) => wayOf(order) * (byText(a.appliedAt, b.appliedAt) || byText(a.id, b.id)),
          )
          .filter(
            ({ appliedAt, id }) =>
              after === undefined ||
              wayOf(order) * (byText(appliedAt, after.appliedAt) || byText(id, after.id)) > 0,
          )
          .slice(0, limit),
      ),
    find: (id, scope, io) =>
      query(connection, io, 'bulk.find', () => {
        const row = tables.bulkActs.get(null, id);
        if (row === undefined || row.state === 'previewed' || !isInScope(scope, row)) return null;
        return { act: actOf(tables, null, row), refused: refusedOf(tables, id) };
      }),
    stop: (id, scope, why, io) => alone('bulk.stop', io, (tx) => stop(tx, id, scope, why)),
    next: (limit, resting, io) =>
      query(connection, io, 'bulk.next', () => nextItems(tables, limit, resting)),
    async perform(item, epoch, work, io) {
      const call = 'bulk.perform';
      try {
        return await transact(
          connection,
          io,
          async (session) => {
            const end = await work(createTx(session));
            await session.run(call, (tx) => close(tx, item, end, epoch));
            return end;
          },
          { call },
        );
      } catch (error) {
        if (error instanceof ItemGoneError) return null;
        throw error;
      }
    },
    finish: (io) => alone('bulk.finish', io, finish),
  };
}
