import type { ProcessRole } from './config.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import type { ShareSizes } from '../store/sql/shares.ts';
import { sumOfShares } from '../store/sql/shares.ts';

/* Computes how many database connections a process may open. */

/** The values on which that number depends. */
export interface ConnectionNeeds {
  readonly databasePool: number;
  /** Whether the queue is in the database as well. */
  readonly hasQueue: boolean;
  /** Whether retention has a connection of its own in processes with the role `clock`. */
  readonly hasRetention?: boolean;
  /** The number of queues: each has its own connections. */
  readonly shards: number;
}

/**
 * Connections outside the pool: one that listens for notifications, one that checks silent connections, and one that
 * checks the queue or the servers.
 */
const BESIDE_THE_POOL = { listening: 1, asking: 1, looking: 1 };
const BESIDE = Object.values(BESIDE_THE_POOL).reduce((sum, one) => sum + one, 0);

/**
 * BullMQ's connections. A worker has one more for blocking waits, and the API has those of the page about the raw
 * queue.
 */
const QUEUE: Readonly<Record<ProcessRole, number>> = {
  api: QUEUE_LIMITS.queueConnections,
  worker: QUEUE_LIMITS.queueConnections + QUEUE_LIMITS.workerConnections + 1,
  projector: 0,
  clock: 0,
};

/**
 * Returns how a process divides the connections of its pool. In a process that serves callers, callers' reads get a
 * quarter of the connections, and their writes, which share transactions, a sixth. Probes get one connection, and the
 * engine gets the rest. If the pool is too small for that, it gets more connections.
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
 * Returns the maximum number of connections that one process opens.
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

/**
 * The wanted number of connections, and the number that the server has. `others` is the present number of other
 * programs' connections, which may change.
 */
export interface ConnectionSum {
  readonly wanted: number;
  readonly processes: number;
  readonly usable: number;
  readonly others: number;
}

/** Returns in words why there are too few connections; `null` if there are enough. */
export function shortOfConnections({
  wanted,
  processes,
  usable,
  others,
}: ConnectionSum): string | null {
  if (wanted + others <= usable) return null;
  const taken = others === 0 ? '' : `, of which other programs use ${others}`;
  return (
    `${processes} ${processes === 1 ? 'process needs' : 'processes need'} up to ${wanted} database connections, ` +
    `but the database server allows ${usable}${taken}`
  );
}

/** Advice for too few connections. */
export const MORE_CONNECTIONS =
  'Raise max_connections, or lower TENURE_DATABASE_POOL or the number of processes.';
