import type { Pool } from 'pg';
import type { Sealer } from '../domain/sealing.ts';
import { LIMITS } from '../domain/limits.ts';
import { NEWEST_MODEL } from '../app/licensing/model.ts';
import { createAlarms } from '../store/desk/alarms.ts';
import { createAuditChain } from '../store/desk/audit-chain.ts';
import { createBulkActs } from '../store/desk/bulk-acts.ts';
import { createDeliveries } from '../store/webhooks/deliveries.ts';
import { createEventLog } from '../store/webhooks/events.ts';
import { createPolicies } from '../store/policies/policies.ts';
import { createQueueShards } from '../store/engine/queue-shards.ts';
import { createTimers } from '../store/policies/timers.ts';
import type { StoreSide } from './store-side.ts';

/** Opens the adapters that have tables of their own outside the store. */
export const openTables = (pool: Pool, observer: StoreSide['observer'], sealer: Sealer) => ({
  shards: createQueueShards(pool),
  alarms: createAlarms(pool),
  auditChain: createAuditChain(pool),
  events: createEventLog(pool),
  policies: createPolicies(pool),
  timers: createTimers(pool),
  bulkActs: createBulkActs(
    pool,
    { itemsMax: LIMITS.bulkItemsMax, ending: NEWEST_MODEL.ending, operations: NEWEST_MODEL.names },
    observer('work off item'),
  ),
  deliveries: createDeliveries(pool, sealer),
});
