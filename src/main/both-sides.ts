import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createLastAnswers } from '../store/engine/last-answers.ts';
import { createPostgresStore } from '../store/engine/postgres-store.ts';
import { closePool } from '../store/sql/pool.ts';
import type { CellSide } from './cells/ledger-users.ts';
import { inCell } from './cells/ledger-users.ts';
import { checkConnections, openDatabase, refuseForeignReplica } from './database.ts';
import type { LedgerSideOptions } from './ledger-side.ts';
import { openLedgerSide } from './ledger-side.ts';
import { MAIN_LIMITS } from './limits.ts';
import { refuseMissingKeys } from './secret-keys.ts';

/** Opens the database and the ledger at the same time, because they hardly depend on each other. */
export async function openBothSides(
  opening: Pick<LedgerSideOptions, 'config' | 'fetch' | 'log' | 'signal'> & {
    readonly log: Logger;
  },
  stack: AsyncDisposableStack,
): Promise<{ readonly pool: Pool; readonly side: CellSide }> {
  const database = openDatabase(opening.config, opening.log, opening.signal);
  const store = database.then((pool) => createPostgresStore(pool));
  const [pool, side] = await Promise.allSettled([
    database,
    openLedgerSide({ ...opening, store, lastAnswers: database.then(createLastAnswers) }),
  ]);
  if (pool.status === 'fulfilled') stack.defer(() => closePool(pool.value, MAIN_LIMITS.closeMs));
  if (side.status === 'fulfilled') stack.defer(() => side.value.close());
  if (pool.status === 'rejected') throw pool.reason;
  if (side.status === 'rejected') throw side.reason;
  await checkConnections(opening.config, pool.value, opening.log);
  await refuseForeignReplica(opening.config, pool.value, opening.signal);
  await refuseMissingKeys(opening.config.secretKeys, pool.value, opening.signal);
  return { pool: pool.value, side: await inCell(side.value, pool.value, opening) };
}
