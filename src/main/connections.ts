import type { ProcessRole } from './config.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import type { ShareSizes } from '../store/sql/shares.ts';
import { sumOfShares } from '../store/sql/shares.ts';

/* Sums up the database connections that a process may open. */

/** The values that the sum depends on. */
export interface ConnectionNeeds {
  readonly databasePool: number;
  /** Whether the queue is in the database as well. */
  readonly hasQueue: boolean;
  /** Whether retention has a connection of its own, in the role `clock`. */
  readonly hasRetention?: boolean;
  /** The number of queues: each has connections of its own. */
  readonly shards: number;
}

/** One connection that listens, one that checks silent connections, and one that checks the queue or the servers. */
const BESIDE_THE_POOL = { listening: 1, asking: 1, looking: 1 };
const BESIDE = Object.values(BESIDE_THE_POOL).reduce((sum, one) => sum + one, 0);

/** BullMQ's connections: a worker has one more to wait on, and the API has those of the raw queue's page. */
const QUEUE: Readonly<Record<ProcessRole, number>> = {
  api: QUEUE_LIMITS.queueConnections,
  worker: QUEUE_LIMITS.queueConnections + QUEUE_LIMITS.workerConnections + 1,
  projector: 0,
  clock: 0,
};

/**
 * How a process divides the connections of its pool. In a process that serves callers, their reads get a quarter and
 * their writes, which share transactions, a sixth. Probes get one connection, the engine the rest. A pool that is too
 * small for that is enlarged.
 */
export function shareSizes(roles: Iterable<ProcessRole>, databasePool: number): ShareSizes {
  const servesCallers = [...roles].includes('api');
  const reads = servesCallers ? Math.ceil(databasePool / 4) : 0;
  const writes = servesCallers ? Math.max(1, Math.floor(databasePool / 6)) : 0;
  const probes = 1;
  // A transaction of the engine may need a second connection for a query.
  const engine = Math.max(2, databasePool - reads - writes - probes);
  return { reads, writes, engine, probes };
}

/**
 * The most connections that one process opens.
 *
 * @example
 * const most = connectionsOf(['api', 'worker'], { databasePool: 12, hasQueue: true, shards: 1 });
 */
export function connectionsOf(
  roles: readonly ProcessRole[],
  { databasePool, hasQueue, hasRetention = false, shards }: ConnectionNeeds,
): number {
  const ofShard = hasQueue ? roles.reduce((sum, role) => sum + QUEUE[role], 0) : 0;
  const ofRetention = hasRetention && roles.includes('clock') ? 1 : 0;
  return sumOfShares(shareSizes(roles, databasePool)) + BESIDE + ofRetention + ofShard * shards;
}

/** Compares the wanted connections with the server's. Counts the current use by others, which may change. */
export interface ConnectionSum {
  readonly wanted: number;
  readonly processes: number;
  readonly usable: number;
  readonly others: number;
}

/** Returns why there are too few connections, in words; null if there are enough. */
export function shortOfConnections({
  wanted,
  processes,
  usable,
  others,
}: ConnectionSum): string | null {
  if (wanted + others <= usable) return null;
  const taken = others === 0 ? '' : `, of which other programs use ${others}`;
  return (
    `${processes} ${processes === 1 ? 'process asks' : 'processes ask'} for up to ${wanted} database connections, ` +
    `and the server has ${usable}${taken}`
  );
}

/** Advice for too few connections. */
export const MORE_CONNECTIONS =
  'Raise max_connections, or lower TENURE_DATABASE_POOL or the number of processes.';
