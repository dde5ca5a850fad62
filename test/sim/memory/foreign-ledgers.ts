import type { ForeignMark } from '../../../src/app/ports/proofs.ts';
import { hold, lockCauses } from './pauses.ts';
import type { ServerTransaction } from './server.ts';
import { ownsProjection } from './cursors.ts';

/* Records of ledgers that are not the store's: see `src/store/engine/participant-causes.ts`. */

export async function markForeign(
  tx: ServerTransaction,
  ledger: ForeignMark,
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
