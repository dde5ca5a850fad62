import type { Tx } from '../../../src/app/ports/transaction.ts';
import type { LaneId } from '../../../src/domain/ids.ts';
import type { Session } from './connection.ts';
import { byText, findLanes, findLanesWaitingFor } from './find.ts';
import type { ServerTransaction } from './server.ts';

/* Locks lanes, as `src/store/engine/lock.ts` does. */

/**
 * Creates mailboxes that are missing. Locks the mailboxes, the lifecycles in them and the changes at their heads, and
 * returns the current versions of all these.
 */
async function lockLanes(tx: ServerTransaction, lanes: readonly LaneId[]): ReturnType<Tx['lock']> {
  const { tables } = tx;
  const sorted = [...new Set(lanes)].toSorted(byText);
  for (const lane of sorted) {
    await tx.insertIfAbsent(tables.mailboxes, { lane, head: null, nextNo: 1, waiting: 0 });
  }
  for (const lane of sorted) {
    const blocked = tx.lock(tables.mailboxes, lane);
    if (blocked !== undefined) await blocked;
  }
  const mailboxes = sorted.flatMap((lane) => tables.mailboxes.get(tx, lane) ?? []);
  const ofHeads = new Set(
    mailboxes.map(({ head }) => head && tables.changes.get(tx, head)?.change.lifecycleId),
  );
  const ids = sorted
    .flatMap((lane) => tables.lifecycles.find(tx, 'lane', lane))
    .filter(({ id, endedAt }) => endedAt === null || ofHeads.has(id))
    .map(({ id }) => id)
    .toSorted(byText);
  for (const id of ids) {
    const blocked = tx.lock(tables.lifecycles, id);
    if (blocked !== undefined) await blocked;
  }
  const heads = mailboxes
    .flatMap(({ head }) => head ?? [])
    .filter((id) => tables.changes.get(tx, id) !== undefined);
  for (const id of heads) {
    const blocked = tx.lock(tables.changes, id);
    if (blocked !== undefined) await blocked;
  }
  return {
    mailboxes,
    lifecycles: ids.flatMap((id) => tables.lifecycles.get(tx, id) ?? []),
    heads: heads.flatMap((id) => tables.changes.get(tx, id)?.change ?? []),
  };
}

/** Locks those of the lanes that no other transaction has locked at present. */
async function lockFreeLanes(
  tx: ServerTransaction,
  lanes: readonly LaneId[],
): ReturnType<Tx['lock']> {
  const { mailboxes } = tx.tables;
  const free: LaneId[] = [];
  for (const lane of [...new Set(lanes)].toSorted(byText)) {
    const isThere = mailboxes.get(tx, lane) !== undefined;
    if (!isThere) await tx.insertIfAbsent(mailboxes, { lane, head: null, nextNo: 1, waiting: 0 });
    if (tx.tryLock(mailboxes, lane)) free.push(lane);
  }
  return lockLanes(tx, free);
}

/** See `Tx.lockOf`. */
async function lockOf(
  tx: ServerTransaction,
  ...[query, cursors]: Parameters<Tx['lockOf']>
): ReturnType<Tx['lockOf']> {
  const found = findLanes(tx.tables, tx, query);
  const waiting = findLanesWaitingFor(tx.tables, tx, cursors);
  const concerned = [...found.lineage, ...found.submissions, ...found.waiting];
  const lanes = [...concerned.map(({ lane }) => lane), ...waiting];
  return { ...found, locked: await lockLanes(tx, lanes) };
}

/** Creates the part of a transaction that locks lanes. */
export const createLocks = (session: Session): Pick<Tx, 'lock' | 'lockFree' | 'lockOf'> => ({
  lock: (lanes) => session.run('tx.lock', (tx) => lockLanes(tx, lanes)),
  lockFree: (lanes) => session.run('tx.lockFree', (tx) => lockFreeLanes(tx, lanes)),
  lockOf: (...asked) => session.run('tx.lockOf', (tx) => lockOf(tx, ...asked)),
});
