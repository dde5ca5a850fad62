import type { Client } from 'pg';
import { SCHEDULER_LEASE } from '../src/app/ports/leases.ts';
import type { Io } from '../src/app/ports/io.ts';
import type { Retention } from '../src/app/ports/retention.ts';
import { table } from '../cli/table.ts';
import { rowsOf } from '../chaos/rows.ts';
import { trusted } from '../src/domain/ids.ts';
import { createRetention } from '../src/store/desk/retention.ts';
import { closePool, openPool } from '../src/store/sql/pool.ts';

/* Deletes old rows as the role `clock` of Tenure does, from a store that no process of Tenure uses. */

const LIMIT = 1_000;
const BATCHES = 10;
const CLOSE_MS = 5_000;
const DAY_MS = 24 * 3_600_000;
const signal = new AbortController().signal;
const io: Io = { signal, deadlineMs: 120_000 };

interface Pruning {
  readonly retention: Retention;
  /** The epoch of the last lease of the role `clock`. */
  readonly epoch: bigint;
}

async function pruning<T>(url: string, work: (pruning: Pruning) => Promise<T>): Promise<T> {
  const [lease] = await rowsOf<{ epoch: string }>(url, 'select epoch from lease where name = $1', [
    SCHEDULER_LEASE,
  ]);
  if (lease === undefined) throw new Error('nothing has had the clock of this store');
  const pool = await openPool({ url, max: 1, applicationName: 'bench', pipelined: true, signal });
  try {
    const retention = createRetention(pool, trusted('app-provider'));
    return await work({ retention, epoch: BigInt(lease.epoch) });
  } finally {
    await closePool(pool, CLOSE_MS);
  }
}

/** Deletes everything that retention may ever delete. */
export const pruneAll = (url: string): Promise<void> =>
  pruning(url, async ({ retention, epoch }) => {
    const old = { olderThanMs: 0, limit: LIMIT };
    while ((await retention.changes(old, epoch, io)) === LIMIT);
    while (((await retention.events(old, epoch, io)) ?? 0) > 0);
    const cut = await retention.cut(0, io);
    if (cut === null || !(await retention.beginAt(cut, epoch, io))) {
      throw new Error('there is nothing to prune');
    }
    for (const what of ['contracts', 'exercises', 'updates'] as const) {
      for (let after: bigint | null = -1n; after !== null;) {
        const found: { readonly at: bigint | null } | null = await retention.archived(
          what,
          { cut, after, limit: LIMIT },
          epoch,
          io,
        );
        after = found?.at ?? null;
      }
    }
  });

/** Measures how long some batches of each kind take. @returns a table of the times */
export async function pruneSome(client: Client, url: string): Promise<string> {
  const { rows } = await client.query<{ cut: string }>(
    'select max("offset") as cut from ledger_update',
  );
  const cut = BigInt(rows[0]?.cut ?? 0);
  return pruning(url, async ({ retention, epoch }) => {
    const lines: string[][] = [];
    const time = async (name: string, batch: () => Promise<number | null>): Promise<void> => {
      const began = performance.now();
      let pruned = 0;
      for (let n = 0; n < BATCHES; n += 1) pruned += (await batch()) ?? 0;
      const ms = (performance.now() - began) / BATCHES;
      lines.push([name, (pruned / BATCHES).toFixed(0), ms.toFixed(0)]);
    };
    const old = { olderThanMs: 90 * DAY_MS, limit: LIMIT };
    await time('operations', () => retention.changes(old, epoch, io));
    for (const what of ['contracts', 'exercises', 'updates'] as const) {
      let after = -1n;
      await time(what, async () => {
        const found = await retention.archived(what, { cut, after, limit: LIMIT }, epoch, io);
        after = found?.at ?? after;
        return found?.pruned ?? 0;
      });
    }
    return `\nPruned in batches of ${LIMIT}:\n${table(['what', 'rows of a batch', 'ms'], lines)}`;
  });
}
