import type { ProcessRole } from './config.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import type { ShareSizes } from '../store/sql/shares.ts';
import { sumOfShares } from '../store/sql/shares.ts';

/* How many connections to the database a process may open, added up. */

/** What a connection sum depends on. */
export interface ConnectionNeeds {
  readonly databasePool: number;
  /** Whether the queue is in the database as well. */
  readonly hasQueue: boolean;
  /** Whether retention has a connection of its own, in the role `clock`. */
  readonly hasRetention?: boolean;
  /** How many queues there are: each has connections of its own. */
  readonly shards: number;
}

/** One that listens, one that asks after others, and one that looks at the queue or at the servers. */
const BESIDE_THE_POOL = { listening: 1, asking: 1, looking: 1 };
const BESIDE = Object.values(BESIDE_THE_POOL).reduce((sum, one) => sum + one, 0);

/** What BullMQ opens: a worker has one more to wait on, and the page of the raw queue is one of the API. */
const QUEUE: Readonly<Record<ProcessRole, number>> = {
  api: QUEUE_LIMITS.queueConnections,
  worker: QUEUE_LIMITS.queueConnections + QUEUE_LIMITS.workerConnections + 1,
  projector: 0,
  clock: 0,
};

/**
 * How a process divides the connections of its pool. In a process that serves callers, their reads have a quarter and
 * their writes, which share transactions, a sixth. Probes have one connection, the engine has the rest. A pool that is
 * too small for that is larger.
 */
export function shareSizes(roles: Iterable<ProcessRole>, databasePool: number): ShareSizes {
  const servesCallers = [...roles].includes('api');
  const reads = servesCallers ? Math.ceil(databasePool / 4) : 0;
  const writes = servesCallers ? Math.max(1, Math.floor(databasePool / 6)) : 0;
  const probes = 1;
  // A transaction of the engine may ask something over another connection.
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

/** Whether the server has what is asked for. Counts what others use now, which may be more at another time. */
export interface ConnectionSum {
  readonly wanted: number;
  readonly processes: number;
  readonly usable: number;
  readonly others: number;
}

/** Why there are too few connections, in words; null when there are enough. */
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

/** What to do about it. */
export const MORE_CONNECTIONS =
  'Raise max_connections, or lower TENURE_DATABASE_POOL or the number of processes.';
