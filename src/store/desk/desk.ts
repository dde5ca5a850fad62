import type { Pool } from 'pg';
import type { Desk } from '../../app/desk/desk.ts';
import { createAuditLog } from './audit-log.ts';
import { createChangeSearch } from './change-search.ts';
import { createCosts } from './costs.ts';
import { createFailureList } from './failure-list.ts';
import { createLifecycleSearch } from './lifecycle-search.ts';
import { createTenantUses } from './quotas.ts';
import { createBookReads } from '../product/book-reads.ts';
import { createUpkeep } from '../engine/upkeep.ts';
import type { Ask } from '../sql/ask.ts';
import { asking } from '../sql/ask.ts';

/**
 * @param pool opened with `pipelined`; the caller closes it
 * @param operations the names of all operations
 * @param asks runs searches and counts; on the primary by default
 */
export const createDesk = (
  pool: Pool,
  operations: readonly string[],
  asks: Ask = asking(pool),
): Desk => ({
  changes: createChangeSearch(pool, operations, asks),
  failures: createFailureList(pool, asks),
  lifecycles: createLifecycleSearch(asks),
  audit: createAuditLog(asks),
  costs: createCosts(pool),
  tenantUses: createTenantUses(asks),
  upkeep: createUpkeep(pool),
  books: createBookReads(pool),
});
