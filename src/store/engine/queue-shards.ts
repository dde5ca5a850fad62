import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { SHARDS_CHANNEL } from '../sql/channels.ts';
import { statement } from '../sql/statement.ts';
import { EARLIER_WORKER_RUNS } from './clock-reports.ts';
import { onConnection, transact } from '../sql/transact.ts';

const READ = statement<{ shards: number; most: number }>(
  'queue-shards',
  'select shards, most from queue_shards',
);

/**
 * Waits for relays that dispatch according to the previous number. Returns no row if a running worker knows only one
 * queue.
 */
const SET = statement<{ shards: number; most: number }>(
  'set-queue-shards',
  `insert into queue_shards as q (shards, most) select $1, $1 where $1 = 1 or not ${EARLIER_WORKER_RUNS}
   on conflict (single) do update
   set shards = excluded.shards, most = greatest(q.most, excluded.shards), set_at = now()
   returning shards, most`,
);

/** The number of queues that share the submissions, and the highest number that there has ever been. */
export interface QueueShards {
  read(io: Io): Promise<{ readonly shards: number; readonly most: number }>;
  /**
   * @returns false if nothing was changed because a worker of an earlier version is running, which knows only one queue
   */
  set(shards: number, io: Io): Promise<boolean>;
}

const ONE = { shards: 1, most: 1 } as const;

/** @param pool opened with `pipelined`; the caller closes it */
export const createQueueShards = (pool: Pool): QueueShards => ({
  async read(io) {
    const [row] = await onConnection(pool, io, (session) => session.run(READ));
    return row ?? ONE;
  },
  set: (shards, io) =>
    transact(pool, io, async (session) => {
      const rows = await session.run(SET, [shards]);
      session.announce(SHARDS_CHANNEL, '');
      return rows.length > 0;
    }),
});
