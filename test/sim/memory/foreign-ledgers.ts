import type { ForeignLedger } from '../../../src/app/ports/foreign-ledgers.ts';
import { byText } from './find.ts';
import { instantOf } from './instants.ts';
import { hold, lockCauses } from './pauses.ts';
import type { ServerTransaction } from './server.ts';
import type { Reader } from './table.ts';
import type { Tables } from './tables.ts';
import { ownsProjection } from './cursors.ts';

/* Records of ledgers that are not the store's: see `src/store/engine/foreign-ledgers.ts`. */

export const findForeignLedgers = (tables: Tables, reader: Reader): ForeignLedger[] =>
  tables.foreignLedgers
    .all(reader)
    .toSorted((a, b) => a.sinceMs - b.sinceMs || byText(a.stream, b.stream))
    .map(({ sinceMs, ...row }) => ({ ...row, since: instantOf(sinceMs) }));

export async function markForeign(
  tx: ServerTransaction,
  ledger: Omit<ForeignLedger, 'since'>,
  epoch: bigint,
): Promise<boolean> {
  await lockCauses(tx);
  const isOwner = await ownsProjection(tx, epoch);
  if (isOwner) {
    const row = { ...ledger, sinceMs: tx.beganAtMs };
    await tx.upsert(tx.tables.foreignLedgers, row, ({ sinceMs }) => ({ ...ledger, sinceMs }));
  }
  await hold(tx);
  return isOwner;
}

export async function clearForeign(
  tx: ServerTransaction,
  streams: readonly string[],
  epoch: bigint,
): Promise<boolean> {
  await lockCauses(tx);
  const isOwner = await ownsProjection(tx, epoch);
  if (isOwner) for (const stream of streams) await tx.remove(tx.tables.foreignLedgers, stream);
  await hold(tx);
  return isOwner;
}
