import type { Pool } from 'pg';
import type { Desk } from '../../app/desk/desk.ts';
import { createAuditLog } from './audit-log.ts';
import { createChangeSearch } from './change-search.ts';
import { createCosts } from './costs.ts';
import { createFailureList } from './failure-list.ts';
import { createLifecycleSearch } from './lifecycle-search.ts';
import { createUpkeep } from '../engine/upkeep.ts';

/**
 * @param pool opened with `pipelined`; stays the caller's
 * @param operations all that there are, by name
 */
export const createDesk = (pool: Pool, operations: readonly string[]): Desk => ({
  changes: createChangeSearch(pool, operations),
  failures: createFailureList(pool),
  lifecycles: createLifecycleSearch(pool),
  audit: createAuditLog(pool),
  costs: createCosts(pool),
  upkeep: createUpkeep(pool),
});
